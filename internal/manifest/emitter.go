package manifest

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"reflect"
	"slices"
	"sync"
)

// Emitter emits objects of which many share large parts, as the environments of a fleet share the CRDs of a chart: such a part is
// emitted once. The text is the same as Append's. It may be used by many goroutines.
type Emitter struct {
	mu    sync.Mutex
	texts map[uintptr]shared
	whole map[uint64][]byte // what Keep returned, by its hash
	seed  maphash.Seed
}

// shared is a top-level field that was emitted. It holds the map, so that no other comes to lie at its address.
type shared struct {
	key    string
	fields map[string]any
	text   []byte
}

// worthKeeping is from how many bytes on the text of a field is kept.
const worthKeeping = 4 << 10

// NewEmitter returns an Emitter that has seen nothing.
func NewEmitter() *Emitter {
	return &Emitter{texts: map[uintptr]shared{}, whole: map[uint64][]byte{}, seed: maphash.MakeSeed()}
}

// Append appends what Emit returns to out. A nil Emitter keeps nothing.
func (e *Emitter) Append(out []byte, o Object) ([]byte, error) {
	if e == nil || len(o.fields) == 0 {
		return Append(out, o)
	}
	var buffer [16]string
	var err error
	for _, key := range sortedKeys(buffer[:0], o.fields) {
		if out, err = e.field(out, key, o.fields[key]); err != nil {
			return nil, fmt.Errorf("emitting %s: %w", o.ID(), err)
		}
	}
	return out, nil
}

// field emits one top-level field with its key, or finds it emitted.
func (e *Emitter) field(out []byte, key string, value any) ([]byte, error) {
	fields, isMap := value.(map[string]any)
	if !isMap {
		return appendEntry(out, key, value, 0)
	}
	at := reflect.ValueOf(fields).Pointer()
	e.mu.Lock()
	known := e.texts[at]
	e.mu.Unlock()
	if known.fields != nil && known.key == key {
		return append(out, known.text...), nil
	}
	start := len(out)
	out, err := appendEntry(out, key, value, 0)
	if err != nil || len(out)-start < worthKeeping {
		return out, err
	}
	e.mu.Lock()
	e.texts[at] = shared{key, fields, slices.Clone(out[start:])}
	e.mu.Unlock()
	return out, nil
}

// Keep returns a copy of text, which may be a buffer. Equal texts of some size are one copy: a fleet of a hundred holds the text of a CRD
// once. Nobody may change what it returns.
func (e *Emitter) Keep(text []byte) []byte {
	if e == nil || len(text) < worthKeeping {
		return slices.Clone(text)
	}
	key := maphash.Bytes(e.seed, text)
	e.mu.Lock()
	known := e.whole[key]
	e.mu.Unlock()
	if bytes.Equal(known, text) {
		return known
	}
	known = slices.Clone(text)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.whole[key] = known
	return known
}
