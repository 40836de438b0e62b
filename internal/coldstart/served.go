package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// kustomizeGroup is the group of kustomize's own files, which a directory source that is stated applies like any other (argo-cd
// reposerver/repository/repository.go, findManifests).
const kustomizeGroup = "kustomize.config.k8s.io"

// notServed says why the API server knows an object's kind and not the version that it states: of Kubernetes' own kinds what its
// discovery lists, of custom ones what their CRD serves. Where the CRD is not among the objects nothing is known.
func (w *world) notServed(n *node) string {
	if why := unserved(n.task.Object); why != "" {
		return why
	}
	stated, versions := n.task.Object.String("apiVersion"), manifest.BuiltinVersions(n.id.Group, n.id.Kind)
	switch definition := w.definitions[n.key(dotted(n.id))]; {
	case stated == "":
		return "states no apiVersion"
	case n.id.Group == kustomizeGroup && definition == nil:
		return "is read by kustomize, and no API server serves its kind: let directory.exclude of the Application name the file, or leave `directory` out so that Argo CD runs kustomize"
	case slices.Contains(versions, n.id.Version), versions == nil && definition == nil:
		return ""
	case versions != nil:
		return "is of " + stated + ", which Kubernetes does not serve: it serves " + n.id.Kind + " as " + strings.Join(versions, ", ")
	default:
		return misversioned(n.id, definition.task.Object)
	}
}

// misversioned compares with the versions that a CRD serves.
func misversioned(id manifest.ID, definition manifest.Object) string {
	var served []string
	list := definition.List("spec", "versions")
	for _, item := range list {
		if name := textAt(item, "name"); valueAt(item, "served") != false {
			served = append(served, name)
		}
	}
	if len(list) == 0 || slices.Contains(served, id.Version) {
		return ""
	}
	text := "is of version " + id.Version + ", which its CustomResourceDefinition does not serve"
	if len(served) > 0 {
		text += ": it serves " + strings.Join(served, ", ")
	}
	return text
}
