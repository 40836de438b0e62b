package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coldstart-gitops/gen"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// restless is a chart whose every line would differ from one run to the next, were no template function replaced.
var restless = map[string]string{
	"Chart.yaml":  "apiVersion: v2\nname: restless\nversion: 1.0.0\n",
	"values.yaml": "map: {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8}\n",
	"templates/map.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: restless, namespace: restless}
data:
  keys: {{ keys .Values.map | join "," | quote }}
  values: {{ values .Values.map | join "," | quote }}
  shuffle: {{ shuffle "the quick brown fox jumps over the lazy dog" | quote }}
  now: {{ now | date "2006-01-02 15:04:05.000000000 MST" | quote }}
  random: {{ randAlphaNum 24 | quote }}
`,
}

// child runs this very program as another process.
type child struct {
	dir string
	env []string
}

// command is `gen` with these arguments; umask is the child's alone.
func (c child) command(t *testing.T, umask string, args ...string) *exec.Cmd {
	t.Helper()
	script := fmt.Sprintf("umask %s && exec gen \"$@\"", umask)
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", script, "gen"}, args...)...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), c.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func (c child) run(t *testing.T, umask string, args ...string) string {
	t.Helper()
	out, err := c.command(t, umask, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("gen %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// writeFiles writes files into a folder that it makes.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// restlessModel is the sample with the restless chart, locked; cache holds its charts.
func restlessModel(t *testing.T, cache string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, gen.Samples); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(root, pipeline.ModelDir)
	writeFiles(t, filepath.Join(model, "charts", "restless"), restless)
	fleet := filepath.Join(model, "fleet.yaml")
	data, err := os.ReadFile(fleet)
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, "\n  restless: {chart: {path: charts/restless}, namespace: restless}\n"...)
	if err := os.WriteFile(fleet, data, 0o644); err != nil {
		t.Fatal(err)
	}
	c := child{dir: root, env: []string{"GEN_CACHE=" + cache}}
	c.run(t, "022", "charts", "lock", "--world", demoWorld)
	return model
}

// The same model is the same bytes, whatever the machine: processors, time zone, folders, home, umask, cold or warm cache.
func TestSameBytesEverywhere(t *testing.T) {
	warm := t.TempDir()
	model := restlessModel(t, warm)
	const runs = 20
	processors := []string{"1", "2", "8"}
	zones := []string{"UTC", "Asia/Kathmandu"}
	umasks := []string{"022", "077", "002"}
	var want string
	for i := range runs {
		root, home, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
		if err := os.CopyFS(filepath.Join(root, pipeline.ModelDir), os.DirFS(model)); err != nil {
			t.Fatal(err)
		}
		cache := warm
		if i%4 != 0 { // a warm cache holds what was rendered: only a cold one runs the templates again
			cache = t.TempDir()
		}
		c := child{dir: root, env: []string{"GEN_CACHE=" + cache, "HOME=" + home, "GOMAXPROCS=" + processors[i%3], "TZ=" + zones[(i/3)%2]}}
		args := []string{"render", "-q", "--world", demoWorld}
		if i%5 == 1 {
			c.dir, args = elsewhere, append(args, "-C", root)
		}
		c.run(t, umasks[(i/2)%3], args...)
		got := line{setup: pipeline.Setup{Root: root}}.hash(t)
		if want == "" {
			want = got
			t.Logf("tree hash %s", got)
		}
		if got != want {
			t.Errorf("run %d (%v) hashes to %s; want %s", i, c.env, got, want)
		}
	}
}
