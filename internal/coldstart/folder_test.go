package coldstart

import (
	"slices"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

func forever(o manifest.Object) manifest.Object {
	return o.Set(int64(-1), "spec", "syncPolicy", "retry", "limit")
}

// set is a root with an ApplicationSet in a wave and, a wave later, a Service that waits for what the set's Application brings.
func set(waveOfSet, waveOfNext int) Input {
	home := func(o manifest.Object) manifest.Object { return o.Set("argo-system", "metadata", "namespace") }
	generator := withWave(waveOfSet)(home(plain("argoproj.io/v1alpha1", "ApplicationSet", "argocd", "set", map[string]any{})))
	made := Application{
		Object: home(forever(child("made", 0))), Generator: manifest.ID{Group: "argoproj.io", Kind: "ApplicationSet", Namespace: "argo-system", Name: "set"},
		Objects: []manifest.Object{plain("v1", "Namespace", "", "made", nil), plain("v1", "ServiceAccount", "made", "a", nil)},
	}
	next := Application{Object: home(forever(child("next", waveOfNext))), Objects: []manifest.Object{
		plain("apps/v1", "Deployment", "made", "d", map[string]any{"template": map[string]any{"spec": map[string]any{"serviceAccountName": "a"}}}),
	}}
	root := Application{Object: home(child("root", 0)), Objects: []manifest.Object{generator, next.Object}}
	return Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Applications: []Application{made, next, root}}
}

// TestApplicationSet states that what an ApplicationSet makes starts with it, and that nobody waits for it; and that the namespace
// which Applications live in is there, whatever it is called.
func TestApplicationSet(t *testing.T) {
	proof := Prove(set(0, 1))
	if proof.Verdict != Retry {
		t.Errorf("waves 0 and 1: %s, want RETRY: nothing waits for what the set makes: %v", proof.Verdict, proof.Outcomes)
	}
	proof = Prove(set(1, 0))
	if proof.Verdict != Deadlock {
		t.Errorf("waves 1 and 0: %s, want DEADLOCK: %v", proof.Verdict, proof.Outcomes)
	}
	if cure := proof.Outcomes[1].Cure; !strings.Contains(cure, "ApplicationSet set to wave 0") {
		t.Errorf("cure %q", cure)
	}
}

// TestHidden states that what nobody known brings is unknown where a part of the fleet is.
func TestHidden(t *testing.T) {
	in := set(0, 1)
	in.Applications[0].Objects = nil
	if proof := Prove(in); proof.Verdict != Fails {
		t.Errorf("all known: %s, want FAILS", proof.Verdict)
	}
	in.Applications[0].Unknown = []string{"its source is a chart"}
	proof := Prove(in)
	if proof.Verdict != Unknown || !strings.Contains(proof.Outcomes[1].Chain[1].Text, "not all that made apply is in the folder") {
		t.Errorf("a part not known: %s %v, want UNKNOWN that says why", proof.Verdict, proof.Outcomes[1])
	}
}

// TestReaders states that who may only read a Secret makes none, and that who may write it does.
func TestReaders(t *testing.T) {
	for verb, want := range map[string]Verdict{"get": Unknown, "patch": Proven, "get, and create any": Proven} {
		verb, more, _ := strings.Cut(verb, ", ")
		app := Application{Object: forever(child("app", 0)), Objects: []manifest.Object{
			plain("v1", "Namespace", "", "app", nil), plain("v1", "ServiceAccount", "app", "s", nil),
			plain("rbac.authorization.k8s.io/v1", "Role", "app", "r", nil).Set([]any{map[string]any{
				"apiGroups": []any{""}, "resources": []any{"secrets"}, "resourceNames": []any{"token"}, "verbs": []any{verb},
			}, map[string]any{"apiGroups": []any{""}, "resources": []any{"secrets"}, "verbs": []any{map[bool]any{true: "create", false: "list"}[more != ""]}}}, "rules"),
			plain("rbac.authorization.k8s.io/v1", "RoleBinding", "app", "b", nil).Set(map[string]any{"kind": "Role", "name": "r"}, "roleRef").
				Set([]any{map[string]any{"kind": "ServiceAccount", "namespace": "app", "name": "s"}}, "subjects"),
			plain("apps/v1", "Deployment", "app", "writer", map[string]any{"template": map[string]any{"spec": map[string]any{"serviceAccountName": "s"}}}),
			plain("apps/v1", "Deployment", "app", "reader", map[string]any{"template": map[string]any{"spec": map[string]any{
				"volumes": []any{map[string]any{"name": "t", "secret": map[string]any{"secretName": "token"}}},
			}}}),
		}}
		proof := Prove(Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Applications: []Application{app}})
		if proof.Verdict != want {
			t.Errorf("%s: %s, want %s: %v", verb, proof.Verdict, want, proof.Outcomes)
		}
	}
}

// TestHiddenTooLate states that what comes after an object brings nothing that the object lacks, known or not. Seen in public
// fleets: a root with custom resources beside the Application whose chart would bring their kind.
func TestHiddenTooLate(t *testing.T) {
	widget := func(options ...string) manifest.Object {
		return argocd.WithSyncOptions(plain("example.com/v1", "Widget", "argocd", "w", nil), options...)
	}
	lacking := plain("apps/v1", "Deployment", "argocd", "d", map[string]any{"template": map[string]any{"spec": map[string]any{"serviceAccountName": "a"}}})
	tests := map[string]struct {
		widget manifest.Object
		wave   int  // of the Application that is not known
		beside bool // another one is not known either, and nobody makes it
		want   Verdict
	}{
		"the dry run comes before all":         {widget(), 0, false, Fails},
		"even before an earlier wave":          {widget(), -1, false, Fails},
		"one that a person applies may":        {widget(), 0, true, Unknown},
		"without the dry run, in its own wave": {widget(argocd.SkipDryRun), 0, false, Unknown},
		"without the dry run, a later wave":    {widget(argocd.SkipDryRun), 1, false, Fails},
		"a namespace, in its own wave":         {plain("v1", "ConfigMap", "made", "c", nil), 0, false, Unknown},
		"a namespace, a later wave":            {plain("v1", "ConfigMap", "made", "c", nil), 1, false, Fails},
		"what it waits for, in its own wave":   {lacking, 0, false, Unknown},
		"what it waits for, a later wave":      {lacking, 1, false, Deadlock},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			chart := Application{Object: forever(child("chart", test.wave)), Unknown: []string{"its source is a chart"}}
			root := Application{Object: child("root", 0), Objects: []manifest.Object{test.widget, chart.Object}}
			in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Applications: []Application{chart, root}}
			if test.beside {
				in.Applications = append(in.Applications, Application{Object: child("beside", 0), Unknown: []string{"its source is a chart"}})
			}
			for _, o := range Prove(in).Outcomes {
				if o.Application == "root" && (o.Verdict != test.want || test.want != Unknown && !strings.HasSuffix(o.Chain[1].Text, "comes from nobody in time: what is not in the folder comes after it")) {
					t.Errorf("%s, want %s: %v", o.Verdict, test.want, o)
				}
			}
		})
	}
}

// TestHiddenBehindWhatNobodyAwaits states that an Application of a later wave is made all the same where no wave waits for the object that
// lacks something, and that one of another root may be.
func TestHiddenBehindWhatNobodyAwaits(t *testing.T) {
	maker := objects(t, strings.Replace(granting(false, rule("", "secrets login: update")), "kind: ServiceAccount", "kind: ConfigMap", 1))
	reader := objects(t, written("apps/v1", "Deployment", "reader", "2", "spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: login}}]}]}}}"))
	for name, tt := range map[string]struct {
		kind   string
		waits  bool
		beside bool // the Application that is not known stands under another root
		want   Verdict
	}{
		"a wave waits for it":               {"Deployment", true, false, Deadlock},
		"a wave waits for it, another root": {"Deployment", true, true, Unknown},
		"no wave waits for it":              {"ReplicationController", false, false, Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			chart := Application{Object: forever(child("chart", 1)), Unknown: []string{"its source is a chart"}}
			root, other := Application{Object: child("root", 0)}, Application{Object: child("other", 0)}
			for _, o := range slices.Concat(maker, reader) {
				if o.ID().Name == "maker" && o.ID().Kind == "Deployment" && !tt.waits {
					o = o.Set("v1", "apiVersion").Set(tt.kind, "kind")
				}
				root.Objects = append(root.Objects, o)
			}
			if tt.beside {
				other.Objects = append(other.Objects, plain("v1", "ConfigMap", "default", "first", nil), chart.Object)
			} else {
				root.Objects = append(root.Objects, chart.Object)
			}
			in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Applications: []Application{chart, other, root}}
			for _, o := range Prove(in).Outcomes {
				if o.Application == "root" && o.Verdict != tt.want {
					t.Errorf("%s, want %s: %v", o.Verdict, tt.want, o)
				}
			}
		})
	}
}

// TestHiddenNamed states how many Applications of which a part is not known are named.
func TestHiddenNamed(t *testing.T) {
	for count, want := range map[int]string{0: "", 1: "not all that a apply", 3: "not all that a, b, c apply", 4: "not all that a, b, 2 more Applications apply"} {
		in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments}
		for i := range 6 {
			in.Applications = append(in.Applications, Application{Object: child(string(rune('a'+i)), 0)})
			if i < count {
				in.Applications[i].Unknown = []string{"its source is a chart"}
			}
		}
		if got := newWorld(in).hidden(func(*app) bool { return false }); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%d: %q, want %q", count, got, want)
		}
	}
}

// TestMayExist states which facts may hold although nothing in the folder provides them.
func TestMayExist(t *testing.T) {
	w := newWorld(Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments})
	exists := func(group, kind string) needs.Fact {
		return needs.Fact{Type: needs.Exists, Group: group, Kind: kind, Namespace: "team", Name: "x"}
	}
	ability := func(name string) needs.Fact { return needs.Fact{Type: needs.Ability, Name: name} }
	for fact, want := range map[needs.Fact]bool{
		exists("", "Secret"): true, exists("", "ConfigMap"): true, exists("storage.k8s.io", "StorageClass"): true, exists("argoproj.io", "AppProject"): true,
		exists("", "ServiceAccount"): false, exists("scheduling.k8s.io", "PriorityClass"): false,
		ability(needs.DefaultStorage): true, ability(publishes): false, ability(classAbility + "tailscale"): false, named(controller, "", "Ingress.networking.k8s.io"): false, ability(needs.Addresses): false, ability("other"): false,
		{Type: needs.Kind, Group: "example.com", Kind: "Widget"}: false, {Type: needs.Namespace, Name: "team"}: false,
		named(controller, "", "Widget.example.com"): true, named(endpoints, "team", "web"): true, named(reachable, "", "example.com"): true, injected(plain("v1", "X", "", "x", nil).ID()): true,
		named(addressOf, "team", "web"): false, named(consumer, "team", "c"): false, named(pooledFor, "team", "web"): false,
	} {
		if got := w.mayExist(fact); got != want {
			t.Errorf("%s: %v, want %v", fact, got, want)
		}
	}
}
