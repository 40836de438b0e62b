package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// plainFleet is a model that renders at once: one component of plain manifests.
func plainFleet(git string) map[string]string {
	return map[string]string{
		"environments/fleet.yaml": "apiVersion: gen/v1\nkind: Fleet\ngit: {url: https://git.example.internal/platform/fleet.git, " + git + "}\n" +
			"argocd: {in: none}\ncomponents:\n  plain: {manifests: manifests/plain, namespace: plain}\n",
		"environments/lab.yaml": "apiVersion: gen/v1\nkind: Environment\nname: lab\nversions: {kubernetes: 1.36.2}\n",
	}
}

func configMap(name, value string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {v: %q}\n", name, value)
}

// killModel writes many manifests that all carry one value, so that a mixture of two runs shows.
func killModel(t *testing.T, root, value string) {
	t.Helper()
	files := plainFleet(`branch: main, path: "output/{env}"`)
	for i := range 150 {
		name := fmt.Sprintf("m%d", i)
		files["environments/manifests/plain/"+name+".yaml"] = configMap(name, value)
	}
	writeFiles(t, root, files)
}

// gitIn runs git in a folder with an identity of its own.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), identity...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

var identity = []string{
	"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
}

// A render killed at 50 random moments is mended by the next one, and push commits a whole output or nothing.
func TestKilledRenderIsMended(t *testing.T) {
	remote, root := filepath.Join(t.TempDir(), "remote.git"), t.TempDir()
	gitIn(t, root, "init", "--quiet", "--bare", "-b", "main", remote)
	gitIn(t, root, "init", "--quiet", "-b", "main")
	gitIn(t, root, "remote", "add", "origin", remote)
	c := child{dir: root, env: append([]string{"GEN_CACHE=" + t.TempDir()}, identity...)}
	want, whole := map[string]string{}, map[string]bool{}
	var took time.Duration
	for _, value := range []string{"a", "b"} {
		killModel(t, root, value)
		start := time.Now()
		c.run(t, "022", "render", "-q")
		took = time.Since(start)
		want[value] = line{setup: pipeline.Setup{Root: root}}.hash(t)
		whole[objectsHash(t, root)] = true
	}
	gitIn(t, root, "add", "-A")
	gitIn(t, root, "commit", "--quiet", "-m", "first")
	gitIn(t, root, "push", "--quiet", "-u", "origin", "main")
	mixed, refused := 0, 0
	for i := range 50 {
		value := []string{"a", "b"}[i%2]
		killModel(t, root, value)
		killAfter(t, c, time.Duration(rand.Int64N(int64(took))))
		if !whole[objectsHash(t, root)] {
			mixed++
			if out, err := c.command(t, "022", "push").CombinedOutput(); err == nil || !strings.Contains(string(out), "broke off") {
				t.Errorf("push of a mixture: %v: %s", err, out)
			} else {
				refused++
			}
		}
		c.run(t, "022", "render", "-q")
		if got := (line{setup: pipeline.Setup{Root: root}}).hash(t); got != want[value] {
			t.Errorf("round %d: after a kill the output is %s; an undisturbed run gives %s", i, got, want[value])
		}
	}
	t.Logf("50 kills within %v: %d left a mixture, push refused %d of them", took, mixed, refused)
}

// objectsHash is that of the files Argo CD reads. A kill may also leave a half-written record or a temporary file beside a
// whole output: that is no mixture.
func objectsHash(t *testing.T, root string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(filepath.Join(root, pipeline.OutputDir), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".gen":
			return filepath.SkipDir
		case d.IsDir() || strings.HasPrefix(d.Name(), ".gen-tmp-"):
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(data), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// killAfter starts a render and kills it and its shell after a while.
func killAfter(t *testing.T, c child, wait time.Duration) {
	t.Helper()
	cmd := c.command(t, "022", "render", "-q")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(wait)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
}
