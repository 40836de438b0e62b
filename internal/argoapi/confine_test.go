package argoapi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// TestConfined states that a script of argocd-cm reaches nothing of this machine: it may come from a stranger's pull request.
func TestConfined(t *testing.T) {
	dir := t.TempDir()
	file := filepath.ToSlash(filepath.Join(dir, "read.lua"))
	if err := os.WriteFile(filepath.Join(dir, "read.lua"), []byte(`return {status="Healthy"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	made := filepath.ToSlash(filepath.Join(dir, "made"))
	scripts := map[string]string{
		"dofile":       `return dofile("` + file + `")`,
		"loadfile":     `return loadfile("` + file + `")()`,
		"require":      `package.path = "` + dir + `/?.lua"; return require("read")`,
		"loaders":      `package.path = "` + dir + `/?.lua"; return package.loaders[2]("read")()`,
		"loaded":       `return package.loaded._G.dofile("` + file + `")`,
		"os.execute":   `os.execute("touch ` + made + `"); return {status="Healthy"}`,
		"io.open":      `io.open("` + made + `", "w"):close(); return {status="Healthy"}`,
		"require os":   `require("os").execute("touch ` + made + `"); return {status="Healthy"}`,
		"environment":  `return getfenv(0).dofile("` + file + `")`,
		"loaded text":  `return loadstring("return dofile(...)")("` + file + `")`,
		"a function's": `return getfenv(getfenv).loadfile("` + file + `")()`,
	}
	widget := "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n"
	for name, script := range scripts {
		j := judge(t, "3.2", map[string]any{"resource.customizations.health.example.com_Widget": script})
		health, err := j.Health(decode(t, widget))
		if err == nil && health != nil && health.Status == argocd.Healthy {
			t.Errorf("%s: reached out of the script", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("a script has made a file")
	}
}

// TestUnrun states that a script which asks for open libraries, however argocd-cm says it, is not run, and that an endless one is run
// once.
func TestUnrun(t *testing.T) {
	widget := decode(t, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n")
	settings := map[string]map[string]any{
		"its own key": {"resource.customizations.health.example.com_Widget": "return {status='Healthy'}", "resource.customizations.useOpenLibs.example.com_Widget": "true"},
		"the old map": {"resource.customizations": "example.com/Widget:\n  health.lua.useOpenLibs: true\n  health.lua: return {status='Healthy'}\n"},
		"a wildcard":  {"resource.customizations": "\"*/*\":\n  health.lua.useOpenLibs: true\n  health.lua: return {status='Healthy'}\n"},
		"endless":     {"resource.customizations.health.example.com_Widget": "while true do end"},
	}
	for name, data := range settings {
		j := judge(t, "3.2", data)
		for range 20 {
			_, err := j.Health(widget)
			if unrun := new(argocd.Unrun); !errors.As(err, unrun) || !strings.Contains(unrun.Pattern, "*") && unrun.Pattern != "example.com/Widget" {
				t.Fatalf("%s: got %v", name, err)
			}
		}
		if runs := j.stopped.Load(); runs > 1 {
			t.Errorf("%s: stopped %d times", name, runs)
		}
	}
}
