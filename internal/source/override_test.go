package source

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestOverride states what files beside the manifests lay over a source, and in which order.
func TestOverride(t *testing.T) {
	const all, own = "c/.argocd-source.yaml", "c/.argocd-source-a.yaml"
	tests := map[string]struct {
		source string // of the Application; {path: c} where it says nothing
		files  map[string]string
		want   string // the chart's parameters, values and release, or what the Application is broken for
	}{
		"nothing beside": {want: `[] null a`},
		"of all Applications": {
			files: map[string]string{all: "helm: {parameters: [{name: x, value: '1', forceString: true}]}"},
			want:  `[{"Name":"x","Value":"1","Text":true}] null a`,
		},
		"of this one":        {files: map[string]string{own: "helm: {releaseName: mine}"}, want: `[] null mine`},
		"of another":         {files: map[string]string{"c/.argocd-source-b.yaml": "helm: {releaseName: b}"}, want: `[] null a`},
		"above the folder":   {files: map[string]string{".argocd-source.yaml": "helm: {releaseName: b}"}, want: `[] null a`},
		"its own wins":       {files: map[string]string{all: "helm: {releaseName: all, valuesObject: {a: 1}}", own: "helm: {releaseName: own}"}, want: `[] {"a":1} own`},
		"over what is there": {source: "{path: c, helm: {releaseName: app, valuesObject: {a: 1, b: {c: 1}}}}", files: map[string]string{all: "helm: {valuesObject: {b: {d: 2}, a: null}}"}, want: `[] {"b":{"c":1,"d":2}} app`},
		"a list takes the place of a list": {
			source: "{path: c, helm: {parameters: [{name: x, value: '1'}, {name: w, value: '2'}]}}",
			files:  map[string]string{own: "helm: {parameters: [{name: z, value: '3'}]}"}, want: `[{"Name":"z","Value":"3","Text":false}] null a`,
		},
		"what an item stated stays in its place": {
			source: "{path: c, helm: {parameters: [{name: x, value: '1', forceString: true}]}}",
			files:  map[string]string{own: "helm: {parameters: [{name: z, value: '3'}]}"}, want: `[{"Name":"z","Value":"3","Text":true}] null a`,
		},
		"a null takes nothing away":         {source: "{path: c, helm: {releaseName: app}}", files: map[string]string{all: "helm: {releaseName: null}"}, want: `[] null app`},
		"not the place":                     {files: map[string]string{all: "path: d\nrepoURL: why\nchart: z\nhelm: {releaseName: r}"}, want: `[] null r`},
		"a list of sources":                 {source: "[{path: c}]", files: map[string]string{all: "helm: {releaseName: r}"}, want: `[] null r`},
		"a mark before it":                  {files: map[string]string{all: "---\nhelm: {releaseName: r}\n"}, want: `[] null r`},
		"a folder of that name":             {files: map[string]string{all + "/x": "helm: 1"}, want: `[] null a`},
		"an empty file":                     {files: map[string]string{all: ""}, want: all + ": it is laid over the source and holds no map: state helm: or kustomize: in it, or remove it"},
		"a list":                            {files: map[string]string{own: "[1]"}, want: own + ": it is laid over the source and"},
		"no YAML":                           {files: map[string]string{all: "helm: {"}, want: all + ": it is laid over the source and cannot be read"},
		"another type":                      {files: map[string]string{all: "helm: {parameters: [{name: x, value: 1}]}"}, want: all + ": helm.parameters.0.value: "},
		"another tool":                      {source: "{path: c, helm: {releaseName: r}}", files: map[string]string{all: "kustomize: {namePrefix: x}"}, want: "a source of it states kustomize and helm: leave all but one of them out"},
		"a chart becomes a folder of files": {files: map[string]string{all: "directory: {recurse: true}"}, want: "no chart"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			app := application("a", or(tt.source, "{path: c}"))
			if strings.HasPrefix(tt.source, "[") {
				app = strings.Replace(app, "source:", "sources:", 1)
			}
			files := fstest.MapFS{"apps.yaml": {Data: []byte(app)}, "c/Chart.yaml": {}}
			for file, text := range tt.files {
				files[file] = &fstest.MapFile{Data: []byte(text)}
			}
			got := "no chart"
			folder, err := Load(t.Context(), files, "", Tools{Helm: func(c Chart) (Rendered, error) {
				parameters := append([]Parameter{}, c.Parameters...)
				list, _ := json.Marshal(parameters)
				values, _ := json.Marshal(c.Values)
				got = string(list) + " " + string(values) + " " + c.Release
				return Rendered{}, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if broken := folder.Applications[0].Broken; len(broken) > 0 {
				got = strings.Join(broken, "\n")
			}
			if got != tt.want && (got[0] == '[' || !strings.HasPrefix(got, tt.want)) {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestReadingChangesNothing keeps Applications as they stand in their files, whatever is read for them.
func TestReadingChangesNothing(t *testing.T) {
	const list = `[{repoURL: "https://x", path: c, targetRevision: v1}, {repoURL: "https://x", chart: d, targetRevision: "1"}, {repoURL: "https://x", ref: values}]`
	for name, app := range map[string]string{
		"one source":      application("a", `{repoURL: "https://x", path: c, targetRevision: v1}`),
		"several sources": strings.Replace(application("a", list), "source:", "sources:", 1),
	} {
		for _, beside := range []string{"", "helm: {releaseName: r}"} {
			files := fstest.MapFS{"apps.yaml": {Data: []byte(app)}, "c/x.yaml": {}}
			if beside != "" {
				files["c/.argocd-source.yaml"] = &fstest.MapFile{Data: []byte(beside)}
			}
			folder, err := Load(t.Context(), files, "", Tools{})
			if err != nil {
				t.Fatal(err)
			}
			objects, _, err := manifest.Decode([]byte(app))
			if err != nil {
				t.Fatal(err)
			}
			want, _ := json.Marshal(objects[0].Map("spec"))
			if got, _ := json.Marshal(folder.Applications[0].Object.Map("spec")); string(got) != string(want) {
				t.Errorf("%s, beside %q:\n%s\nwant\n%s", name, beside, got, want)
			}
		}
	}
}

// TestOverrides states by which names Argo CD knows an Application.
func TestOverrides(t *testing.T) {
	for namespace, want := range map[string]string{
		"":       ".argocd-source.yaml .argocd-source-a.yaml",
		"argocd": ".argocd-source.yaml .argocd-source-a.yaml",
		"team":   ".argocd-source.yaml .argocd-source-team_a.yaml .argocd-source-a.yaml",
	} {
		if got := strings.Join(overrides(manifest.ID{Namespace: namespace, Name: "a"}), " "); got != want {
			t.Errorf("%q: %s, want %s", namespace, got, want)
		}
	}
}
