package argoapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coldstart-gitops/gen/internal/argoapi"
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/graph"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
	"github.com/coldstart-gitops/gen/internal/transform"
)

// drawn is a random component: its name, its objects, and the components that bring the kinds of its objects.
type drawn struct {
	component component.Component
	documents strings.Builder
	waits     bool // its operator reads a Secret that somebody else may bring
}

func (d *drawn) add(format string, args ...any) {
	fmt.Fprintf(&d.documents, "---\n"+format+"\n", args...)
}

// drawFleet draws components that bring kinds with their operators and webhooks, Secrets, classes and pools, and use those of others
// in any direction: circles are drawn too.
func drawFleet(t *rapid.T) []*drawn {
	n := rapid.IntRange(2, 6).Draw(t, "components")
	fleet := make([]*drawn, n)
	for i := range fleet {
		name := fmt.Sprintf("c%d", i)
		fleet[i] = &drawn{component: component.Component{Name: name, Namespace: name}}
		fleet[i].add("{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: %s}}", name)
		if rapid.Bool().Draw(t, "operator") {
			fleet[i].waits = rapid.Bool().Draw(t, "waits")
			fleet[i].operator(name, rapid.Bool().Draw(t, "webhook"))
		}
	}
	for i, d := range fleet { // who brings what an operator waits for
		if other := fleet[rapid.IntRange(0, n-1).Draw(t, "brings")]; d.waits {
			other.add("{apiVersion: v1, kind: Secret, metadata: {name: for-c%[1]d, namespace: c%[1]d}}", i)
		}
	}
	declared := graph.New[string]()
	for _, d := range fleet {
		for range rapid.IntRange(0, 3).Draw(t, "uses") {
			other := rapid.IntRange(0, n-1).Draw(t, "other")
			d.use(rapid.IntRange(0, 4).Draw(t, "how"), declared, fmt.Sprintf("c%d", other), strings.Contains(fleet[other].documents.String(), "kind: CustomResourceDefinition"))
		}
	}
	return fleet
}

// operator adds a kind, who reconciles it, and perhaps a webhook that fails closed about it.
func (d *drawn) operator(name string, webhook bool) {
	d.add("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: k%[1]ss.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: K%[1]s, plural: k%[1]ss}, versions: [{name: v1, served: true}]}}", name)
	d.add("{apiVersion: v1, kind: ServiceAccount, metadata: {name: op, namespace: %s}}", name)
	d.add("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: op-%[1]s}, rules: [{apiGroups: [example.com], resources: [k%[1]ss/status], verbs: [update]}]}", name)
	d.add("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: op-%[1]s}, roleRef: {kind: ClusterRole, name: op-%[1]s}, subjects: [{kind: ServiceAccount, name: op, namespace: %[1]s}]}", name)
	volumes := ""
	if d.waits {
		volumes = ", volumes: [{name: v, secret: {secretName: for-" + name + "}}]"
	}
	d.add("{apiVersion: apps/v1, kind: Deployment, metadata: {name: op, namespace: %[1]s}, spec: {template: {metadata: {labels: {app: op}}, spec: {serviceAccountName: op, containers: [{name: c, image: i}]%[2]s}}}}", name, volumes)
	d.add("{apiVersion: v1, kind: Service, metadata: {name: op, namespace: %s}, spec: {selector: {app: op}}}", name)
	if webhook {
		d.add("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w-%[1]s}, webhooks: [{name: w, failurePolicy: Fail, clientConfig: {caBundle: eA==, service: {namespace: %[1]s, name: op}}, rules: [{apiGroups: [example.com], apiVersions: ['*'], resources: [k%[1]ss], operations: [CREATE]}]}]}", name)
	}
}

// use adds something that waits for another component. What has to be declared is, unless that would close a circle of declarations,
// which is refused before anything is rendered.
func (d *drawn) use(how int, declared *graph.Graph[string], other string, brings bool) {
	own := d.component.Name
	mounts := "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d-%[2]s-%[3]s, namespace: %[1]s}, spec: {template: {spec: {containers: [], %[4]s}}}}"
	declare := func() {
		if own != other && !slices.Contains(declared.Reach(other), own) {
			declared.Need(own, other)
			d.component.Needs = append(d.component.Needs, other)
		}
	}
	switch {
	case how == 0:
		declare()
	case how == 1 && brings:
		d.add("{apiVersion: example.com/v1, kind: K%[2]s, metadata: {name: of-%[1]s, namespace: %[1]s}}", own, other)
		declare() // else the assigner says that this is missing
	case how == 2:
		d.add(mounts, other, own, "config", "volumes: [{name: v, configMap: {name: c}}]")
	case how == 3 && brings:
		d.add(mounts, other, own, "account", "serviceAccountName: op")
	default:
		d.add("{apiVersion: v1, kind: Secret, metadata: {name: s-%[1]s, namespace: %[1]s}}", own)
	}
}

// TestAssignedWavesAreProven: what the assigner orders, the prover proves from the final objects; else the assigner has said why there
// is no order.
func TestAssignedWavesAreProven(t *testing.T) {
	version := argocd.Version{Major: 3, Minor: 2}
	judge, err := argoapi.NewJudge(version, emitted(version))
	if err != nil {
		t.Fatal(err)
	}
	manyWorlds(t, 100)
	ordered, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		var components []component.Component
		var bundles []manifest.Bundle
		for _, d := range drawFleet(rt) {
			components = append(components, d.component)
			bundles = append(bundles, manifest.Bundle{Name: d.component.Name, Objects: once(decoded(t, d.documents.String()))})
		}
		apps, project, err := assigned(components, bundles)
		if err != nil {
			refused++
			if !strings.Contains(err.Error(), "wait for each other") {
				rt.Fatalf("the assigner refuses without a circle: %v", err)
			}
			if !circular(components, bundles) {
				rt.Fatalf("refused, though no objects wait for each other: %v", err)
			}
			return
		}
		ordered++
		proof := coldstart.Prove(coldstart.Input{Version: version, Health: judge.Health, Applications: apps, Projects: []manifest.Object{project}, Filter: argocd.Filter{Exclusions: argocd.DefaultExclusions(version)}})
		if proof.Verdict != coldstart.Proven {
			rt.Fatalf("%s: %+v", proof.Verdict, proof.Outcomes)
		}
	})
	t.Logf("%d fleets ordered and proven, %d refused", ordered, refused)
	if ordered == 0 || refused == 0 {
		t.Errorf("%d ordered, %d refused: want both", ordered, refused)
	}
}

// circular reports whether objects wait for each other in a circle, whatever components they are in: no division of components could
// order them. It knows less than the assigner, and knows it by another way.
func circular(components []component.Component, bundles []manifest.Bundle) bool {
	g := graph.New[string]()
	makers, all, workloads := map[needs.Fact][]string{}, map[string][]manifest.Object{}, map[string][]string{}
	for _, b := range bundles {
		all[b.Name] = b.Objects
		quiet := !slices.ContainsFunc(b.Objects, func(o manifest.Object) bool { return needs.PodSpec(o) != nil })
		for _, o := range b.Objects {
			for _, fact := range needs.Provided(o) {
				makers[fact] = append(makers[fact], o.ID().String())
			}
			if quiet || needs.PodSpec(o) != nil { // who is said to need a component needs it running
				workloads[b.Name] = append(workloads[b.Name], o.ID().String())
			}
		}
	}
	for _, c := range components {
		for _, o := range all[c.Name] {
			id := o.ID().String()
			for _, n := range needs.Of(o) {
				g.Need(id, makers[n.Fact]...)
			}
			for _, need := range c.Needs {
				g.Need(id, workloads[need]...)
			}
			if o.ID().Kind == "ValidatingWebhookConfiguration" {
				g.Need(id, "Deployment.apps "+c.Name+"/op")
			}
		}
	}
	return len(g.Cycles()) > 0
}

// once keeps the first of objects with one identity.
func once(objects []manifest.Object) []manifest.Object {
	seen := map[manifest.ID]bool{}
	var out []manifest.Object
	for _, o := range objects {
		if !seen[o.ID()] {
			seen[o.ID()] = true
			out = append(out, o)
		}
	}
	return out
}

// assigned takes the way from rendered objects to Applications that pipeline takes.
func assigned(components []component.Component, bundles []manifest.Bundle) ([]coldstart.Application, manifest.Object, error) {
	to := transform.Target{Environment: "lab", In: "cluster", Namespace: "argocd", Version: "3.2", RepoURL: "https://git.example.internal/f.git", Revision: "main", Path: "output/lab"}
	bundles, _, err := transform.Namespaces(components, bundles)
	if err != nil {
		return nil, manifest.Object{}, err
	}
	parts := transform.Split(components, bundles)
	components, bundles = parts.Components, parts.Bundles
	order, err := transform.Waves(to, components, bundles)
	if err != nil {
		return nil, manifest.Object{}, err
	}
	bundles, _ = transform.InnerWaves(transform.SkipDryRuns(components, order, transform.NamespaceObjects(order, bundles)))
	all, err := transform.BuildApplications(to, components, order, bundles)
	if err != nil {
		return nil, manifest.Object{}, err
	}
	root, err := argoapi.Encode(all.Root)
	if err != nil {
		return nil, manifest.Object{}, err
	}
	project, err := argoapi.EncodeProject(all.Project)
	top := coldstart.Application{Object: root, Objects: []manifest.Object{project}}
	var list []coldstart.Application
	for _, child := range all.Children {
		object, encodeErr := argoapi.Encode(child)
		if encodeErr != nil {
			return nil, project, encodeErr
		}
		top.Objects = append(top.Objects, object)
		for _, b := range bundles {
			if strings.HasSuffix(child.Source.Path, "/"+b.Name) {
				list = append(list, coldstart.Application{Object: object, Objects: b.Objects})
			}
		}
	}
	return append(list, top), project, err
}
