package played

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// Reach says why nothing answers at the address of a Service: there is none, or no pod behind it is ready.
func (w *World) Reach(ctx context.Context, hostPort string) error {
	if !w.ready.Load() {
		return fmt.Errorf("%s: nothing runs yet", hostPort)
	}
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return err
	}
	services, err := w.Client.List(ctx, "v1", "Service", "")
	if err != nil {
		return err
	}
	for _, s := range services {
		if kube.Field(&s, "spec", "clusterIP") == host || strings.HasPrefix(host, s.GetName()+"."+s.GetNamespace()+".svc") {
			return w.endpoints(ctx, &s)
		}
	}
	return fmt.Errorf("no Service at %s", hostPort)
}

func (w *World) endpoints(ctx context.Context, s *kube.Object) error {
	slices, err := w.Client.List(ctx, "discovery.k8s.io/v1", "EndpointSlice", s.GetNamespace())
	if err != nil {
		return err
	}
	for _, slice := range slices {
		if slice.GetLabels()["kubernetes.io/service-name"] != s.GetName() {
			continue
		}
		list, _, _ := unstructured.NestedSlice(slice.Object, "endpoints")
		for _, e := range list {
			if ready, _, _ := unstructured.NestedBool(e.(map[string]any), "conditions", "ready"); ready {
				return nil
			}
		}
	}
	return fmt.Errorf("no ready endpoint behind %s", kube.Name(s))
}

// ServeHTTP is every webhook and aggregated API at once: admission allows, conversion changes the version, discovery
// shows an empty list.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var review struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Request    map[string]any `json:"request"`
	}
	answer := any(map[string]any{"apiVersion": "v1", "kind": "APIResourceList", "groupVersion": strings.TrimPrefix(r.URL.Path, "/apis/"), "resources": []any{}})
	if r.Method == http.MethodPost && json.NewDecoder(r.Body).Decode(&review) == nil {
		response := map[string]any{"uid": review.Request["uid"], "allowed": true}
		if review.Kind == "ConversionReview" {
			response = converted(review.Request)
		}
		answer = map[string]any{"apiVersion": review.APIVersion, "kind": review.Kind, "response": response}
	}
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(answer)
}

func converted(request map[string]any) map[string]any {
	objects, _ := request["objects"].([]any)
	for _, o := range objects {
		if m, ok := o.(map[string]any); ok {
			m["apiVersion"] = request["desiredAPIVersion"]
		}
	}
	return map[string]any{"uid": request["uid"], "convertedObjects": objects, "result": map[string]any{"status": "Success"}}
}
