package source

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// loaded lists, for each Application of a folder, its destination namespace, what it applies and what cannot be told.
func loaded(t *testing.T, files map[string]string, root string, tools Tools) map[string][]string {
	t.Helper()
	folder, err := Load(t.Context(), filesOf(files), root, tools)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, a := range folder.Applications {
		lines := []string{"in " + a.Object.String("spec", "destination", "namespace")}
		if a.Generator.Name != "" {
			lines = append(lines, "by "+a.Generator.Name)
		}
		for _, o := range a.Objects {
			lines = append(lines, o.ID().String())
		}
		for _, why := range a.Unknown {
			lines = append(lines, "? "+why)
		}
		got[a.Name()] = lines
	}
	if len(folder.Notes) > 0 {
		got["note"] = folder.Notes
	}
	return got
}

func appSet(name, generators, template string, more ...string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: " + name + ", namespace: argocd}\nspec:\n  generators: " + generators +
		"\n  template: " + template + "\n" + strings.Join(more, "\n") + "\n"
}

const plainTemplate = `{metadata: {name: "{{name}}-{{env}}"}, spec: {project: default, source: {repoURL: "https://x", path: "{{dir}}"}, destination: {name: in-cluster, namespace: "{{ns.prefix}}-x"}}}`

const pathTemplate = `{metadata: {name: "{{path.basename}}"}, spec: {project: default, source: {repoURL: "https://x", path: "{{path}}"}, destination: {name: in-cluster, namespace: "{{path[0]}}"}}}`

const goTemplate = `{metadata: {name: "{{ .path.basename | upper | lower }}"}, spec: {project: default, source: {repoURL: "https://x", path: "{{ .path.path }}"}, destination: {name: in-cluster, namespace: "{{ index .path.segments 0 }}{{ if .extra }}-{{ .extra }}{{ end }}"}}}`

// TestApplicationSets states what each generator makes of a folder (docs/operator-manual/applicationset).
func TestApplicationSets(t *testing.T) {
	folders := map[string]string{"apps/a/x.yaml": configMap("a"), "apps/b/x.yaml": configMap("b"), "apps/.hidden/x.yaml": configMap("h"), "apps/deep/c/x.yaml": configMap("c")}
	with := func(file, content string, more map[string]string) map[string]string {
		out := map[string]string{file: content}
		for name, text := range folders {
			out[name] = text
		}
		for name, text := range more {
			out[name] = text
		}
		return out
	}
	tests := map[string]struct {
		files map[string]string
		want  map[string][]string
	}{
		"list": {
			with("set.yaml", appSet("s", `[{list: {elements: [{name: web, env: lab, dir: apps/a, ns: {prefix: p}}]}}]`, plainTemplate), nil),
			map[string][]string{"web-lab": {"in p-x", "by s", "ConfigMap a"}},
		},
		"folders, one of them excluded": {
			with("set.yaml", appSet("s", `[{git: {directories: [{path: apps/*}, {path: apps/deep, exclude: true}]}}]`, pathTemplate), nil),
			map[string][]string{"a": {"in apps", "by s", "ConfigMap a"}, "b": {"in apps", "by s", "ConfigMap b"}},
		},
		"folders, with Go templates": {
			with("set.yaml", appSet("s", `[{git: {directories: [{path: apps/*/c}]}}]`, goTemplate, "  goTemplate: true"), nil),
			map[string][]string{"c": {"in apps", "by s", "ConfigMap c"}},
		},
		"files at any depth, hidden ones too, and what they hold": {
			with("set.yaml", appSet("s", `[{git: {files: [{path: "apps/**/config.yaml"}, {path: "apps/*/.gen.yaml"}]}}]`, goTemplate, "  goTemplate: true"),
				map[string]string{"apps/a/config.yaml": `{"extra": "one"}`, "apps/deep/c/.gen.yaml": "extra: two\n"}),
			map[string][]string{"a": {"in apps-one", "by s", "ConfigMap a"}, "c": {"in apps-two", "by s", "ConfigMap c"}},
		},
		"a matrix whose second generator names the first": {
			with("set.yaml", appSet("s", `[{matrix: {generators: [{git: {directories: [{path: apps/a}, {path: apps/b}]}}, {git: {files: [{path: "{{path}}/only.yaml"}]}}]}}]`, pathTemplate),
				map[string]string{"apps/b/only.yaml": "x: y\n"}),
			map[string][]string{"b": {"in apps", "by s", "ConfigMap b"}},
		},
		"merge, selector and a template of the generator's own": {
			with("set.yaml", appSet("s", `[{merge: {mergeKeys: [name], generators: [{list: {elements: [{name: web, env: lab, dir: apps/a}, {name: no, env: x, dir: apps/a}]}}, {list: {elements: [{name: web, env: prod}]}}]}, selector: {matchLabels: {name: web}}}]`,
				`{metadata: {name: "{{name}}-{{env}}"}, spec: {project: default, source: {repoURL: "https://x", path: "{{dir}}"}, destination: {name: in-cluster, namespace: "{{missing}}"}}}`), nil),
			map[string][]string{"web-prod": {"in {{missing}}", "by s", "ConfigMap a"}},
		},
		"a patch of the template": {
			with("set.yaml", appSet("s", `[{list: {elements: [{name: web, ns: other}]}}]`, `{metadata: {name: "{{ .name }}"}, spec: {project: default, source: {repoURL: "https://x", path: apps/a}, destination: {name: in-cluster, namespace: first}}}`,
				"  goTemplate: true", "  templatePatch: |\n    spec: {destination: {namespace: \"{{ .ns }}\"}}"), nil),
			map[string][]string{"web": {"in other", "by s", "ConfigMap a"}},
		},
		"this cluster, and clusters that only labels tell": {
			with("set.yaml", appSet("s", `[{clusters: {}}, {merge: {mergeKeys: [server], generators: [{clusters: {}}, {clusters: {selector: {matchLabels: {a: b}}}}]}}]`, `{metadata: {name: "{{name}}"}, spec: {project: default, source: {repoURL: "https://x", path: apps/a}, destination: {name: in-cluster, namespace: x}}}`), nil),
			map[string][]string{"in-cluster": {"in x", "by s", "ConfigMap a"}},
		},
		"what asks outside of the folder": {
			map[string]string{"set.yaml": appSet("s", `[{pullRequest: {}}]`, pathTemplate) + "---\n" + application("other", "{repoURL: x, path: .}")},
			map[string][]string{
				"other": {
					"in ", "ApplicationSet.argoproj.io argocd/s", "Application.argoproj.io argocd/other",
					"? its ApplicationSet s: its generator pullRequest asks outside of the folder: what it generates is not looked at",
				},
				"note": {"ApplicationSet s: its generator pullRequest asks outside of the folder: what it generates is not looked at"},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := loaded(t, tt.files, "", Tools{})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRendered states what is asked of Helm and kustomize, and that Applications among what they give are followed.
func TestRendered(t *testing.T) {
	var charts []Chart
	tools := Tools{
		Helm: func(c Chart) (Rendered, error) {
			charts = append(charts, c)
			made, err := decode([]byte(application("made", "{repoURL: x, path: plain}")))
			return Rendered{Objects: made, Absent: []string{"the chart redis 1.0 of x"}}, err
		},
		Kustomize: func(k Kustomization) (Rendered, error) {
			if k.Dir == "broken" {
				return Rendered{}, errors.New("line one\nline two")
			}
			made, err := decode([]byte(application("based-"+k.Changes["nameSuffix"].(string), "{repoURL: x, path: plain}")))
			return Rendered{Objects: made, Read: []string{"over", "base"}}, err
		},
	}
	files := map[string]string{
		"root.yaml": application("chart", `{repoURL: x, path: ./chart/, helm: {releaseName: r, valueFiles: [a.yaml, /b.yaml, $v/c.yaml, gone.yaml], values: "k: {l: 1}", parameters: [{"name": "n", value: $ARGOCD_APP_NAME}, {name: s, value: "1", forceString: true}]}}`) +
			"---\n" + application("kust", "{repoURL: x, path: over, kustomize: {nameSuffix: x}}") + "---\n" + application("bad", "{repoURL: x, path: broken}") +
			"---\n" + application("forced", "{repoURL: x, path: over, directory: {exclude: '*n.yaml'}}"),
		"chart/Chart.yaml": "name: c\n", "chart/a.yaml": "", "b.yaml": "", "c.yaml": "",
		"over/kustomization.yaml": "", "broken/kustomization.yaml": "", "plain/x.yaml": configMap("p"),
		"base/app.yaml": application("based", "{repoURL: x, path: nowhere}"), "base/kustomization.yaml": "",
	}
	want := map[string][]string{
		"chart":   {"in ", "Application.argoproj.io argocd/made", "? its source chart needs the chart redis 1.0 of x, which is not in the folder"},
		"made":    {"in ", "ConfigMap p"},
		"kust":    {"in ", "Application.argoproj.io argocd/based-x"},
		"based-x": {"in ", "ConfigMap p"},
		"bad":     {"in ", "? its source broken cannot be rendered here by kustomize: line one"},
		"forced":  {"in "},
	}
	if diff := cmp.Diff(want, loaded(t, files, "", tools)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantChart := Chart{
		Dir: "chart", Release: "r", Namespace: "default", ValueFiles: []string{"chart/a.yaml", "b.yaml", "c.yaml"},
		Values: map[string]any{"k": map[string]any{"l": int64(1)}}, Parameters: []Parameter{{"n", "chart", false}, {"s", "1", true}},
	}
	if diff := cmp.Diff(wantChart, charts[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRoot states that with a root only what is reached from it counts, and that without one the first of two files counts.
func TestRoot(t *testing.T) {
	files := map[string]string{
		"a/root.yaml": application("root", "{repoURL: x, path: apps}"), "b/root.yaml": application("root", "{repoURL: x, path: nowhere}"),
		"apps/x.yaml": application("x", "{repoURL: x, path: m}"), "m/c.yaml": configMap("c"), "other.yaml": application("other", "{repoURL: x, path: m}"),
	}
	want := map[string][]string{"root": {"in ", "Application.argoproj.io argocd/x"}, "x": {"in ", "ConfigMap c"}}
	if diff := cmp.Diff(want, loaded(t, files, "a/root.yaml", Tools{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	all := loaded(t, files, "", Tools{})
	if diff := cmp.Diff([]string{"Application root stands in more than one file: that of a/root.yaml was taken; --root names another"}, all["note"]); diff != "" || all["other"] == nil {
		t.Errorf("%v (-want +got):\n%s", all, diff)
	}
}

// TestSettings finds argocd-cm wherever people keep it.
func TestSettings(t *testing.T) {
	cm := "resource.customizations.health.argoproj.io_Application: 'return {}'"
	tests := map[string]map[string]string{
		"an object":                    {"cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm}, data: {" + cm + "}}"},
		"values of the chart":          {"values.yaml": "configs: {cm: {" + cm + "}}"},
		"values of an umbrella chart":  {"values.yaml": "argo-cd: {configs: {cm: {" + cm + "}}}"},
		"an Application's own values":  {"a.yaml": application("argo-cd", "{repoURL: x, chart: argo-cd, targetRevision: 9.0.0, helm: {valuesObject: {configs: {cm: {"+cm+"}}}}}")},
		"an Application's values text": {"a.yaml": application("argo-cd", "{repoURL: x, chart: argo-cd, targetRevision: 9.0.0, helm: {values: \"configs: {cm: {"+cm+"}}\"}}")},
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			folder, err := Load(t.Context(), filesOf(files), "", Tools{})
			if err != nil || len(folder.Settings) != 1 || folder.Settings[0].Map("data")["resource.customizations.health.argoproj.io_Application"] != "return {}" {
				t.Errorf("%v %v", folder.Settings, err)
			}
		})
	}
}

func filesOf(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for file, content := range files {
		fsys[file] = &fstest.MapFile{Data: []byte(content)}
	}
	return fsys
}

// TestPerson states that a folder as the root is rendered first, and that charts of Applications are where no file holds one.
func TestPerson(t *testing.T) {
	tools := Tools{Helm: func(c Chart) (Rendered, error) {
		made, err := decode([]byte(application("of-"+c.Dir, "{repoURL: x, path: m}")))
		return Rendered{Objects: made}, err
	}}
	files := map[string]string{"apps/Chart.yaml": "", "apps/templates/x.yaml": "kind: Application\nname: {{ x }}", "m/c.yaml": configMap("c")}
	want := map[string][]string{"of-apps": {"in ", "ConfigMap c"}}
	for _, root := range []string{"", "apps"} {
		if diff := cmp.Diff(want, loaded(t, files, root, tools)); diff != "" {
			t.Errorf("root %q (-want +got):\n%s", root, diff)
		}
	}
}
