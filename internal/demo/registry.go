package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"

	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// shelf is one registry, filled without a connection.
type shelf struct {
	http.Handler
}

// newShelf returns an empty registry that logs nothing.
func newShelf() shelf {
	return shelf{registry.New(registry.Logger(log.New(io.Discard, "", 0)))}
}

// addBlob stores data in repository and returns its descriptor.
func (s shelf) addBlob(repository string, data []byte, mediaType types.MediaType) (v1.Descriptor, error) {
	d := descriptor(data, mediaType)
	_, err := s.ask(http.MethodPost, "/v2/"+repository+"/blobs/uploads/?digest="+d.Digest.String(), data, "application/octet-stream")
	return d, err
}

// addManifest stores a manifest in repository under reference, a tag or its own digest ("").
func (s shelf) addManifest(repository, reference string, manifest any, mediaType types.MediaType) (v1.Descriptor, error) {
	data, err := json.Marshal(manifest)
	if err != nil {
		return v1.Descriptor{}, fmt.Errorf("encoding the manifest of %s: %w", repository, err)
	}
	d := descriptor(data, mediaType)
	if reference == "" {
		reference = d.Digest.String()
	}
	_, err = s.ask(http.MethodPut, "/v2/"+repository+"/manifests/"+reference, data, string(mediaType))
	return d, err
}

// ask gives the registry a request in process, past the host's log and faults.
func (s shelf) ask(method, target string, body []byte, contentType string) (*answer, error) {
	r, err := http.NewRequest(method, "http://registry"+target, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("filling a registry: %w", err)
	}
	r.Header.Set("Content-Type", contentType)
	a := &answer{header: http.Header{}, status: http.StatusOK}
	s.ServeHTTP(a, r)
	if a.status >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("filling a registry: %s %s: it answers %d: %s", method, target, a.status, bytes.TrimSpace(a.body.Bytes()))
	}
	return a, nil
}

func descriptor(data []byte, mediaType types.MediaType) v1.Descriptor {
	return v1.Descriptor{MediaType: mediaType, Size: int64(len(data)), Digest: v1.Hash{Algorithm: "sha256", Hex: digest(data)}}
}

// serveOCI adds HostOCI with its charts to handlers and returns what it publishes.
func serveOCI(handlers map[string]http.Handler) ([]Chart, error) {
	s := newShelf()
	handlers[HostOCI] = s
	var charts []Chart
	for _, p := range ociCharts() {
		for _, version := range append([]string{""}, p.others...) {
			a, err := load(p.name, version)
			if err != nil {
				return nil, err
			}
			if err := s.addChart("charts/"+p.name, a); err != nil {
				return nil, err
			}
			charts = append(charts, Chart{
				Repository: "oci://" + HostOCI + "/charts", Name: a.name, Version: a.version,
				URL: "oci://" + HostOCI + "/charts/" + a.name + ":" + a.version, Digest: digest(a.data),
			})
		}
	}
	return charts, nil
}

// Media types of a chart in a registry: https://helm.sh/docs/topics/registries/.
const (
	chartConfig = types.MediaType("application/vnd.cncf.helm.config.v1+json")
	chartLayer  = types.MediaType("application/vnd.cncf.helm.chart.content.v1.tar+gzip")
)

// addChart stores a chart as `helm push` does.
func (s shelf) addChart(repository string, a archive) error {
	meta, err := json.Marshal(map[string]string{"apiVersion": "v2", "name": a.name, "version": a.version})
	if err != nil {
		return fmt.Errorf("encoding the config of chart %s: %w", a.name, err)
	}
	config, err := s.addBlob(repository, meta, chartConfig)
	if err != nil {
		return err
	}
	layer, err := s.addBlob(repository, a.data, chartLayer)
	if err != nil {
		return err
	}
	_, err = s.addManifest(repository, a.version, v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: config, Layers: []v1.Descriptor{layer},
		Annotations: map[string]string{"org.opencontainers.image.title": a.name, "org.opencontainers.image.version": a.version},
	}, types.OCIManifestSchema1)
	return err
}
