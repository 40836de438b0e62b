package image

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// adversarial is one case: written is the digest that the reference is written with; "" where it stays as it is.
type adversarial struct {
	prepare func(s *stand) (written string)
	want    Verdict
	outcome Outcome
	message string
	note    string
}

// stand is one scenario of an adversarial case: a world, what is asked of it, and what a lock held before.
type stand struct {
	*world
	images    map[string]v1.Image // by platform
	index     v1.ImageIndex       // of them, the source's app:v1.0.0
	rules     Rules
	reference string
	platforms []string
	lock      *Lock
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{world: newWorld(t, "up.example", "m.example"), rules: oneRule, reference: "up.example/app:v1.0.0", lock: &Lock{}}
	s.images = map[string]v1.Image{"linux/amd64": newImage(t), "linux/arm64": newImage(t)}
	s.index = indexOf(t, s.images, "linux/amd64", "linux/arm64")
	s.put("up.example/app:v1.0.0", s.index)
	s.platforms = []string{"linux/amd64", "linux/arm64"}
	return s
}

// rule replaces the mirror map's only rule by a changed one.
func (s *stand) rule(change func(*Rule)) {
	rule := oneRule[0]
	change(&rule)
	s.rules = Rules{rule}
}

// lacks makes a host answer 404 for paths that end so.
func (s *stand) lacks(host, suffix string) {
	s.servers[host].fault = func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, suffix) {
			answer(404, "application/json", `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`)(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	}
}

// sign attaches something to a digest, as cosign does by a tag.
func (s *stand) sign(repository, digest, suffix string, what any) {
	s.put(repository+":"+strings.Replace(digest, ":", "-", 1)+suffix, what)
}

// refer attaches an artifact to a digest, which a registry with a list of referrers lists.
func (s *stand) refer(host, repository, digest, artifactType string) {
	body := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":%q,"digest":"sha256:%s","size":2},"layers":[],"subject":{"mediaType":%q,"digest":%q,"size":3}}`,
		types.OCIManifestSchema1, artifactType, hex64, types.OCIImageIndex, digest)
	s.raw(host, repository, "artifact", string(types.OCIManifestSchema1), body)
}

// moving makes the source's tag move at each of the first n looks, to what next pushes.
func (s *stand) moving(n int64, next func()) {
	var looks atomic.Int64
	s.servers["up.example"].fault = onManifests("HEAD", func(w http.ResponseWriter, r *http.Request, registry http.Handler) {
		registry.ServeHTTP(w, r)
		if looks.Add(1) <= n {
			next()
		}
	})
}

func newImages(t testing.TB, n int) []v1.Image {
	t.Helper()
	out := make([]v1.Image, n)
	for i := range out {
		out[i] = newImage(t)
	}
	return out
}

// docker is an image's twin: the same configuration and layers under a manifest of Docker's schema 2.
func docker(image v1.Image) v1.Image {
	return mutate.MediaType(mutate.ConfigMediaType(image, types.DockerConfigJSON), types.DockerManifestSchema2)
}

// latest is a scenario of a tag that moves: the source holds the first image, the mirror each of them by digest.
func (s *stand) latest(images []v1.Image) {
	s.reference = "up.example/app:latest"
	s.put(s.reference, images[0])
	for _, image := range images {
		s.put("m.example/up/app:latest", image)
	}
}

func runAdversarial(t *testing.T, cases map[string]adversarial) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			written := c.prepare(s)
			asked := Request{Ref: mustRef(t, s.reference), Platforms: s.platforms}
			asked.Target, _ = s.rules.Map(asked.Ref)
			update := s.lock.Update(s.client(Options{}).Verify(t.Context(), []Request{asked}))[0]
			got := update.Result
			if got.Verdict != c.want || update.Outcome != c.outcome || !strings.Contains(got.Message, c.message) || !strings.Contains(strings.Join(got.Notes, "\n"), c.note) {
				t.Errorf("got %s, %s: %s %q\nwant %s, %s: …%s… %q\nasked %s", got.Verdict, update.Outcome, got.Message, got.Notes, c.want, c.outcome, c.message, c.note, strings.Join(got.Evidence.Asked, "\n      "))
			}
			s.looked(t, written)
		})
	}
}

// looked holds what the lock says to write against what a case wants.
func (s *stand) looked(t *testing.T, digest string) {
	t.Helper()
	want, proven := s.reference, NotProven
	if digest != "" {
		proven = Proven
	}
	switch {
	case digest == "" || digest == "as it is":
	case strings.HasPrefix(digest, "@"): // the name stays, with the digest behind it
		want += digest
	default:
		ref := mustRef(t, strings.Replace(s.reference, "up.example/", "m.example/up/", 1))
		ref.Digest = digest
		want = ref.String()
	}
	// what a lock says must be in its text
	read, err := ParseLock("images.lock", s.lock.Emit())
	if err != nil {
		t.Fatal(err)
	}
	if written, status := read.Lookup(s.reference, Policy{s.rules, s.platforms}); written != want || status != proven {
		t.Errorf("written %s (%s), want %s (%s)\n%s", written, status, want, proven, s.lock.Emit())
	}
}
