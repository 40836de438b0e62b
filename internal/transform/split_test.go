package transform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
)

// operatorOf is a component's operator: a kind, who reconciles it, and a webhook that fails closed about it.
func operatorOf(name, kind string, more ...string) string {
	plural := strings.ToLower(kind) + "s"
	documents := []string{
		fmt.Sprintf("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %[1]s.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: %[2]s, plural: %[1]s}}}", plural, kind),
		fmt.Sprintf("{apiVersion: v1, kind: ServiceAccount, metadata: {name: op, namespace: %s}}", name),
		fmt.Sprintf("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %[1]s}, rules: [{apiGroups: [example.com], resources: [%[2]s/status], verbs: [update]}]}", name, plural),
		fmt.Sprintf("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: %[1]s}, roleRef: {kind: ClusterRole, name: %[1]s}, subjects: [{kind: ServiceAccount, name: op, namespace: %[1]s}]}", name),
		fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: op, namespace: %s}, spec: {template: {metadata: {labels: {app: op}}, spec: {serviceAccountName: op, containers: []}}}}", name),
		fmt.Sprintf("{apiVersion: v1, kind: Service, metadata: {name: op, namespace: %s}, spec: {selector: {app: op}}}", name),
		fmt.Sprintf("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: %[1]s}, webhooks: [{name: w, failurePolicy: Fail, clientConfig: {service: {namespace: %[1]s, name: op}}, rules: [{apiGroups: [example.com], apiVersions: ['*'], resources: [%[2]s], operations: [CREATE]}]}]}", name, plural),
	}
	return strings.Join(append(documents, more...), "\n---\n")
}

func custom(kind, name, namespace string) string {
	return fmt.Sprintf("{apiVersion: example.com/v1, kind: %s, metadata: {name: %s, namespace: %s}}", kind, name, namespace)
}

func cm(name, namespace string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s}}", name, namespace)
}

func mounting(name, namespace, kind, what string) string {
	volume := map[string]string{"ConfigMap": "configMap: {name: ", "Secret": "secret: {secretName: "}[kind]
	return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, namespace: %s}, spec: {template: {spec: {containers: [], volumes: [{name: v, %s%s}}]}}}}", name, namespace, volume, what)
}

// TestSplit states what moves, what starts together, and what is left whole.
func TestSplit(t *testing.T) {
	pool := "{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p, namespace: a}}"
	metal := strings.ReplaceAll(strings.ReplaceAll(operatorOf("a", "IPAddressPool"), "example.com", "metallb.io"), "ipaddresspools", "ipaddresspools")
	balancer := "{apiVersion: v1, kind: Service, metadata: {name: lb, namespace: a}, spec: {type: LoadBalancer}}"
	external := "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: s, namespace: a}, spec: {secretStoreRef: {kind: ClusterSecretStore, name: v}}}"
	store := "{apiVersion: external-secrets.io/v1, kind: ClusterSecretStore, metadata: {name: v}}"
	eso := strings.NewReplacer("example.com", "external-secrets.io", "resources: [externalsecrets]", "resources: [externalsecrets, clustersecretstores]").Replace(operatorOf("a", "ExternalSecret"))
	registers := strings.NewReplacer("apiGroups: [example.com], resources: [widgets/status], verbs: [update]", "apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], VERBS").Replace(
		operatorOf("a", "Widget")[strings.Index(operatorOf("a", "Widget"), "---"):])
	registers = registers[:strings.Index(registers, "{apiVersion: admission")] + custom("Gadget", "g", "a")
	tests := map[string]struct {
		in    []string // bundles
		whole bool     // split: never on all
		needs map[string]string
		moved string // "component: objects…" for each, by "; "
		with  string // pairs
		err   string // part of what Waves says
	}{
		"a custom resource behind its own webhook": {in: []string{"a", operatorOf("a", "Widget", custom("Widget", "w", "a"), cm("c", "a"))}, moved: "a-config: Widget/w"},
		"the same where the model says never":      {in: []string{"a", operatorOf("a", "Widget", custom("Widget", "w", "a"))}, whole: true},
		"one whose author chose a wave":            {in: []string{"a", operatorOf("a", "Widget", strings.Replace(custom("Widget", "w", "a"), "name: w", "name: w, annotations: {argocd.argoproj.io/sync-wave: '1'}", 1))}},
		"a hook":                                   {in: []string{"a", operatorOf("a", "Widget", strings.Replace(custom("Widget", "w", "a"), "name: w", "name: w, annotations: {helm.sh/hook: post-install}", 1))}},
		"what works only with what moves, moves":   {in: []string{"a", eso + "\n---\n" + strings.Join([]string{store, external, mounting("web", "a", "Secret", "s"), cm("c", "a")}, "\n---\n")}, moved: "a-config: Deployment/web ClusterSecretStore/v ExternalSecret/s"},
		"what the operator needs cannot move":      {in: []string{"a", strings.Replace(eso, "containers: []", "containers: [], volumes: [{name: v, secret: {secretName: s}}]", 1) + "\n---\n" + external}},
		"a balancer goes with its pool":            {in: []string{"a", strings.Join([]string{metal, pool, balancer}, "\n---\n")}, moved: "a-config: Service/lb IPAddressPool/p"},
		"a balancer whose pool is elsewhere":       {in: []string{"a", strings.Join([]string{metal, balancer}, "\n---\n"), "b", pool}, needs: map[string]string{"b": "a"}, moved: "a-config: Service/lb"},
		"a kind that its own role names":           {in: []string{"a", strings.Replace(registers, "VERBS", "resourceNames: [gadgets.example.com], verbs: [update]", 1)}, moved: "a-config: Gadget/g"},
		"a kind that its own operator may make":    {in: []string{"a", strings.Replace(registers, "VERBS", "verbs: [create]", 1)}, moved: "a-config: Gadget/g"},
		"a kind that it may only read":             {in: []string{"a", strings.Replace(registers, "VERBS", "verbs: [get]", 1)}},
		"controllers that need each other's kinds": {
			in:    []string{"a", operatorOf("a", "Widget", custom("Gadget", "g", "a")), "b", operatorOf("b", "Gadget", custom("Widget", "w", "b"))},
			moved: "a-config: Gadget/g",
		},
		"one of them is declared": {
			in:    []string{"a", operatorOf("a", "Widget", custom("Gadget", "g", "a")), "b", operatorOf("b", "Gadget", custom("Widget", "w", "b"))},
			needs: map[string]string{"a": "b"}, moved: "b-config: Widget/w",
		},
		"both are declared": {
			in:    []string{"a", operatorOf("a", "Widget", custom("Gadget", "g", "a")), "b", operatorOf("b", "Gadget", custom("Widget", "w", "b"))},
			needs: map[string]string{"a": "b", "b": "a"}, err: "a ▸ b ▸ a wait for each other",
		},
		"each mounts the other's, in the namespace of one": {
			in:    []string{"a", "{apiVersion: v1, kind: Namespace, metadata: {name: shared}}\n---\n" + cm("x", "shared") + "\n---\n" + mounting("da", "shared", "ConfigMap", "other"), "b", cm("other", "shared") + "\n---\n" + mounting("db", "shared", "ConfigMap", "x")},
			moved: "a-config: Deployment/da",
		},
		"each waits for the other's health only": {
			in: []string{
				"a", "{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: a}}\n---\n{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, namespace: a}, spec: {ingressClassName: b}}",
				"b", "{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: b}}\n---\n{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, namespace: b}, spec: {ingressClassName: a}}",
			},
			with: "b a",
		},
		"who is said to need a component needs its workloads": {
			in:    []string{"a", cm("own", "a") + "\n---\n" + mounting("d", "a", "ConfigMap", "table"), "b", cm("table", "a")},
			needs: map[string]string{"b": "a"}, err: "a ▸ b ▸ a wait for each other",
		},
		"three in a row and back": {
			in:    []string{"a", operatorOf("a", "Widget", custom("Gizmo", "z", "a")), "b", operatorOf("b", "Gadget", custom("Widget", "w", "b")), "c", operatorOf("c", "Gizmo", custom("Gadget", "g", "c"))},
			moved: "a-config: Gizmo/z",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			list := bundles(t, tt.in...)
			components := componentsOf(list)
			for i, c := range components {
				components[i].Whole = tt.whole
				if need := tt.needs[c.Name]; need != "" {
					components[i].Needs = []string{need}
				}
			}
			parts := Split(components, list)
			diff(t, "moved", tt.moved, movesText(parts))
			diff(t, "with", tt.with, withText(parts))
			_, err := Waves(lab, parts.Components, parts.Bundles)
			if tt.err == "" && err != nil || !strings.Contains(text(err), tt.err) {
				t.Errorf("waves: %v", err)
			}
			slices.Reverse(components)
			slices.Reverse(list)
			diff(t, "in another order", movesText(parts), movesText(Split(components, list)))
		})
	}
}

func movesText(p Parts) string {
	var out []string
	to := ""
	for _, m := range p.Moves {
		if m.To != to {
			to = m.To
			out = append(out, to+":")
		}
		out[len(out)-1] += " " + m.Object.Kind + "/" + m.Object.Name
	}
	return strings.Join(out, "; ")
}

func withText(p Parts) string {
	var out []string
	for _, c := range p.Components {
		if c.With != "" {
			out = append(out, c.Name+" "+c.With)
		}
	}
	return strings.Join(out, "; ")
}

// TestSplitOff states what a part takes over from the component that it comes from, and how others wait for it.
func TestSplitOff(t *testing.T) {
	list := bundles(t, "a", operatorOf("a", "Widget", custom("Widget", "w", "a"), custom("Widget", "x", "a")), "b", cm("c", "b"), "c", cm("c", "c"))
	components := []component.Component{comp("a"), comp("b", "a"), comp("c")}
	components[0].Application = map[string]any{"metadata": map[string]any{"labels": map[string]any{"team": "x"}}}
	components[0].Removal, components[0].Provides = "objects", []string{"example.com/v1"}
	components[0] = inWave(components[0], 3)
	components[0].IgnoreDiffs = []argocd.IgnoreDifference{{Group: "example.com", Kind: "Widget", Name: "x", JSONPointers: []string{"/spec"}}, {Group: "apps", Kind: "Deployment", JSONPointers: []string{"/spec"}}}
	parts := Split(components, list)
	part := parts.Components[1]
	if part.Name != "a-config" || part.Part != "a" || !slices.Equal(part.Needs, []string{"a"}) || part.Wave != nil || part.Removal != "objects" || part.Namespace != "a" || part.Origin != components[0].Origin || part.Application == nil || len(part.Provides) > 0 {
		t.Errorf("%+v", part)
	}
	if len(part.IgnoreDiffs) != 1 || part.IgnoreDiffs[0].Kind != "Widget" {
		t.Errorf("ignored differences %v", part.IgnoreDiffs)
	}
	order, err := Waves(lab, parts.Components, parts.Bundles)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(order.Waves); got != "map[a:3 a-config:4 b:5 c:0]" {
		t.Errorf("waves %s: who needs a needs all of it", got)
	}
	t.Run("a name that is taken", func(t *testing.T) {
		taken := comp("a-config")
		taken.Origin.Line = 9
		parts := Split([]component.Component{comp("a"), taken}, append(list[:1:1], bundles(t, "a-config", cm("c", "z"))...))
		diff(t, "moved", "", movesText(parts))
	})
	t.Run("what a definition splits off takes it up", func(t *testing.T) {
		config := comp("a-config", "a")
		parts := Split([]component.Component{comp("a"), config}, append(list[:1:1], bundles(t, "a-config", cm("c", "a"))...))
		diff(t, "moved", "a-config: Widget/w Widget/x", movesText(parts))
		if got := len(parts.Bundles[1].Objects); len(parts.Components) != 2 || got != 3 {
			t.Errorf("%d components, %d objects", len(parts.Components), got)
		}
	})
	t.Run("not where the two start together", func(t *testing.T) {
		parts := Split([]component.Component{comp("a"), with(comp("a-config"), "a")}, append(list[:1:1], bundles(t, "a-config", cm("c", "a"))...))
		diff(t, "moved", "", movesText(parts))
	})
}

// TestSplitIsStable: a component that has nothing to do with a split changes neither it nor any other wave.
func TestSplitIsStable(t *testing.T) {
	list := bundles(t, "m", operatorOf("m", "Widget", custom("Gadget", "g", "m")), "o", operatorOf("o", "Gadget", custom("Widget", "w", "o")), "p", operatorOf("p", "Thing", custom("Thing", "t", "p")))
	before := Split(componentsOf(list), list)
	was, err := Waves(lab, before.Components, before.Bundles)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "m-a", "o-config-x", "z"} {
		more := append(slices.Clone(list), bundles(t, name, operatorOf(name, "Other"+strings.ReplaceAll(name, "-", ""), cm("c", name)))...)
		after := Split(componentsOf(more), more)
		diff(t, "with "+name, movesText(before), movesText(after))
		now, err := Waves(lab, after.Components, after.Bundles)
		if err != nil {
			t.Fatal(err)
		}
		for other, wave := range was.Waves {
			if now.Waves[other] != wave {
				t.Errorf("%s moves %s from wave %d to %d", name, other, wave, now.Waves[other])
			}
		}
	}
}
