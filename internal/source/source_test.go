package source

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const app = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: NAME, namespace: argocd}
spec: {destination: {}, source: SOURCE}
`

func application(name, source string) string {
	return strings.NewReplacer("NAME", name, "SOURCE", source).Replace(app)
}

func configMap(name string) string {
	return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + "}}\n"
}

// TestLoad states what each Application applies, and what cannot be told.
func TestLoad(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  map[string][]string
	}{
		"an empty folder": {want: map[string][]string{}},
		"a path from the repository's root, seen from a folder inside it": {
			files: map[string]string{
				"root.yaml":           application("root", "{path: output/lab/apps}"),
				"apps/a.yaml":         application("a", "{path: output/lab/components/a}"),
				"components/a/b.yaml": configMap("b") + "---\n" + configMap("c"),
				"components/a/d.json": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"}}`,
				"components/a/README": "text",
			},
			want: map[string][]string{"root": {"Application.argoproj.io argocd/a"}, "a": {"ConfigMap b", "ConfigMap c", "ConfigMap d"}},
		},
		"folders below count only with recurse": {
			files: map[string]string{
				"apps.yaml":    application("flat", "{path: m}") + "---\n" + application("deep", "{path: m, directory: {recurse: true}}"),
				"m/a.yml":      configMap("a"),
				"m/sub/b.yaml": configMap("b"),
			},
			want: map[string][]string{"flat": {"ConfigMap a"}, "deep": {"ConfigMap a", "ConfigMap b"}},
		},
		"include, exclude and the mark": {
			files: map[string]string{
				"apps.yaml": application("a", "{path: m, directory: {include: '*.yaml', exclude: '{x*,y*}'}}"),
				"m/a.yaml":  configMap("a"), "m/b.yml": configMap("b"), "m/x.yaml": configMap("x"), "m/y1.yaml": configMap("y"),
				"m/s.yaml": "# +argocd:skip-file-rendering\n" + configMap("s"),
			},
			want: map[string][]string{"a": {"ConfigMap a"}},
		},
		"what is rendered elsewhere is not told": {
			files: map[string]string{
				"apps.yaml":            application("chart", "{chart: redis, repoURL: x}") + "---\n" + application("kust", "{path: k}") + "---\n" + application("gone", "{path: nowhere}"),
				"k/kustomization.yaml": "resources: []\n",
			},
			want: map[string][]string{
				"chart": {"? its source is the Helm chart redis of x, which is not in the folder"},
				"kust":  {"? its source k is rendered by kustomize"},
				"gone":  {"? its source path nowhere is not in the folder"},
			},
		},
		"separators with comments and content behind them": {
			files: map[string]string{
				"apps.yaml": application("a", "{path: m}"),
				"m/a.yaml":  "---# one\n" + configMap("a") + "--- # two\n" + configMap("b") + "---\t\n" + configMap("c") + "--- " + configMap("d"),
			},
			want: map[string][]string{"a": {"ConfigMap a", "ConfigMap b", "ConfigMap c", "ConfigMap d"}},
		},
		"a template beside it is nobody's error": {
			files: map[string]string{"apps.yaml": application("a", "{path: m}"), "m/a.yaml": configMap("a"), "t/x.yaml": "kind: {{ argoproj.io }"},
			want:  map[string][]string{"a": {"ConfigMap a"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for file, content := range tt.files {
				fsys[file] = &fstest.MapFile{Data: []byte(content)}
			}
			folder, err := Load(fsys, "", Tools{})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string][]string{}
			for _, a := range folder.Applications {
				for _, o := range a.Objects {
					got[a.Name()] = append(got[a.Name()], o.ID().String())
				}
				for _, why := range a.Unknown {
					got[a.Name()] = append(got[a.Name()], "? "+why)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLoadBroken asks for an error that names Application and file.
func TestLoadBroken(t *testing.T) {
	_, err := Load(fstest.MapFS{
		"apps.yaml":     {Data: []byte(application("a", "{path: m}"))},
		"m/a.yaml":      {Data: []byte("apiVersion: v1\nmetadata: {}\nkind: [")},
		"m/values.yaml": {Data: []byte("replicas: [")},
	}, "", Tools{})
	if err == nil || !strings.Contains(err.Error(), "Application a: reading m/a.yaml") {
		t.Errorf("got %v", err)
	}
}

// TestProjects states which AppProjects are there before the start: those in files that no Application applies.
func TestProjects(t *testing.T) {
	project := func(name string) string {
		return "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: " + name + ", namespace: argocd}}\n"
	}
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"root.yaml":           application("root", "{path: apps}") + "---\n" + project("beside-the-root"),
		"apps/project.yaml":   project("applied"),
		"apps/sub/below.yaml": project("below"),
		"apps/deep.yaml":      application("deep", "{path: deep, directory: {recurse: true, exclude: 'no/*'}}"),
		"deep/a/b.yaml":       project("deep"),
		"deep/no/c.yaml":      project("excluded"),
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	folder, err := Load(files, "", Tools{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range folder.Projects {
		got = append(got, p.ID().Name)
	}
	if diff := cmp.Diff([]string{"below", "beside-the-root", "excluded"}, got); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
}
