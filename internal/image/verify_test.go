package image

import (
	"testing"
)

var oneRule = Rules{{Source: "up.example", Endpoint: "https://m.example", Path: "up", Kind: Explicit}}

// TestVerifySame: index and single image, copied as they are.
func TestVerifySame(t *testing.T) {
	w := newWorld(t, "up.example", "m.example")
	index, img := newIndex(t, "linux/amd64", "linux/arm64"), newImage(t)
	for _, r := range []string{"up.example/a/index:v1.0.0", "m.example/up/a/index:v1.0.0"} {
		w.put(r, index)
	}
	for _, r := range []string{"up.example/a/img:v1.0.0", "m.example/up/a/img:v1.0.0"} {
		w.put(r, img)
	}
	results := w.client(Options{}).Verify(t.Context(), []Request{
		request(t, oneRule, "up.example/a/index:v1.0.0", "linux/amd64", "linux/arm64"),
		request(t, oneRule, "up.example/a/img:v1.0.0"),
		request(t, oneRule, "up.example/a/index@"+digestOf(t, index)),
	})
	for _, r := range results {
		if r.Verdict != Same {
			t.Errorf("%s: %s: %s %v", r.Request.Ref, r.Verdict, r.Message, r.Evidence.Asked)
		}
	}
}
