package played

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// Volumes is the provisioner of a StorageClass that is there before the start: it needs nothing of the cluster.
const Volumes = "played.example.internal/volumes"

// volumes makes a PersistentVolume for each claim that asks for one of a provisioner which runs; the real control plane says which
// (annotation storage-provisioner), chooses the node (selected-node) and binds.
func volumes(ctx context.Context, w *World) error {
	claims, err := w.Client.List(ctx, "v1", "PersistentVolumeClaim", "")
	if err != nil {
		return err
	}
	for _, c := range claims {
		class, err := w.provisionable(ctx, &c)
		if err != nil {
			return err
		}
		if class == nil {
			continue
		}
		w.once("played: a volume for %s", kube.Name(&c))
		if err := w.Client.Apply(ctx, kube.Field(class, "provisioner"), volumeFor(&c, class)); err != nil {
			return err
		}
	}
	return nil
}

// provisionable gives the class of a claim for which a volume is to be made now, or nil.
func (w *World) provisionable(ctx context.Context, claim *kube.Object) (*kube.Object, error) {
	asked := claim.GetAnnotations()["volume.kubernetes.io/storage-provisioner"]
	if kube.Field(claim, "spec", "volumeName") != "" || asked == "" {
		return nil, nil
	}
	if up, err := w.provisions(ctx, asked); err != nil || !up {
		return nil, err
	}
	class, err := w.Client.Get(ctx, "storage.k8s.io/v1", "StorageClass", "", kube.Field(claim, "spec", "storageClassName"))
	if err != nil {
		return nil, nil // the class went away meanwhile
	}
	late := kube.Field(class, "volumeBindingMode") == "WaitForFirstConsumer"
	if kube.Field(class, "provisioner") != asked || late && claim.GetAnnotations()["volume.kubernetes.io/selected-node"] == "" {
		return nil, nil
	}
	return class, nil
}

// provisions says whether the program behind a provisioner's name runs.
func (w *World) provisions(ctx context.Context, provisioner string) (bool, error) {
	switch provisioner {
	case Volumes:
		return true, nil
	case "cluster.local/local-path-provisioner", "rancher.io/local-path": // the chart's name for it, and the program's own default
		_, up, err := w.running(ctx, "app.kubernetes.io/name", "local-path-provisioner")
		return up, err
	}
	return false, nil
}

func volumeFor(claim, class *kube.Object) *kube.Object {
	size, _, _ := unstructured.NestedString(claim.Object, "spec", "resources", "requests", "storage")
	modes, _, _ := unstructured.NestedSlice(claim.Object, "spec", "accessModes")
	policy := kube.Field(class, "reclaimPolicy")
	if policy == "" {
		policy = "Delete"
	}
	return &kube.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolume",
		"metadata": map[string]any{"name": "pvc-" + string(claim.GetUID()), "annotations": map[string]any{
			"pv.kubernetes.io/provisioned-by": kube.Field(class, "provisioner"),
		}},
		"spec": map[string]any{
			"capacity": map[string]any{"storage": size}, "accessModes": modes, "persistentVolumeReclaimPolicy": policy,
			"storageClassName": class.GetName(), "hostPath": map[string]any{"path": "/played/" + string(claim.GetUID())},
			"claimRef": map[string]any{
				"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.GetNamespace(), "name": claim.GetName(),
				"uid": string(claim.GetUID()), "resourceVersion": claim.GetResourceVersion(),
			},
		},
	}}
}
