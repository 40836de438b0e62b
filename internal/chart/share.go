package chart

import (
	"context"
	"sync"
)

// shared holds results that several callers may ask for at once. Its zero value is ready.
type shared[K comparable, T any] struct {
	mu      sync.Mutex
	results map[K]*result[T]
}

// result is one of them; its fields may be read once done is closed.
type result[T any] struct {
	done      chan struct{}
	value     T
	err       error
	abandoned bool // its caller gave up, which says nothing to others
}

// get returns the result of load for a key, loading once: callers that come meanwhile wait, later ones get what was found, a
// failure too, so that a hundred environments do not try a dead server a hundred times.
func (s *shared[K, T]) get(ctx context.Context, key K, load func() (T, error)) (T, error) {
	for {
		r, leads := s.claim(key)
		if leads {
			s.lead(ctx, key, r, load)
			return r.value, r.err
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			var none T
			return none, context.Cause(ctx)
		}
		if !r.abandoned {
			return r.value, r.err
		}
	}
}

// claim returns the result of a key, and whether the caller is the one to load it.
func (s *shared[K, T]) claim(key K) (*result[T], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.results[key]; ok {
		return r, false
	}
	if s.results == nil {
		s.results = map[K]*result[T]{}
	}
	r := &result[T]{done: make(chan struct{})}
	s.results[key] = r
	return r, true
}

// lead loads for all who wait.
func (s *shared[K, T]) lead(ctx context.Context, key K, r *result[T], load func() (T, error)) {
	defer close(r.done)
	r.value, r.err = load()
	if r.err == nil || ctx.Err() == nil {
		return
	}
	r.abandoned = true
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.results, key)
}
