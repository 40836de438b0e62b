package demo_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/coldstart-gitops/gen/internal/demo"
)

// index fetches an image's index, and checks every byte below it: the error says what is wrong there.
func index(t *testing.T, w *demo.World, reference string) (string, int, error) {
	t.Helper()
	ref, err := name.ParseReference(reference, name.StrictValidation)
	if err != nil {
		t.Fatal(err)
	}
	found, err := remote.Index(ref, remote.WithTransport(w.Transport()), remote.WithContext(t.Context()))
	if err != nil {
		return "", 0, err
	}
	manifest, err := found.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	return digestOf(t, found), len(manifest.Manifests), validate.Index(found)
}

func digestOf(t *testing.T, of interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	d, err := of.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d.String()
}

func TestImagesStandAsListed(t *testing.T) {
	w := start(t)
	seen := map[demo.At]int{}
	for _, image := range w.Images() {
		seen[image.At]++
		if got, n, err := index(t, w, image.Reference); err != nil || got != image.Digest || n != 2 {
			t.Errorf("%s: digest %s of %d platforms, %v; want %s of 2", image.Reference, got, n, err, image.Digest)
		}
		if image.At == demo.Uncovered {
			continue
		}
		got, n, err := index(t, w, image.Mirror)
		var refusal *transport.Error
		missing := errors.As(err, &refusal) && refusal.StatusCode == http.StatusNotFound
		is := demo.Different
		switch {
		case missing && got == "":
			is = demo.Missing
		case got == image.Digest && err != nil:
			is = demo.Sparse
		case got == image.Digest:
			is = demo.Same
		case n == 1:
			is = demo.Equivalent
		}
		if is != image.At {
			t.Errorf("%s is %s at the mirror (%v), and listed as %s", image.Reference, is, err, image.At)
		}
	}
	for _, at := range []demo.At{demo.Same, demo.Missing, demo.Different, demo.Equivalent, demo.Sparse} {
		if seen[at] == 0 {
			t.Errorf("the world has no image that is %s at the mirror", at)
		}
	}
}

// An image's bytes do not depend on its registry: that is how one image can be found at another address.
func TestAliasHoldsTheSameImage(t *testing.T) {
	w := start(t)
	digests := map[string]string{}
	for _, image := range w.Images() {
		host, rest, _ := strings.Cut(image.Reference, "/")
		if host == demo.HostAlias || host == demo.HostGHCR {
			digests[host+" "+rest] = image.Digest
		}
	}
	const repository = "external-secrets/external-secrets:v0.14.3"
	if a, b := digests[demo.HostAlias+" "+repository], digests[demo.HostGHCR+" "+repository]; a == "" || a != b {
		t.Errorf("%s is %q under the alias and %q at %s", repository, a, b, demo.HostGHCR)
	}
}
