package image

import "testing"

// TestTransparentPins: what is written for a name at a transparent mirror, by whether it resolves tags, and that the proof asked for what the node
// will pull.
func TestTransparentPins(t *testing.T) {
	no := false
	for name, c := range map[string]struct {
		tags      *bool
		reference string
		suffix    string // "D" stands for the digest
		asked     string // the identifier that the mirror was asked for; "D"
	}{
		"it resolves tags":                       {nil, "up.example/app:v1.0.0", "", "v1.0.0"},
		"it does not":                            {&no, "up.example/app:v1.0.0", "@D", "D"},
		"it does not, and the name is not plain": {&no, "UP.example:443/app:v1.0.0", "@D", "D"},
		"it does not, and there is no tag":       {&no, "up.example/app", "@D", "D"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "up.example", "m.example")
			index := newIndex(t, "linux/amd64")
			for _, tag := range []string{"v1.0.0", "latest"} {
				w.put("up.example/app:"+tag, index)
				w.put("m.example/up/app:"+tag, index)
			}
			w.servers["m.example"].forget()
			digest := digestOf(t, index)
			policy := Policy{Rules: Rules{{Source: "up.example", Endpoint: "https://m.example", Path: "up", Kind: Transparent, Tags: c.tags}}}
			lock := &Lock{}
			for _, u := range lock.Update(w.client(Options{UserAgent: "gen"}).Verify(t.Context(), Requests([]string{c.reference}, policy))) {
				if u.Outcome != Added {
					t.Fatalf("%s: %s", u.Outcome, u.Message)
				}
			}
			want := c.reference
			if c.suffix != "" {
				want += "@" + digest
			}
			got, status := lock.Lookup(c.reference, policy)
			if got != want || status != Proven {
				t.Errorf("written is %s (%s), want %s", got, status, want)
			}
			asked := c.asked
			if asked == "D" {
				asked = digest
			}
			if first := w.servers["m.example"].manifests()[0]; first != "GET /v2/up/app/manifests/"+asked {
				t.Errorf("the mirror was asked for %s, want %s", first, asked)
			}
			lock = &Lock{}
			lock.Update(w.client(Options{UserAgent: "gen"}).Verify(t.Context(), Requests([]string{want}, policy)))
			if again, status := lock.Lookup(want, policy); again != want || status != Proven {
				t.Errorf("a second run makes %s of it (%s)", again, status)
			}
		})
	}
}
