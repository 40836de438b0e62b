package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// A disk that is full during render leaves a folder that check and push refuse; once there is room, the next render mends it.
func TestDiskFull(t *testing.T) {
	root := t.TempDir()
	c := child{dir: root, env: append([]string{"GEN_CACHE=" + t.TempDir()}, identity...)}
	killModel(t, root, "a")
	c.run(t, "022", "render", "-q")
	want := line{setup: pipeline.Setup{Root: root}}.hash(t)
	output := filepath.Join(root, pipeline.OutputDir)
	if err := os.RemoveAll(output); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(output, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=128k", "none", output).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", output).Run() })
	out, err := c.command(t, "022", "render", "-q").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no space left on device") || !strings.Contains(string(out), "make room or access, then run the command again") {
		t.Fatalf("render on a full disk: %v\n%s", err, out)
	}
	if out, err := c.command(t, "022", "check").CombinedOutput(); err == nil || !strings.Contains(string(out), "broke off") {
		t.Errorf("check of what a full disk left: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,size=8m", output).CombinedOutput(); err != nil {
		t.Fatalf("making room: %v: %s", err, out)
	}
	c.run(t, "022", "render", "-q")
	if got := (line{setup: pipeline.Setup{Root: root}}).hash(t); got != want {
		t.Errorf("with room again the output is %s; an undisturbed run gives %s", got, want)
	}
	c.run(t, "022", "check")
}

// A file system that takes no writes stops a run before anything changed, and the message names the file.
func TestReadOnlyOutput(t *testing.T) {
	root := t.TempDir()
	c := child{dir: root, env: append([]string{"GEN_CACHE=" + t.TempDir()}, identity...)}
	killModel(t, root, "a")
	output := filepath.Join(root, pipeline.OutputDir)
	if err := os.Mkdir(output, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "none", output).CombinedOutput(); err != nil {
		t.Skipf("a disk of its own cannot be mounted here: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", output).Run() })
	c.run(t, "022", "render", "-q")
	killModel(t, root, "b")
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,ro", output).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := c.command(t, "022", "render", "-q").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "writing output/lab/.gen/plain: read-only file system: nothing but generated files was touched; make room or access") {
		t.Errorf("render to a read-only disk: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,rw", output).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.run(t, "022", "render", "-q")
	c.run(t, "022", "check")
}

// A model of another version of gen refuses every command before anything is written, and says how that version is had.
func TestOtherVersionRefuses(t *testing.T) {
	before := version
	version = "0.3.1"
	t.Cleanup(func() { version = before })
	root := t.TempDir()
	killModel(t, root, "a")
	fleet := filepath.Join(root, "environments", "fleet.yaml")
	data, err := os.ReadFile(fleet)
	if err != nil {
		t.Fatal(err)
	}
	for wanted, message := range map[string]string{
		"0.4.0":       "this is gen 0.3.1 and the fleet is rendered by 0.4.0 only, so that no other version changes its output; run go install github.com/coldstart-gitops/gen/cmd/gen@v0.4.0",
		">=0.4, <0.5": "change gen.version in a commit of its own",
		"newest":      "is neither a version nor a range of versions",
	} {
		if err := os.WriteFile(fleet, append(data, "gen: {version: \""+wanted+"\"}\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out := prove(t, "render", "-q", "-C", root, "--cache", t.TempDir())
		if code != exitError || !strings.Contains(out, "environments/fleet.yaml:") || !strings.Contains(out, message) {
			t.Errorf("%s: exit code %d: %s", wanted, code, out)
		}
		if _, err := os.Stat(filepath.Join(root, pipeline.OutputDir)); err == nil {
			t.Errorf("%s: something was written", wanted)
		}
	}
}
