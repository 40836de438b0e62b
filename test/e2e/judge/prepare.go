package judge

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/played"
)

// Prepare applies what scenarios take as given, and waits for its Deployments.
func (c *Cluster) Prepare(ctx context.Context, root string, names []string) error {
	for _, name := range names {
		g, err := LoadGiven(name)
		if err != nil {
			return err
		}
		objects, err := kube.Decode(g.Objects)
		if err != nil {
			return err
		}
		if err := c.applyPatiently(ctx, objects...); err != nil {
			return err
		}
		if g.Folder == "" {
			continue
		}
		if err := c.ApplyFolder(ctx, filepath.Join(root, filepath.FromSlash(g.Folder))); err != nil {
			return err
		}
	}
	return c.awaitDeployments(ctx)
}

func (c *Cluster) awaitDeployments(ctx context.Context) error {
	waiting := ""
	for range 120 {
		list, err := c.Client.List(ctx, "apps/v1", "Deployment", "")
		if err != nil {
			return err
		}
		waiting = ""
		for _, d := range list {
			if !readyOnce(&d) {
				waiting = kube.Name(&d)
			}
		}
		if waiting == "" {
			return nil
		}
		time.Sleep(time.Second)
	}
	return fmt.Errorf("awaiting what is given: %s is not ready", waiting)
}

// storageClass is the fact that a StorageClass is the default one and that its volumes are made.
const storageClass = "ability default-storage-class"

// boundAtOnce is the fact that it binds claims before a pod mounts them; without it, for a pod alone.
const boundAtOnce = "binding default-storage-class Immediate"

func defaultClass(facts []string) *kube.Object {
	mode := "WaitForFirstConsumer"
	if slices.Contains(facts, boundAtOnce) {
		mode = "Immediate"
	}
	class := object("storage.k8s.io/v1", "StorageClass", "", "given", map[string]any{"provisioner": played.Volumes, "volumeBindingMode": mode})
	class.SetAnnotations(map[string]string{"storageclass.kubernetes.io/is-default-class": "true"})
	return class
}

// makeTrue makes the default StorageClass, and the Secrets and ConfigMaps that facts name. Other facts hold by themselves: hosts
// outside answer to a played controller that never asks them.
func (c *Cluster) makeTrue(ctx context.Context, facts []string) error {
	for _, fact := range facts {
		if fact == storageClass {
			if err := c.Client.Apply(ctx, "gen-e2e", defaultClass(facts)); err != nil {
				return err
			}
		}
		kind, name, _ := strings.Cut(fact, " ")
		namespace, name, found := strings.Cut(name, "/")
		if !found || kind != "Secret" && kind != "ConfigMap" {
			continue
		}
		o := object("v1", kind, namespace, name, map[string]any{"data": map[string]any{"given": "eA=="}})
		o.SetAnnotations(map[string]string{played.Whole: "true"})
		if err := c.Client.Apply(ctx, "gen-e2e", object("v1", "Namespace", "", namespace, nil), o); err != nil {
			return err
		}
	}
	return nil
}
