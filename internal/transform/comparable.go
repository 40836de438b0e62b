package transform

import (
	"fmt"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// The release line that compares what was applied on the server by the cluster's own schema, and the Kubernetes that brought
// status.terminatingReplicas. Seen on Argo CD 2.14.21 with Kubernetes 1.36.3; between the two lines nobody has looked.
var (
	readsSchemas        = argocd.Version{Major: 3, Minor: 0}
	terminatingReplicas = argocd.Version{Major: 1, Minor: 35}
)

// Comparable warns of an environment whose Argo CD cannot compare a Deployment on that Kubernetes: its Application stays Unknown for
// ever ("status.terminatingReplicas: field not declared in schema"), and whoever waits for it waits. One notice for the environment,
// under the first component that has a Deployment. Versions that cannot be read are none of its business.
func Comparable(t Target, kubernetes string, bundles []manifest.Bundle) []Notice {
	version, err := argocd.ParseVersion(t.Version)
	cluster, clusterErr := argocd.ParseVersion(kubernetes)
	if t.In == "none" || err != nil || clusterErr != nil || version.Compare(readsSchemas) >= 0 || cluster.Compare(terminatingReplicas) < 0 {
		return nil
	}
	for _, b := range bundles {
		for _, o := range b.Objects {
			if id := o.ID(); id.Group == "apps" && (id.Kind == "Deployment" || id.Kind == "ReplicaSet") {
				return []Notice{{Component: b.Name, Object: id, Message: fmt.Sprintf("Argo CD %s cannot compare it on Kubernetes %s: it knows no status.terminatingReplicas, "+
					"and every Application with a %s stays Unknown for ever; take Argo CD 3, or a Kubernetes before %s", version, cluster, id.Kind, terminatingReplicas)}}
			}
		}
	}
	return nil
}
