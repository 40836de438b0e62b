package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// call is one run of the git program.
type call struct {
	args  []string
	stdin io.Reader
	env   []string
}

// Failure is a run of git that ended badly, with git's own words. Credentials in them are blotted out.
type Failure struct {
	Command string
	Stderr  string
	Code    int // -1 where git did not end by itself
	err     error
}

func (f *Failure) Error() string {
	if f.Stderr == "" {
		return fmt.Sprintf("%s: %v", f.Command, f.err)
	}
	return fmt.Sprintf("%s: %v: %s", f.Command, f.err, f.Stderr)
}

// Unwrap returns what kept git from ending well: the context's error, or the exit status.
func (f *Failure) Unwrap() error { return f.err }

// grace is how long a cancelled git has to remove its lock files before it is killed.
const grace = 5 * time.Second

func (r *Repository) run(ctx context.Context, c call) ([]byte, error) {
	// Maintenance in the background would outlive us and hold locks.
	args := append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, c.args...)
	cmd := exec.CommandContext(ctx, r.program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.top, c.stdin, &stdout, &stderr
	cmd.Env = append(environment(os.Environ()), c.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = grace
	if err := cmd.Run(); err != nil {
		return nil, failure(ctx, c.args, stderr.String(), err)
	}
	return stdout.Bytes(), nil
}

func failure(ctx context.Context, args []string, stderr string, err error) error {
	f := &Failure{Command: redact("git " + strings.Join(args, " ")), Stderr: redact(squeeze(stderr)), Code: -1, err: err}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		f.Code = exit.ExitCode()
	}
	if ctx.Err() != nil {
		f.err = context.Cause(ctx)
	}
	return f
}

// squeeze takes the blanks at the ends of lines and the empty lines out of what git says: servers pad theirs for a terminal.
func squeeze(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// git runs git and returns what it prints, without the last newline.
func (r *Repository) git(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, call{args: args})
	return strings.TrimRight(string(out), "\n"), err
}

// lookup is git for commands that end with status 1 where there is nothing to print.
func (r *Repository) lookup(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, args...)
	if exitCode(err) == 1 {
		return "", nil
	}
	return out, err
}

// exitCode returns 0 for no error, and -1 for one that is no exit status.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	var f *Failure
	if errors.As(err, &f) {
		return f.Code
	}
	return -1
}

// callers are variables that git sets for its hooks (and others for their scripts): they would lead us to another
// repository, index or meaning of paths. Configuration handed down by GIT_CONFIG_* stays: CI systems log in by it.
var callers = map[string]bool{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_COMMON_DIR": true, "GIT_DIR": true, "GIT_GLOB_PATHSPECS": true,
	"GIT_GRAFT_FILE": true, "GIT_ICASE_PATHSPECS": true, "GIT_IMPLICIT_WORK_TREE": true, "GIT_INDEX_FILE": true,
	"GIT_INDEX_VERSION": true, "GIT_INTERNAL_SUPER_PREFIX": true, "GIT_LITERAL_PATHSPECS": true, "GIT_NAMESPACE": true,
	"GIT_NOGLOB_PATHSPECS": true, "GIT_OBJECT_DIRECTORY": true, "GIT_PREFIX": true, "GIT_QUARANTINE_PATH": true,
	"GIT_REPLACE_REF_BASE": true, "GIT_SHALLOW_FILE": true, "GIT_WORK_TREE": true,
}

// environment returns the caller's environment without callers, and so that git speaks plainly and asks nothing.
func environment(outer []string) []string {
	var env []string
	for _, entry := range outer {
		if name, _, _ := strings.Cut(entry, "="); !callers[name] {
			env = append(env, entry)
		}
	}
	return append(env, "LC_ALL=C", "LANGUAGE=", "GIT_TERMINAL_PROMPT=0", "GIT_MERGE_AUTOEDIT=no", "GIT_PAGER=cat")
}

var (
	urlCredentials = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s'"]*@`)
	queryTokens    = regexp.MustCompile(`(?i)([?&][a-z_-]*(?:token|password|secret|key)=)[^&\s'"]+`)
)

// redact blots credentials out of URLs in text.
func redact(text string) string {
	return queryTokens.ReplaceAllString(urlCredentials.ReplaceAllString(text, "${1}***@"), "${1}***")
}
