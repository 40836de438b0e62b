package coldstart

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// walk is what the simulation must find: every Application and every object is looked at, in turn, until nothing changes any more.
func (w *world) walk() {
	w.until(func() {
		for _, n := range w.all {
			if n.app.in.Bootstrap && !n.applied && len(argocd.Phases(n.task.Object)) > 0 && w.allMet(n, n.apply) {
				w.apply(n)
			}
		}
		w.walkHealth()
	})
	for _, n := range w.all {
		if n.early = n.well; n.applied {
			w.start(n)
		}
	}
	w.until(func() {
		for _, a := range w.apps {
			if a.checked && !a.done() {
				a.pending.reset(len(a.nodes[a.at]), true)
			}
			w.advance(a)
		}
		w.walkHealth()
	})
}

func (w *world) walkHealth() {
	w.until(func() {
		for _, n := range w.all {
			if n.applied && !n.well && w.allMet(n, n.healthy) && w.childWell(n) {
				w.heal(n)
			}
		}
	})
}

func (w *world) until(step func()) {
	for before := ""; before != w.state(); {
		before = w.state()
		step()
	}
}

// state writes all that a simulation finds out.
func (w *world) state() string {
	var b strings.Builder
	for _, n := range w.all {
		fmt.Fprintln(&b, n.app.name, n.id, n.applied, n.well, n.early)
	}
	for _, a := range w.apps {
		fmt.Fprintln(&b, a.name, a.active, a.checked, a.at, a.failures, a.moments, w.appWell(a), len(a.unwell()))
	}
	fmt.Fprintln(&b, len(w.used))
	return b.String()
}

// TestSimulationIsAWalk states that what is left alone would not have changed: random worlds end as a walk over everything ends them.
func TestSimulationIsAWalk(t *testing.T) {
	ends := map[string]int{}
	for seed := range int64(300) {
		in := randomInput(rand.New(rand.NewSource(seed)))
		looked, walked := newWorld(in), newWorld(in)
		looked.bootstrap()
		looked.simulate()
		walked.walk()
		if diff := cmp.Diff(walked.state(), looked.state()); diff != "" {
			t.Fatalf("seed %d (-walk +simulation):\n%s", seed, diff)
		}
		for _, a := range looked.apps {
			ends[fmt.Sprintf("done %t, failures %t", a.done(), len(a.failures) > 0)]++
			if a.done() && slices.ContainsFunc(a.unwell(), (*node).differs) {
				ends["differs"]++
			}
			if a.rolling != nil && looked.behind(a) != nil {
				ends["behind"]++
			}
		}
	}
	t.Log(ends)
	for _, end := range []string{"done true, failures false", "done true, failures true", "done false, failures false", "differs", "behind"} {
		if ends[end] < 5 {
			t.Errorf("only %d Applications end as %s", ends[end], end)
		}
	}
}

// randomInput draws a tree of Applications whose Deployments read ConfigMaps of any of them, and whose Widgets need a CRD of any.
func randomInput(r *rand.Rand) Input {
	in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Given: []Given{{Fact: "namespace team"}, {Fact: "ConfigMap team/c0"}}}
	count := 2 + r.Intn(8)
	objects := make([][]manifest.Object, count)
	for i := count - 1; i > 0; i-- {
		for range r.Intn(6) {
			objects[i] = append(objects[i], withWave(r.Intn(3))(randomObject(r)))
		}
		if r.Intn(3) == 0 {
			objects[i] = append(objects[i], rivals(r)...)
		}
		name := fmt.Sprintf("app-%d", r.Intn(90)*10+i)
		o := withWave(r.Intn(3))(child(name, 0)).Set([]any{int64(0), int64(2), int64(-1)}[r.Intn(3)], "spec", "syncPolicy", "retry", "limit")
		app := Application{Object: o, Objects: objects[i], Bootstrap: r.Intn(6) == 0}
		if parent := r.Intn(i + 1); parent > 0 && !app.Bootstrap {
			objects[parent] = append(objects[parent], o)
		} else if r.Intn(2) == 0 {
			app.Object = o.Set(strconv.Itoa(r.Intn(3)), "metadata", "labels", "step")
			app.Generator = manifest.ID{Kind: "ApplicationSet", Name: "set"}
		}
		in.Applications = append(in.Applications, app)
	}
	in.Applications = append(in.Applications, Application{Object: child("sets", 0), Objects: []manifest.Object{rollingSet()}})
	return in
}

// rollingSet makes Applications in two steps; none of those of a third.
func rollingSet() manifest.Object {
	step := func(value string) any {
		return map[string]any{"matchExpressions": []any{map[string]any{"key": "step", "operator": "In", "values": []any{value}}}}
	}
	return plain("argoproj.io/v1alpha1", "ApplicationSet", "argocd", "set", map[string]any{
		"strategy": map[string]any{"type": "RollingSync", "rollingSync": map[string]any{"steps": []any{step("0"), step("1")}}},
	})
}

func randomObject(r *rand.Rand) manifest.Object {
	name := func(kind string) string { return fmt.Sprintf("%s%d", kind, r.Intn(5)) }
	switch r.Intn(5) {
	case 0, 1:
		return plain("v1", "ConfigMap", "team", name("c"), nil)
	case 2:
		return plain("example.com/v1", "Widget", "team", name("w"), nil)
	case 3:
		return plain("apiextensions.k8s.io/v1", crd, "", "widgets.example.com", map[string]any{
			"group": "example.com", "scope": "Namespaced", "names": map[string]any{"kind": "Widget", "plural": "widgets"},
		})
	}
	return reader("team", fmt.Sprintf("d%d", r.Intn(1000)), name("c"))
}

// rivals are a webhook and the istiod that writes into it once it runs, so that their Application is not in sync from then on.
func rivals(r *rand.Rand) []manifest.Object {
	istiod := reader("team", "istiod", fmt.Sprintf("c%d", r.Intn(5))).Set("istiod", "spec", "template", "metadata", "labels", "app")
	webhook := plain("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "", "v", nil).Set("default", "metadata", "labels", "istio.io/rev").
		Set([]any{map[string]any{"name": "w", "failurePolicy": "Ignore"}}, "webhooks")
	return []manifest.Object{withWave(r.Intn(3))(istiod), withWave(r.Intn(3))(webhook)}
}

// reader is a Deployment that reads a ConfigMap.
func reader(namespace, name, reads string) manifest.Object {
	return plain("apps/v1", "Deployment", namespace, name, map[string]any{"template": map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"app": name}},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i", "envFrom": []any{map[string]any{"configMapRef": map[string]any{"name": reads}}}}}},
	}})
}

// shapes are worlds of some thousand objects in which everything waits for something else.
var shapes = map[string]func() Input{
	"a chain in the order of names":          func() Input { return chained(1500, func(i int) int { return i }, 0) },
	"a chain against the order of names":     func() Input { return chained(1500, func(i int) int { return 5000 - i }, 0) },
	"a chain whose Applications have inside": func() Input { return chained(300, func(i int) int { return 5000 - i }, 10) },
	"a root with many children":              func() Input { return abreast(1, 3000, 50) },
	"many roots":                             func() Input { return abreast(100, 30, 50) },
	"one Application of many waves": func() Input {
		app := Application{Object: child("one", 0)}
		for i := range 5000 { // each reads what the wave before it brings
			app.Objects = append(app.Objects, withWave(i/10)(plain("v1", "ConfigMap", "kube-system", fmt.Sprintf("c%d", i), nil)),
				withWave(i/10)(reader("kube-system", fmt.Sprintf("d%d", i), fmt.Sprintf("c%d", max(0, i-10)))))
		}
		return Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Applications: []Application{app}}
	},
	"a web": func() Input {
		in := abreast(1, 400, 1)
		for i := range in.Applications[:400] {
			for j := range 10 {
				in.Applications[i].Objects = append(in.Applications[i].Objects, plain("v1", "ConfigMap", "kube-system", fmt.Sprintf("c%d-%d", i, j), nil),
					reader("kube-system", fmt.Sprintf("d%d-%d", i, j), fmt.Sprintf("c%d-%d", (i*7+j*13)%400, j)))
			}
		}
		return in
	},
}

// chained is a chain of Applications, of which number says how each is called, with so many Deployments in each.
func chained(n int, number func(int) int, inside int) Input {
	in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments}
	for i := range n {
		app := Application{Object: child(fmt.Sprintf("app-%04d", number(i)), 0)}
		for j := range inside {
			app.Objects = append(app.Objects, withWave(j)(reader("kube-system", fmt.Sprintf("d%d-%d", i, j), fmt.Sprintf("c%d", i))))
		}
		app.Objects = append(app.Objects, withWave(-1)(plain("v1", "ConfigMap", "kube-system", fmt.Sprintf("c%d", i), nil)))
		if i < n-1 {
			app.Objects = append(app.Objects, child(fmt.Sprintf("app-%04d", number(i+1)), 0))
		}
		in.Applications = append(in.Applications, app)
	}
	return in
}

// abreast is so many roots, each with so many children in waves.
func abreast(roots, children, waves int) Input {
	in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments}
	var above []Application
	for r := range roots {
		root := Application{Object: child(fmt.Sprintf("root-%d", r), 0)}
		for i := range children {
			o := child(fmt.Sprintf("app-%d-%d", r, i), i%waves)
			root.Objects = append(root.Objects, o)
			in.Applications = append(in.Applications, Application{Object: o})
		}
		above = append(above, root)
	}
	in.Applications = append(in.Applications, above...)
	return in
}

// TestLooks counts how often anything is looked at: in proportion to what there is, whatever its shape.
func TestLooks(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			w := newWorld(shape())
			w.bootstrap()
			w.simulate()
			for _, a := range w.apps {
				if !w.appWell(a) {
					t.Fatalf("%s does not end well", a.name)
				}
			}
			t.Logf("%d objects, %d Applications, %d looks", len(w.all), len(w.apps), w.looks)
			if most := 5 * (len(w.all) + len(w.apps)); w.looks > most {
				t.Errorf("%d looks at %d objects and %d Applications, more than %d", w.looks, len(w.all), len(w.apps), most)
			}
		})
	}
}

// TestCureProofs counts the proofs in search of cures: a bad end at the bottom of a deep chain, or one object that many Applications
// apply, is no reason to prove everything once for every Application.
func TestCureProofs(t *testing.T) {
	deep := chained(300, func(i int) int { return i }, 0)
	deep.Applications[299].Objects = append(deep.Applications[299].Objects, plain("v1", "ConfigMap", "kube-system", "Bad Name", nil))
	shared := abreast(1, 300, 50)
	for i := range shared.Applications[:300] {
		shared.Applications[i].Objects = []manifest.Object{plain("v1", "ConfigMap", "kube-system", "same", nil)}
	}
	secrets, namespaces := abreast(1, 1, 1), abreast(1, 1, 1)
	namespaces.Applications[0].Objects = objects(t, granting(true, rule("", "namespaces: create")))
	for i := range 40 {
		n := strconv.Itoa(i)
		secrets.Applications[0].Objects = append(secrets.Applications[0].Objects, objects(t, written("apps/v1", "Deployment", "d"+n, "0", "spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: s"+n+"}}]}]}}}"))...)
		namespaces.Applications[0].Objects = append(namespaces.Applications[0].Objects, plain("v1", "ConfigMap", "n"+n, "c", nil))
	}
	secrets.Applications[0].Objects = append(secrets.Applications[0].Objects, plain("v1", "ConfigMap", "default", "c", nil), withWave(1)(plain("v1", "ConfigMap", "default", "last", nil)))
	for name, in := range map[string]Input{"deep": deep, "shared": shared, "what each of many lacks": secrets, "where each of many lives": namespaces} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			in.Health = func(o manifest.Object) (*argocd.Health, error) {
				if o.ID().Kind == "ConfigMap" {
					asked++
				}
				return onlyDeployments(o)
			}
			_, _ = run(in)
			once := asked
			proof := Prove(in)
			if proof.Verdict.Good() {
				t.Fatal(proof.Verdict)
			}
			if proofs := (asked - once) / once; proofs > 20 {
				t.Errorf("%d proofs", proofs)
			}
		})
	}
}
