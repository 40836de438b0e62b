package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/rogpeppe/go-internal/testscript"
)

// scriptNetwork holds the registries of a script, once there are any.
type scriptNetwork struct{ *registries }

type networkKey struct{}

func network(ts *testscript.TestScript) *scriptNetwork {
	n, ok := ts.Value(networkKey{}).(*scriptNetwork)
	if !ok {
		ts.Fatalf("the script has no place for registries")
	}
	return n
}

// cmdRegistries is the script command `registries HOST…`: registries of these names, which gen reaches through the proxy that the
// variables name. private:HOST has a certificate that gen does not trust; private.pem is its authority.
func cmdRegistries(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: registries [private:]HOST…")
	}
	started, err := startRegistries(args...)
	ts.Check(err)
	ts.Defer(started.close)
	network(ts).registries = started
	ts.Check(os.WriteFile(ts.MkAbs("public.pem"), started.public.pem, 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("private.pem"), started.private.pem, 0o600))
	ts.Setenv("PRIVATE_CA", strings.ReplaceAll(string(started.private.pem), "\n", `\n`)) // as a quoted YAML string has it
	ts.Setenv("PUBLIC_CA", strings.ReplaceAll(string(started.public.pem), "\n", `\n`))
	ts.Setenv("HTTPS_PROXY", started.proxy.URL)
	ts.Setenv("SSL_CERT_FILE", ts.MkAbs("public.pem"))
}

// cmdPush is the script command `push SEED REFERENCE… [PLATFORM…]`: it pushes the image for linux/amd64 that the seed stands for, or an
// index of its images where platforms are given, and puts its digest into the variables SEED and, bare, SEED_HEX.
func cmdPush(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: push SEED REFERENCE… [PLATFORM…]")
	}
	references, platforms := args[1:], []string(nil)
	if i := slices.IndexFunc(args, func(s string) bool { return strings.HasPrefix(s, "linux/") }); i > 0 {
		references, platforms = args[1:i], args[i:]
	}
	for _, reference := range references {
		digest, err := network(ts).push(reference, args[0], platforms)
		ts.Check(err)
		ts.Setenv(args[0], digest)
		ts.Setenv(args[0]+"_HEX", strings.TrimPrefix(digest, "sha256:"))
	}
}

// cmdWeather is the script command `weather HOST WORD [ARGUMENT…]`: from now on the host is fair, down, answers with a status and, if given,
// further headers, or wants a login.
func cmdWeather(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: weather HOST fair|down|token|login USER PASSWORD|gateway USER PASSWORD HOST|redirect HOST|page|other|blobless|STATUS [HEADER=VALUE]")
	}
	weather := weatherOf(ts, args)
	if !network(ts).host(args[0], func(h *registryHost) { h.down, h.weather = args[1] == "down", weather }) {
		ts.Fatalf("there is no host %s", args[0])
	}
}

type weather func(w http.ResponseWriter, r *http.Request, next http.Handler)

func weatherOf(ts *testscript.TestScript, args []string) weather {
	host, word, more := args[0], args[1], args[2:]
	switch word {
	case "fair", "down":
		return nil
	case "login":
		return login{host, more[0], more[1]}.serve
	case "token":
		return login{host: host}.serve
	case "redirect":
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			http.Redirect(w, r, "https://"+more[0]+r.URL.Path, http.StatusFound)
		}
	case "gateway":
		elsewhere := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+more[2]+r.URL.Path, http.StatusFound)
		})
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			login{host, more[0], more[1]}.serve(w, r, elsewhere)
		}
	case "page":
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html>Log in</html>"))
		}
	case "other":
		return otherBytes
	case "blobless":
		return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if strings.Contains(r.URL.Path, "/blobs/") {
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write([]byte(`{"errors":[{"code":"BLOB_UNKNOWN"}]}`))
				return
			}
			next.ServeHTTP(w, r)
		}
	}
	status, err := strconv.Atoi(word)
	ts.Check(err)
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for _, header := range more {
			key, value, _ := strings.Cut(header, "=")
			w.Header().Set(key, value)
		}
		w.WriteHeader(status)
	}
}

var anyDigest = regexp.MustCompile("sha256:[0-9a-f]{64}")

// otherBytes serves manifests that name other content, under their headers.
func otherBytes(w http.ResponseWriter, r *http.Request, next http.Handler) {
	recorder := httptest.NewRecorder()
	next.ServeHTTP(recorder, r)
	for key, values := range recorder.Header() {
		w.Header()[key] = values
	}
	w.WriteHeader(recorder.Code)
	body := recorder.Body.String()
	if strings.Contains(r.URL.Path, "/manifests/") {
		body = anyDigest.ReplaceAllString(body, "sha256:"+strings.Repeat("0", 64))
	}
	_, _ = w.Write([]byte(body))
}

// login is a registry that wants bearer tokens, and for them a user's password, where there is a user.
type login struct{ host, user, password string }

func (l login) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.URL.Path == "/token" {
		if user, password, _ := r.BasicAuth(); l.user != "" && (user != l.user || password != l.password) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		token := base64.RawURLEncoding.EncodeToString([]byte("granted " + l.password + " " + strings.Join(r.URL.Query()["scope"], " ")))
		_ = json.NewEncoder(w).Encode(map[string]string{"token": token})
		return
	}
	granted, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	repository, _, asks := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v2/"), "/manifests/")
	scope := "repository:" + repository + ":pull"
	if asks && slices.Contains(strings.Fields(string(granted)), scope) {
		next.ServeHTTP(w, r)
		return
	}
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="https://%s/token",service=%q,scope=%q`, l.host, l.host, scope))
	w.WriteHeader(http.StatusUnauthorized)
}

// cmdShown is the script command `shown HOST PATTERN`: the host was shown credentials of which one, decoded, holds the text; with !, none.
func cmdShown(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: shown HOST TEXT")
	}
	found := false
	network(ts).host(args[0], func(h *registryHost) {
		for _, header := range h.shown {
			_, secret, _ := strings.Cut(header, " ")
			plain, _ := base64.StdEncoding.DecodeString(secret)
			token, _ := base64.RawURLEncoding.DecodeString(secret)
			found = found || strings.Contains(header+" "+string(plain)+" "+string(token), args[1])
		}
	})
	if found == neg {
		ts.Fatalf("%s was shown %s: %v", args[0], args[1], found)
	}
}

// cmdAsked is the script command `asked HOST N`: the host was asked N times since the last such command, or, with !, `! asked` holds that
// nobody outside the network was asked, and `! asked HOST` that the host was not. `asked HOST 0 reset` begins to count anew.
func cmdAsked(ts *testscript.TestScript, neg bool, args []string) {
	n := network(ts)
	if strange := n.strangers(); len(strange) > 0 {
		ts.Fatalf("hosts outside the network were asked: %v", strange)
	}
	if len(args) == 0 {
		return
	}
	var asked []string
	n.host(args[0], func(h *registryHost) { asked, h.asked = h.asked, nil })
	want := 0
	if !neg {
		var err error
		want, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	if len(asked) != want && !slices.Contains(args, "reset") {
		ts.Fatalf("%s was asked %d times, want %d:\n%s", args[0], len(asked), want, strings.Join(asked, "\n"))
	}
}

func (n *registries) strangers() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.strange)
}

// push stores an image past the network's weather and counts.
func (n *registries) push(reference, seed string, platforms []string) (string, error) {
	ref, err := name.ParseReference(reference)
	if err != nil {
		return "", fmt.Errorf("pushing: %w", err)
	}
	option := remote.WithTransport(inProcess{n})
	if len(platforms) == 0 {
		image, err := seeded(seed, "linux/amd64")
		if err != nil {
			return "", err
		}
		if err := remote.Write(ref, image, option); err != nil {
			return "", fmt.Errorf("pushing %s: %w", reference, err)
		}
		return digestText(image.Digest())
	}
	index := v1.ImageIndex(empty.Index)
	for _, text := range platforms {
		platform, err := v1.ParsePlatform(text)
		if err != nil {
			return "", fmt.Errorf("pushing %s: %w", reference, err)
		}
		image, err := seeded(seed, text)
		if err != nil {
			return "", err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	if err := remote.WriteIndex(ref, index, option); err != nil {
		return "", fmt.Errorf("pushing %s: %w", reference, err)
	}
	return digestText(index.Digest())
}

func digestText(hash v1.Hash, err error) (string, error) { return hash.String(), err }

// seeded is an image whose bytes follow from a seed and a platform.
func seeded(seed, platform string) (v1.Image, error) {
	layer := static.NewLayer([]byte(seed+" for "+platform), types.OCIUncompressedLayer)
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), layer)
	if err != nil {
		return nil, fmt.Errorf("making the image %s: %w", seed, err)
	}
	return mutate.ConfigMediaType(image, types.OCIConfigJSON), nil
}

// inProcess hands requests to a host's registry itself.
type inProcess struct{ *registries }

// RoundTrip sends a request.
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	var to http.Handler
	host := r.URL.Host
	if host == "index.docker.io" || host == "docker.io" {
		host = "index.docker.io"
	}
	if !p.host(host, func(h *registryHost) { to = h.registry }) {
		return nil, &url.Error{Op: r.Method, URL: r.URL.String(), Err: http.ErrNoLocation}
	}
	recorder := httptest.NewRecorder()
	request := r.Clone(r.Context())
	request.RequestURI = r.URL.RequestURI()
	if request.Body == nil {
		request.Body = http.NoBody
	}
	to.ServeHTTP(recorder, request)
	answer := recorder.Result()
	answer.Request = r
	return answer, nil
}
