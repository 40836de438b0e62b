//go:build unix

package git

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestScratchOfTheKilled: what a run that was killed left is gone at the next one; what a run that lives holds is not, and neither
// are files and links of such a name.
func TestScratchOfTheKilled(t *testing.T) {
	if temp := os.Getenv("GEN_TEST_SCRATCH"); temp != "" { // the run that is killed
		t.Setenv("TMPDIR", temp)
		dir, done, err := scratch()
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		fmt.Println("scratch " + dir)
		time.Sleep(time.Minute)
		return
	}
	temp, kept := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	if err := os.WriteFile(filepath.Join(temp, scratchPrefix+"file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, filepath.Join(temp, scratchPrefix+"link")); err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestScratchOfTheKilled$")
	child.Env = append(os.Environ(), "GEN_TEST_SCRATCH="+temp)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	held := strings.TrimSpace(strings.TrimPrefix(line, "scratch "))
	if err != nil || !strings.HasPrefix(held, temp) {
		t.Fatalf("%q, %v", line, err)
	}
	next := func() {
		dir, done, err := scratch()
		if err != nil {
			t.Fatal(err)
		}
		if done(); exists(dir) {
			t.Errorf("%s is not removed when its act is done", dir)
		}
	}
	if next(); !exists(held) {
		t.Error("the folder of a run that lives is removed")
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if next(); exists(held) {
		t.Error("the folder of a run that was killed stays")
	}
	if left, _ := filepath.Glob(filepath.Join(temp, scratchPrefix+"*")); len(left) != 2 || !exists(kept) {
		t.Errorf("left: %v", left)
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
