package chart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// library publishes three versions of a chart called lib and returns the server.
func library(t testing.TB) (*web, map[string][]byte) {
	t.Helper()
	w := serve(t)
	archives := map[string][]byte{}
	index := "entries:\n  lib:\n"
	for _, version := range []string{"1.0.0", "1.2.0", "2.0.0", "1.3.0-rc.1"} {
		archives[version] = pack(t, "lib", map[string]string{"Chart.yaml": chartYAML("lib", version), "templates/lib.yaml": "version: " + version + "\n"})
		w.body("/charts/lib-"+version+".tgz", archives[version])
		index += "  - {name: lib, version: " + version + ", urls: [lib-" + version + ".tgz], digest: " + digestHex(archiveDigest(archives[version])) + "}\n"
	}
	w.body(indexPath, []byte(index))
	return w, archives
}

// dependsOn is the part of a Chart.yaml that declares a dependency.
func dependsOn(name, version, repository string, more ...string) string {
	return "dependencies:\n- name: " + name + "\n  version: \"" + version + "\"\n  repository: \"" + repository + "\"\n" + strings.Join(more, "")
}

func TestResolveDependencies(t *testing.T) {
	w, archives := library(t)
	repo := w.URL + "/charts"
	oci := newRegistry(t, nil)
	push(t, oci+"/lib:1.1.0", pack(t, "lib", map[string]string{"Chart.yaml": chartYAML("lib", "1.1.0")}), chartLayer)
	pinned := func(version string) []Dependency {
		return []Dependency{{At: "charts/lib-" + version, Repo: repo, Name: "lib", Version: version, Digest: archiveDigest(archives[version]), URL: repo + "/lib-" + version + ".tgz"}}
	}
	tests := map[string]struct {
		files map[string]string // of charts/
		want  []Dependency
	}{
		"exact":            {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", repo))}, pinned("1.0.0")},
		"range":            {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "^1.0.0", repo))}, pinned("1.2.0")},
		"any":              {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "", repo))}, pinned("2.0.0")},
		"locked by helm":   {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "^1.0.0", repo)), "own/Chart.lock": dependsOn("lib", "1.0.0", repo)}, pinned("1.0.0")},
		"old chart":        {map[string]string{"own/Chart.yaml": "name: own\nversion: 0.1.0\n", "own/requirements.yaml": dependsOn("lib", "~1", repo), "own/requirements.lock": dependsOn("lib", "1.0.0", repo)}, pinned("1.0.0")},
		"two aliases":      {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", repo, "  alias: one\n- {name: lib, version: 1.0.0, repository: "+repo+", alias: two}\n"))}, pinned("1.0.0")},
		"a condition":      {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", repo, "  condition: lib.enabled\n"))}, pinned("1.0.0")},
		"held as a folder": {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "^1.0.0", repo)), "own/charts/lib/Chart.yaml": chartYAML("lib", "1.9.9")}, nil},
		"held as archive":  {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "^1.0.0", repo)), "own/charts/lib-1.2.0.tgz": string(archives["1.2.0"])}, nil},
		"held under another name": {map[string]string{
			"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "^1.0.0", repo)), "own/charts/x/Chart.yaml": chartYAML("lib", "1.0.0"),
			"own/charts/_lib/Chart.yaml": chartYAML("other", "9.9.9"),
		}, nil},
		"none declared": {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0"), "own/charts/x/Chart.yaml": chartYAML("lib", "1.0.0")}, nil},
		"neighbours, in turn": {
			map[string]string{
				"own/Chart.yaml":    chartYAML("own", "0.1.0", dependsOn("common", ">=0", "file://../common")),
				"common/Chart.yaml": chartYAML("common", "0.2.0", dependsOn("lib", "1.0.0", repo)), "common/.helmignore": "x\n", "common/x": "dropped",
			},
			append([]Dependency{{At: "charts/common-0.2.0", Path: "charts/common", Name: "common", Version: "0.2.0"}},
				Dependency{At: "charts/common-0.2.0/charts/lib-1.0.0", Repo: repo, Name: "lib", Version: "1.0.0", Digest: archiveDigest(archives["1.0.0"]), URL: repo + "/lib-1.0.0.tgz"}),
		},
		"registry, a range": {
			map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.x", oci))},
			[]Dependency{{At: "charts/lib-1.1.0", Repo: oci, Name: "lib", Version: "1.1.0", URL: oci + "/lib:1.1.0"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			for path, text := range test.files {
				files["charts/"+path] = text
			}
			store := quick(Options{Root: rooted(t, write(t, t.TempDir(), files))})
			source := Source{Path: "charts/own"}
			entry, err := store.Resolve(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range test.want {
				if d.Digest == "" && i < len(entry.Dependencies) {
					test.want[i].Digest = entry.Dependencies[i].Digest
				}
			}
			if diff := cmp.Diff(test.want, entry.Dependencies); diff != "" {
				t.Fatalf("dependencies (-want +got):\n%s", diff)
			}
			content, err := store.Open(t.Context(), source, entry)
			if err != nil {
				t.Fatal(err)
			}
			got := listing(t, content)
			for _, d := range test.want {
				if !strings.Contains(got[d.At+"/Chart.yaml"], "version: "+d.Version) {
					t.Errorf("%s does not hold %s %s", d.At, d.Name, d.Version)
				}
			}
			if _, ok := got["charts/common-0.2.0/x"]; ok {
				t.Error("the .helmignore of a neighbour was not applied")
			}
		})
	}
}

func TestDependencyMistakes(t *testing.T) {
	w, _ := library(t)
	repo := w.URL + "/charts"
	tests := map[string]struct {
		files map[string]string
		want  []string
	}{
		"all at once": {
			map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("a", "1.0.0", "", "- {name: lib, version: ^9, repository: "+repo+"}\n"))},
			[]string{"dependency a: Chart.yaml names no repository, and charts/ does not hold it", `dependency lib: ` + repo + ` has no version of it that fits "^9"`},
		},
		"no such chart":       {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("li", "1.0.0", repo))}, []string{"its index has no such chart; did you mean lib?"}},
		"no such version":     {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "7.0.0", repo))}, []string{"has no version 7.0.0"}},
		"no range":            {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "newest", repo))}, []string{`version "newest" is no range`}},
		"alias of helm":       {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", "@mine"))}, []string{`repository "@mine" is a name of the helm program on one machine; write its URL`}},
		"registry, no scheme": {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", "registry-1.docker.io/bitnamicharts"))}, []string{"oci://registry-1.docker.io/bitnamicharts for a registry"}},
		"repository gone":     {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", w.URL+"/gone"))}, []string{w.URL + "/gone/index.yaml answers 404", "if the repository moved"}},
		"held, other version": {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "^2", repo)), "own/charts/lib/Chart.yaml": chartYAML("lib", "1.0.0")}, []string{`charts/ holds 1.0.0, Chart.yaml asks for "^2"`}},
		"helm's lock is old":  {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "^2", repo)), "own/Chart.lock": dependsOn("lib", "1.0.0", repo)}, []string{`Chart.lock says 1.0.0, Chart.yaml asks for "^2"; run ` + "`helm dependency update`"}},
		"helm's lock broken":  {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "^2", repo)), "own/Chart.lock": "["}, []string{"reading Chart.lock: yaml: "}},
		"neighbour missing":   {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", "file://../lib"))}, []string{"file://../lib: charts/lib: no such file or folder"}},
		"neighbour out":       {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", "file://../../../lib"))}, []string{"it leaves the folder that all paths start in"}},
		"neighbour absolute":  {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", "file:///lib"))}, []string{"it leaves the folder that all paths start in"}},
		"neighbour, other":    {map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", "file://../x")), "x/Chart.yaml": chartYAML("x", "1.0.0")}, []string{"file://../x holds chart x"}},
		"neighbours in a circle": {
			map[string]string{"own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("x", "1.0.0", "file://../x")), "x/Chart.yaml": chartYAML("x", "1.0.0", dependsOn("x", "1.0.0", "file://."))},
			[]string{"do they lead in a circle?"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			for path, text := range test.files {
				files["charts/"+path] = text
			}
			store := quick(Options{Root: rooted(t, write(t, t.TempDir(), files))})
			_, err := store.Resolve(t.Context(), Source{Path: "charts/own"})
			for _, want := range append(test.want, "chart charts/own") {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error = %v\nwant one with %q", err, want)
				}
			}
		})
	}
}

// TestGitDependencies takes a neighbour from the same commit, and opens it later from the repository alone.
func TestGitDependencies(t *testing.T) {
	w, _ := library(t)
	repo := newRepo(t, map[string]string{
		"charts/own/Chart.yaml":         chartYAML("own", "0.1.0", dependsOn("common", "0.2.0", "file://../common", "- {name: lib, version: 1.0.0, repository: "+w.URL+"/charts}\n")),
		"charts/common/Chart.yaml":      chartYAML("common", "0.2.0"),
		"charts/common/templates/a.txt": "locked\n",
	})
	source := Source{Git: repo.url, Ref: "main", Path: "charts/own"}
	folder := t.TempDir()
	entry, err := quick(Options{Cache: folder}).Resolve(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	repo.commit(map[string]string{"charts/common/templates/a.txt": "newer\n"})
	for name, test := range map[string]struct {
		options Options
		fetches int64
	}{"from the cache": {Options{Cache: folder, Transport: closed{}}, 0}, "from the repository": {Options{}, 3}} {
		store := quick(test.options)
		content, err := store.Open(t.Context(), source, entry)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := listing(t, content)
		if got["charts/common-0.2.0/templates/a.txt"] != "locked\n" || got["charts/lib-1.0.0/templates/lib.yaml"] != "version: 1.0.0\n" {
			t.Errorf("%s: %v", name, got)
		}
		if store.Fetches() != test.fetches {
			t.Errorf("%s: Fetches() = %d, want %d", name, store.Fetches(), test.fetches)
		}
	}
}
