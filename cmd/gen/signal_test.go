package main

import (
	"syscall"
	"testing"
	"time"
)

// A run that waits for something which knows no context ends at the second signal: the first one asks, the second one insists.
func TestSecondSignalEnds(t *testing.T) {
	root := t.TempDir()
	writeFiles(t, root, map[string]string{"mirrors.yaml": "[]\n"})
	cmd := child{dir: root}.command(t, "022", "images", "rewrite", "-f", "-", "--mirrors", "mirrors.yaml")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// What was taken out of the pipe was read by the program, so that it runs and waits for more.
	if _, err := stdin.Write(make([]byte, 1<<17)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case err := <-ended:
			if err == nil {
				t.Error("it ended well, though nothing was read to its end")
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}
