// Package argoapi is the only importer of argo-cd and gitops-engine: it encodes Applications through their types and judges
// health by their code.
//
// argo-cd's packages read the environment before main: an ARGOCD_OPTS that does not parse as flags, or an
// ARGOCD_GIT_ATTEMPTS_COUNT that is no number, ends the process or is complained about before a line of ours runs. They are
// therefore linked into the one binary alone, and only pkg/apis, util/lua and resource_customizations of argo-cd and
// pkg/health of gitops-engine are imported.
package argoapi

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/argoproj/argo-cd/v2/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

const apiVersion = "argoproj.io/v1alpha1"

// Encode returns the Application as an object: through the types of Argo CD 2.14, which every later release reads, without
// status, operation and empty maps, with what those types lack added, and Extra merged over it last. It refuses an Extra that
// changes the identity, or brings a status or an operation (applying an operation would start a sync).
func Encode(app argocd.Application) (manifest.Object, error) {
	typed := v1alpha1.Application{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiVersion, Kind: "Application"},
		ObjectMeta: meta(app.Name, app.Namespace, waved(app.Annotations, app.Wave)),
		Spec: v1alpha1.ApplicationSpec{
			Project:              app.Project,
			Source:               source(app.Source),
			Destination:          destination(app.Destination),
			SyncPolicy:           syncPolicy(app),
			IgnoreDifferences:    ignoreDifferences(app.IgnoreDifferences),
			RevisionHistoryLimit: app.RevisionHistory,
		},
	}
	typed.Labels, typed.Finalizers = app.Labels, app.Finalizers
	fields, err := clean(typed)
	if err != nil {
		return manifest.Object{}, fmt.Errorf("encoding Application %s: %w", app.Name, err)
	}
	extend(fields, app)
	if err := checkExtra(app.Extra); err != nil {
		return manifest.Object{}, fmt.Errorf("encoding Application %s: %w", app.Name, err)
	}
	merge(fields, app.Extra)
	return manifest.New(fields), nil
}

// EncodeProject returns the AppProject as an object, cleaned as Encode does it.
func EncodeProject(p argocd.Project) (manifest.Object, error) {
	typed := v1alpha1.AppProject{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiVersion, Kind: "AppProject"},
		ObjectMeta: meta(p.Name, p.Namespace, waved(p.Annotations, p.Wave)),
		Spec: v1alpha1.AppProjectSpec{
			Description:                p.Description,
			SourceRepos:                p.SourceRepos,
			SourceNamespaces:           p.SourceNamespaces,
			ClusterResourceWhitelist:   groupKinds(p.ClusterKinds),
			NamespaceResourceWhitelist: groupKinds(p.NamespacedKinds),
		},
	}
	for _, d := range p.Destinations {
		typed.Spec.Destinations = append(typed.Spec.Destinations, destination(d))
	}
	fields, err := clean(typed)
	if err != nil {
		return manifest.Object{}, fmt.Errorf("encoding AppProject %s: %w", p.Name, err)
	}
	if p.NamespacedKinds != nil && len(p.NamespacedKinds) == 0 {
		put(fields, []any{}, "spec", "namespaceResourceWhitelist") // an empty list allows nothing, an absent one everything
	}
	return manifest.New(fields), nil
}

func meta(name, namespace string, annotations map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: namespace, Annotations: annotations}
}

// waved adds the wave to a copy of the annotations; it is always written, so that a reader need not know the default.
func waved(annotations map[string]string, wave int) map[string]string {
	out := make(map[string]string, len(annotations)+1)
	for key, value := range annotations {
		out[key] = value
	}
	out[argocd.WaveAnnotation] = strconv.Itoa(wave)
	return out
}

func source(s argocd.Source) *v1alpha1.ApplicationSource {
	out := &v1alpha1.ApplicationSource{RepoURL: s.RepoURL, TargetRevision: s.TargetRevision, Path: s.Path}
	if s.Recurse {
		out.Directory = &v1alpha1.ApplicationSourceDirectory{Recurse: true}
	}
	return out
}

func destination(d argocd.Destination) v1alpha1.ApplicationDestination {
	return v1alpha1.ApplicationDestination{Server: d.Server, Name: d.Name, Namespace: d.Namespace}
}

func syncPolicy(app argocd.Application) *v1alpha1.SyncPolicy {
	policy := &v1alpha1.SyncPolicy{SyncOptions: app.SyncOptions}
	if a := app.Automated; a != nil {
		policy.Automated = &v1alpha1.SyncPolicyAutomated{Prune: a.Prune, SelfHeal: a.SelfHeal, AllowEmpty: a.AllowEmpty}
	}
	if r := app.Retry; r != nil {
		policy.Retry = &v1alpha1.RetryStrategy{
			Limit:   r.Limit,
			Backoff: &v1alpha1.Backoff{Duration: r.Duration, MaxDuration: r.MaxDuration},
		}
		if r.Factor != 0 {
			policy.Retry.Backoff.Factor = &r.Factor
		}
	}
	return policy
}

func ignoreDifferences(list []argocd.IgnoreDifference) v1alpha1.IgnoreDifferences {
	var out v1alpha1.IgnoreDifferences
	for _, d := range list {
		out = append(out, v1alpha1.ResourceIgnoreDifferences{
			Group: d.Group, Kind: d.Kind, Name: d.Name, Namespace: d.Namespace,
			JSONPointers: d.JSONPointers, JQPathExpressions: d.JQPathExpressions,
			ManagedFieldsManagers: d.ManagedFieldsManagers,
		})
	}
	return out
}

// groupKinds keeps nil, which allows all namespaced kinds, apart from empty, which allows none.
func groupKinds(list []argocd.GroupKind) []metav1.GroupKind {
	if list == nil {
		return nil
	}
	out := make([]metav1.GroupKind, 0, len(list))
	for _, k := range list {
		out = append(out, metav1.GroupKind{Group: k.Group, Kind: k.Kind})
	}
	return out
}

// clean returns the value as plain fields without what Argo CD writes itself and without what an empty Go struct leaves
// behind: either would show as a difference for ever (argo-cd#11343, #14668).
func clean(typed any) (map[string]any, error) {
	raw, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := kjson.Unmarshal(raw, &fields); err != nil { // keeps integers as int64, as an Object wants them
		return nil, err
	}
	delete(fields, "status")
	delete(fields, "operation")
	if metadata, ok := fields["metadata"].(map[string]any); ok {
		delete(metadata, "creationTimestamp")
	}
	dropEmptyMaps(fields)
	return fields, nil
}

// dropEmptyMaps removes empty maps, and those that become empty by it, in place; elements of lists stay.
func dropEmptyMaps(fields map[string]any) {
	for key, value := range fields {
		inner, ok := value.(map[string]any)
		if !ok {
			continue
		}
		if dropEmptyMaps(inner); len(inner) == 0 {
			delete(fields, key)
		}
	}
}
