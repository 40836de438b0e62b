package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A run's folder holds `processes`: a line each, "pid start-time", the runner's own first. The start time tells a process
// from a later one that was given the same number.
const (
	runPrefix     = "gen-e2e-run-"
	processesFile = "processes"
)

// newRunDir makes the folder of a run, after it has removed what runs that were killed left behind.
func newRunDir() (string, error) {
	if err := Sweep(); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", runPrefix)
	if err != nil {
		return "", fmt.Errorf("making the folder of the run: %w", err)
	}
	return dir, noteProcess(dir, os.Getpid())
}

// Sweep ends the processes and removes the folders of runs whose runner is gone. A run that is alive is left alone.
func Sweep() error {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), runPrefix+"*"))
	if err != nil {
		return fmt.Errorf("looking for earlier runs: %w", err)
	}
	for _, dir := range dirs {
		if err := sweepRun(dir); err != nil {
			return err
		}
	}
	return nil
}

func sweepRun(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, processesFile))
	if err != nil {
		return nil // just being made, or being removed, by another run
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if alive(lines[0]) != 0 {
		return nil
	}
	for _, line := range lines[1:] {
		if pid := alive(line); pid != 0 {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing what an earlier run left: %w", err)
	}
	return nil
}

// alive gives the process of a noted line if it still runs and is the same one, else 0.
func alive(line string) int {
	pidText, start, found := strings.Cut(line, " ")
	pid, err := strconv.Atoi(pidText)
	if !found || err != nil || start == "" || startTime(pid) != start {
		return 0
	}
	return pid
}

// startTime is field 22 of /proc/PID/stat, empty if there is no such process (proc(5)); the name in field 2 may hold
// spaces, so fields are counted from its closing bracket.
func startTime(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	const state, start = 0, 19
	if len(fields) <= start || fields[state] == "Z" {
		return ""
	}
	return fields[start]
}

func noteProcess(dir string, pid int) error {
	f, err := os.OpenFile(filepath.Join(dir, processesFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("noting a process: %w", err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "%d %s\n", pid, startTime(pid)); err != nil {
		return fmt.Errorf("noting a process: %w", err)
	}
	return nil
}
