// Package kube is the small client with which the judge looks at the cluster and plays its controllers.
package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

// Object is any object of the cluster.
type Object = unstructured.Unstructured

// Client reads and writes objects of any kind, also of kinds that appear later.
type Client struct {
	dynamic dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper

	mu    sync.Mutex
	asked time.Time // when the kinds were last asked for because one was not known
}

// askEvery is how often a kind that is not known may cost a look at all kinds.
const askEvery = 2 * time.Second

// New reads a kubeconfig.
func New(kubeconfig string) (*Client, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	cfg.QPS, cfg.Burst = 500, 1000
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("making the client: %w", err)
	}
	disco, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("making the client: %w", err)
	}
	return &Client{dynamic: dyn, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco))}, nil
}

// Forget makes the client ask again which kinds there are.
func (c *Client) Forget() { c.mapper.Reset() }

func (c *Client) mayAsk() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.asked) < askEvery {
		return false
	}
	c.asked = time.Now()
	return true
}

// Serves reports whether the cluster serves a kind.
func (c *Client) Serves(apiVersion, kind string) bool {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return false
	}
	_, err = c.of(gv.WithKind(kind), "")
	return err == nil
}

func (c *Client) of(gvk schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	m, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) && c.mayAsk() {
		c.mapper.Reset()
		m, err = c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("finding kind %s: %w", gvk, err)
	}
	if m.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.dynamic.Resource(m.Resource).Namespace(namespace), nil
	}
	return c.dynamic.Resource(m.Resource), nil
}

// Apply applies on the server, with force, as the given field manager.
func (c *Client) Apply(ctx context.Context, manager string, objects ...*Object) error {
	for _, o := range objects {
		r, err := c.of(o.GroupVersionKind(), o.GetNamespace())
		if err != nil {
			return err
		}
		body, err := o.MarshalJSON()
		if err != nil {
			return fmt.Errorf("writing %s: %w", Name(o), err)
		}
		force := true
		if _, err := r.Patch(ctx, o.GetName(), types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: manager, Force: &force}); err != nil {
			return fmt.Errorf("applying %s: %w", Name(o), err)
		}
	}
	return nil
}

// Try creates an object on the server as a trial: nothing is stored, and every webhook is asked.
func (c *Client) Try(ctx context.Context, o *Object) error {
	r, err := c.of(o.GroupVersionKind(), o.GetNamespace())
	if err != nil {
		return err
	}
	if _, err := r.Create(ctx, o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		return fmt.Errorf("trying %s: %w", Name(o), err)
	}
	return nil
}

// Merge patches fields of an object, of its status if subresource says so.
func (c *Client) Merge(ctx context.Context, o *Object, fields map[string]any, subresource ...string) error {
	r, err := c.of(o.GroupVersionKind(), o.GetNamespace())
	if err != nil {
		return err
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("writing a patch: %w", err)
	}
	if _, err := r.Patch(ctx, o.GetName(), types.MergePatchType, body, metav1.PatchOptions{}, subresource...); err != nil {
		return fmt.Errorf("patching %s: %w", Name(o), err)
	}
	return nil
}

// Delete deletes an object at once; one that is gone already is no error.
func (c *Client) Delete(ctx context.Context, o *Object) error {
	r, err := c.of(o.GroupVersionKind(), o.GetNamespace())
	if err != nil {
		return err
	}
	now := int64(0)
	if err := r.Delete(ctx, o.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting %s: %w", Name(o), err)
	}
	return nil
}

// List gives all objects of a kind, none if the cluster does not know the kind.
func (c *Client) List(ctx context.Context, apiVersion, kind, namespace string) ([]Object, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, fmt.Errorf("reading the version: %w", err)
	}
	r, err := c.of(gv.WithKind(kind), namespace)
	if meta.IsNoMatchError(errors.Unwrap(err)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := r.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", kind, err)
	}
	return list.Items, nil
}

// Get gives one object.
func (c *Client) Get(ctx context.Context, apiVersion, kind, namespace, name string) (*Object, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, fmt.Errorf("reading the version: %w", err)
	}
	r, err := c.of(gv.WithKind(kind), namespace)
	if err != nil {
		return nil, err
	}
	return r.Get(ctx, name, metav1.GetOptions{})
}

// Decode reads a file of YAML documents.
func Decode(content []byte) ([]*Object, error) {
	d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	var out []*Object
	for {
		o := &Object{}
		err := d.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading objects: %w", err)
		}
		if len(o.Object) > 0 {
			out = append(out, o)
		}
	}
}

// Name is how reports name an object: Kind namespace/name.
func Name(o *Object) string {
	if o.GetNamespace() == "" {
		return o.GetKind() + " " + o.GetName()
	}
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}

// Field reads a path of strings.
func Field(o *Object, path ...string) string {
	v, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	s, _ := v.(string)
	return s
}
