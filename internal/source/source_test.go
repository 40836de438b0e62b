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
spec: {project: default, destination: {name: in-cluster}, source: SOURCE}
`

func application(name, source string) string {
	if !strings.Contains(source, "repoURL") { // which the API server asks for
		source = strings.Replace(source, "{", "{repoURL: x, ", 1)
	}
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
				"root.yaml":           application("root", "{repoURL: x, path: output/lab/apps}"),
				"apps/a.yaml":         application("a", "{repoURL: x, path: output/lab/components/a}"),
				"components/a/b.yaml": configMap("b") + "---\n" + configMap("c"),
				"components/a/d.json": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"}}`,
				"components/a/README": "text",
			},
			want: map[string][]string{"root": {"Application.argoproj.io argocd/a"}, "a": {"ConfigMap b", "ConfigMap c", "ConfigMap d"}},
		},
		"a path that is still to be filled in": {
			files: map[string]string{"root.yaml": application("root", "{repoURL: r, path: 'clusters/<NAME>'}")},
			want:  map[string][]string{"root": {"? its source path clusters/<NAME> is a placeholder: fill it in"}},
		},
		"folders below count only with recurse": {
			files: map[string]string{
				"apps.yaml":    application("flat", "{repoURL: x, path: m}") + "---\n" + application("deep", "{repoURL: x, path: m, directory: {recurse: true}}"),
				"m/a.yml":      configMap("a"),
				"m/sub/b.yaml": configMap("b"),
			},
			want: map[string][]string{"flat": {"ConfigMap a"}, "deep": {"ConfigMap a", "ConfigMap b"}},
		},
		"include, exclude and the mark": {
			files: map[string]string{
				"apps.yaml": application("a", "{repoURL: x, path: m, directory: {include: '*.yaml', exclude: '{x*,y*}'}}"),
				"m/a.yaml":  configMap("a"), "m/b.yml": configMap("b"), "m/x.yaml": configMap("x"), "m/y1.yaml": configMap("y"),
				"m/s.yaml": "# +argocd:skip-file-rendering\n" + configMap("s"),
			},
			want: map[string][]string{"a": {"ConfigMap a"}},
		},
		"what is rendered elsewhere is not told": {
			files: map[string]string{
				"apps.yaml":            application("chart", "{chart: redis, repoURL: x, targetRevision: 1.0.0}") + "---\n" + application("kust", "{repoURL: x, path: k}") + "---\n" + application("gone", "{repoURL: x, path: nowhere}"),
				"k/kustomization.yaml": "resources: []\n",
			},
			want: map[string][]string{
				"chart": {"? its source is the Helm chart redis of x, which is not in the folder"},
				"kust":  {"? its source k is rendered by kustomize"},
				"gone":  {"? its source path nowhere of x is not in the folder"},
			},
		},
		"separators with comments and content behind them": {
			files: map[string]string{
				"apps.yaml": application("a", "{repoURL: x, path: m}"),
				"m/a.yaml":  "---# one\n" + configMap("a") + "--- # two\n" + configMap("b") + "---\t\n" + configMap("c") + "--- " + configMap("d"),
			},
			want: map[string][]string{"a": {"ConfigMap a", "ConfigMap b", "ConfigMap c", "ConfigMap d"}},
		},
		"a template beside it is nobody's error": {
			files: map[string]string{"apps.yaml": application("a", "{repoURL: x, path: m}"), "m/a.yaml": configMap("a"), "t/x.yaml": "kind: {{ argoproj.io }"},
			want:  map[string][]string{"a": {"ConfigMap a"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for file, content := range tt.files {
				fsys[file] = &fstest.MapFile{Data: []byte(content)}
			}
			folder, err := Load(t.Context(), fsys, "", Tools{})
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

// TestLoadBroken states that a manifest which cannot be read breaks the Application that applies it, and no other.
func TestLoadBroken(t *testing.T) {
	folder, err := Load(t.Context(), fstest.MapFS{
		"apps.yaml":      {Data: []byte(application("a", "{path: m}") + "---\n" + application("b", "{path: nn}") + "---\n" + application("c", "{path: o}"))},
		"m/a.yaml":       {Data: []byte("apiVersion: v1\nmetadata: {}\nkind: [")},
		"m/values.yaml":  {Data: []byte("replicas: [")},
		"nn/b.yaml":      {Data: []byte(configMap("b"))},
		"o/package.json": {Data: []byte(`{"name": "o"}`)},
	}, "", Tools{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"reading m/a.yaml", "", "reading o/package.json"} {
		if broken := strings.Join(folder.Applications[i].Broken, " "); !strings.Contains(broken, want) || (broken == "") != (want == "") {
			t.Errorf("%s: broken by %q, want %q", folder.Applications[i].Name(), broken, want)
		}
	}
}

// TestNobodysFiles states which files are no mistake although they hold what looks like an Application and are no objects.
func TestNobodysFiles(t *testing.T) {
	const inside = "- apiVersion: argoproj.io/v1alpha1\n  kind: Application\n"
	tests := map[string]struct{ name, text, wrong string }{
		"values":                          {"chart/values.yaml", "extraObjects:\n" + inside, ""},
		"a kustomization without a kind":  {"k/kustomization.yaml", "patches:\n" + inside, ""},
		"a kustomization that is no YAML": {"k/kustomization.yml", "patches: [\n" + inside, ""},
		"patches beside a kustomization":  {"k/patch.yaml", "- op: add\n  path: /metadata/annotations/argoproj.io~1x\n", ""},
		"an Application beside nothing":   {"x.yaml", "a: 1\n---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: x}\n", "x.yaml: it holds Argo CD's objects and cannot be read"},
		"an Application that is no YAML":  {"x.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: [}\n", "x.yaml: it holds Argo CD's objects and cannot be read"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{"apps.yaml": {Data: []byte(application("a", "{repoURL: x, path: m}"))}, "m/a.yaml": {Data: []byte(configMap("a"))}, "k/Kustomization": {}}
			fsys[tt.name] = &fstest.MapFile{Data: []byte(tt.text)}
			folder, err := Load(t.Context(), fsys, "", Tools{})
			if tt.wrong == "" && (err != nil || len(folder.Notes) > 0) || tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
				t.Errorf("error %v, notes %v; want %q", err, folder.Notes, tt.wrong)
			}
		})
	}
}

// TestTool states what renders a source that says of a tool nothing, or too much.
func TestTool(t *testing.T) {
	for source, want := range map[string]string{
		"{path: k, directory: {recurse: false}}":                        "? its source k is rendered by kustomize",
		"{path: k, directory: {jsonnet: {tlas: []}}}":                   "? its source k is rendered by kustomize",
		"{path: k, helm: {}}":                                           "? its source k is rendered by kustomize",
		"{path: k, helm: {parameters: [], values: ''}}":                 "? its source k is rendered by kustomize",
		"{path: k, directory: {exclude: kustom*}}":                      "ConfigMap a",
		"{path: k, directory: {recurse: true}}":                         "Kustomization.kustomize.config.k8s.io ",
		"{path: k, kustomize: {}, directory: {include: x}}":             "",
		"{path: k, kustomize: {namePrefix: a}, helm: {releaseName: x}}": "! a source of it states kustomize and helm: leave all but one of them out",
	} {
		files := fstest.MapFS{
			"apps.yaml": {Data: []byte(application("a", source))}, "k/a.yaml": {Data: []byte(configMap("a"))},
			"k/kustomization.yaml": {Data: []byte("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n")},
		}
		folder, err := Load(t.Context(), files, "", Tools{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, o := range folder.Applications[0].Objects {
			got = o.ID().String()
		}
		for _, why := range folder.Applications[0].Unknown {
			got = "? " + why
		}
		for _, why := range folder.Applications[0].Broken {
			got = "! " + why
		}
		if got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
	listed := strings.Replace(application("a", "{}"), "source: {}", "sources: [{path: k, directory: {recurse: false}}]", 1)
	folder, err := Load(t.Context(), fstest.MapFS{"apps.yaml": {Data: []byte(listed)}, "k/a.yaml": {Data: []byte(configMap("a"))}, "k/kustomization.yaml": {}}, "", Tools{})
	if err != nil || len(folder.Applications[0].Unknown) > 0 {
		t.Errorf("in a list of sources it states plain manifests: %v %v", err, folder.Applications)
	}
}

// TestProjects states which AppProjects are there before the start: those in files that no Application applies.
func TestProjects(t *testing.T) {
	project := func(name string) string {
		return "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: " + name + ", namespace: argocd}}\n"
	}
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"root.yaml":           application("root", "{repoURL: x, path: apps}") + "---\n" + project("beside-the-root"),
		"apps/project.yaml":   project("applied"),
		"apps/sub/below.yaml": project("below"),
		"apps/deep.yaml":      application("deep", "{repoURL: x, path: deep, directory: {recurse: true, exclude: 'no/*'}}"),
		"deep/a/b.yaml":       project("deep"),
		"deep/no/c.yaml":      project("excluded"),
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	folder, err := Load(t.Context(), files, "", Tools{})
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

// TestRepeatedNotes states that what is said of many stands once.
func TestRepeatedNotes(t *testing.T) {
	files := fstest.MapFS{"apps.yaml": {Data: []byte(application("a", "{repoURL: x, path: m}"))}, "m/a.yaml": {Data: []byte(configMap("a"))}, "c/Chart.yaml": {Data: []byte("name: c\n")}}
	for _, name := range []string{"p", "q", "r", "s", "t", "u"} {
		set := "{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: " + name + "}, spec: {generators: [{plugin: {}}]}}\n"
		files["m/"+name+".yaml"] = &fstest.MapFile{Data: []byte(set)}
		files["c/templates/"+name+".yaml"] = &fstest.MapFile{Data: []byte("# argoproj.io\nkind: Application\nmetadata: {name: {{ x }}}\n")}
	}
	for _, name := range []string{"more/z.yaml", "most/z.yaml"} {
		files[name] = &fstest.MapFile{Data: []byte("{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: z}, spec: {generators: [{plugin: {}}]}}\n")}
	}
	folder, err := Load(t.Context(), files, "", Tools{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ApplicationSet p, q, r, s and 2 more: its generator plugin asks outside of the folder: what it generates is not looked at",
		"ApplicationSet z stands in more than one file: that of more/z.yaml was taken; --root names another",
		"p.yaml, q.yaml, r.yaml, s.yaml and 2 more in c/templates: templates that speak of Argo CD, not looked at unless an Application, or --root, renders the chart",
	}
	if diff := cmp.Diff(want, folder.Notes); diff != "" || len(folder.Hidden) != 1 {
		t.Errorf("%d sets not known (-want +got):\n%s", len(folder.Hidden), diff)
	}
}
