package stack

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nobody answers nothing.
type nobody struct{ http.Handler }

func (nobody) Reach(context.Context, string) error { return errors.New("nobody there") }

// TestMain lets the test binary play the runner that is killed: with GEN_E2E_RUNNER set it starts a stack and waits.
func TestMain(m *testing.M) {
	if dir := os.Getenv("GEN_E2E_RUNNER"); dir != "" {
		os.Exit(runner(dir))
	}
	os.Exit(m.Run())
}

func runner(ready string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := Start(ctx, Options{Argo: Argo3, Peers: nobody{}, Log: func(string, ...any) {}})
	if err != nil {
		println(err.Error())
		return 1
	}
	defer s.Stop()
	if err := os.WriteFile(ready, []byte(s.Dir+" "+s.URL), 0o644); err != nil {
		return 1
	}
	switch os.Getenv("GEN_E2E_END") {
	case "panic":
		panic("as asked")
	case "timeout": // of go test panics beside the test, so that nothing is deferred
		go panic("as asked")
	case "success":
		return 0
	case "failure":
		return 1
	}
	<-ctx.Done()
	return 0
}

// TestNothingIsLeft starts a runner, ends it in each way there is, and looks for its processes and its folder.
func TestNothingIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the stack")
	}
	tests := []struct {
		name  string
		env   string
		end   syscall.Signal
		swept bool // the folder goes only with the next start
	}{
		{name: "success", env: "GEN_E2E_END=success"},
		{name: "failure", env: "GEN_E2E_END=failure"},
		{name: "interrupt", end: syscall.SIGINT},
		{name: "terminate", end: syscall.SIGTERM},
		{name: "panic", env: "GEN_E2E_END=panic"},
		{name: "timeout", env: "GEN_E2E_END=timeout", swept: true},
		{name: "kill", end: syscall.SIGKILL, swept: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			left := endRunner(t, test.env, test.end)
			dir, processes := left.dir, left.processes
			if len(processes) < 5 && test.env == "" {
				t.Errorf("only %d processes were noted", len(processes))
			}
			for _, line := range processes {
				if !dead(line) {
					t.Errorf("process %s is still there", line)
				}
			}
			if test.swept {
				if err := Sweep(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := os.Stat(dir); err == nil {
				t.Errorf("folder %s is still there", dir)
			}
			// another program may have been given the port since: it would not take our token
			if answers(left.url+"/readyz", token)(t.Context()) == nil {
				t.Errorf("the API server still answers at %s", left.url)
			}
		})
	}
}

// ran is what a runner had: its folder, its noted processes, the address of its API server.
type ran struct {
	dir, url  string
	processes []string
}

// endRunner gives what a runner had that was ended.
func endRunner(t *testing.T, env string, end syscall.Signal) ran {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GEN_E2E_RUNNER="+ready, env)
	out, err := os.Create(ready + ".out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	dir, url, _ := strings.Cut(awaitFile(t, ready, ended), " ")
	b, err := os.ReadFile(filepath.Join(dir, processesFile))
	if err != nil && env == "" {
		t.Fatal(err)
	}
	if end != 0 {
		_ = cmd.Process.Signal(end)
	}
	<-ended
	return ran{dir, url, strings.Split(strings.TrimSpace(string(b)), "\n")}
}

func awaitFile(t *testing.T, path string, ended <-chan struct{}) string {
	t.Helper()
	for range 600 {
		if b, err := os.ReadFile(path); err == nil && len(b) > 0 {
			return string(b)
		}
		select {
		case <-ended:
		default:
		}
		time.Sleep(100 * time.Millisecond)
	}
	out, _ := os.ReadFile(path + ".out")
	t.Fatalf("the runner did not get ready:\n%s", out)
	return ""
}

// dead waits a moment: the kernel ends the children after the parent.
func dead(line string) bool {
	for range 50 {
		if alive(line) == 0 {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}
