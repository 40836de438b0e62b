package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"time"
)

// limits bound the look at a folder that nobody may have read: its templates can be written to have no end.
type limits struct {
	time  time.Duration
	bytes uint64 // of memory that is in use
}

// folderLimits are far beyond what a repository needs: 10 000 objects take a second.
var folderLimits = limits{5 * time.Minute, 4 << 30}

// bounded runs what cannot be interrupted, and leaves it running when it is told to stop or goes beyond a limit: the program ends
// then.
func bounded[T any](ctx context.Context, max limits, call func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := call()
		done <- answer{value, err}
	}()
	var none T
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	end := time.After(max.time)
	for {
		select {
		case a := <-done:
			return a.value, a.err
		case <-ctx.Done():
			return none, context.Cause(ctx)
		case <-end:
			return none, fmt.Errorf("it takes longer than %s, the limit: is there a template without an end? Prove a part of it, or render it first", max.time)
		case <-tick.C:
			if used := inUse(); used > max.bytes {
				return none, errors.New("it takes more than " + fmt.Sprint(max.bytes>>20) + " MiB of memory, the limit: is there a template without an end? Prove a part of it, or render it first")
			}
		}
	}
}

// inUse returns how many bytes of memory objects take.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() + sample[1].Value.Uint64()
}
