package pipeline

import (
	"context"
	"sync"
)

// parallel calls work for 0…n-1, at most jobs at a time, and returns when all have ended. Each call writes to its own slot, so
// the result does not depend on who was first. Once ctx is done no further call starts.
func parallel(ctx context.Context, jobs, n int, work func(i int)) {
	slots := make(chan struct{}, jobs)
	var wait sync.WaitGroup
	for i := range n {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			defer func() { <-slots }()
			work(i)
		})
	}
	wait.Wait()
}
