package image

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bearer is a registry that wants tokens; tokens serve the scopes that were asked for, or only the first of them.
type bearer struct {
	host      string
	onlyFirst bool
	user      string // "" lets everybody have a token
}

func (b bearer) fault(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.URL.Path == "/token" {
		if user, _, _ := r.BasicAuth(); b.user != "" && user != b.user {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		scopes := r.URL.Query()["scope"]
		if b.onlyFirst {
			scopes = scopes[:1]
		}
		token := base64.RawURLEncoding.EncodeToString([]byte(strings.Join(scopes, " ")))
		_ = json.NewEncoder(w).Encode(map[string]string{"token": token})
		return
	}
	raw, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	repository, _, manifests := strings.Cut(strings.NewReplacer("/blobs/", "/manifests/", "/referrers/", "/manifests/").Replace(strings.TrimPrefix(r.URL.Path, "/v2/")), "/manifests/")
	scope := "repository:" + repository + ":pull"
	if manifests && slices.Contains(strings.Fields(string(raw)), scope) {
		next.ServeHTTP(w, r)
		return
	}
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="https://%s/token",service=%q,scope=%q`, b.host, b.host, scope))
	w.WriteHeader(http.StatusUnauthorized)
}

// hundred fills a world with 100 images, and returns what to ask about them.
func hundred(t testing.TB, w *world) []Request {
	t.Helper()
	return hundredOf(t, w, nil)
}

// hundredOf makes them indexes of platforms, or single images.
func hundredOf(t testing.TB, w *world, platforms []string) []Request {
	t.Helper()
	var img any = newImage(t)
	if len(platforms) > 0 {
		img = newIndex(t, platforms...)
	}
	var out []Request
	for i := range 100 {
		w.put(fmt.Sprintf("up.example/org/app-%03d:v1.0.0", i), img)
		w.put(fmt.Sprintf("m.example/up/org/app-%03d:v1.0.0", i), img)
		out = append(out, request(t, oneRule, fmt.Sprintf("up.example/org/app-%03d:v1.0.0", i), platforms...))
	}
	for host, s := range w.servers {
		s.fault = bearer{host: host}.fault
		s.forget()
	}
	return out
}

func allSame(t testing.TB, results []Result) {
	t.Helper()
	for _, r := range results {
		if r.Verdict != Same {
			t.Fatalf("%s: %s: %s", r.Request.Ref, r.Verdict, r.Message)
		}
	}
}

// TestRequests: 100 images cost one ping, one token and one request each at both sides, however often they are named.
func TestRequests(t *testing.T) {
	w := newWorld(t, "up.example", "m.example")
	requests := hundred(t, w)
	many := slices.Repeat(requests, 10)
	allSame(t, w.client(Options{}).Verify(t.Context(), many))
	for host, s := range w.servers {
		if len(s.asked) > 102 {
			t.Errorf("%s was asked %d times", host, len(s.asked))
		}
	}
}

// TestNarrowTokens: a server that looks at the first scope only costs more requests, and nothing else.
func TestNarrowTokens(t *testing.T) {
	w := newWorld(t, "up.example", "m.example")
	requests := hundred(t, w)
	w.servers["m.example"].fault = bearer{host: "m.example", onlyFirst: true}.fault
	allSame(t, w.client(Options{}).Verify(t.Context(), requests))
}

// TestCredentials: each host gets its own credential and no other's, a redirect takes none along, messages hold no secret.
func TestCredentials(t *testing.T) {
	w := newWorld(t, "up.example", "m.example", "cdn.example")
	img := newImage(t)
	w.put("cdn.example/app:v1.0.0", img)
	w.put("m.example/up/app:v1.0.0", img)
	w.servers["cdn.example"].fault = bearer{host: "cdn.example"}.fault // as a gateway's own registry, it wants a token
	w.servers["m.example"].fault = bearer{host: "m.example", user: "mirror-user"}.fault
	w.servers["up.example"].fault = func(rw http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(rw, r, "https://cdn.example"+r.URL.Path, http.StatusFound)
	}
	config := `{"auths":{"up.example":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("up-user:up-secret")) + `"},
		"m.example":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("mirror-user:mirror-secret")) + `"}}}`
	chain, err := ParseKeychain("config.json", []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	result := w.client(Options{Keychain: chain}).Verify(t.Context(), []Request{request(t, oneRule, "up.example/app:v1.0.0")})[0]
	if result.Verdict != Same {
		t.Errorf("%s: %s", result.Verdict, result.Message)
	}
	for host, s := range w.servers {
		for _, header := range s.creds {
			plain := header
			if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(header, "Basic ")); err == nil {
				plain = string(raw)
			}
			if strings.Contains(plain, "secret") && !(host == "m.example" && strings.Contains(plain, "mirror-secret")) {
				t.Errorf("%s was shown %s", host, plain)
			}
		}
	}
	w.servers["m.example"].fault = bearer{host: "m.example", user: "somebody-else"}.fault
	result = w.client(Options{Keychain: chain}).Verify(t.Context(), []Request{request(t, oneRule, "up.example/app:v1.0.0")})[0]
	text := fmt.Sprintf("%+v", result)
	if result.Verdict != Unknown || strings.Contains(text, "secret") || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte("mirror-user:mirror-secret"))) {
		t.Errorf("%s", text)
	}
}

// TestKeychain: which entry of a docker config serves a repository.
func TestKeychain(t *testing.T) {
	auth := func(user string) string {
		return `{"auth":"` + base64.StdEncoding.EncodeToString([]byte(user+":p")) + `"}`
	}
	chain, err := ParseKeychain("config.json", []byte(`{"auths":{"ghcr.io/orga":`+auth("a")+`,"ghcr.io/orgb":`+auth("b")+`,"ghcr.io/orgb/deep":`+auth("deep")+
		`,"https://index.docker.io/v1/":`+auth("hub")+`,"https://quay.io":`+auth("quay")+`,"r.example:443":`+auth("port")+`,"empty.example":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // the map of the config is walked in any order
		for repository, want := range map[string]string{
			"ghcr.io/orga/app": "a", "ghcr.io/orgb/app": "b", "ghcr.io/orgb/deep/app": "deep", "ghcr.io/orgab/app": "", "ghcr.io/other/app": "",
			"docker.io/library/nginx": "hub", "index.docker.io/library/nginx": "hub", "quay.io/a/b": "quay", "r.example/x": "port", "empty.example/x": "", "quay.io.evil/x": "",
		} {
			got, err := chain.Credential(t.Context(), repository)
			if err != nil || got.Config.Username != want {
				t.Fatalf("%s: %q, %v; want %q", repository, got.Config.Username, err, want)
			}
		}
	}
	if _, err := ParseKeychain("config.json", []byte(`{"auths":{"a":{"auth":"c2VjcmV0"}}}`)); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a broken config: %v", err)
	}
}

// TestHelper: a credential helper runs once a host; a missing one is no reason not to ask for a public image.
func TestHelper(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nread host\necho $host >>" + dir + "/runs\necho '{\"Username\":\"u\",\"Secret\":\"s\"}'\n"
	if err := os.WriteFile(filepath.Join(dir, "docker-credential-test"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	chain, err := ParseKeychain("config.json", []byte(`{"credHelpers":{"a.example":"test","b.example":"nowhere"},"credsStore":"test"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, repository := range []string{"a.example/x", "a.example/y", "other.example/x", "docker.io/x/y", "docker.io/x/z"} {
		if got, err := chain.Credential(t.Context(), repository); err != nil || got.Config.Username != "u" {
			t.Errorf("%s: %+v, %v", repository, got, err)
		}
	}
	if runs, err := os.ReadFile(filepath.Join(dir, "runs")); err != nil || string(runs) != "a.example\nother.example\nhttps://index.docker.io/v1/\n" {
		t.Errorf("it ran for %q, %v", runs, err)
	}
	if _, err := chain.Credential(t.Context(), "b.example/x"); err == nil || !strings.Contains(err.Error(), "docker-credential-nowhere about b.example: the program is not in PATH") {
		t.Errorf("a missing helper: %v", err)
	}
}

// TestRetryAfter: a registry that asks for a pause gets it; one that asks for an hour is not asked again.
func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		after string
		times int
		want  Verdict
	}{"two seconds, once": {"2", 1, Same}, "an hour": {"3600", 1, Unknown}, "for ever": {"1", 99, Unknown}} {
		w := newWorld(t, "up.example", "m.example")
		img := newImage(t)
		w.put("up.example/app:v1.0.0", img)
		w.put("m.example/up/app:v1.0.0", img)
		refused := 0
		w.servers["m.example"].fault = onManifests("GET", func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
			if refused++; refused <= c.times {
				rw.Header().Set("Retry-After", c.after)
				rw.WriteHeader(http.StatusTooManyRequests)
				return
			}
			next.ServeHTTP(rw, r)
		})
		var waited []time.Duration
		wait := func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }
		got := w.client(Options{Wait: wait}).Verify(t.Context(), []Request{request(t, oneRule, "up.example/app:v1.0.0")})[0]
		if got.Verdict != c.want || refused > 3 {
			t.Errorf("%s: %s after %d requests: %s", name, got.Verdict, refused, got.Message)
		}
		if name == "two seconds, once" && (len(waited) == 0 || waited[0] != 2*time.Second) {
			t.Errorf("waited %v", waited)
		}
	}
}

// TestQuota: where Docker Hub says that no pull is left, nothing is pulled, and HEAD, which costs none, goes on.
func TestQuota(t *testing.T) {
	w := newWorld(t, "up.example", "m.example")
	w.put("up.example/app:v1.0.0", newImage(t))
	w.put("m.example/up/app:v1.0.0", newImage(t))
	w.servers["up.example"].fault = setHeader("Ratelimit-Remaining", "0;w=21600")
	got := w.client(Options{}).Verify(t.Context(), []Request{request(t, oneRule, "up.example/app:v1.0.0")})[0]
	if got.Verdict != Different || !strings.Contains(got.Message, "pull quota is used up") {
		t.Errorf("%s: %s", got.Verdict, got.Message)
	}
	if gets := slices.DeleteFunc(w.servers["up.example"].manifests(), func(m string) bool { return !strings.HasPrefix(m, "GET /v2/app/manifests/") }); len(gets) > 0 {
		t.Errorf("pulled: %v", gets)
	}
}

// TestPrivateCA: a mirror behind an authority of its own works with it, and without it the message says which fact to set.
func TestPrivateCA(t *testing.T) {
	w := newWorld(t, "m.example")
	img := newImage(t)
	w.put("m.example/up/app:v1.0.0", img)
	s := w.servers["m.example"]
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	rules := Rules{{Source: "up.example", Endpoint: s.URL, Path: "up", Kind: Explicit, CA: ca}}
	asked := request(t, rules, "up.example/app:v1.0.0@"+digestOf(t, img))
	if got := New(Options{CAs: rules.CAs()}).Verify(t.Context(), []Request{asked})[0]; got.Verdict != Same {
		t.Errorf("with the authority: %s: %s", got.Verdict, got.Message)
	}
	got := New(Options{}).Verify(t.Context(), []Request{asked})[0]
	if got.Verdict != Unknown || !strings.Contains(got.Message, "`ca:` of the mirror (facts.mirrors)") {
		t.Errorf("without it: %s: %s", got.Verdict, got.Message)
	}
}
