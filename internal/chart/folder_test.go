package chart

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/ignore"
)

// write makes a folder with files; a value that begins with "-> " is a link.
func write(t testing.TB, dir string, content map[string]string) string {
	t.Helper()
	for name, text := range content {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, full)
		} else {
			err = os.WriteFile(full, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rooted opens a folder as the program does.
func rooted(t testing.TB, dir string) fs.FS {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root.FS()
}

// own is a chart's folder with all that .helmignore is about.
var own = map[string]string{
	"charts/own/Chart.yaml":                   chartYAML("own", "0.1.0"),
	"charts/own/values.yaml":                  "\xEF\xBB\xBFa: 1\n",
	"charts/own/.helmignore":                  "\xEF\xBB\xBF# comment\nREADME.md\n/docs\n*.bak\ntests/\n",
	"charts/own/README.md":                    "kind: not-a-manifest\n",
	"charts/own/docs/a.txt":                   "dropped\n",
	"charts/own/templates/a.yaml":             "kind: A\n",
	"charts/own/templates/README.md":          "dropped too: the pattern has no slash\n",
	"charts/own/templates/.hidden.yaml":       "dropped by Helm's own rule\n",
	"charts/own/templates/a.yaml.bak":         "dropped\n",
	"charts/own/tests/a.yaml":                 "dropped\n",
	"charts/own/files/docs":                   "kept: the pattern is rooted\n",
	"charts/own/charts/sub/Chart.yaml":        chartYAML("sub", "0.1.0"),
	"charts/own/charts/sub/.helmignore":       "a.yaml\n",
	"charts/own/charts/sub/templates/a.yaml":  "kept: only the chart's own .helmignore counts\n",
	"charts/own/charts/sub/templates/.b.yaml": "kept\n",
	"charts/own/linked.yaml":                  "-> ../shared/linked.yaml",
	"charts/own/files/tree":                   "-> ../../shared/tree",
	"charts/shared/linked.yaml":               "linked\n",
	"charts/shared/tree/x/y.txt":              "linked folder\n",
}

// TestOpenFolder compares a folder with what Helm loads of it, and with the archive that Helm packs of it.
func TestOpenFolder(t *testing.T) {
	dir := write(t, t.TempDir(), own)
	helm, err := loader.LoadDir(filepath.Join(dir, "charts/own"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, file := range helm.Raw {
		want[file.Name] = string(file.Data)
	}
	packed, err := chartutil.Save(helm, filepath.Join(dir, "charts"))
	if err != nil {
		t.Fatal(err)
	}
	store := quick(Options{Root: rooted(t, dir), Transport: closed{}})
	for _, path := range []string{"charts/own", "charts/" + filepath.Base(packed)} {
		t.Run(path, func(t *testing.T) {
			source := Source{Path: path}
			entry, err := store.Resolve(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			content, err := store.Open(t.Context(), source, entry)
			if err != nil {
				t.Fatal(err)
			}
			got := listing(t, content)
			// helm package writes Chart.yaml anew.
			got["Chart.yaml"], got["charts/sub/Chart.yaml"] = want["Chart.yaml"], want["charts/sub/Chart.yaml"]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("files (-Helm +ours):\n%s", diff)
			}
		})
	}
}

func TestOpenFolderThatChanged(t *testing.T) {
	dir := write(t, t.TempDir(), own)
	source := Source{Path: "charts/own"}
	root := rooted(t, dir)
	entry, err := quick(Options{Root: root}).Resolve(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"charts/own/README.md": "an ignored file may change\n"})
	if !quick(Options{Root: root}).Stands(entry) {
		t.Error("an ignored file changed, and the entry does not stand")
	}
	if _, err := quick(Options{Root: root}).Open(t.Context(), source, entry); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"charts/own/templates/a.yaml": "kind: B\n"})
	store := quick(Options{Root: root})
	if store.Stands(entry) || !store.Stands(pinnedAs("a", "1.0.0", digestA)) {
		t.Error("the entry of a changed folder stands, or one of a repository does not")
	}
	_, err = store.Open(t.Context(), source, entry)
	if err == nil || !strings.Contains(err.Error(), "it changed since it was locked; run `gen charts lock`") || !strings.Contains(err.Error(), entry.Digest) {
		t.Errorf("error = %v", err)
	}
}

// Many environments ask whether one chart is what was pinned: it is read once.
func TestStandsLooksOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "podinfo.tgz"), podinfo(t, ""), 0o600); err != nil {
		t.Fatal(err)
	}
	source := Source{Path: "podinfo.tgz"}
	entry, err := quick(Options{Root: os.DirFS(dir)}).Resolve(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	root := &countingFS{FS: os.DirFS(dir)}
	store := quick(Options{Root: root})
	for range 3 {
		if !store.Stands(entry) {
			t.Error("the entry does not stand")
		}
	}
	if root.opened != 2 { // for stat and for its bytes
		t.Errorf("opened %d times, want 2", root.opened)
	}
}

type countingFS struct {
	fs.FS
	opened int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.opened++
	return c.FS.Open(name)
}

func TestFolderMistakes(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"missing":               {nil, "charts/own: no such file or folder"},
		"no Chart.yaml":         {map[string]string{"charts/own/values.yaml": ""}, "holds no Chart.yaml"},
		"link out":              {map[string]string{"charts/own/Chart.yaml": chartYAML("own", "1.0.0"), "charts/own/x": "-> /etc/passwd"}, "a link must lead to a file below"},
		"link out, relative":    {map[string]string{"charts/own/Chart.yaml": chartYAML("own", "1.0.0"), "charts/own/x": "-> ../../../../../../etc/passwd"}, "a link must lead to a file below"},
		"link in a circle":      {map[string]string{"charts/own/Chart.yaml": chartYAML("own", "1.0.0"), "charts/own/x": "-> ."}, "too many levels of symbolic links"},
		"link to nothing":       {map[string]string{"charts/own/Chart.yaml": chartYAML("own", "1.0.0"), "charts/own/x": "-> nothing"}, "a link must lead to a file below"},
		"double star":           {map[string]string{"charts/own/Chart.yaml": chartYAML("own", "1.0.0"), "charts/own/.helmignore": "a\n**/b\n"}, `.helmignore:2: pattern "**/b": Helm knows no double star`},
		"bad pattern":           {map[string]string{"charts/own/Chart.yaml": chartYAML("own", "1.0.0"), "charts/own/.helmignore": "[a\n"}, `.helmignore:1: pattern "[a": syntax error in pattern`},
		"no version":            {map[string]string{"charts/own/Chart.yaml": "name: own\n"}, "no name or no version"},
		"Chart.yaml is no YAML": {map[string]string{"charts/own/Chart.yaml": "a: ["}, "reading Chart.yaml: yaml: "},
		"large file":            {map[string]string{"charts/own/Chart.yaml": chartYAML("own", "1.0.0"), "charts/own/big": strings.Repeat("a", maxFile+1)}, "big is larger than 5 MiB"},
		"an archive of nothing": {map[string]string{"charts/own": "text"}, "it is no gzip"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store := quick(Options{Root: rooted(t, write(t, t.TempDir(), test.files))})
			_, err := store.Resolve(t.Context(), Source{Path: "charts/own"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v\nwant one with %q", err, test.want)
			}
		})
	}
}

// TestTreeDigest makes the number that digest.go documents with the programs that it names.
func TestTreeDigest(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{"Chart.yaml": chartYAML("own", "0.1.0"), "templates/a b.yaml": "x", "templates-z": "y", "é": "z"})
	content, err := readFolder(rooted(t, dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "sh", "-c", `LC_ALL=C find . -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum`)
	command.Dir = dir
	out, err := command.Output()
	if err != nil {
		t.Skipf("no coreutils to compare with: %v", err)
	}
	if got, want := treeDigest(content), treePrefix+strings.Fields(string(out))[0]; got != want {
		t.Errorf("treeDigest = %s, coreutils make %s", got, want)
	}
}

// TestIgnoreAsHelm compares the rules with Helm's own over patterns and paths made of few parts, so that they often meet.
func TestIgnoreAsHelm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "b", "templates", ".h", "*", "?", "a*", "[ab]", "*.md", "README.md", "!", "/", "/", "#", " ", "\\*"}
	join := func(most int) string {
		var out string
		for range 1 + random.IntN(most) {
			out += parts[random.IntN(len(parts))]
		}
		return out
	}
	for range 20_000 {
		file := join(4) + "\n" + join(3) + "\n"
		theirs, theirErr := ignore.Parse(strings.NewReader(file))
		ours, ourErr := readIgnore([]byte(file))
		if (theirErr == nil) != (ourErr == nil) {
			t.Fatalf("%q: Helm says %v, we say %v", file, theirErr, ourErr)
		}
		if theirErr != nil {
			continue
		}
		theirs.AddDefaults()
		for _, name := range []string{"a", "b/a", "templates", "templates/a", "templates/.h", "a/templates/.h", "README.md", "a/README.md", ".h", "a/b/a"} {
			for _, folder := range []bool{false, true} {
				if want, got := theirs.Ignore(name, about(folder)), ours.ignores(name, folder); want != got {
					t.Fatalf("%q ignores %q (folder: %v): Helm says %v, we say %v", file, name, folder, want, got)
				}
			}
		}
	}
}

// about describes a file or folder to Helm.
func about(folder bool) fs.FileInfo { return info{name: "x", folder: folder} }

func TestPackFilesIsDeterministic(t *testing.T) {
	content, err := readFolder(fstest.MapFS{"Chart.yaml": {Data: []byte(chartYAML("own", "0.1.0")), ModTime: time.Now()}, "values.yaml": {Data: []byte("\xEF\xBB\xBFa: 1\n")}}, ".")
	if err != nil {
		t.Fatal(err)
	}
	first, err := packFiles(content, "own")
	if err != nil {
		t.Fatal(err)
	}
	again, err := packFiles(content, "own")
	if err != nil || string(first) != string(again) {
		t.Fatalf("two archives of the same files differ (%v)", err)
	}
	unpacked, err := contentOf(first, treeDigest(content))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(listing(t, content), listing(t, unpacked)); diff != "" {
		t.Errorf("packed and unpacked (-want +got):\n%s", diff)
	}
	if got := fmt.Sprint(listing(t, unpacked)["values.yaml"]); got != "a: 1\n" {
		t.Errorf("values.yaml = %q: the byte order mark is dropped as Helm drops it", got)
	}
}
