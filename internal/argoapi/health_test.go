package argoapi

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	v2scripts "github.com/argoproj/argo-cd/v2/resource_customizations"
	v3scripts "github.com/argoproj/argo-cd/v3/resource_customizations"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

func decode(t *testing.T, text string) manifest.Object {
	t.Helper()
	objects, _, err := manifest.Decode([]byte(text))
	if err != nil || len(objects) != 1 {
		t.Fatalf("%d objects, %v in\n%s", len(objects), err, text)
	}
	return objects[0]
}

func judge(t *testing.T, version string, settings map[string]any) *Judge {
	t.Helper()
	v, err := argocd.ParseVersion(version)
	if err != nil {
		t.Fatal(err)
	}
	j, err := NewJudge(v, manifest.New(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "argocd-cm"}, "data": settings}))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

const (
	gitSource = `{repoURL: r, path: p, targetRevision: main}`
	head      = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n"
	synced    = `sync: {status: Synced, comparedTo: {source: ` + gitSource + `}}`
)

// TestApplicationHealth runs the emitted script, by Argo CD's own code, over what an Application can look like. It must never
// raise an error, and never be Healthy without cause.
func TestApplicationHealth(t *testing.T) {
	tests := map[string]healthCase{
		"no status":        {`spec: {source: ` + gitSource + `}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"no spec, nothing": {``, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"null everywhere":  {`{spec: null, status: {sync: null, health: null, operationState: null}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"empty status":     {`{spec: {source: ` + gitSource + `}, status: {}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"Missing":          {`{spec: {source: ` + gitSource + `}, status: {` + synced + `, health: {status: Missing}}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"OutOfSync and Healthy: half synced, as 3.4 reports it": {
			`{spec: {source: ` + gitSource + `}, status: {sync: {status: OutOfSync, comparedTo: {source: ` + gitSource + `}}, health: {status: Healthy}}}`,
			argocd.Health{Status: "Progressing", Message: "waiting for the application"},
		},
		"health unknown":              {`{spec: {source: ` + gitSource + `}, status: {` + synced + `, health: {status: Unknown, message: no contact}}}`, argocd.Health{Status: "Progressing", Message: "no contact"}},
		"Degraded is waited for":      {`{spec: {source: ` + gitSource + `}, status: {` + synced + `, health: {status: Degraded, message: crash}}}`, argocd.Health{Status: "Progressing", Message: "crash"}},
		"Suspended":                   {`{spec: {source: ` + gitSource + `}, status: {` + synced + `, health: {status: Suspended}}}`, argocd.Health{Status: "Suspended", Message: "waiting for the application"}},
		"adopted: no operation ever":  {`{spec: {source: ` + gitSource + `}, status: {` + synced + `, health: {status: Healthy}}}`, argocd.Health{Status: "Healthy", Message: "waiting for the application"}},
		"synced by an operation":      {`{spec: {source: ` + gitSource + `}, status: {` + synced + `, health: {status: Healthy}, operationState: {phase: Succeeded, message: ok}}}`, argocd.Health{Status: "Healthy", Message: "ok"}},
		"operation running":           {`{spec: {source: ` + gitSource + `}, status: {` + synced + `, health: {status: Healthy}, operationState: {phase: Running, message: waiting}}}`, argocd.Health{Status: "Progressing", Message: "waiting"}},
		"operation failed":            {`{spec: {source: ` + gitSource + `}, status: {` + synced + `, health: {status: Healthy}, operationState: {phase: Failed, message: refused}}}`, argocd.Health{Status: "Progressing", Message: "refused"}},
		"verdict about an old commit": {`{spec: {source: {repoURL: r, path: p, targetRevision: new}}, status: {` + synced + `, health: {status: Healthy}}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"verdict about another path":  {`{spec: {source: {repoURL: r, path: q, targetRevision: main}}, status: {` + synced + `, health: {status: Healthy}}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"never compared":              {`{spec: {source: ` + gitSource + `}, status: {sync: {status: Synced}, health: {status: Healthy}}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"Helm source":                 {`{spec: {source: {repoURL: r, chart: c, targetRevision: 1.0.0}}, status: {sync: {status: Synced, comparedTo: {source: {repoURL: r, chart: c, targetRevision: 1.0.0}}}, health: {status: Healthy}}}`, argocd.Health{Status: "Healthy", Message: "waiting for the application"}},
		"Helm source, older version":  {`{spec: {source: {repoURL: r, chart: c, targetRevision: 2.0.0}}, status: {sync: {status: Synced, comparedTo: {source: {repoURL: r, chart: c, targetRevision: 1.0.0}}}, health: {status: Healthy}}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"several sources, as asked":   {`{spec: {sources: [` + gitSource + `]}, status: {sync: {status: Synced, comparedTo: {sources: [` + gitSource + `]}}, health: {status: Healthy}}}`, argocd.Health{Status: "Healthy", Message: "waiting for the application"}},
		"several sources, one new":    {`{spec: {sources: [` + gitSource + `, ` + gitSource + `]}, status: {sync: {status: Synced, comparedTo: {sources: [` + gitSource + `]}}, health: {status: Healthy}}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"several sources, one old":    {`{spec: {sources: [{repoURL: r, path: p, targetRevision: new}]}, status: {sync: {status: Synced, comparedTo: {sources: [` + gitSource + `]}}, health: {status: Healthy}}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"several sources, unseen":     {`{spec: {sources: [` + gitSource + `]}, status: {sync: {status: Synced}, health: {status: Healthy}}}`, argocd.Health{Status: "Progressing", Message: "waiting for the application"}},
		"hydrator":                    {`{spec: {sourceHydrator: {drySource: {repoURL: r}}}, status: {sync: {status: Synced}, health: {status: Healthy}}}`, argocd.Health{Status: "Healthy", Message: "waiting for the application"}},
		"no source at all":            {`{spec: {}, status: {sync: {status: Synced}, health: {status: Healthy}}}`, argocd.Health{Status: "Healthy", Message: "waiting for the application"}},
	}
	compareHealth(t, argocd.ApplicationHealthKey, argocd.ApplicationHealth(), head, tests)
}

// healthCase is an object, without what all of a table share, and what a script must say of it.
type healthCase struct {
	object string
	want   argocd.Health
}

// compareHealth runs a script, put into argocd-cm under key, over the cases: on every line that is judged.
func compareHealth(t *testing.T, key, script, shared string, tests map[string]healthCase) {
	t.Helper()
	for _, version := range []string{"2.14", "3.2"} {
		j := judge(t, version, map[string]any{key: script})
		for name, tt := range tests {
			t.Run(version+" "+name, func(t *testing.T) {
				object := decode(t, shared)
				if tt.object != "" {
					for key, value := range decode(t, tt.object).Fields() {
						object = object.Set(value, key)
					}
				}
				got, err := j.Health(object)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(&tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestApplicationWithoutScriptHasNoHealth(t *testing.T) {
	for _, version := range []string{"2.14", "3.2"} {
		got, err := judge(t, version, nil).Health(decode(t, head))
		if got != nil || err != nil {
			t.Errorf("%s: got %v, %v, want no health", version, got, err)
		}
	}
}

func TestPrecedence(t *testing.T) {
	says := func(message string) string { return `return {status = "Healthy", message = "` + message + `"}` }
	tests := map[string]struct {
		version  string
		settings map[string]any
		object   string
		want     *argocd.Health
		err      string
	}{
		"being deleted goes before all": {
			settings: map[string]any{"resource.customizations.health.Service": says("exact")},
			object:   `{apiVersion: v1, kind: Service, metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}}`,
			want:     &argocd.Health{Status: "Progressing", Message: "Pending deletion"},
		},
		"by name before wildcard": {
			settings: map[string]any{"resource.customizations.health.Service": says("exact"), "resource.customizations.health.all": says("all")},
			object:   `{apiVersion: v1, kind: Service}`,
			want:     &argocd.Health{Status: "Healthy", Message: "exact"},
		},
		"one key a kind before the old map": {
			settings: map[string]any{
				"resource.customizations":                           `{example.com/Widget: {health.lua: "` + strings.ReplaceAll(says("old"), `"`, `\"`) + `"}}`,
				"resource.customizations.health.example.com_Widget": says("new"),
			},
			object: `{apiVersion: example.com/v1, kind: Widget}`,
			want:   &argocd.Health{Status: "Healthy", Message: "new"},
		},
		"wildcard of the old map": {
			settings: map[string]any{"resource.customizations": `{"*.example.com/*": {health.lua: "` + strings.ReplaceAll(says("wild"), `"`, `\"`) + `"}}`},
			object:   `{apiVersion: a.example.com/v1, kind: Widget}`,
			want:     &argocd.Health{Status: "Healthy", Message: "wild"},
		},
		"wildcard of argocd-cm before the shipped script": {
			settings: map[string]any{"resource.customizations.health.all": says("all")},
			object:   `{apiVersion: cert-manager.io/v1, kind: Certificate}`,
			want:     &argocd.Health{Status: "Healthy", Message: "all"},
		},
		"shipped wildcard from 3.0": {
			version: "3.2",
			object:  `{apiVersion: any.crossplane.io/v1, kind: Thing, status: {conditions: [{type: Ready, status: "True"}]}}`,
			want:    &argocd.Health{Status: "Healthy", Message: "Resource is up-to-date."},
		},
		"no shipped wildcard before": {
			version: "2.14",
			object:  `{apiVersion: any.crossplane.io/v1, kind: Thing, status: {conditions: [{type: Ready, status: "True"}]}}`,
		},
		"a script that says nothing blocks": {
			settings: map[string]any{"resource.customizations.health.example.com_Widget": "return {}"},
			object:   `{apiVersion: example.com/v1, kind: Widget}`,
			want:     &argocd.Health{},
		},
		"a script that raises an error": {
			settings: map[string]any{"resource.customizations.health.example.com_Widget": "return obj.status.phase"},
			object:   `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}`,
			err:      "judging the health of Widget.example.com w: <string>:1: attempt to index a non-table object(nil) with key 'phase'",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.version == "" {
				tt.version = "3.2"
			}
			got, err := judge(t, tt.version, tt.settings).Health(decode(t, tt.object))
			if !strings.HasPrefix(errorText(err), tt.err) || (tt.err == "") != (err == nil) {
				t.Errorf("error: got %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestShippedHealth runs Argo CD's own fixtures for its shipped scripts through our choice of script.
func TestShippedHealth(t *testing.T) {
	for version, shipped := range map[string]embed.FS{"2.14": v2scripts.Embedded, "3.2": v3scripts.Embedded} {
		j, count := judge(t, version, nil), 0
		err := fs.WalkDir(shipped, ".", func(name string, _ fs.DirEntry, err error) error {
			if err != nil || path.Base(name) != "health.lua" {
				return err
			}
			count += checkShipped(t, j, shipped, path.Join(path.Dir(name), "health_test.yaml"))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if count < 500 {
			t.Errorf("%s: only %d fixtures seen", version, count)
		}
		t.Logf("%s: %d fixtures", version, count)
	}
}

func checkShipped(t *testing.T, j *Judge, shipped embed.FS, name string) int {
	t.Helper()
	read := func(name string) manifest.Object {
		raw, err := shipped.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		objects, _, err := manifest.Decode(raw)
		if err != nil || len(objects) == 0 {
			t.Fatalf("%s: %d objects, %v", name, len(objects), err)
		}
		return objects[0]
	}
	tests := read(name).List("tests")
	for _, item := range tests {
		test := manifest.New(item.(map[string]any))
		input := path.Join(path.Dir(name), test.String("inputPath")+test.String("inputpath"))
		want := fmt.Sprint(test.String("healthStatus", "status"), ": ", test.String("healthStatus", "message"))
		// The fixtures are for the scripts alone: what the engine says of an object that is being deleted is left out.
		health, err := override{j}.GetResourceHealth(&unstructured.Unstructured{Object: read(input).Fields()})
		if err != nil || health == nil {
			t.Errorf("%s: got %v, %v, want %s", input, health, err, want)
			continue
		}
		if got := fmt.Sprint(health.Status, ": ", health.Message); got != want {
			t.Errorf("%s (-want +got):\n%s", input, cmp.Diff(want, got))
		}
	}
	return len(tests)
}
