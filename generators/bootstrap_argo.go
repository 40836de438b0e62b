package generators

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// handover gives Argo CD what it needs to go on by itself.
func (p planner) handover() []step {
	var steps []step
	if p.Environment.ArgoCD.In == "hub" {
		name := p.Environment.ArgoCD.Cluster
		steps = append(steps, step{"The hub knows the cluster", []action{{call: []string{"registered", name}, does: "The hub must hold a cluster Secret with the name " + name + "."}}})
	}
	if p.HealthFragment != "" {
		steps = append(steps, step{"Health of Applications", []action{{
			call: []string{"settings", path.Base(p.HealthFragment)},
			does: "Adds health scripts to argocd-cm: without them the waves of Applications gate nothing.",
		}}})
	}
	url := p.Environment.Git.URL
	return append(steps,
		step{"The repository's credential", []action{{call: []string{"credential", url}, does: "Argo CD must be able to read " + url + ". " +
			"Secret " + p.argocd + "/" + p.secretName() + ", labelled argocd.argoproj.io/secret-type=repository, with the keys " + strings.Join(credentialKeys(url), ", ") +
			". Its value is in no file here. `REPOSITORY_PUBLIC=yes` says that none is needed."}}},
		step{"The root Application", []action{
			{call: []string{"apply", "..", "root.yaml"}, does: rootStep(p.Environment)},
			{call: []string{"resume", p.Root.Name}, does: "Begins its operation anew where the last one ended without success: on a second run, what was missing may have come."},
		}},
	)
}

func (p planner) secretName() string { return p.Environment.Name + "-repository" }

// credentialKeys are the keys of a repository Secret that Argo CD reads for such an address.
func credentialKeys(url string) []string {
	if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
		return []string{"type", "url", "username", "password"}
	}
	return []string{"type", "url", "sshPrivateKey"}
}

// waves waits for the Applications wave by wave, and for the root.
func (p planner) waves() []step {
	var steps []step
	for i, app := range p.Applications {
		if i == 0 || app.Wave != p.Applications[i-1].Wave {
			steps = append(steps, step{title: fmt.Sprintf("Wave %d", app.Wave)})
		}
		s := &steps[len(steps)-1]
		s.actions = append(s.actions, p.application(app))
	}
	root := p.Root.Name
	return append(steps, step{"Everything", []action{{
		call: []string{"application", root}, does: "Waits until Application " + root + " is Synced and Healthy.", limit: "APPLICATION_TIMEOUT",
		causes: []string{"one of the Applications above is not Healthy any more: kubectl -n " + p.argocd + " get applications.argoproj.io"},
	}}})
}

func (p planner) application(app argocd.Application) action {
	a := action{
		call: []string{"application", app.Name}, does: "Waits until Application " + app.Name + " is Synced and Healthy.", limit: "APPLICATION_TIMEOUT",
		causes: []string{
			"Argo CD cannot read " + app.Source.RepoURL + " at " + app.Source.TargetRevision,
			"a wave before is not Healthy any more, so that the Application is not made",
		},
	}
	var list []string
	for _, o := range p.bundle(path.Base(app.Source.Path)).Objects {
		if waitedFor(o) {
			list = append(list, o.ID().String())
		}
	}
	if len(list) > 0 {
		a.does += " Its health is that of " + strings.Join(list, ", ") + "."
		a.causes = append(a.causes, "one of these is not healthy: "+strings.Join(list, ", "))
	}
	return a
}

// waitedFor reports whether an object can keep its Application from being Healthy: kinds with a health of their own, and custom
// ones, of which Argo CD knows many.
func waitedFor(o manifest.Object) bool {
	if len(argocd.Phases(o)) == 0 {
		return false
	}
	switch id := o.ID(); id.Kind {
	case "Ingress", "PersistentVolumeClaim", "APIService", "HorizontalPodAutoscaler", "Pod", "ReplicaSet":
		return true
	default:
		return isWorkload(o) || isBalanced(o) || !manifest.Builtin(id.Group, id.Kind)
	}
}

// causes says what a workload usually fails of, as far as its own text tells.
func (p planner) causes(o manifest.Object) []string {
	pod := needs.PodSpec(o)
	var causes, hosts []string
	for _, list := range []string{"initContainers", "containers"} {
		items, _ := pod[list].([]any)
		for _, item := range items {
			container, _ := item.(map[string]any)
			ref, _ := container["image"].(string)
			hosts = append(hosts, registry(ref))
			causes = append(causes, apiServer(container)...)
		}
	}
	slices.Sort(hosts)
	causes = append(causes, "an image is not pulled: the node must reach "+strings.Join(slices.Compact(hosts), ", "))
	for _, need := range needs.Of(o) {
		if need.Fact.Type == needs.Exists && need.Rule.Stage == needs.Health && !p.rendered(need.Fact) {
			causes = append(causes, need.Fact.String()+" is not there: it is in no file, so something makes it at run time")
		}
	}
	causes = append(causes, "pods are refused by Pod Security or a webhook: the events of the workload say so")
	slices.Sort(causes)
	return slices.Compact(causes)
}

func registry(ref string) string {
	first, _, found := strings.Cut(ref, "/")
	if !found || !strings.ContainsAny(first, ".:") && first != "localhost" {
		return "docker.io"
	}
	return first
}

// apiServer names the address of the API server that a container is told: a network that is not there yet cannot give it one.
func apiServer(container map[string]any) []string {
	told := map[string]string{}
	items, _ := container["env"].([]any)
	for _, item := range items {
		env, _ := item.(map[string]any)
		name, _ := env["name"].(string)
		told[name], _ = env["value"].(string)
	}
	if told["KUBERNETES_SERVICE_HOST"] == "" {
		return nil
	}
	return []string{"the node does not reach the API server at " + told["KUBERNETES_SERVICE_HOST"] + ":" + told["KUBERNETES_SERVICE_PORT"]}
}

// rendered reports whether an object of the first steps is what the fact names.
func (p planner) rendered(f needs.Fact) bool {
	want := manifest.ID{Group: f.Group, Kind: f.Kind, Namespace: f.Namespace, Name: f.Name}
	return slices.ContainsFunc(p.order, func(name string) bool {
		return slices.ContainsFunc(p.bundle(name).Objects, func(o manifest.Object) bool { return o.ID().Same(want) })
	})
}

// rootStep says what the root does, and what must have been done before where releases are made by hand.
func rootStep(env *environment.Environment) string {
	text := "Applies `root.yaml`. From here on Argo CD applies everything, what was applied above included."
	if env.Rollout == "ordered" {
		text += " The root reads the branch " + env.Git.ReleaseBranch + ": `gen release " + env.Name + "` must have written it."
	}
	return text
}
