package pipeline

import (
	"fmt"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/source"
)

// ReadClusters reads the Secrets of registered clusters.
func ReadClusters(data []byte) ([]manifest.Object, error) {
	objects, err := source.Objects(data)
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 {
		return nil, fmt.Errorf("it holds no object: it must hold the Secrets of registered clusters")
	}
	for _, o := range objects {
		r, ok := argocd.Registers(o)
		switch {
		case !ok:
			return nil, fmt.Errorf("it holds %s, which is no Secret with the label argocd.argoproj.io/secret-type: cluster", o.ID())
		case r.Name == "" || r.Server == "":
			return nil, fmt.Errorf("%s names no cluster: it must state name and server, in stringData or, encoded, in data", o.ID())
		}
	}
	return objects, nil
}
