package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"time"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/transform"
)

// Proved is how the cold start of one environment, or of one folder, ends.
type Proved struct {
	Name    string
	Version argocd.Version
	Given   []coldstart.Given // all that was stated
	Proof   coldstart.Proof
	Notes   []string // what could not be looked at
}

// Prove proves the cold start of every selected environment, from what would be written out.
func (s Setup) Prove(ctx context.Context) ([]Proved, error) {
	plans, err := s.Load()
	if err != nil {
		return nil, err
	}
	results, err := s.Finish(ctx, plans)
	if err != nil {
		return nil, err
	}
	var list []Proved
	for _, result := range results {
		if result.Applications == nil {
			list = append(list, Proved{Name: result.Environment.Name, Notes: []string{"has no Argo CD: there is nothing that would sync"}, Proof: coldstart.Proof{Verdict: coldstart.Proven}})
			continue
		}
		apps, project, err := s.applied(result)
		if err != nil {
			return nil, within{result.Environment.Name, err}
		}
		around := Surroundings{Version: argoVersion(result.Environment, result.Bundles), Hosts: asked(result.Environment.Facts), Clusters: inHub(result.Environment)}
		if version, err := argocd.ParseVersion(cmp.Or(around.Version, "3.2")); err == nil && needsHealthFragment(result) {
			// bootstrap.sh adds it to the argocd-cm of an Argo CD that is installed elsewhere
			around.Settings, around.over = transform.HealthFragment(result.Applications.Root.Namespace, version), true
		}
		for _, g := range result.Environment.Given {
			around.Given = append(around.Given, coldstart.Given(g))
		}
		proved, err := s.prove(ctx, apps, []manifest.Object{project}, around)
		if err != nil {
			return nil, within{result.Environment.Name, err}
		}
		proved.Name = result.Environment.Name
		for _, n := range transform.Comparable(target(result.Environment, result.Bundles), result.Environment.Versions.Kubernetes, result.Bundles) {
			proved.Notes = append(proved.Notes, n.Component+": "+n.Object.String()+": "+n.Message)
		}
		list = append(list, proved)
	}
	return list, nil
}

// inHub returns the registration that the model states: its cluster is known in the hub.
func inHub(env *environment.Environment) []manifest.Object {
	if env.ArgoCD.In != "hub" {
		return nil
	}
	return []manifest.Object{argocd.Registered(env.ArgoCD.Cluster)}
}

// asked returns the hosts that machines ask before anything runs on them.
func asked(facts environment.Facts) []coldstart.Host {
	var hosts []coldstart.Host
	for _, m := range facts.Mirrors {
		if u, err := url.Parse(m.Endpoint); err == nil && u.Hostname() != "" {
			hosts = append(hosts, coldstart.Host{Name: u.Hostname(), Why: "runs pods whose images come through the mirror " + u.Hostname()})
		}
	}
	if facts.Network != nil {
		for _, address := range facts.Network.DNS {
			hosts = append(hosts, coldstart.Host{Name: address.String(), Why: "runs pods on machines that ask " + address.String() + " for names"})
		}
	}
	for _, server := range facts.NTP {
		hosts = append(hosts, coldstart.Host{Name: server, Why: "runs pods on machines that ask " + server + " for the time"})
	}
	return hosts
}

// days refuses days that are not written as days.
// exists refuses a version before the first of Argo CD.
func exists(version argocd.Version) error {
	if version.Major == 0 {
		return fmt.Errorf("there is no Argo CD %s: write a version like 3.2", version)
	}
	return nil
}

func days(list []coldstart.Given) error {
	var errs []error
	for i, g := range list {
		if _, err := time.Parse(time.DateOnly, g.Expires); err != nil && g.Expires != "" {
			errs = append(errs, fmt.Errorf("given[%d].expires: %q is no day: write YYYY-MM-DD", i, g.Expires))
		}
	}
	return errors.Join(errs...)
}

// applied pairs each Application of a result with the objects that lie under its path. The project, which the root brings, is
// applied by hand beside the root as well.
func (s Setup) applied(result Result) ([]coldstart.Application, manifest.Object, error) {
	all := result.Applications
	project, err := s.EncodeProject(all.Project)
	if err != nil {
		return nil, manifest.Object{}, err
	}
	root, err := s.EncodeApplication(all.Root)
	if err != nil {
		return nil, manifest.Object{}, err
	}
	top := coldstart.Application{Object: root, Objects: []manifest.Object{project}}
	bundles := map[string]manifest.Bundle{}
	for _, b := range result.Bundles {
		bundles[b.Name] = b
	}
	var list []coldstart.Application
	for _, child := range all.Children {
		object, err := s.EncodeApplication(child)
		if err != nil {
			return nil, manifest.Object{}, err
		}
		top.Objects = append(top.Objects, object)
		list = append(list, coldstart.Application{Object: object, Objects: bundles[path.Base(child.Source.Path)].Objects})
	}
	return append(list, top), project, nil
}

// prove settles what surrounds the Applications and hands all to the proof.
func (s Setup) prove(ctx context.Context, apps []coldstart.Application, projects []manifest.Object, around Surroundings) (Proved, error) {
	version, err := argocd.ParseVersion(cmp.Or(around.Version, "3.2"))
	if err := errors.Join(err, exists(version), days(around.Given), coldstart.CheckGiven(around.Given)); err != nil {
		return Proved{}, err
	}
	for i, a := range apps {
		if apps[i].Bootstrap = coldstart.Bootstraps(a.Objects); apps[i].Bootstrap && around.Settings.IsZero() {
			around.Settings = settingsOf(a, coldstart.Home(apps))
		}
	}
	in := coldstart.Input{Version: version, Applications: apps, Projects: projects, Clusters: around.Clusters, Given: around.Given, Hosts: around.Hosts, Network: around.network, Today: s.Today}
	if in, err = s.under(in, around.Settings, around.over); err != nil {
		return Proved{}, err
	}
	proved := Proved{Version: version, Given: around.Given}
	if around.later.settings.IsZero() {
		proved.Proof, err = coldstart.ProveUntil(ctx, in)
		return proved, err
	}
	return s.proveTwice(ctx, proved, in, around)
}

// under returns the input as it is under settings, which lie over those that Argo CD ships, or take their place.
func (s Setup) under(in coldstart.Input, settings manifest.Object, over bool) (coldstart.Input, error) {
	health, err := s.Judge(in.Version, settings)
	if err != nil {
		return in, err
	}
	in.Health = health
	in.Impersonates = settings.String("data", argocd.ImpersonationKey) == "true"
	if in.Filter, err = filterOf(in.Version, settings); err != nil {
		return in, err
	}
	if over && settings.String("data", argocd.ExclusionsKey) == "" {
		in.Filter.Exclusions = argocd.DefaultExclusions(in.Version)
	}
	if in.Customized, err = argocd.Customized(settings); err != nil {
		return in, err
	}
	in.HealthWith = func(key, lua string) (func(manifest.Object) (*argocd.Health, error), error) {
		return s.Judge(in.Version, withEntry(settings, key, lua))
	}
	return in, nil
}

// withEntry is an argocd-cm with one more entry.
func withEntry(settings manifest.Object, key, value string) manifest.Object {
	if settings.IsZero() {
		settings = manifest.New(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": argocd.ConfigMapName}})
	}
	return settings.Set(value, "data", key)
}

// filterOf returns what Argo CD sees: the shipped exclusions are part of the shipped argocd-cm.
func filterOf(version argocd.Version, settings manifest.Object) (argocd.Filter, error) {
	if settings.IsZero() {
		return argocd.Filter{Exclusions: argocd.DefaultExclusions(version)}, nil
	}
	exclusions, _, err := argocd.ReadFilter(settings, argocd.ExclusionsKey)
	inclusions, _, inclusionsErr := argocd.ReadFilter(settings, argocd.InclusionsKey)
	return argocd.Filter{Inclusions: inclusions, Exclusions: exclusions}, errors.Join(err, inclusionsErr)
}
