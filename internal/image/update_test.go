package image

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestWeather: with a good lock, whatever registries answer changes nothing of what is written; only a tag that moved on both sides does.
func TestWeather(t *testing.T) {
	for name, c := range map[string]struct {
		weather func(s *stand)
		outcome Outcome
		message string
	}{
		"fair":           {func(*stand) {}, Unchanged, ""},
		"source 429":     {func(s *stand) { s.servers["up.example"].fault = answer(429, "", "") }, Kept, "429"},
		"source 401":     {func(s *stand) { s.servers["up.example"].fault = onManifests("HEAD", answer(401, "", "")) }, Kept, "refuses access"},
		"source gone":    {func(s *stand) { delete(s.servers, "up.example") }, Kept, "the name up.example does not resolve"},
		"source lost it": {func(s *stand) { s.lacks("up.example", "v1.0.0") }, Kept, "does not have"},
		"mirror 503":     {func(s *stand) { s.servers["m.example"].fault = answer(503, "", "") }, Kept, "503"},
		"mirror gone":    {func(s *stand) { delete(s.servers, "m.example") }, Kept, "the name m.example does not resolve"},
		"mirror lost it": {func(s *stand) {
			s.servers["m.example"].fault = onManifests("GET", answer(404, "", `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`))
		}, Kept, "neither the digest"},
		"a login page": {func(s *stand) {
			s.servers["m.example"].fault = onManifests("GET", answer(200, "text/html", "<html>"))
		}, Kept, "text/html"},
		"the source's tag moved": {func(s *stand) { s.put("up.example/app:v1.0.0", newImage(s.t)) }, Kept, "the source's tag moved to sha256:"},
		"the mirror's bytes": {func(s *stand) {
			s.servers["m.example"].fault = onManifests("GET", otherBody(ociImage, ""))
		}, Refused, "proven was sha256:"},
		"a platform was lost":     {func(s *stand) { s.lacks("m.example", digestOf(s.t, s.images["linux/arm64"])) }, Refused, "lacks, under it, linux/arm64"},
		"the index became single": {func(s *stand) { s.replace(s.images["linux/amd64"]) }, Refused, "a single platform of the source's index"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			s.put("m.example/up/app:v1.0.0", s.index)
			asked := []Request{request(t, s.rules, s.reference, s.platforms...)}
			s.lock.Update(s.client(Options{}).Verify(t.Context(), asked))
			before := string(s.lock.Emit())
			c.weather(s)
			update := s.lock.Update(s.client(Options{}).Verify(t.Context(), asked))[0]
			if update.Outcome != c.outcome || !strings.Contains(update.Message, c.message) {
				t.Errorf("%s: %s; want %s: …%s…", update.Outcome, update.Message, c.outcome, c.message)
			}
			if after := string(s.lock.Emit()); after != before {
				t.Errorf("the lock became\n%swas\n%s", after, before)
			}
			if update.Outcome == Refused && strings.Count(update.Message, "sha256:") < 2 {
				t.Errorf("both digests are not named: %s", update.Message)
			}
			s.looked(t, digestOf(t, s.index))
		})
	}
}

// replace makes the mirror hold one image alone, and nothing of what it held.
func (s *stand) replace(image v1.Image) {
	s.t.Helper()
	s.servers["m.example"] = newWorld(s.t, "m.example").servers["m.example"]
	s.put("m.example/up/app:v1.0.0", image)
}

// TestIndexBecomesSingle: where a single platform is accepted, a mirror that once served the whole index and now serves less is still refused,
// until its line is deleted: nobody may lose what was proven without a person's word.
func TestIndexBecomesSingle(t *testing.T) {
	s := newStand(t)
	s.platforms = []string{"linux/amd64"}
	s.rule(func(r *Rule) { r.Accept = PlatformOnly })
	s.put("m.example/up/app:v1.0.0", s.index)
	asked := []Request{request(t, s.rules, s.reference, s.platforms...)}
	s.lock.Update(s.client(Options{}).Verify(t.Context(), asked))
	s.replace(s.images["linux/amd64"])
	results := s.client(Options{}).Verify(t.Context(), asked)
	update := s.lock.Update(results)[0]
	if update.Outcome != Refused || !strings.Contains(update.Message, "proven was the whole index "+digestOf(t, s.index)) {
		t.Errorf("%s: %s", update.Outcome, update.Message)
	}
	s.looked(t, digestOf(t, s.index))
	s.lock.Delete(asked[0].Ref, asked[0].Target.Key())
	s.lock.Update(results)
	s.looked(t, digestOf(t, s.images["linux/amd64"]))
}

// TestMovedOnBothSides: the lock follows a tag only where the mirror follows it, and says from what to what.
func TestMovedOnBothSides(t *testing.T) {
	s := newStand(t)
	s.put("m.example/up/app:v1.0.0", s.index)
	asked := []Request{request(t, s.rules, s.reference, s.platforms...)}
	s.lock.Update(s.client(Options{}).Verify(t.Context(), asked))
	next := newIndex(t, s.platforms...)
	s.put("up.example/app:v1.0.0", next)
	s.put("m.example/up/app:v1.0.0", next)
	update := s.lock.Update(s.client(Options{}).Verify(t.Context(), asked))[0]
	if update.Outcome != Renewed || update.Message != "the tag moved on both sides, from "+digestOf(t, s.index)+" to "+digestOf(t, next) {
		t.Errorf("%s: %s", update.Outcome, update.Message)
	}
	s.looked(t, digestOf(t, next))
}

// TestEachToItsOwn: environments that name one image at one mirror share a request and a line of the lock, and each is held to what it
// states: what one accepts proves nothing to another, and what one requires is required of that one.
func TestEachToItsOwn(t *testing.T) {
	strict := Policy{oneRule, []string{"linux/amd64"}}
	accepting, signed := strict, strict
	accepting.Rules, signed.Rules = slices.Clone(oneRule), slices.Clone(oneRule)
	accepting.Rules[0].Accept, signed.Rules[0].RequireSignatures = PlatformOnly, true
	both := Policy{accepting.Rules, []string{"linux/amd64", "linux/arm64"}}
	for name, c := range map[string]struct {
		prepare func(s *stand)
		want    map[string]Status // by environment
	}{
		"a single platform at the mirror": {func(s *stand) {
			s.put("m.example/up/app:v1.0.0", s.images["linux/amd64"])
		}, map[string]Status{"strict": NotProven, "accepting": Proven, "both": NotProven, "signed": NotProven}},
		"the whole index, unsigned where the source is signed": {func(s *stand) {
			s.put("m.example/up/app:v1.0.0", s.index)
			s.sign("up.example/app", digestOf(s.t, s.index), ".sig", s.images["linux/amd64"])
		}, map[string]Status{"strict": Proven, "accepting": Proven, "both": Proven, "signed": NotProven}},
		"the whole index": {func(s *stand) {
			s.put("m.example/up/app:v1.0.0", s.index)
		}, map[string]Status{"strict": Proven, "accepting": Proven, "both": Proven, "signed": Proven}},
	} {
		t.Run(name, func(t *testing.T) {
			policies := map[string]Policy{"strict": strict, "accepting": accepting, "both": both, "signed": signed}
			for _, order := range [][]string{{"strict", "accepting", "both", "signed"}, {"signed", "both", "accepting", "strict"}} {
				s := newStand(t)
				c.prepare(s)
				var asked [][]Request
				for _, environment := range order {
					asked = append(asked, Requests([]string{s.reference}, policies[environment]))
				}
				merged := Merge(asked...)
				if len(merged) != 1 {
					t.Fatalf("%d requests", len(merged))
				}
				s.lock.Update(s.client(Options{}).Verify(t.Context(), merged))
				for environment, want := range c.want {
					if _, got := s.lock.Lookup(s.reference, policies[environment]); got != want {
						t.Errorf("%s: %s, want %s\n%s", environment, got, want, s.lock.Emit())
					}
				}
			}
		})
	}
}

// TestCandidates: of several mirrors for one source the first that is proven is used, and one that is not is no refusal then.
func TestCandidates(t *testing.T) {
	w := newWorld(t, "up.example", "a.example", "b.example")
	image := newImage(t)
	w.put("up.example/app:v1.0.0", image)
	w.put("b.example/app:v1.0.0", image)
	rules := Rules{{Source: "up.example", Endpoint: "https://a.example", Kind: Explicit}, {Source: "up.example", Endpoint: "https://b.example", Kind: Explicit}}
	policy := Policy{Rules: rules}
	lock := &Lock{}
	lock.Put(mustEntry(t, "up.example/old:1 a.example/old sha256:"+hex64+" "+ociImage+" -"))
	asked := Requests([]string{"up.example/app:v1.0.0"}, policy)
	updates := lock.Update(w.client(Options{}).Verify(t.Context(), asked))
	if updates[0].Outcome != Unchanged || !strings.Contains(updates[0].Message, "not used, another mirror is proven: a.example has neither") || updates[1].Outcome != Added {
		t.Errorf("%s: %s; %s: %s", updates[0].Outcome, updates[0].Message, updates[1].Outcome, updates[1].Message)
	}
	if got, status := lock.Lookup("up.example/app:v1.0.0", policy); status != Proven || got != "b.example/app:v1.0.0@"+digestOf(t, image) {
		t.Errorf("%s, %s", got, status)
	}
	// a line for a mirror that the map does not name any more excuses nobody
	stale := lock.Update(w.client(Options{}).Verify(t.Context(), Requests([]string{"up.example/app:v1.0.0"}, Policy{Rules: rules[:1]})))
	if stale[0].Outcome != Unproven {
		t.Errorf("%s: %s", stale[0].Outcome, stale[0].Message)
	}
	removed := lock.Prune(asked)
	if len(removed) != 1 || removed[0].Source.Path != "old" {
		t.Errorf("removed %v", removed)
	}
}

// TestDeep: with Deep every layer of the needed platforms is asked for, and attestations; a redirect to storage is a yes.
func TestDeep(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(s *stand) fault
		want  Verdict
		says  string
	}{
		"all there":       {func(*stand) fault { return nil }, Same, ""},
		"a layer is lost": {func(*stand) fault { return onBlobs(answer(404, "", "")) }, Sparse, "a layer of linux/amd64 (sha256:"},
		"lies in a bucket": {func(*stand) fault {
			return onBlobs(func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				http.Redirect(w, r, "https://bucket.example/x", 307)
			})
		}, Same, ""},
		"layers refused": {func(*stand) fault { return onBlobs(answer(403, "", "")) }, Unknown, "could not be asked: m.example refuses access"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			s.put("m.example/up/app:v1.0.0", s.index)
			s.servers["m.example"].fault = c.fault(s)
			asked := request(t, s.rules, s.reference, s.platforms...)
			if got := s.client(Options{}).Verify(t.Context(), []Request{asked})[0]; got.Verdict != Same {
				t.Errorf("without: %s: %s", got.Verdict, got.Message)
			}
			asked.Deep = true
			got := s.client(Options{}).Verify(t.Context(), []Request{asked})[0]
			if got.Verdict != c.want || !strings.Contains(got.Message, c.says) {
				t.Errorf("%s: %s", got.Verdict, got.Message)
			}
			if c.want == Sparse && len(got.Evidence.Platforms) > 0 {
				t.Errorf("%v are said to be there", got.Evidence.Platforms)
			}
		})
	}
}

// onBlobs applies a fault to questions about layers.
func onBlobs(f fault) fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.Contains(r.URL.Path, "/blobs/") {
			f(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	}
}
