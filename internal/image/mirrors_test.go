package image

import (
	"fmt"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/types"
)

// TestMirrors: what kinds of mirrors there are, and seeds of odd references and manifests.
func TestMirrors(t *testing.T) {
	runAdversarial(t, map[string]adversarial{
		"seed: a text that is image and index at once": {func(s *stand) string {
			both := fmt.Sprintf(`{"schemaVersion":2,"config":{"mediaType":"x","digest":"sha256:%s","size":2},"layers":[],"manifests":[]}`, hex64)
			s.raw("up.example", "app", "v1.0.0", string(types.OCIManifestSchema1), both)
			s.raw("m.example", "up/app", "v1.0.0", string(types.OCIManifestSchema1), both)
			return ""
		}, Unknown, Unproven, "is an index (manifests) as application/vnd.oci.image.manifest.v1+json, which runtimes refuse", ""},
		"seed: a digest and no tag": {func(s *stand) string {
			s.put("m.example/up/app:whatever", s.index)
			s.reference = "up.example/app@" + digestOf(s.t, s.index)
			return digestOf(s.t, s.index)
		}, Same, Added, "", ""},
		"seed: tag and digest, and the tag is another image by now": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", newImage(s.t))
			s.put("m.example/up/app:old", s.index)
			s.reference += "@" + digestOf(s.t, s.index)
			return digestOf(s.t, s.index)
		}, Same, Added, "", ""},
		"a mirror that serves tags only": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.lacks("m.example", digestOf(s.t, s.index))
			return ""
		}, Unknown, Unproven, "serves the right bytes for the tag v1.0.0, but not for their digest, by which the node will pull", ""},
		"a mirror that serves tags only, to a node that pulls by tag": {func(s *stand) string {
			s.rule(func(r *Rule) { r.Kind = Transparent })
			s.put("m.example/up/app:v1.0.0", s.index)
			s.lacks("m.example", digestOf(s.t, s.index))
			return "as it is"
		}, Same, Added, "", ""},
		"a mirror that serves digests only": {func(s *stand) string {
			s.rule(func(r *Rule) { no := false; r.Kind, r.Tags = Transparent, &no })
			s.put("m.example/up/app:other", s.index)
			s.lacks("m.example", "/manifests/v1.0.0")
			return "@" + digestOf(s.t, s.index)
		}, Same, Added, "", ""},
		"a mirror whose tag is wrong, to a node that resolves tags upstream": {func(s *stand) string {
			s.rule(func(r *Rule) { no := false; r.Kind, r.Tags = Transparent, &no })
			s.put("m.example/up/app:v1.0.0", newImage(s.t))
			return ""
		}, Missing, Unproven, "does not have up/app:sha256:", ""},
		"a mirror that wrapped the image, to a node that pulls by tag": {func(s *stand) string {
			s.rule(func(r *Rule) { r.Kind = Transparent })
			s.put("up.example/app:v1.0.0", s.images["linux/amd64"])
			s.put("m.example/up/app:v1.0.0", indexOf(s.t, s.images, "linux/amd64"))
			return ""
		}, Different, Unproven, "wrapped the source's image into a new index", ""},
	})
}
