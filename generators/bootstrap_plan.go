package generators

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// step is one step of the script and of the page.
type step struct {
	title   string
	actions []action
}

// action is one call of a function in bootstrap/functions.sh.
type action struct {
	call   []string
	does   string   // as the page says it: what is applied, or what is waited for
	limit  string   // the variable that holds the time limit, for a wait
	causes []string // what it usually fails of
}

// planner builds the steps of one environment.
type planner struct {
	component.Finished
	choice
	argocd string // Argo CD's namespace
}

func plan(in component.Finished, c choice) []step {
	p := planner{in, c, cmp.Or(in.Environment.ArgoCD.Namespace, "argocd")}
	steps := []step{p.cluster()}
	for _, name := range c.order {
		steps = append(steps, p.component(name)...)
	}
	if in.Environment.ArgoCD.In == "none" {
		return steps
	}
	if c.argo == "" {
		steps = append(steps, step{"Argo CD is there", []action{established("applications.argoproj.io"), established("appprojects.argoproj.io")}})
	}
	steps = append(steps, p.handover()...)
	return append(steps, p.waves()...)
}

func (p planner) cluster() step {
	endpoint := "" // not stated: then whoever runs the script states it
	if stated := p.Environment.Facts.ControlPlane; stated != nil {
		endpoint = stated.Endpoint
	}
	call := []string{"cluster", "${BOOTSTRAP_ENDPOINT:-" + endpoint + "}", ""}
	does := "The current context must lead to " + cmp.Or(endpoint, "what BOOTSTRAP_ENDPOINT says, since facts.controlPlane.endpoint is not stated") + "; nothing is touched otherwise."
	if p.Environment.ArgoCD.In == "hub" {
		call = []string{"cluster", "${BOOTSTRAP_ENDPOINT:-}", endpoint}
		does = "The current context must lead to the hub, at the address that BOOTSTRAP_ENDPOINT says; nothing is touched otherwise."
	}
	return step{"The right cluster", []action{{call: call, does: does}}}
}

// component applies a component and waits for its workloads.
func (p planner) component(name string) []step {
	b := p.bundle(name)
	main := step{title: "Component " + name}
	main.actions = append(main.actions, p.kinds(b)...)
	var early, files []string
	skipped := false
	for _, o := range b.Objects {
		switch id := o.ID(); {
		case len(argocd.Phases(o)) == 0:
			skipped = true // Argo CD never applies it: a test, a job for the removal
		case id.Kind == "Namespace" && id.Group == "", id.Kind == "CustomResourceDefinition":
			early = append(early, p.FileOf(o))
			files = append(files, p.FileOf(o))
		default:
			files = append(files, p.FileOf(o))
		}
	}
	folder := "../" + p.FolderOf(name)
	if len(early) > 0 {
		main.actions = append(main.actions, action{call: append([]string{"apply", folder}, early...), does: "Applies its namespaces and CRDs, which the rest needs."})
	}
	for _, o := range b.Objects {
		if o.ID().Kind == "CustomResourceDefinition" {
			main.actions = append(main.actions, established(o.ID().Name))
		}
	}
	if !skipped {
		files = nil // the whole folder
	}
	main.actions = append(main.actions, action{call: append([]string{"apply", folder}, files...), does: "Applies `" + strings.TrimPrefix(folder, "../") + "`."})
	for _, o := range workloads(b) {
		main.actions = append(main.actions, p.workload(o))
	}
	return append([]step{main}, p.afterwards(name)...)
}

// afterwards returns what must hold once a component runs: nodes are Ready with the last of the network, addresses and DNS
// before Argo CD, which is the last one.
func (p planner) afterwards(name string) []step {
	var steps []step
	if len(p.cni) > 0 && name == p.last(p.cni) {
		steps = append(steps, step{"Every node is Ready", []action{{
			call: []string{"nodes"}, does: "Waits until every node is Ready: none is before it has a network.", limit: "NODE_TIMEOUT",
			causes: []string{"the network runs on some nodes only: see the pods of the step before on the node that is not Ready", "the node's own condition, which its description shows"},
		}}})
	}
	rest := slices.DeleteFunc(slices.Clone(p.order), func(n string) bool { return n == p.argo })
	switch name {
	case p.argo:
		steps = append(steps, p.addresses([]string{name})...)
	case p.last(rest):
		steps = append(steps, p.addresses(rest)...)
		if p.argo != "" {
			steps = append(steps, step{"The cluster's DNS", []action{{
				call: []string{"dns"}, does: "Waits for the pods of the cluster's DNS: the parts of Argo CD find each other by name.", limit: "WORKLOAD_TIMEOUT",
				causes: []string{"the pods have no network: see the steps before", "the DNS of this cluster has no pods labelled k8s-app=kube-dns in kube-system"},
			}}})
		}
	}
	return steps
}

// last returns the one of names that is applied last.
func (p planner) last(names []string) string {
	last := ""
	for _, name := range p.order {
		if slices.Contains(names, name) {
			last = name
		}
	}
	return last
}

func (p planner) bundle(name string) manifest.Bundle {
	i := slices.IndexFunc(p.Bundles, func(b manifest.Bundle) bool { return b.Name == name })
	if i < 0 {
		return manifest.Bundle{Name: name}
	}
	return p.Bundles[i]
}

// kinds waits for the CRDs that no object of the first steps is: an operator makes them at run time. Nothing rendered says
// their plural, so it is the one that Kubernetes' own tools guess.
func (p planner) kinds(b manifest.Bundle) []action {
	crds := map[string]bool{}
	for _, name := range p.order {
		for _, o := range p.bundle(name).Objects {
			crds[o.String("spec", "group")+"/"+o.String("spec", "names", "kind")] = o.ID().Kind == "CustomResourceDefinition"
		}
	}
	var names []string
	for _, o := range b.Objects {
		id := o.ID()
		if len(argocd.Phases(o)) == 0 || manifest.Builtin(id.Group, id.Kind) || crds[id.Group+"/"+id.Kind] {
			continue
		}
		plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Group: id.Group, Version: id.Version, Kind: id.Kind})
		names = append(names, plural.Resource+"."+id.Group)
	}
	slices.Sort(names)
	var actions []action
	for _, name := range slices.Compact(names) {
		actions = append(actions, action{
			call: []string{"created", name}, does: "Waits until an operator has made crd/" + name + " and it is Established.", limit: "CRD_TIMEOUT",
			causes: []string{"the operator that makes it does not run, or its settings switch the feature off: read its log"},
		})
	}
	return actions
}

func established(name string) action {
	return action{
		call: []string{"established", name}, does: "Waits until crd/" + name + " is Established.", limit: "CRD_TIMEOUT",
		causes: []string{"its conditions name a conflict with another CRD, or a schema that the API server does not accept"},
	}
}

// workloads returns what runs pods, in the order in which one may wait for another: agents of nodes, jobs, the rest.
func workloads(b manifest.Bundle) []manifest.Object {
	rank := map[string]int{"DaemonSet": 0, "Job": 1, "StatefulSet": 2, "Deployment": 3}
	var list []manifest.Object
	for _, o := range b.Objects {
		if isWorkload(o) && len(argocd.Phases(o)) > 0 {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b manifest.Object) int {
		return cmp.Or(cmp.Compare(rank[a.ID().Kind], rank[b.ID().Kind]), a.ID().Compare(b.ID()))
	})
	return list
}

// workload waits for one workload.
func (p planner) workload(o manifest.Object) action {
	id := o.ID()
	ref := strings.ToLower(id.Kind) + "/" + id.Name
	a := action{call: []string{"rollout", id.Namespace, ref, selector(o)}, limit: "WORKLOAD_TIMEOUT", causes: p.causes(o)}
	a.does = fmt.Sprintf("Waits until %s in %s is ready.", ref, id.Namespace)
	switch {
	case id.Kind == "Job":
		ttl := ""
		if seconds := o.Get("spec", "ttlSecondsAfterFinished"); seconds != nil {
			ttl = fmt.Sprint(seconds)
		}
		a.call = []string{"job", id.Namespace, ref, "batch.kubernetes.io/job-name=" + id.Name, ttl}
		a.limit, a.does = "JOB_TIMEOUT", fmt.Sprintf("Waits until %s in %s is complete.", ref, id.Namespace)
	case o.String("spec", "updateStrategy", "type") == "OnDelete":
		a.call[0] = "pods"
	}
	return a
}

// selector is the label selector of a workload's pods, as kubectl takes it.
func selector(o manifest.Object) string {
	var parts []string
	for key, value := range o.Map("spec", "selector", "matchLabels") {
		parts = append(parts, fmt.Sprintf("%s=%v", key, value))
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// addresses waits for the Services that want an address, where something of the first steps gives it; else the waves do.
func (p planner) addresses(names []string) []step {
	given := false
	for _, name := range p.order {
		given = given || slices.ContainsFunc(p.bundle(name).Objects, func(o manifest.Object) bool {
			return slices.Contains(needs.Provided(o), needs.Fact{Type: needs.Ability, Name: needs.Addresses})
		})
	}
	s := step{title: "Addresses of " + strings.Join(names, ", ")}
	for _, name := range names {
		for _, o := range p.bundle(name).Objects {
			if id := o.ID(); given && isBalanced(o) {
				s.actions = append(s.actions, action{
					call: []string{"address", id.Namespace, id.Name}, does: fmt.Sprintf("Waits until service/%s in %s has an address.", id.Name, id.Namespace), limit: "ADDRESS_TIMEOUT",
					causes: []string{"no address pool is there, or none of its addresses is free or fits: the conditions of the Service say which"},
				})
			}
		}
	}
	if len(s.actions) == 0 {
		return nil
	}
	return []step{s}
}

func isBalanced(o manifest.Object) bool {
	return o.ID().Group == "" && o.ID().Kind == "Service" && o.String("spec", "type") == "LoadBalancer"
}
