package image

import (
	"net/http"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// TestSignatures is case 20, signatures and attestations, where the model requires them.
func TestSignatures(t *testing.T) {
	runAdversarial(t, map[string]adversarial{
		"20 signed, the mirror lacks the signature, nobody requires it": {func(s *stand) string {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.sign("up.example/app", digestOf(s.t, s.index), ".sig", newImage(s.t))
			return digestOf(s.t, s.index)
		}, Same, Added, "", ""},
		"20 signed, the mirror lacks the signature": {func(s *stand) string {
			s.rule(func(r *Rule) { r.RequireSignatures = true })
			s.put("m.example/up/app:v1.0.0", s.index)
			s.sign("up.example/app", digestOf(s.t, s.index), ".sig", newImage(s.t))
			return ""
		}, Sparse, Unproven, "the mirror lacks its signatures: sha256-", ""},
		"20 a platform is attested, the mirror lacks that": {func(s *stand) string {
			s.rule(func(r *Rule) { r.RequireSignatures = true })
			s.put("m.example/up/app:v1.0.0", s.index)
			s.sign("up.example/app", digestOf(s.t, s.images["linux/arm64"]), ".att", newImage(s.t))
			return ""
		}, Sparse, Unproven, ".att sha256:", ""},
		"20 signed by a referrer, the mirror lacks that": {func(s *stand) string {
			s.rule(func(r *Rule) { r.RequireSignatures = true })
			s.put("m.example/up/app:v1.0.0", s.index)
			s.refer("up.example", "app", digestOf(s.t, s.index), signatureTypes[2])
			return ""
		}, Sparse, Unproven, signatureTypes[2] + " sha256:", ""},
		"20 an SBOM is no signature": {func(s *stand) string {
			s.rule(func(r *Rule) { r.RequireSignatures = true })
			s.put("m.example/up/app:v1.0.0", s.index)
			s.refer("up.example", "app", digestOf(s.t, s.index), "application/spdx+json")
			return digestOf(s.t, s.index)
		}, Same, Added, "", "the source has no signature"},
		"20 signed on both sides, by both ways": {func(s *stand) string {
			s.rule(func(r *Rule) { r.RequireSignatures = true })
			s.put("m.example/up/app:v1.0.0", s.index)
			signature := newImage(s.t)
			for _, at := range []string{"up.example/app", "m.example/up/app"} {
				s.sign(at, digestOf(s.t, s.index), ".sig", signature)
				host, repository, _ := strings.Cut(at, "/")
				s.refer(host, repository, digestOf(s.t, s.index), signatureTypes[3])
			}
			return digestOf(s.t, s.index)
		}, Same, Added, "", ""},
		"20 signed by a tag that stands for the list of referrers": {func(s *stand) string {
			s.rule(func(r *Rule) { r.RequireSignatures = true })
			s.put("m.example/up/app:v1.0.0", s.index)
			list := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: newImage(s.t), Descriptor: v1.Descriptor{ArtifactType: signatureTypes[0]}})
			s.sign("up.example/app", digestOf(s.t, s.index), "", list)
			for _, server := range s.servers {
				server.fault = func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					if strings.Contains(r.URL.Path, "/referrers/") {
						http.NotFound(w, r)
						return
					}
					next.ServeHTTP(w, r)
				}
			}
			return ""
		}, Sparse, Unproven, signatureTypes[0], ""},
		"20 the source's signatures cannot be asked": {func(s *stand) string {
			s.rule(func(r *Rule) { r.RequireSignatures = true })
			s.put("m.example/up/app:v1.0.0", s.index)
			s.servers["up.example"].fault = func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if strings.Contains(r.URL.Path, "/referrers/") {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				next.ServeHTTP(w, r)
			}
			return ""
		}, Unknown, Unproven, "the source could not be asked for its signatures: up.example refuses access", ""},
	})
}
