package stack

import (
	"context"
	"fmt"
	"syscall"
)

// Run runs a program beside the stack to its end, with its output in the log of that name. It ends with the context, with the
// runner, and with all that it started itself.
func (s *Stack) Run(ctx context.Context, name string, env []string, path string, args ...string) error {
	m, err := s.procs.start(name, path, env, args...)
	if err != nil {
		return err
	}
	select {
	case <-m.done:
	case <-ctx.Done():
		_ = syscall.Kill(-m.cmd.Process.Pid, syscall.SIGKILL)
		<-m.done
	}
	if m.err != nil || ctx.Err() != nil {
		return fmt.Errorf("running %s: %w\n%s", name, m.err, s.procs.tail(name))
	}
	return nil
}
