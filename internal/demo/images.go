package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// At says how an image stands at the mirror.
type At string

// The ways in which an image stands at the mirror.
const (
	Same       At = "same"       // the same bytes
	Missing    At = "missing"    // nothing
	Different  At = "different"  // another image under the same name
	Equivalent At = "equivalent" // the same image of linux/amd64 in another index
	Sparse     At = "sparse"     // the same index, but the image of linux/amd64 that it names is not there
	Uncovered  At = "uncovered"  // its host is one that the mirror does not know
)

// Image is one image of the world.
type Image struct {
	Reference string // host/repository:tag
	Digest    string // of the index upstream: sha256:…
	Mirror    string // the reference at the mirror, whether or not anything stands there; "" for an uncovered one
	At        At
}

// picture is an image to be made: its bytes follow from repository, tag and edition alone, never from the registry.
type picture struct {
	repository, tag string
	edition         string // "" but for an image that only looks like another
	platforms       []string
}

func platforms() []string { return []string{"linux/amd64", "linux/arm64"} }

// mirrorFolder returns the folder at the mirror that holds an upstream host's images, or false where there is none.
func mirrorFolder(host string) (string, bool) {
	switch host {
	case HostQuay:
		return "quay", true
	case HostGHCR:
		return "ghcr", true
	}
	return "", false
}

// serveImages adds the upstream registries and the mirror to handlers and returns their images.
func serveImages(handlers map[string]http.Handler) ([]Image, error) {
	shelves := map[string]shelf{}
	for _, host := range []string{HostQuay, HostGHCR, HostAlias, HostMirror} {
		shelves[host] = newShelf()
		handlers[host] = shelves[host]
	}
	var images []Image
	var errs []error
	for _, s := range stock() {
		image, err := s.store(shelves)
		images, errs = append(images, image), append(errs, err)
	}
	slices.SortFunc(images, func(a, b Image) int { return strings.Compare(a.Reference, b.Reference) })
	return images, errors.Join(errs...)
}

// store puts one image upstream and, as its At says, at the mirror.
func (s stocked) store(shelves map[string]shelf) (Image, error) {
	p := picture{repository: s.repository, tag: s.tag, platforms: platforms()}
	upstream, err := shelves[s.host].addImage(s.repository, p)
	if err != nil {
		return Image{}, err
	}
	image := Image{Reference: s.host + "/" + s.repository + ":" + s.tag, Digest: upstream.Digest.String(), At: s.at}
	folder, covered := mirrorFolder(s.host)
	if !covered {
		image.At = Uncovered
		return image, nil
	}
	path := folder + "/" + s.repository
	image.Mirror = HostMirror + "/" + path + ":" + s.tag
	switch s.at {
	case Missing, Uncovered:
		return image, nil
	case Same, Sparse:
	case Different:
		p.edition = "another build"
	case Equivalent:
		p.platforms = p.platforms[:1]
	}
	if _, err = shelves[HostMirror].addImage(path, p); err != nil || s.at != Sparse {
		return image, err
	}
	return image, shelves[HostMirror].removePlatform(path, s.tag)
}

// addImage stores the index of a picture, one image a platform, under its tag.
func (s shelf) addImage(repository string, p picture) (v1.Descriptor, error) {
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex}
	for _, platform := range p.platforms {
		d, err := s.addPlatform(repository, p, platform)
		if err != nil {
			return v1.Descriptor{}, fmt.Errorf("storing image %s:%s: %w", repository, p.tag, err)
		}
		index.Manifests = append(index.Manifests, d)
	}
	return s.addManifest(repository, p.tag, index, types.OCIImageIndex)
}

// removePlatform takes away the first image that an index names, and leaves the index.
func (s shelf) removePlatform(repository, tag string) error {
	a, err := s.ask(http.MethodGet, "/v2/"+repository+"/manifests/"+tag, nil, "")
	if err != nil {
		return err
	}
	index, err := v1.ParseIndexManifest(&a.body)
	if err != nil {
		return fmt.Errorf("reading the index of %s: %w", repository, err)
	}
	_, err = s.ask(http.MethodDelete, "/v2/"+repository+"/manifests/"+index.Manifests[0].Digest.String(), nil, "")
	return err
}

// addPlatform stores the image of one platform: a config and a layer with one small file.
func (s shelf) addPlatform(repository string, p picture, platform string) (v1.Descriptor, error) {
	system, architecture, _ := strings.Cut(platform, "/")
	text := fmt.Sprintf("%s:%s %s %s\n", p.repository, p.tag, platform, p.edition)
	content, err := tarball([]file{{name: "etc/demo-image", data: []byte(text)}})
	if err != nil {
		return v1.Descriptor{}, err
	}
	layer, err := s.addBlob(repository, stored(content), types.OCILayer)
	if err != nil {
		return v1.Descriptor{}, err
	}
	data, err := json.Marshal(v1.ConfigFile{
		OS: system, Architecture: architecture, Created: v1.Time{Time: published()},
		RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{descriptor(content, types.OCILayer).Digest}},
	})
	if err != nil {
		return v1.Descriptor{}, fmt.Errorf("encoding the config: %w", err)
	}
	config, err := s.addBlob(repository, data, types.OCIConfigJSON)
	if err != nil {
		return v1.Descriptor{}, err
	}
	d, err := s.addManifest(repository, "", v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: config, Layers: []v1.Descriptor{layer},
	}, types.OCIManifestSchema1)
	d.Platform = &v1.Platform{OS: system, Architecture: architecture}
	return d, err
}
