package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// clusterKinds names, by API group, the kinds whose objects live in no namespace, as the CustomResourceDefinitions of these projects say;
// every other kind of such a group lives in one. It is asked only where no definition is among the objects.
var clusterKinds = map[string][]string{
	"acme.cert-manager.io":           {},
	"argoproj.io":                    {"ClusterAnalysisTemplate", "ClusterWorkflowTemplate"},
	"barmancloud.cnpg.io":            {},
	"bitnami.com":                    {},
	"ceph.rook.io":                   {},
	"cert-manager.io":                {"ClusterIssuer"},
	"external-secrets.io":            {"ClusterExternalSecret", "ClusterPushSecret", "ClusterSecretStore"},
	"gateway.networking.k8s.io":      {"GatewayClass"},
	"generators.external-secrets.io": {"ClusterGenerator"},
	"grafana.integreatly.org":        {},
	"k8s.mariadb.com":                {},
	"k8up.io":                        {},
	"kafka.strimzi.io":               {},
	"keda.sh":                        {"ClusterTriggerAuthentication"},
	"longhorn.io":                    {},
	"metallb.io":                     {},
	"monitoring.coreos.com":          {},
	"operators.coreos.com":           {"OLMConfig", "Operator"},
	"postgresql.cnpg.io":             {"ClusterImageCatalog"},
	"psmdb.percona.com":              {},
	"route.openshift.io":             {},
	"secrets-store.csi.x-k8s.io":     {},
	"serving.knative.dev":            {},
	"snapshot.storage.k8s.io":        {"VolumeSnapshotClass", "VolumeSnapshotContent"},
	"tekton.dev":                     {"ClusterTask"},
	"traefik.containo.us":            {},
	"traefik.io":                     {},
	"trust.cert-manager.io":          {"Bundle", "ClusterBundle"},
	"upgrade.cattle.io":              {},
	"velero.io":                      {},
}

// scope says whether objects of a kind live in a namespace; Unknown where neither Kubernetes nor a definition among the objects says it,
// nor a project that is widely known.
func (w *world) scope(id manifest.ID) manifest.Scope {
	if scope := manifest.BuiltinScope(id.Group, id.Kind); scope != manifest.Unknown {
		return scope
	}
	if scope, stated := w.scopes[id.Kind+"."+id.Group]; stated {
		return scope
	}
	kinds, known := clusterKinds[id.Group]
	switch {
	case !known:
		return manifest.Unknown
	case slices.Contains(kinds, id.Kind):
		return manifest.Cluster
	}
	return manifest.Namespaced
}
