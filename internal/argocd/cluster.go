package argocd

import (
	"encoding/base64"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// clusterLabel marks the Secrets by which clusters are registered (docs/operator-manual/declarative-setup.md, Clusters).
const clusterLabel = "argocd.argoproj.io/secret-type"

// Registration is what a Secret says of the cluster that it registers; its credentials are not read.
type Registration struct{ Server, Name, Project string }

// Registers returns what an object registers, if it is the Secret of a cluster.
func Registers(o manifest.Object) (Registration, bool) {
	id := o.ID()
	if id.Group != "" || id.Kind != "Secret" || o.String("metadata", "labels", clusterLabel) != "cluster" {
		return Registration{}, false
	}
	return Registration{Server: secretText(o, "server"), Name: secretText(o, "name"), Project: secretText(o, "project")}, true
}

// Registered is the Secret of a cluster of which no more than its name is known.
func Registered(name string) manifest.Object {
	return manifest.New(map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": name, "labels": map[string]any{clusterLabel: "cluster"}},
		"stringData": map[string]any{"name": name},
	})
}

// secretText reads one key of a Secret.
func secretText(o manifest.Object, key string) string {
	if text := o.String("stringData", key); text != "" {
		return text
	}
	data, err := base64.StdEncoding.DecodeString(o.String("data", key))
	if err != nil {
		return ""
	}
	return string(data)
}
