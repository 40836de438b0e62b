package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// mostAtStart is how many bytes a package may allocate before main. The largest is a library of JSON schemas (1.7 MB), which Helm links.
const mostAtStart = 2_500_000

// TestStart holds what happens before main: every command waits for it, though most need nothing of what is linked.
func TestStart(t *testing.T) {
	program, err := os.Executable() // it links what gen links
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line) // init PACKAGE @… ms, … ms clock, BYTES bytes, COUNT allocs
		if len(words) < 9 || words[0] != "init" {
			continue
		}
		seen++
		if strings.HasSuffix(words[1], "/ballast") {
			continue // allocates on purpose, and touches nothing
		}
		if bytes, err := strconv.Atoi(words[len(words)-4]); err != nil || bytes > mostAtStart {
			t.Errorf("%s allocates %s bytes before main, want at most %d (%v)", words[1], words[len(words)-4], mostAtStart, err)
		}
	}
	if seen < 100 {
		t.Fatalf("only %d packages traced:\n%s", seen, out)
	}
}
