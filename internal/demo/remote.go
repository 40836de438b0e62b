package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi" //nolint:gosec // G504 is about Go before 1.6.3
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// FleetRepository is the path of the bare, at first empty repository at HostGit.
const FleetRepository = "platform/fleet.git"

// remote serves bare repositories below dir with the git program itself: go-git's server loses concurrent pushes.
type remote struct {
	dir       string
	temporary bool
	backend   http.Handler
}

// newRemote makes the repository under dir, or under a temporary folder.
func newRemote(ctx context.Context, dir string) (*remote, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("looking for the git program: %w; install git 2.30 or newer", err)
	}
	r := &remote{dir: dir}
	if dir != "" { // the backend runs in another folder than we do
		if r.dir, err = filepath.Abs(dir); err != nil {
			return nil, fmt.Errorf("finding the folder for the git remote: %w", err)
		}
	} else {
		if r.dir, err = os.MkdirTemp("", "gen-demo-"); err != nil {
			return nil, fmt.Errorf("making a folder for the git remote: %w", err)
		}
		r.temporary = true
	}
	if err := r.create(ctx, git); err != nil {
		if r.temporary {
			err = errors.Join(err, os.RemoveAll(r.dir))
		}
		return nil, err
	}
	r.backend = &cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Dir: r.dir, Env: append(r.environment(), "REMOTE_USER=demo"), Stderr: io.Discard,
	}
	return r, nil
}

// environment keeps a person's git configuration out of the remote.
func (r *remote) environment() []string {
	return []string{
		"HOME=" + r.dir, "XDG_CONFIG_HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_PROJECT_ROOT=" + r.dir, "GIT_HTTP_EXPORT_ALL=1",
	}
}

func (r *remote) create(ctx context.Context, git string) error {
	path := filepath.Join(r.dir, filepath.FromSlash(FleetRepository))
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", "--initial-branch=main", path},
		{"--git-dir", path, "config", "http.receivepack", "true"},
		{"--git-dir", path, "config", "receive.autogc", "false"}, // it would run on after Close
	} {
		cmd := exec.CommandContext(ctx, git, args...)
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, r.environment()...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("running git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
		}
	}
	return nil
}

// ServeHTTP gives a request to git http-backend. The body is read first, since CGI needs its length and git sends larger
// pushes in chunks.
func (r *remote) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, "reading the request: "+err.Error(), http.StatusBadRequest)
		return
	}
	req.Body, req.ContentLength, req.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	r.backend.ServeHTTP(w, req)
}

// Remote is the URL on loopback of the bare repository, for the git program. It takes pushes from anybody.
func (w *World) Remote() string {
	return "http://" + w.Address(HostGit) + "/" + FleetRepository
}

// GitEnv lets the git program reach the world's remote under the name that the model gives it: NAME=value pairs to add to
// the environment of git (which must not hold GIT_CONFIG_COUNT already).
func (w *World) GitEnv() []string {
	return []string{
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url.http://" + w.Address(HostGit) + "/.insteadOf",
		"GIT_CONFIG_VALUE_0=https://" + HostGit + "/",
		"GIT_TERMINAL_PROMPT=0",
	}
}
