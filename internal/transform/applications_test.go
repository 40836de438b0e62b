package transform

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
)

func fleet() ([]component.Component, Order) {
	components := []component.Component{comp("cilium"), comp("web", "cilium")}
	components[0].Namespace = "kube-system"
	components[1].Application = map[string]any{"metadata": map[string]any{"labels": map[string]any{"team": "web"}}}
	return components, Order{Waves: map[string]int{"cilium": -1, "web": 0}}
}

func TestBuildApplicationsInCluster(t *testing.T) {
	components, order := fleet()
	target := lab
	target.Release = "release/lab" // the root reads it; what the children are pinned to is written there by `gen release`
	got, err := BuildApplications(target, components, order, nil)
	if err != nil {
		t.Fatal(err)
	}
	common := argocd.Application{
		Namespace: "argocd", Project: "lab",
		// No annotation manifest-generate-paths: it lets Argo CD pass over the commit that cures a hung operation (decision 0022).
		Automated:   &argocd.Automated{Prune: true, SelfHeal: true},
		SyncOptions: []string{"ServerSideApply=true"},
		Retry:       &argocd.Retry{Limit: -1, Duration: "5s", Factor: 2, MaxDuration: "1m", Refresh: true},
	}
	root, cilium, web := common, common, common
	root.Name = "root"
	root.Source = argocd.Source{RepoURL: lab.RepoURL, TargetRevision: "release/lab", Path: "output/lab/apps"}
	root.Destination = argocd.Destination{Server: "https://kubernetes.default.svc", Namespace: "argocd"}
	cilium.Name, cilium.Wave = "cilium", -1
	cilium.Source = argocd.Source{RepoURL: lab.RepoURL, TargetRevision: "main", Path: "output/lab/components/cilium"}
	cilium.Destination = argocd.Destination{Server: "https://kubernetes.default.svc", Namespace: "kube-system"}
	web.Name, web.Extra = "web", components[1].Application
	web.Source = argocd.Source{RepoURL: lab.RepoURL, TargetRevision: "main", Path: "output/lab/components/web"}
	web.Destination = argocd.Destination{Server: "https://kubernetes.default.svc", Namespace: "web"}
	want := &Applications{
		Project: argocd.Project{
			Name: "lab", Namespace: "argocd", Description: "Everything that gen renders for lab", Wave: -2,
			SourceRepos:  []string{lab.RepoURL},
			Destinations: []argocd.Destination{{Server: "https://kubernetes.default.svc", Namespace: "*"}},
			ClusterKinds: []argocd.GroupKind{{Group: "*", Kind: "*"}},
		},
		Root:     root,
		Children: []argocd.Application{cilium, web},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestBuildApplicationsInHub(t *testing.T) {
	components, order := fleet()
	target := lab
	target.In, target.Cluster, target.Version = "hub", "lab-cluster", "2.14"
	got, err := BuildApplications(target, components, order, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, app := range append([]argocd.Application{got.Root}, got.Children...) {
		names = append(names, app.Name)
		if app.Retry.Limit <= 0 || app.Retry.Refresh {
			t.Errorf("%s: retry %+v, want a finite limit without refresh before 3.2", app.Name, app.Retry)
		}
		if len(app.Finalizers) > 0 {
			t.Errorf("%s: finalizers %v, want none", app.Name, app.Finalizers)
		}
	}
	if d := cmp.Diff([]string{"lab-root", "lab-cilium", "lab-web"}, names); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
	if d := cmp.Diff(argocd.Destination{Name: "lab-cluster", Namespace: "web"}, got.Children[1].Destination); d != "" {
		t.Errorf("child's destination (-want +got):\n%s", d)
	}
	if d := cmp.Diff(argocd.Destination{Server: "https://kubernetes.default.svc", Namespace: "argocd"}, got.Root.Destination); d != "" {
		t.Errorf("root's destination (-want +got):\n%s", d)
	}
	wanted := []argocd.Destination{{Name: "lab-cluster", Namespace: "*"}, {Server: "https://kubernetes.default.svc", Namespace: "argocd"}}
	if d := cmp.Diff(wanted, got.Project.Destinations); d != "" {
		t.Errorf("project's destinations (-want +got):\n%s", d)
	}
}

func TestBuildApplicationsRefuses(t *testing.T) {
	tests := map[string]struct {
		change     func(*Target)
		components []component.Component
		order      Order
		want       string
		nothing    bool
	}{
		"no Argo CD":      {change: func(t *Target) { t.In, t.Version = "none", "" }, nothing: true},
		"no version":      {change: func(t *Target) { t.Version = "" }, want: `building Applications of lab: reading Argo CD's version "": it must look like 3.2 or v3.2.11; state versions.argocd`},
		"no cluster":      {change: func(t *Target) { t.In = "hub" }, want: "building Applications: environment lab: argocd.cluster: missing: it names the cluster as the hub knows it"},
		"default":         {change: func(t *Target) { t.Environment = "default" }, want: "building Applications: environment default: its project would take the place of Argo CD's own project `default`; rename the environment"},
		"component root":  {components: []component.Component{comp("root")}, want: "lab.yaml:3:5: components.root: the name is taken by the root Application; rename the component"},
		"order of others": {order: Order{Waves: map[string]int{"x": 0}}, want: "building Applications of lab: the order names x, which is no component of it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			target := lab
			if tt.change != nil {
				tt.change(&target)
			}
			got, err := BuildApplications(target, tt.components, tt.order, nil)
			diff(t, "error", tt.want, text(err))
			if tt.nothing && got != nil {
				t.Errorf("got %v, want nothing", got)
			}
		})
	}
}

func TestIgnored(t *testing.T) {
	own := comp("a")
	own.IgnoreDiffs = []argocd.IgnoreDifference{{Kind: "Secret", Name: "z", JSONPointers: []string{"/data"}}, {Kind: "Secret", Name: "z", JSONPointers: []string{"/data"}}}
	in := bundles(t, "a", docs(
		`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: open}, webhooks: [{name: w, clientConfig: {caBundle: "Cg=="}}]}`,
		`{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: stated}, webhooks: [{name: w, clientConfig: {caBundle: LS0t}}]}`,
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}, spec: {conversion: {strategy: Webhook, webhook: {clientConfig: {service: {name: s}}}}}}`,
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: plain}, spec: {conversion: {strategy: None}}}`,
		`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: open}, spec: {service: {name: s}}}`,
		`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: insecure}, spec: {insecureSkipTLSVerify: true, service: {name: s}}}`,
		`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: agg}, aggregationRule: {}}`,
		`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: plain}, rules: []}`,
		`{apiVersion: apps/v1, kind: Deployment, metadata: {name: scaled, namespace: a}, spec: {replicas: 2}}`,
		`{apiVersion: apps/v1, kind: Deployment, metadata: {name: scaled, namespace: b}, spec: {replicas: 2}}`,
		`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: a}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: scaled}}}`,
	))
	want := []argocd.IgnoreDifference{
		{Kind: "Secret", Name: "z", JSONPointers: []string{"/data"}},
		{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration", Name: "open", JQPathExpressions: []string{".webhooks[]?.clientConfig.caBundle"}},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "c", JSONPointers: []string{"/spec/conversion/webhook/clientConfig/caBundle"}},
		{Group: "apiregistration.k8s.io", Kind: "APIService", Name: "open", JSONPointers: []string{"/spec/caBundle"}},
		{Group: "apps", Kind: "Deployment", Name: "scaled", Namespace: "a", JSONPointers: []string{"/spec/replicas"}},
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "agg", JSONPointers: []string{"/rules"}},
	}
	apps, err := BuildApplications(lab, []component.Component{own}, Order{Waves: map[string]int{"a": 0}}, in)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, apps.Children[0].IgnoreDifferences); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"RespectIgnoreDifferences=true", "ServerSideApply=true"}, apps.Children[0].SyncOptions); d != "" {
		t.Errorf("sync options (-want +got):\n%s", d)
	}
}
