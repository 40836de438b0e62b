package pipeline

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// TestBounded states that work which never ends comes to an end: by being told to, by time and by memory.
func TestBounded(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	endless := func() (int, error) { <-block; return 0, nil }
	told, tell := context.WithCancel(t.Context())
	tell()
	if _, err := bounded(told, folderLimits, endless); !errors.Is(err, context.Canceled) {
		t.Errorf("told to end: %v", err)
	}
	if _, err := bounded(t.Context(), limits{time.Millisecond, 1 << 62}, endless); err == nil || !strings.Contains(err.Error(), "longer than 1ms, the limit") {
		t.Errorf("beyond its time: %v", err)
	}
	if _, err := bounded(t.Context(), limits{time.Hour, 1}, endless); err == nil || !strings.Contains(err.Error(), "MiB of memory, the limit") {
		t.Errorf("beyond its memory: %v", err)
	}
	if got, err := bounded(t.Context(), folderLimits, func() (int, error) { return 5, fs.ErrExist }); got != 5 || !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %d, %v", got, err)
	}
}

// TestFenced states that nothing is opened but folders and files.
func TestFenced(t *testing.T) {
	files := fenced{t.Context(), fstest.MapFS{"a/file": {Data: []byte("x")}, "pipe": {Mode: fs.ModeNamedPipe}, "device": {Mode: fs.ModeDevice}}}
	for name, want := range map[string]bool{"a/file": true, "a": true, ".": true, "pipe": false, "device": false, "none": false} {
		file, err := files.Open(name)
		if (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = file.Close()
		}
	}
}
