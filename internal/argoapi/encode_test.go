package argoapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

func full() argocd.Application {
	return argocd.Application{
		Name: "cilium", Namespace: "argocd", Project: "lab", Wave: -1,
		Annotations:       map[string]string{"example.internal/note": "x"},
		Source:            argocd.Source{RepoURL: "https://git.example.internal/fleet.git", TargetRevision: "main", Path: "output/lab/components/cilium"},
		Destination:       argocd.Destination{Server: "https://kubernetes.default.svc", Namespace: "kube-system"},
		Automated:         &argocd.Automated{Prune: true},
		SyncOptions:       []string{argocd.ServerSide},
		Retry:             argocd.Retries(argocd.Version{Major: 3, Minor: 2}),
		IgnoreDifferences: []argocd.IgnoreDifference{{Group: "apps", Kind: "Deployment", JSONPointers: []string{"/spec/replicas"}}},
	}
}

func TestEncode(t *testing.T) {
	tests := map[string]struct {
		change func(*argocd.Application)
		want   string
		err    string
	}{
		"full": {want: `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  annotations:
    argocd.argoproj.io/sync-wave: "-1"
    example.internal/note: x
  name: cilium
  namespace: argocd
spec:
  destination:
    namespace: kube-system
    server: https://kubernetes.default.svc
  ignoreDifferences:
    - group: apps
      jsonPointers:
        - /spec/replicas
      kind: Deployment
  project: lab
  source:
    path: output/lab/components/cilium
    repoURL: https://git.example.internal/fleet.git
    targetRevision: main
  syncPolicy:
    automated:
      prune: true
      selfHeal: false
    retry:
      backoff:
        duration: 5s
        factor: 2
        maxDuration: 1m
      limit: -1
      refresh: true
    syncOptions:
      - ServerSideApply=true
`},
		"least": {
			change: func(a *argocd.Application) {
				*a = argocd.Application{
					Name: "x", Namespace: "argocd", Project: "lab", Retry: &argocd.Retry{},
					Source: argocd.Source{RepoURL: "r", Path: "p", Recurse: true}, Destination: argocd.Destination{Name: "lab"},
				}
			},
			want: `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  annotations:
    argocd.argoproj.io/sync-wave: "0"
  name: x
  namespace: argocd
spec:
  destination:
    name: lab
  project: lab
  source:
    directory:
      recurse: true
    path: p
    repoURL: r
  syncPolicy:
    retry:
      limit: 0
`,
		},
		"extra wins, null removes, an empty map that is meant stays": {
			change: func(a *argocd.Application) {
				*a = argocd.Application{
					Name: "x", Namespace: "argocd", Project: "lab",
					Source: argocd.Source{RepoURL: "r", Path: "p"}, Destination: argocd.Destination{Name: "lab", Namespace: "x"},
				}
				a.Extra = map[string]any{
					"metadata": map[string]any{"labels": map[string]any{"team": "net"}},
					"spec": map[string]any{
						"destination": map[string]any{"namespace": nil},
						"source":      map[string]any{"directory": map[string]any{"jsonnet": map[string]any{}}},
						"info":        []any{map[string]any{"name": "url", "value": "https://lab.example.com"}},
					},
				}
			},
			want: `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  annotations:
    argocd.argoproj.io/sync-wave: "0"
  labels:
    team: net
  name: x
  namespace: argocd
spec:
  destination:
    name: lab
  info:
    - name: url
      value: https://lab.example.com
  project: lab
  source:
    directory:
      jsonnet: {}
    path: p
    repoURL: r
`,
		},
		"extra that may not be": {
			change: func(a *argocd.Application) {
				a.Extra = map[string]any{"operation": map[string]any{}, "status": nil, "metadata": map[string]any{"name": "other"}}
			},
			err: `encoding Application cilium: application: operation: it is not yours to set; take it out
application: status: it is not yours to set; take it out
application: metadata.name: other objects refer to it; take it out`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			app := full()
			if tt.change != nil {
				tt.change(&app)
			}
			object, err := Encode(app)
			checkEncoded(t, object, err, tt.want, tt.err)
		})
	}
}

func TestEncodeProject(t *testing.T) {
	tests := map[string]struct {
		project argocd.Project
		want    string
	}{
		"platform": {
			project: argocd.Project{
				Name: "lab", Namespace: "argocd", Description: "all of lab", SourceRepos: []string{"r"}, Wave: -1,
				Destinations: []argocd.Destination{{Name: "lab", Namespace: "*"}}, ClusterKinds: []argocd.GroupKind{{Group: "*", Kind: "*"}},
			},
			want: `apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata:
  annotations:
    argocd.argoproj.io/sync-wave: "-1"
  name: lab
  namespace: argocd
spec:
  clusterResourceWhitelist:
    - group: '*'
      kind: '*'
  description: all of lab
  destinations:
    - name: lab
      namespace: '*'
  sourceRepos:
    - r
`,
		},
		"no namespaced kinds at all": {
			project: argocd.Project{Name: "lab", Namespace: "argocd", SourceRepos: []string{"r"}, NamespacedKinds: []argocd.GroupKind{}},
			want: `apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata:
  annotations:
    argocd.argoproj.io/sync-wave: "0"
  name: lab
  namespace: argocd
spec:
  namespaceResourceWhitelist: []
  sourceRepos:
    - r
`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			object, err := EncodeProject(tt.project)
			checkEncoded(t, object, err, tt.want, "")
		})
	}
}

// checkEncoded compares objects, not text, so that the emitter's taste in quotes does not matter here.
func checkEncoded(t *testing.T, object manifest.Object, err error, want, wantErr string) {
	t.Helper()
	if got := errorText(err); got != wantErr {
		t.Fatalf("error (-want +got):\n%s", cmp.Diff(wantErr, got))
	}
	if wantErr != "" {
		return
	}
	wanted, _, err := manifest.Decode([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted[0].Fields(), object.Fields()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
