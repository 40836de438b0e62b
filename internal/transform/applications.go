package transform

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Target says where the Applications of one environment live and what they read.
type Target struct {
	Environment string
	In          string // "cluster", "hub" or "none"
	Namespace   string // of Argo CD
	Cluster     string // hub only: the name under which the cluster is registered there
	Version     string // of the Argo CD that serves the environment: "3.2", "v3.2.11"
	RepoURL     string
	Revision    string // the branch that the children track, and the root unless Release says otherwise
	Release     string // rollout: ordered only: the branch that the root tracks, where the children are pinned to one commit
	Path        string // the folder in that repository that holds apps/ and components/
}

// Applications is what Argo CD is told about one environment.
type Applications struct {
	Project  argocd.Project
	Root     argocd.Application
	Children []argocd.Application // by wave, then by name
}

// inCluster is the address of the cluster that Argo CD itself runs in.
const inCluster = "https://kubernetes.default.svc"

// rootName is the last part of the root's name.
const rootName = "root"

// BuildApplications returns the project, the root and one child a component. For an environment without Argo CD it returns
// nil. Bundles are read for the fields that others write (IgnoreDifferences); they are the final ones.
func BuildApplications(t Target, components []component.Component, order Order, bundles []manifest.Bundle) (*Applications, error) {
	if t.In == "none" {
		return nil, nil
	}
	version, err := argocd.ParseVersion(t.Version)
	if err != nil {
		return nil, fmt.Errorf("building Applications of %s: %w; state versions.argocd", t.Environment, err)
	}
	if err := t.check(components); err != nil {
		return nil, err
	}
	b := builder{t, version, order, byName(bundles)}
	apps := &Applications{Project: b.project(), Root: b.root()}
	for _, name := range order.Names() {
		i := slices.IndexFunc(components, func(c component.Component) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("building Applications of %s: the order names %s, which is no component of it", t.Environment, name)
		}
		apps.Children = append(apps.Children, b.child(components[i]))
	}
	return apps, nil
}

// check refuses names that would take over objects which are not ours.
func (t Target) check(components []component.Component) error {
	var errs []error
	if t.Environment == "default" {
		errs = append(errs, errors.New("building Applications: environment default: its project would take the place of Argo CD's own project `default`; rename the environment"))
	}
	if t.In == "hub" && t.Cluster == "" {
		errs = append(errs, fmt.Errorf("building Applications: environment %s: argocd.cluster: missing: it names the cluster as the hub knows it", t.Environment))
	}
	for _, c := range components {
		if c.Name == rootName {
			errs = append(errs, fmt.Errorf("%s: components.%s: the name is taken by the root Application; rename the component", c.Origin, c.Name))
		}
	}
	return errors.Join(errs...)
}

func byName(bundles []manifest.Bundle) map[string]manifest.Bundle {
	out := make(map[string]manifest.Bundle, len(bundles))
	for _, b := range bundles {
		out[b.Name] = b
	}
	return out
}

// builder makes the Applications of one target.
type builder struct {
	Target
	version argocd.Version
	order   Order
	bundles map[string]manifest.Bundle
}

// name returns an Application's name: in a hub, names must be unique over all its environments.
func (b builder) name(last string) string {
	if b.In == "hub" {
		return b.Environment + "-" + last
	}
	return last
}

// destination returns the environment's own cluster as its Argo CD knows it.
func (b builder) destination(namespace string) argocd.Destination {
	if b.In == "hub" {
		return argocd.Destination{Name: b.Cluster, Namespace: namespace}
	}
	return argocd.Destination{Server: inCluster, Namespace: namespace}
}

// project allows every kind on this one cluster, from this one repository. Neither kinds nor namespaces are narrowed to what
// is there today: an object that the project forbids is not pruned but orphaned, so a list that shrinks with the objects would
// leave them behind.
func (b builder) project() argocd.Project {
	destinations := []argocd.Destination{b.destination("*")}
	if b.In == "hub" {
		// The root writes Applications and this project beside the hub's own Argo CD, nowhere else.
		destinations = append(destinations, argocd.Destination{Server: inCluster, Namespace: b.Namespace})
	}
	return argocd.Project{
		Name:         b.Environment,
		Namespace:    b.Namespace,
		Description:  "Everything that gen renders for " + b.Environment,
		SourceRepos:  []string{b.RepoURL},
		Destinations: destinations,
		ClusterKinds: []argocd.GroupKind{{Group: "*", Kind: "*"}},
		Wave:         b.lowest() - 1, // within one wave the name alone orders AppProject and Application (argo-cd#21150)
	}
}

// lowest returns the lowest wave of all.
func (b builder) lowest() int {
	low := 0
	for _, wave := range b.order.Waves {
		low = min(low, wave)
	}
	return low
}

func (b builder) root() argocd.Application {
	app := b.application(rootName, "apps")
	app.Source.TargetRevision = cmp.Or(b.Release, b.Revision)
	app.Destination = argocd.Destination{Server: inCluster, Namespace: b.Namespace}
	return app
}

func (b builder) child(c component.Component) argocd.Application {
	app := b.application(c.Name, path.Join("components", c.Name))
	app.Wave = b.order.Waves[c.Name]
	app.Destination = b.destination(c.Namespace)
	app.IgnoreDifferences = ignored(c, b.bundles[c.Name])
	if len(app.IgnoreDifferences) > 0 {
		app.SyncOptions = argocd.MergeSyncOptions(app.SyncOptions, argocd.RespectIgnored)
	}
	if c.Removal != "" {
		app.Finalizers = []string{argocd.ResourcesFinalizer}
	}
	app.Extra = c.Application
	return app
}

// application returns what root and children have in common. None has the resources-finalizer, but for children that are about to
// be removed: deleting a parent would take the network and Argo CD itself down with it. None has the annotation
// argocd.argoproj.io/manifest-generate-paths (decision 0022).
func (b builder) application(name, folder string) argocd.Application {
	return argocd.Application{
		Name:        b.name(name),
		Namespace:   b.Namespace,
		Project:     b.Environment,
		Source:      argocd.Source{RepoURL: b.RepoURL, TargetRevision: b.Revision, Path: path.Join(b.Path, folder)},
		Automated:   &argocd.Automated{Prune: true, SelfHeal: true},
		SyncOptions: []string{argocd.ServerSide}, // CRDs beyond 262144 bytes cannot be applied otherwise
		Retry:       argocd.Retries(b.version),
	}
}
