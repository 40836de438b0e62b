package image

import (
	"net/http"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// indexOf returns an index of images that exist already, so that another index may name the same ones.
func indexOf(t testing.TB, images map[string]v1.Image, platforms ...string) v1.ImageIndex {
	t.Helper()
	index := v1.ImageIndex(empty.Index)
	for _, platform := range platforms {
		p, err := v1.ParsePlatform(platform)
		if err != nil {
			t.Fatal(err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: images[platform], Descriptor: v1.Descriptor{Platform: p}})
	}
	return index
}

// TestCauses: what stands at the source and at the mirror, the verdict, the cause that the message names, and that only Same rewrites.
func TestCauses(t *testing.T) {
	images := map[string]v1.Image{"linux/amd64": newImage(t), "linux/arm64": newImage(t)}
	both, amd64 := indexOf(t, images, "linux/amd64", "linux/arm64"), images["linux/amd64"]
	swapped := map[string]v1.Image{"linux/amd64": images["linux/arm64"], "linux/arm64": amd64}
	for name, c := range map[string]struct {
		source, mirror any
		want           Verdict
		message        string
	}{
		"single platform of an index": {both, amd64, Different, "a single platform of the source's index, linux/amd64"},
		"wrapped, pulled by digest":   {amd64, indexOf(t, images, "linux/amd64"), Same, "hash to the source's digest"},
		"index rewritten":             {both, mutate.Annotations(both, map[string]string{"zstd": "yes"}), Equivalent, "rewrote the index"},
		"platforms swapped":           {both, indexOf(t, swapped, "linux/arm64", "linux/amd64"), Different, "the same manifests to other platforms"},
		"index with fewer platforms":  {both, indexOf(t, images, "linux/amd64"), Different, "lacks 1 of the source's 2"},
		"another image":               {amd64, newImage(t), Different, "another image"},
		"nothing":                     {both, nil, Missing, "neither the digest"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "up.example", "m.example")
			w.put("up.example/app:v1.0.0", c.source)
			if c.mirror != nil {
				w.put("m.example/up/app:v1.0.0", c.mirror)
			}
			got := w.client(Options{}).Verify(t.Context(), []Request{request(t, oneRule, "up.example/app:v1.0.0")})[0]
			if got.Verdict != c.want || !strings.Contains(got.Message, c.message) {
				t.Errorf("got %s: %s\nwant %s: …%s…", got.Verdict, got.Message, c.want, c.message)
			}
			lock := &Lock{}
			lock.Update([]Result{got})
			if _, status := lock.Lookup("up.example/app:v1.0.0", Policy{Rules: oneRule}); (status == Proven) != (c.want == Same) {
				t.Errorf("%s is looked up as %s", c.want, status)
			}
		})
	}
}

// TestSparse: an index is proven for the platforms that are there, and what lacks one of the needed is refused.
func TestSparse(t *testing.T) {
	w := newWorld(t, "up.example", "m.example")
	images := map[string]v1.Image{"linux/amd64": newImage(t), "linux/arm64": newImage(t)}
	index, arm64 := indexOf(t, images, "linux/amd64", "linux/arm64"), digestOf(t, images["linux/arm64"])
	w.put("up.example/app:v1.0.0", index)
	w.put("m.example/up/app:v1.0.0", index)
	w.servers["m.example"].fault = onManifests("GET", func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, arm64) {
			answer(404, "application/json", `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`)(rw, r, next)
			return
		}
		next.ServeHTTP(rw, r)
	})
	lock := &Lock{}
	update := lock.Update(w.client(Options{}).Verify(t.Context(), []Request{request(t, oneRule, "up.example/app:v1.0.0", "linux/amd64", "linux/arm64")}))[0]
	if update.Result.Verdict != Sparse || update.Outcome != Unproven {
		t.Errorf("%s, %s: %s", update.Result.Verdict, update.Outcome, update.Message)
	}
	for platforms, want := range map[string]Status{"linux/amd64": Proven, "linux/amd64,linux/arm64": NotProven} {
		if _, got := lock.Lookup("up.example/app:v1.0.0", Policy{oneRule, strings.Split(platforms, ",")}); got != want {
			t.Errorf("nodes %s: %s, want %s", platforms, got, want)
		}
	}
}
