// Package internal_test holds the import table of the design against what the packages import.
package internal_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/coldstart-gitops/gen"

// allowed names, for every package of ours, the packages of ours that it may import (docs: CONTRIBUTING.md, "Where things are").
// Data flows one way: nouns stand at the bottom, a verb never imports a verb, only pipeline knows the order, nothing knows its parent.
var allowed = map[string]string{
	"internal/manifest":             "",
	"internal/environment":          "",
	"internal/graph":                "",
	"internal/image":                "",
	"internal/chart":                "",
	"internal/git":                  "",
	"internal/argocd":               "manifest",
	"internal/imagefield":           "manifest",
	"internal/tree":                 "manifest",
	"internal/talos":                "environment",
	"internal/component":            "environment manifest argocd",
	"internal/needs":                "manifest argocd",
	"internal/stored":               "manifest",
	"internal/argoapi":              "argocd manifest argoapi/untranslated",
	"internal/argoapi/untranslated": "",
	"internal/source":               "argocd manifest",
	"internal/rules":                "environment manifest argocd",
	"internal/render":               "component environment manifest",
	"internal/transform":            "argocd component graph imagefield manifest needs stored",
	"internal/coldstart":            "argocd graph manifest needs stored",
	"internal/report":               "argocd chart coldstart component environment git graph image imagefield manifest needs render rules source transform tree pipeline",
	"internal/demo":                 "",
	"internal/pipeline": "argocd chart coldstart component environment git graph image imagefield manifest needs render rules source talos " +
		"transform tree",
	"generators":      "component environment manifest argocd needs",
	"cmd/gen":         "*",
	"cmd/gen/ballast": "",
	"":                "", // samples.go embeds the sample environments
}

// owned says which package alone may import a foreign one, and why.
var owned = []struct {
	prefix string
	by     string
	why    string
}{
	{"github.com/argoproj/", "internal/argoapi", "what links argo-cd takes twice as long to link"},
	{"helm.sh/helm/", "internal/render", "one place knows how Helm renders"},
	{"sigs.k8s.io/kustomize/", "internal/render", "its OpenAPI state is global: one package holds the lock"},
	{"github.com/google/go-containerregistry", "internal/image internal/chart internal/demo", "registries are asked with one care for credentials"},
	{"sigs.k8s.io/yaml", "internal/manifest internal/environment", "objects are read in one way only"},
	{"go.yaml.in/yaml/", "internal/environment internal/chart internal/imagefield internal/source", "positions are read where a person's file is read (decisions 2 and later)"},
	{"gopkg.in/yaml", "", "go.yaml.in/yaml is its maintained home"},
	{"github.com/siderolabs/", "internal/talos", "machine documents are made in one place"},
	{"github.com/spf13/cobra", "cmd/gen", "the command line is no library's business"},
	{"html/template", "internal/report", "pages are made in one place"},
	{"os/exec", "internal/git internal/demo internal/chart internal/image", "rendering calls no external program: only git, charts from git and credential helpers do"},
}

type listed struct {
	ImportPath string
	Imports    []string
	GoFiles    []string
}

func TestImportTable(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		table, known := allowed[name]
		if !known {
			t.Errorf("%s: not in the import table: say what it may import, or fold it into a package that is", name)
			continue
		}
		for _, path := range p.Imports {
			if own, ok := strings.CutPrefix(path, module+"/"); ok {
				checkOwn(t, name, own, table)
			} else {
				checkForeign(t, name, path)
			}
		}
	}
}

func checkOwn(t *testing.T, name, imported, table string) {
	t.Helper()
	short := strings.TrimPrefix(imported, "internal/")
	if table != "*" && !slices.Contains(strings.Fields(table), short) {
		t.Errorf("%s imports %s: the table allows [%s]: data goes down as values; let pipeline hand it over", name, imported, table)
	}
}

func checkForeign(t *testing.T, name, path string) {
	t.Helper()
	for _, rule := range owned {
		if strings.HasPrefix(path, rule.prefix) && !slices.Contains(strings.Fields(rule.by), name) {
			t.Errorf("%s imports %s: only [%s] may: %s", name, path, rule.by, rule.why)
		}
	}
	if name == "internal/argocd" && strings.Contains(path, ".") {
		t.Errorf("%s imports %s: it has no foreign imports, so that anyone may import it", name, path)
	}
}

// touch opens every Go file of ours: go test remembers a result by the files that the test opened, and would give the old one for
// a changed import that only `go list` has seen.
func touch(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"../cmd", "../generators", "../internal"} {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" {
				return err
			}
			_, err = os.ReadFile(name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func packages(t *testing.T) []listed {
	t.Helper()
	touch(t)
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,GoFiles", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("listing packages: %v", err)
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
	if len(all) < 5 {
		t.Fatalf("only %d packages listed", len(all))
	}
	return all
}
