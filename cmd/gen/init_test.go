package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A disk that fills up during init leaves nothing of the starter, and keeps the attributes that were there.
func TestInitOnFullDisk(t *testing.T) {
	root := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=20k", "none", root).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", root).Run() })
	attributes := filepath.Join(root, attributesFile)
	if err := os.WriteFile(attributes, []byte("*.png binary\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out := prove(t, "init", "-C", root)
	if code != exitError || !strings.Contains(out, "no space left on device; nothing was changed") {
		t.Fatalf("exit code %d: %s", code, out)
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v", entries, err)
	}
	if kept, err := os.ReadFile(attributes); err != nil || string(kept) != "*.png binary\n" {
		t.Errorf("the attributes are now %q, %v", kept, err)
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,size=1m", root).CombinedOutput(); err != nil {
		t.Fatalf("making room: %v: %s", err, out)
	}
	if code, out := prove(t, "init", "-C", root); code != 0 {
		t.Errorf("with room: exit code %d: %s", code, out)
	}
}
