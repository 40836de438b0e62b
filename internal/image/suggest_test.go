package image

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// suggestRules are mirrors of ghcr.io at m.example/ghcr, transparent, and of docker.io at m.example/hub.
var suggestRules = Rules{
	{Source: "ghcr.io", Endpoint: "https://m.example", Path: "ghcr", Kind: Transparent},
	{Source: "docker.io", Endpoint: "https://m.example", Path: "hub", Kind: Explicit},
}

// labelled returns an index whose image states where its code is, in a label, or in an annotation of the manifest.
func labelled(t *testing.T, code string, annotation bool) v1.ImageIndex {
	t.Helper()
	img := newImage(t)
	if annotation {
		img = mutate.Annotations(img, map[string]string{sourceKey: code}).(v1.Image)
	} else {
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		config = config.DeepCopy()
		config.Config.Labels = map[string]string{sourceKey: code}
		if img, err = mutate.ConfigFile(img, config); err != nil {
			t.Fatal(err)
		}
	}
	attestation := v1.Descriptor{Platform: &v1.Platform{OS: "unknown", Architecture: "unknown"}}
	return mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: newImage(t), Descriptor: attestation},
		mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}}})
}

type label struct {
	code       string
	annotation bool
}

// TestSuggest: an image outside of every mirror, what stands at the mirror, and what is suggested.
func TestSuggest(t *testing.T) {
	const because = "; the image's own org.opencontainers.image.source is "
	for name, c := range map[string]struct {
		reference string
		source    label
		mirror    string // where the same bytes stand
		line      string
		instead   string
		message   string // after the place and the digest
	}{
		"the same path at the mirror of another registry": {
			reference: "oci.external-secrets.io/external-secrets/external-secrets:v1", mirror: "m.example/ghcr/external-secrets/external-secrets:v1",
			line:    `- {source: oci.external-secrets.io, endpoint: "https://m.example", path: ghcr, kind: explicit}`,
			message: "add the line to facts.mirrors; ghcr.io/external-secrets is another name of oci.external-secrets.io/external-secrets (external-secrets PR 5617: the gateway was taken out)",
		},
		"the same path, and no alias is known": {
			reference: "other.example/a/b:v1", mirror: "m.example/hub/a/b:v1",
			line: `- {source: other.example, endpoint: "https://m.example", path: hub, kind: explicit}`, message: "add the line to facts.mirrors",
		},
		"a known alias under another path": {
			reference: "public.ecr.aws/docker/library/redis:7", mirror: "m.example/hub/library/redis:7", instead: "docker.io/library/redis:7",
			message: "name docker.io/library/redis:7 in the chart's values; docker.io/library is another name of public.ecr.aws/docker/library (AWS: Docker official images)",
		},
		"a label of the image": {
			reference: "other.example/mine/tool:v1", mirror: "m.example/ghcr/acme/tool:v1", instead: "ghcr.io/acme/tool:v1",
			source:  label{"https://github.com/Acme/Tool.git", false},
			message: "name ghcr.io/acme/tool:v1 in the chart's values" + because + "https://github.com/Acme/Tool.git",
		},
		"an annotation of its manifest; the image is called otherwise than its repository": {
			reference: "other.example/mine/tool-controller:v1", mirror: "m.example/ghcr/acme/tool-controller:v1", instead: "ghcr.io/acme/tool-controller:v1",
			source:  label{"https://github.com/acme/tool", true},
			message: "name ghcr.io/acme/tool-controller:v1 in the chart's values" + because + "https://github.com/acme/tool",
		},
		"a label that leads nowhere": {
			reference: "other.example/mine/tool:v1",
			source:    label{"https://code.example/acme/tool", false},
			message:   "no mirror of the model holds its digest under a name that is known",
		},
		"nothing": {reference: "other.example/a/b:v1", message: "no mirror of the model holds its digest under a name that is known"},
	} {
		t.Run(name, func(t *testing.T) {
			host, _, _ := strings.Cut(c.reference, "/")
			w := newWorld(t, host, "m.example")
			index := newIndex(t, "linux/amd64")
			if c.source.code != "" {
				index = labelled(t, c.source.code, c.source.annotation)
			}
			w.put(c.reference, index)
			if c.mirror != "" {
				w.put(c.mirror, index)
			}
			got := w.client(Options{UserAgent: "gen"}).Suggest(t.Context(), []string{c.reference}, Policy{Rules: suggestRules})
			if len(got) != 1 {
				t.Fatalf("%+v", got)
			}
			got[0].Proof = nil
			want := Suggestion{Reference: c.reference, Digest: digestOf(t, index), Line: c.line, Instead: c.instead, Message: c.message}
			if repository, _, ok := strings.Cut(c.mirror, ":"); ok {
				want.Message = repository + " serves the same bytes, " + want.Digest + ": " + c.message
			}
			if diff := cmp.Diff(want, got[0]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSuggestOnlyProven: other bytes at the mirror, a label whose bytes are not those of its digest, a silent source: nothing is suggested. What a
// rule covers is not asked about.
func TestSuggestOnlyProven(t *testing.T) {
	const reference = "other.example/mine/tool:v1"
	w := newWorld(t, "other.example", "m.example", "ghcr.io")
	client := func() *Client { return w.client(Options{UserAgent: "gen"}) }
	index := labelled(t, "https://github.com/acme/tool", false)
	w.put(reference, index)
	w.put("m.example/ghcr/mine/tool:v1", newIndex(t, "linux/amd64"))
	w.put("m.example/ghcr/acme/tool:v1", newIndex(t, "linux/amd64"))
	policy := Policy{Rules: suggestRules}
	if got := client().Suggest(t.Context(), []string{reference}, policy); got[0].Line+got[0].Instead != "" {
		t.Errorf("other bytes at the mirror: %+v", got)
	}
	w.put("m.example/ghcr/acme/tool:v1", index)
	w.servers["other.example"].fault = func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.Contains(r.URL.Path, "/blobs/") {
			_, _ = rw.Write([]byte(`{"config":{"Labels":{"` + sourceKey + `":"https://github.com/acme/tool"}}}`))
			return
		}
		next.ServeHTTP(rw, r)
	}
	if got := client().Suggest(t.Context(), []string{reference}, policy); got[0].Instead != "" {
		t.Errorf("a label that is not the image's own: %+v", got)
	}
	w.servers["other.example"].fault = func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) { rw.WriteHeader(http.StatusForbidden) }
	if got := client().Suggest(t.Context(), []string{reference}, policy); got[0].Instead != "" || !strings.HasPrefix(got[0].Message, "its source could not be asked: ") {
		t.Errorf("a silent source: %+v", got)
	}
	w.servers["m.example"].forget()
	w.servers["ghcr.io"].forget()
	got := client().Suggest(t.Context(), []string{"ghcr.io/a/b:1", "m.example/hub/a:1", "A b"}, policy)
	if asked := append(w.servers["ghcr.io"].manifests(), w.servers["m.example"].manifests()...); len(got)+len(asked) > 0 {
		t.Errorf("covered, at the mirror, and none: %+v, asked %v", got, asked)
	}
}
