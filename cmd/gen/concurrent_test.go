package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// Renders of one folder that run at once write one after the other, also where nothing but the folder is shared.
func TestConcurrentRenders(t *testing.T) {
	root := t.TempDir()
	killModel(t, root, "a")
	child{dir: root, env: []string{"GEN_CACHE=" + t.TempDir()}}.run(t, "022", "render", "-q")
	killModel(t, root, "b")
	held, err := tree.Open(filepath.Join(root, pipeline.OutputDir))
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Lock(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var runs []*waiting
	for range 4 {
		runs = append(runs, startWaiting(t, child{dir: root, env: []string{"GEN_CACHE=" + t.TempDir()}}))
	}
	for i, r := range runs {
		if got := r.line(t); got != "another gen is writing output: waiting until it is done\n" {
			t.Errorf("run %d says %q", i, got)
		}
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	for i, r := range runs {
		if err := r.end(); err != nil {
			t.Errorf("run %d: %v", i, err)
		}
	}
	got := line{setup: pipeline.Setup{Root: root}}.hash(t)
	other := t.TempDir()
	killModel(t, other, "b")
	child{dir: other, env: []string{"GEN_CACHE=" + t.TempDir()}}.run(t, "022", "render", "-q")
	if want := (line{setup: pipeline.Setup{Root: other}}).hash(t); got != want {
		t.Errorf("the output is %s; one run alone gives %s", got, want)
	}
}

// waiting is a render in the background.
type waiting struct {
	messages chan string
	rest     bytes.Buffer
	wait     func() error
}

// startWaiting starts a render and hands on what it says.
func startWaiting(t *testing.T, c child) *waiting {
	t.Helper()
	cmd := c.command(t, "022", "render")
	r := &waiting{messages: make(chan string, 100), wait: cmd.Wait}
	cmd.Stderr = r
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// Write implements io.Writer.
func (r *waiting) Write(data []byte) (int, error) {
	r.rest.Write(data)
	r.messages <- string(data)
	return len(data), nil
}

// line waits for the first message.
func (r *waiting) line(t *testing.T) string {
	t.Helper()
	select {
	case message := <-r.messages:
		return message
	case <-time.After(time.Minute):
		return "nothing"
	}
}

func (r *waiting) end() error {
	if err := r.wait(); err != nil {
		return fmt.Errorf("%w: %s", err, r.rest.String())
	}
	return nil
}
