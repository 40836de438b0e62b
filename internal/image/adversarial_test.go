package image

import (
	"net/http"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// TestAdversarial holds the cases that are about registries, by their numbers in the list of twenty; those about places in manifests are in
// cmd/gen (images_adversarial.txtar).
func TestAdversarial(t *testing.T) {
	const schema1 = string(types.DockerManifestSchema1Signed)
	runAdversarial(t, map[string]adversarial{
		"02 HEAD is right, the body is not": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.servers["m.example"].fault = onManifests("GET", otherBody(string(types.OCIImageIndex), ""))
			return ""
		}, Unknown, Unproven, "serves a manifest that is an image (config, layers)", ""},
		"02 HEAD is right, the body is another index": {func(s *stand) string {
			other := newIndex(s.t, "linux/amd64")
			body, err := other.RawManifest()
			if err != nil {
				s.t.Fatal(err)
			}
			s.put("m.example/up/app:v1.0.0", s.index)
			s.servers["m.example"].fault = onManifests("GET", answer(200, string(types.OCIImageIndex), string(body)))
			return ""
		}, Different, Unproven, "another image", ""},
		"03 schema 1 with a forged header": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.servers["m.example"].fault = onManifests("GET HEAD", otherBody(schema1, digestOf(s.t, s.index)))
			return ""
		}, Different, Unproven, "whose digest cannot be checked", ""},
		"04 the mirror holds one platform": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.images["linux/amd64"])
			return ""
		}, Different, Unproven, "a single platform of the source's index, linux/amd64", ""},
		"04 one platform, accepted": {func(s *stand) string {
			s.platforms = []string{"linux/amd64"}
			s.rule(func(r *Rule) { r.Accept = PlatformOnly })
			s.put("m.example/up/app:v1.0.0", s.images["linux/amd64"])
			return digestOf(s.t, s.images["linux/amd64"])
		}, Same, Added, "the source's index names for linux/amd64", "accept: platform-only"},
		"04 one platform, accepted, nodes of another": {func(s *stand) string {
			s.platforms = []string{"linux/arm64"}
			s.rule(func(r *Rule) { r.Accept = PlatformOnly })
			s.put("m.example/up/app:v1.0.0", s.images["linux/amd64"])
			return ""
		}, Sparse, Unproven, "linux/amd64, and nodes need linux/arm64", ""},
		"04 one platform, accepted, nodes of both": {func(s *stand) string {
			s.rule(func(r *Rule) { r.Accept = PlatformOnly })
			s.put("m.example/up/app:v1.0.0", s.images["linux/amd64"])
			return ""
		}, Sparse, Unproven, "nodes need linux/amd64, linux/arm64", ""},
		"04 one platform, accepted, by the index's digest at a transparent mirror": {func(s *stand) string {
			s.platforms, s.reference = []string{"linux/amd64"}, s.reference+"@"+digestOf(s.t, s.index)
			s.rule(func(r *Rule) { r.Accept, r.Kind = PlatformOnly, Transparent })
			s.put("m.example/up/app:v1.0.0", s.images["linux/amd64"])
			return ""
		}, Different, Unproven, "the node will ask it for the index, by digest", ""},
		"04 one platform, accepted, but not served by its digest": {func(s *stand) string {
			s.platforms = []string{"linux/amd64"}
			s.rule(func(r *Rule) { r.Accept = PlatformOnly })
			s.put("m.example/up/app:v1.0.0", s.images["linux/amd64"])
			s.lacks("m.example", digestOf(s.t, s.images["linux/amd64"]))
			return ""
		}, Unknown, Unproven, "does not serve it by its digest", ""},
		"04 one platform, not of the source": {func(s *stand) string {
			s.platforms = []string{"linux/amd64"}
			s.rule(func(r *Rule) { r.Accept = PlatformOnly })
			s.put("m.example/up/app:v1.0.0", newImage(s.t))
			return ""
		}, Different, Unproven, "not in the source's index", ""},
		"05 arm64 is missing, nodes of both": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.lacks("m.example", digestOf(s.t, s.images["linux/arm64"]))
			return ""
		}, Sparse, Unproven, "lacks, under it, linux/arm64 (sha256:", ""},
		"05 arm64 is missing, nodes of amd64": {func(s *stand) string {
			s.platforms = []string{"linux/amd64"}
			s.put("m.example/up/app:v1.0.0", s.index)
			s.lacks("m.example", digestOf(s.t, s.images["linux/arm64"]))
			return digestOf(s.t, s.index)
		}, Same, Added, "so do those for linux/amd64", ""},
		"05 neither side has s390x": {func(s *stand) string {
			s.platforms = []string{"linux/amd64", "linux/s390x"}
			s.put("m.example/up/app:v1.0.0", s.index)
			return digestOf(s.t, s.index)
		}, Same, Added, "", "neither side has it for linux/s390x"},
		"05 a variant of the platform is missing": {func(s *stand) string {
			s.images = map[string]v1.Image{"linux/arm/v6": newImage(s.t), "linux/arm/v7": newImage(s.t)}
			s.index, s.platforms = indexOf(s.t, s.images, "linux/arm/v6", "linux/arm/v7"), []string{"linux/arm"}
			s.put("up.example/app:v1.0.0", s.index)
			s.put("m.example/up/app:v1.0.0", s.index)
			s.lacks("m.example", digestOf(s.t, s.images["linux/arm/v7"]))
			return ""
		}, Sparse, Unproven, "lacks, under it, linux/arm (sha256:", ""},
		"05 an image without a platform is missing": {func(s *stand) string {
			bare := newImage(s.t)
			s.index, s.platforms = mutate.AppendManifests(s.index, mutate.IndexAddendum{Add: bare}), []string{"linux/amd64"}
			s.put("up.example/app:v1.0.0", s.index)
			s.put("m.example/up/app:v1.0.0", s.index)
			s.lacks("m.example", digestOf(s.t, bare))
			return ""
		}, Sparse, Unproven, "lacks, under it, linux/amd64 (sha256:", ""},
		"06 the same layers in another manifest": {func(s *stand) string {
			s.put("up.example/app:v1.0.0", docker(s.images["linux/amd64"]))
			s.put("m.example/up/app:v1.0.0", mutate.ConfigMediaType(mutate.MediaType(s.images["linux/amd64"], types.OCIManifestSchema1), types.OCIConfigJSON))
			return ""
		}, Equivalent, Unproven, "the same configuration and layers in a converted manifest", ""},
		"07 the source answers 429, the lock has it": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.lock.Update(s.client(Options{}).Verify(s.t.Context(), []Request{request(s.t, s.rules, s.reference, s.platforms...)}))
			s.servers["up.example"].fault = onManifests("HEAD", answer(429, "", ""))
			return digestOf(s.t, s.index)
		}, Unknown, Kept, "the source could not be asked: up.example: it answers 429", ""},
		"07 the source answers 429, no lock": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.servers["up.example"].fault = onManifests("HEAD", answer(429, "", ""))
			return ""
		}, Unknown, Unproven, "429", ""},
		"08 the mirror answers 401": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.servers["m.example"].fault = onManifests("GET", answer(401, "", ""))
			return ""
		}, Unknown, Unproven, "m.example refuses access to up/app (401; asked anonymously: no credential for this host in the docker config; `docker login m.example` stores one)", ""},
		"08 the mirror answers 403": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.servers["m.example"].fault = onManifests("GET", answer(403, "", ""))
			return ""
		}, Unknown, Unproven, "m.example refuses access to up/app (403", ""},
		"09 latest moves once": {func(s *stand) string {
			images := newImages(s.t, 2)
			s.latest(images)
			s.moving(1, func() { s.put("up.example/app:latest", images[1]) })
			return digestOf(s.t, images[1])
		}, Same, Added, "", ""},
		"09 latest moves on and on": {func(s *stand) string {
			images := newImages(s.t, 4)
			s.latest(images)
			left := images[1:]
			s.moving(3, func() { s.put("up.example/app:latest", left[0]); left = left[1:] })
			return ""
		}, Unknown, Unproven, "the tag latest moved at up.example while it was looked at", ""},
		"09 latest moves on both sides, to a node that pulls by tag": {func(s *stand) string {
			images := newImages(s.t, 2)
			s.latest(images)
			s.rule(func(r *Rule) { r.Kind = Transparent })
			s.put("m.example/up/app:latest", images[0])
			s.moving(1, func() { s.put("up.example/app:latest", images[1]) })
			s.servers["m.example"].fault = onManifests("GET", func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				next.ServeHTTP(w, r)
				s.put("m.example/up/app:latest", images[1])
			})
			return "as it is"
		}, Same, Added, "", ""},
		"09 a full version is not looked at twice": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			other := newImage(s.t)
			s.moving(1, func() { s.put("up.example/app:v1.0.0", other) })
			return digestOf(s.t, s.index)
		}, Same, Added, "", ""},
		"19 a mirror of a mirror is one hop": {func(s *stand) string {
			s.rules = Rules{oneRule[0], {Source: "m.example", Endpoint: "https://c.example", Kind: Explicit}}
			s.put("m.example/up/app:v1.0.0", s.index)
			return digestOf(s.t, s.index)
		}, Same, Added, "", ""},
	})
}
