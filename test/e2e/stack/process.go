package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// family starts processes and stops them all. Each dies with the runner, even if that is killed: the kernel sends
// SIGKILL to a child whose parent thread ends (prctl PR_SET_PDEATHSIG), so one locked thread starts them all.
type family struct {
	dir     string
	starts  chan func()
	mu      sync.Mutex
	members []*member
}

type member struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

func newFamily(dir string) *family {
	f := &family{dir: dir, starts: make(chan func())}
	go func() {
		runtime.LockOSThread()
		for start := range f.starts {
			start()
		}
	}()
	return f
}

// start runs a program in a group of its own, with its output in a file, and notes its process for the next run's sweep.
func (f *family) start(name, path string, env []string, args ...string) (*member, error) {
	log, err := os.Create(f.log(name))
	if err != nil {
		return nil, fmt.Errorf("making the log of %s: %w", name, err)
	}
	defer log.Close()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = f.dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	f.starts <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	m := &member{name: name, cmd: cmd, done: make(chan struct{})}
	go func() { m.err = cmd.Wait(); close(m.done) }()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members = append(f.members, m)
	return m, noteProcess(f.dir, cmd.Process.Pid)
}

func (f *family) log(name string) string { return filepath.Join(f.dir, name+".log") }

// await asks probe until it answers nil; a process that ended, or the context's end, is the answer otherwise, with the log.
func (f *family) await(ctx context.Context, m *member, probe func(context.Context) error) error {
	var last error
	for {
		if last = probe(ctx); last == nil {
			return nil
		}
		select {
		case <-m.done:
			return fmt.Errorf("awaiting %s: the process ended (%w)\n%s", m.name, errors.Join(m.err, last), f.tail(m.name))
		case <-ctx.Done():
			return fmt.Errorf("awaiting %s: %w: %w\n%s", m.name, ctx.Err(), last, f.tail(m.name))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// tail shows the end of a process's log, for a report.
func (f *family) tail(name string) string {
	b, err := os.ReadFile(f.log(name))
	if err != nil {
		return err.Error()
	}
	return lastLines(b, 15)
}

// stop ends the members in the reverse of their start: politely, then by force, and with them their own children.
func (f *family) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.members) - 1; i >= 0; i-- {
		m := f.members[i]
		_ = syscall.Kill(-m.cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-m.done:
		case <-time.After(time.Second):
		}
		_ = syscall.Kill(-m.cmd.Process.Pid, syscall.SIGKILL)
		<-m.done
	}
	if f.starts != nil {
		close(f.starts)
	}
	f.members, f.starts = nil, nil
}
