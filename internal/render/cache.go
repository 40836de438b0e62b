package render

import (
	"crypto/sha256"
	"sync"
)

// Bounds of the caches, in bytes of input: a fleet's charts and their large documents, not everything ever rendered.
const (
	maxCachedCharts    = 256 << 20
	maxCachedDocuments = 256 << 20
)

// content is the key of a cache: two equal keys stand for equal bytes.
type content [sha256.Size]byte

// cache keeps immutable values by the content that they were made from, until their input fills max bytes.
type cache[V any] struct {
	mu   sync.RWMutex
	kept map[content]V
	left int
}

func newCache[V any](max int) *cache[V] { return &cache[V]{kept: map[content]V{}, left: max} }

// get returns the value kept for key, or makes it; size is how many bytes it is made from. Two callers at once may both make it.
func (c *cache[V]) get(key content, size int, make func() (V, error)) (V, error) {
	c.mu.RLock()
	value, ok := c.kept[key]
	c.mu.RUnlock()
	if ok {
		return value, nil
	}
	value, err := make()
	if err != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if first, ok := c.kept[key]; ok {
		return first, nil
	}
	if c.left >= size {
		c.left -= size
		c.kept[key] = value
	}
	return value, nil
}
