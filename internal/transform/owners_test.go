package transform

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
)

const (
	inTeam     = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: team}}`
	inArgoCD   = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: argocd}}`
	settingsCM = `{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm, namespace: argocd}}`
)

func TestOwners(t *testing.T) {
	hub := lab
	hub.In, hub.Cluster = "hub", "lab"
	tests := map[string]struct {
		target     *Target
		components []component.Component
		bundles    []string
		owners     map[string]string
		waves      map[string]int
		notices    []string
	}{
		"first by wave": {
			components: []component.Component{comp("a", "b"), comp("b")},
			bundles:    []string{"a", inTeam, "b", inTeam2()},
			owners:     map[string]string{"team": "b"},
			waves:      map[string]int{"a": 1, "b": 0},
		},
		"then by name, and the others wait": {
			bundles: []string{"a", inTeam, "b", inTeam2()},
			owners:  map[string]string{"team": "a"},
			waves:   map[string]int{"a": 0, "b": 1},
		},
		"two namespaces shared by two never make a circle": {
			bundles: []string{
				"a", docs(inTeam, `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: zone}}`),
				"b", docs(inTeam2(), `{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: zone}}`),
			},
			owners: map[string]string{"team": "a", "zone": "a"},
			waves:  map[string]int{"a": 0, "b": 1},
		},
		"a namespace that a component brings has no other owner": {
			bundles: []string{"a", inTeam, "tenants", `{apiVersion: v1, kind: Namespace, metadata: {name: team}}`},
			owners:  map[string]string{},
			waves:   map[string]int{"a": 1, "tenants": 0},
		},
		"partners own for each other, so that no circle comes of it": {
			components: []component.Component{comp("a"), comp("b"), with(comp("d"), "a")},
			bundles: []string{
				"a", inTeam, "b", docs(inTeam2(), `{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: zone}}`),
				"d", `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: zone}}`,
			},
			owners: map[string]string{"team": "a", "zone": "d"},
			waves:  map[string]int{"a": 0, "b": 1, "d": 0},
		},
		"components that start together": {
			components: []component.Component{comp("a"), with(comp("b"), "a")},
			bundles:    []string{"a", inTeam, "b", inTeam2()},
			owners:     map[string]string{"team": "a"},
			waves:      map[string]int{"a": 0, "b": 0},
		},
		"waves by hand win": {
			components: []component.Component{inWave(comp("a"), 0), comp("b"), inWave(comp("c", "b"), 1)},
			bundles:    []string{"a", inTeam, "b", inTeam2()},
			owners:     map[string]string{"team": "a"},
			waves:      map[string]int{"a": 0, "b": 0, "c": 1},
			notices: []string{"b: Secret team/c: lives in namespace team, which a makes; waves set by hand do not let it start later, " +
				"so its first attempts may fail and are repeated"},
		},
		"every cluster's own namespaces": {
			bundles: []string{"a", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: kube-system}}`},
			owners:  map[string]string{},
			waves:   map[string]int{"a": 0},
		},
		"Argo CD's namespace belongs to what brings Argo CD, and is there before any wave": {
			components: []component.Component{comp("argo-cd", "z"), comp("a"), comp("z")},
			bundles:    []string{"a", inArgoCD, "argo-cd", settingsCM},
			owners:     map[string]string{"argocd": "argo-cd"},
			waves:      map[string]int{"a": 0, "argo-cd": 1, "z": 0},
		},
		"Argo CD's namespace where Argo CD is installed elsewhere": {
			bundles: []string{"a", inArgoCD},
			owners:  map[string]string{},
			waves:   map[string]int{"a": 0},
		},
		"a namespace named argocd in a cluster that a hub serves": {
			target:  &hub,
			bundles: []string{"a", inArgoCD},
			owners:  map[string]string{"argocd": "a"},
			waves:   map[string]int{"a": 0},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in, target := bundles(t, tt.bundles...), lab
			if tt.target != nil {
				target = *tt.target
			}
			if tt.components == nil {
				tt.components = componentsOf(in)
			}
			order, err := Waves(target, tt.components, in)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.owners, order.Owners); d != "" {
				t.Errorf("owners (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.waves, order.Waves); d != "" {
				t.Errorf("waves (-want +got):\n%s", d)
			}
			var notices []string
			for _, n := range order.Notices {
				notices = append(notices, n.String())
			}
			if d := cmp.Diff(tt.notices, notices); d != "" {
				t.Errorf("notices (-want +got):\n%s", d)
			}
		})
	}
}

// inTeam2 is another object in the namespace of inTeam.
func inTeam2() string { return `{apiVersion: v1, kind: Secret, metadata: {name: c, namespace: team}}` }

func TestNamespaceObjects(t *testing.T) {
	in := bundles(t,
		"agent", `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: node}
spec: {template: {spec: {hostNetwork: true, containers: [{name: c, securityContext: {capabilities: {add: [NET_ADMIN, CHOWN]}}}]}}}`,
		"own", docs(`{apiVersion: v1, kind: Namespace, metadata: {name: own, labels: {pod-security.kubernetes.io/enforce: restricted}}}`,
			`{apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}`),
		"web", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: web}}`)
	before := emit(t, in)
	order, err := Waves(lab, componentsOf(in), in)
	if err != nil {
		t.Fatal(err)
	}
	out := NamespaceObjects(order, in)
	diff(t, "bundles", `# agent
apiVersion: v1
kind: Namespace
metadata:
  annotations:
    gen.coldstart-gitops.github.io/privileged-for: "DaemonSet/agent: hostNetwork, capability NET_ADMIN"
  labels:
    pod-security.kubernetes.io/enforce: privileged
  name: node
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
  namespace: node
spec:
  template:
    spec:
      containers:
      - name: c
        securityContext:
          capabilities:
            add:
            - NET_ADMIN
            - CHOWN
      hostNetwork: true
# own
apiVersion: v1
kind: Namespace
metadata:
  name: kube-system
---
apiVersion: v1
kind: Namespace
metadata:
  labels:
    pod-security.kubernetes.io/enforce: restricted
  name: own
# web
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  namespace: web
---
apiVersion: v1
kind: Namespace
metadata:
  labels:
    pod-security.kubernetes.io/enforce: baseline
  name: web
`, emit(t, out))
	diff(t, "input, which must stay as it was", before, emit(t, in))
}
