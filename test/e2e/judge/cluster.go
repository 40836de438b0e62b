// Package judge lets a real Argo CD bring up what was generated, and writes down how that ended.
package judge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/played"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

// Cluster is an empty cluster with its nodes and its played controllers.
type Cluster struct {
	Stack  *stack.Stack
	Client *kube.Client
	Argo   string

	end   context.CancelFunc
	all   sync.WaitGroup
	looks looks
}

// Open starts a cluster, perhaps with other options than usual; Close ends it.
func Open(ctx context.Context, argo string, log func(string, ...any), changes ...func(*stack.Options)) (*Cluster, error) {
	world := &played.World{Log: log}
	opts := stack.Options{Argo: argo, Peers: world, Log: log}
	for _, change := range changes {
		change(&opts)
	}
	s, err := stack.Start(ctx, opts)
	if err != nil {
		return nil, err
	}
	client, err := kube.New(s.Kubeconfig)
	if err != nil {
		s.Stop()
		return nil, err
	}
	world.Attach(client, s.CABundle())
	playing, end := context.WithCancel(ctx)
	c := &Cluster{Stack: s, Client: client, Argo: argo, end: end}
	if err := c.nodes(ctx); err != nil {
		c.Close()
		return nil, err
	}
	c.all.Go(func() { world.Run(playing) })
	return c, nil
}

// Close stops the played controllers, then everything else.
func (c *Cluster) Close() {
	c.end()
	c.all.Wait()
	c.Stack.Stop()
}

func (c *Cluster) nodes(ctx context.Context) error {
	resources := map[string]any{"cpu": "64", "memory": "256Gi", "pods": "500", "ephemeral-storage": "500Gi"}
	for _, name := range []string{"node1", "node2", "node3"} {
		node := &kube.Object{Object: map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name, "labels": map[string]any{
			"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "type": "kwok",
		}}}}
		if err := c.Client.Apply(ctx, "gen-e2e", node); err != nil {
			return err
		}
		if err := c.Client.Merge(ctx, node, map[string]any{"status": map[string]any{"allocatable": resources, "capacity": resources}}, "status"); err != nil {
			return err
		}
	}
	return nil
}

// ArgoManager is the field manager with which Argo CD applies, and with which a bootstrap applies what it is to adopt.
const ArgoManager = "argocd-controller"

// ApplyFolder applies the objects of every YAML file of a folder: namespaces and definitions first, then the rest by name.
func (c *Cluster) ApplyFolder(ctx context.Context, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return fmt.Errorf("looking into %s: %w", dir, err)
	}
	return c.ApplyFiles(ctx, files...)
}

// ApplyFiles applies the objects of files, namespaces and definitions first.
func (c *Cluster) ApplyFiles(ctx context.Context, files ...string) error {
	var objects []*kube.Object
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading an object: %w", err)
		}
		list, err := kube.Decode(b)
		if err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		objects = append(objects, list...)
	}
	first := map[string]int{"Namespace": -2, "CustomResourceDefinition": -1}
	sort.SliceStable(objects, func(i, j int) bool { return first[objects[i].GetKind()] < first[objects[j].GetKind()] })
	return c.Client.Apply(ctx, ArgoManager, objects...)
}

func readObject(path string) (*kube.Object, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading an object: %w", err)
	}
	list, err := kube.Decode(b)
	if err != nil || len(list) != 1 {
		return nil, fmt.Errorf("reading %s: %d objects: %w", path, len(list), err)
	}
	return list[0], nil
}

// readyOnce says whether a Deployment has every pod that it wants.
func readyOnce(d *kube.Object) bool {
	want, found, _ := unstructured.NestedInt64(d.Object, "spec", "replicas")
	if !found {
		want = 1
	}
	ready, _, _ := unstructured.NestedInt64(d.Object, "status", "readyReplicas")
	return ready >= want
}
