//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// openTerminal opens a pseudo-terminal: what a program writes to the second, a person reads at the first.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	var locked, number int32
	control(t, person, syscall.TIOCSPTLCK, &locked)
	control(t, person, syscall.TIOCGPTN, &number)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return person, program
}

// control asks the kernel about a terminal.
func control(t *testing.T, terminal *os.File, request uintptr, value *int32) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
		t.Fatal(errno)
	}
}

// Progress is drawn on a person's terminal and taken away again, is not drawn with --quiet or where messages go to a file, and never stands
// among the results.
func TestProgressIsForTerminals(t *testing.T) {
	l := startLine(t)
	l.lock(t)
	for name, c := range map[string]struct {
		args  []string
		drawn bool
	}{"a person looks": {nil, true}, "quiet": {[]string{"-q"}, false}} {
		person, program := openTerminal(t)
		var out bytes.Buffer
		args := append([]string{"images", "verify", "--world", "demo", "-C", l.setup.Root, "--cache", l.setup.Cache}, c.args...)
		if code := run(t.Context(), args, streams{out: &out, err: program}); code != 0 && code != exitRefused {
			t.Errorf("%s: exit code %d", name, code)
		}
		if _, err := program.WriteString("END"); err != nil {
			t.Fatal(err)
		}
		if err := program.Close(); err != nil {
			t.Fatal(err)
		}
		seen := readUntil(t, person, "END")
		if drawn := strings.Contains(seen, "\rimages 1/"); drawn != c.drawn || drawn && !strings.Contains(seen, "\r\033[K") {
			t.Errorf("%s: the terminal shows %q", name, seen)
		}
		if strings.ContainsAny(out.String(), "\r\033") {
			t.Errorf("%s: the results hold %q", name, out.String())
		}
	}
}

// readUntil reads a terminal up to a word.
func readUntil(t *testing.T, from io.Reader, word string) string {
	t.Helper()
	var seen strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(seen.String(), word) {
		n, err := from.Read(buffer)
		seen.Write(buffer[:n])
		if err != nil {
			t.Fatalf("after %q: %v", seen.String(), err)
		}
	}
	return seen.String()
}
