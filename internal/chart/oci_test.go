package chart

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// newRegistry starts a registry and returns its oci:// address.
func newRegistry(t testing.TB, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if wrap != nil {
		handler = wrap(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return "oci://" + strings.TrimPrefix(server.URL, "http://") + "/charts"
}

// push pushes a chart as helm push does.
func push(t testing.TB, address string, archive []byte, layerType types.MediaType) {
	t.Helper()
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), "application/vnd.cncf.helm.config.v1+json")
	image, err := mutate.AppendLayers(image, static.NewLayer(archive, layerType))
	if err != nil {
		t.Fatal(err)
	}
	write := func(image v1.Image) error {
		ref, err := name.ParseReference(strings.TrimPrefix(address, ociScheme))
		if err != nil {
			return err
		}
		return remote.Write(ref, image, remote.WithContext(t.Context()))
	}
	if err := write(image); err != nil {
		t.Fatal(err)
	}
}

func TestResolveAndOpenOCI(t *testing.T) {
	archive := pack(t, "podinfo", map[string]string{"Chart.yaml": chartYAML("podinfo", "6.9.0+build.1")})
	repo := newRegistry(t, nil)
	push(t, repo+"/podinfo:6.9.0_build.1", archive, chartLayer)
	w := serve(t)
	w.body("/charts/index.yaml", []byte("entries: {podinfo: [{name: podinfo, version: 6.9.0+build.1, urls: ['"+repo+"/podinfo:6.9.0_build.1']}]}"))
	for name, base := range map[string]string{"registry": repo, "index that leads to a registry": w.URL + "/charts"} {
		t.Run(name, func(t *testing.T) {
			source := Source{Repo: base, Name: "podinfo", Version: "6.9.0+build.1"}
			store := quick(Options{})
			entry, err := store.Resolve(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			want := Entry{Source: source, Digest: archiveDigest(archive), URL: repo + "/podinfo:6.9.0_build.1"}
			if diff := cmp.Diff(want, entry); diff != "" {
				t.Fatalf("entry (-want +got):\n%s", diff)
			}
			content, err := quick(Options{}).Open(t.Context(), source, entry)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]string{"Chart.yaml": chartYAML("podinfo", "6.9.0+build.1")}, listing(t, content)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOpenOCITagThatMoved opens the locked content although its tag names other content now, for a registry answers by digest; once the
// registry dropped it, the error names both digests.
func TestOpenOCITagThatMoved(t *testing.T) {
	old, republished := podinfo(t, "a: 1\n"), podinfo(t, "a: 2\n")
	dropped := false
	repo := newRegistry(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if dropped && strings.HasSuffix(r.URL.Path, archiveDigest(old)) {
				http.NotFound(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	push(t, repo+"/podinfo:6.9.0", old, chartLayer)
	source := Source{Repo: repo, Name: "podinfo", Version: "6.9.0"}
	entry, err := quick(Options{}).Resolve(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	push(t, repo+"/podinfo:6.9.0", republished, chartLayer)
	if _, err := quick(Options{}).Open(t.Context(), source, entry); err != nil {
		t.Fatalf("the registry still has the locked bytes, yet: %v", err)
	}
	verdict, err := quick(Options{}).Verify(t.Context(), source, entry)
	if err != nil || verdict.State != Changed || verdict.Found != archiveDigest(republished) {
		t.Errorf("verdict = %+v, %v", verdict, err)
	}
	dropped = true
	_, err = quick(Options{}).Open(t.Context(), source, entry)
	for _, want := range []string{archiveDigest(old), archiveDigest(republished), "published again", RenewCommand} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q: %v", want, err)
		}
	}
}

func TestOCIMistakes(t *testing.T) {
	repo := newRegistry(t, nil)
	push(t, repo+"/image:1.0.0", []byte("x"), types.OCILayer)
	push(t, repo+"/podinfo:1.0.0", podinfo(t, ""), chartLayer)
	push(t, repo+"/other:6.9.0", podinfo(t, ""), chartLayer)
	tests := map[string]struct {
		source Source
		want   string
	}{
		"https and a registry's host": {Source{Repo: "https://ghcr.io/stefanprodan/charts", Name: "podinfo", Version: "1.0.0"}, "ghcr.io is an OCI registry and has no index.yaml; write oci://ghcr.io/stefanprodan/charts"},
		"no scheme":                   {Source{Repo: "registry-1.docker.io/bitnamicharts", Name: "nginx", Version: "1.0.0"}, "write https://… for a repository with an index.yaml, oci://registry-1.docker.io/bitnamicharts for a registry"},
		"host and port, no scheme":    {Source{Repo: "registry.example:5000/charts", Name: "nginx", Version: "1.0.0"}, "oci://registry.example:5000/charts for a registry"},
		"tag in the repository":       {Source{Repo: "oci://ghcr.io/stefanprodan/charts/podinfo:6.9.0", Name: "podinfo", Version: "1.0.0"}, "a tag or digest does not belong here; write oci://ghcr.io/stefanprodan/charts/podinfo and the version as version"},
		"digest in the repository":    {Source{Repo: "oci://ghcr.io/charts/podinfo@" + digestA, Name: "podinfo", Version: "1.0.0"}, "write oci://ghcr.io/charts/podinfo and the version as version"},
		"name doubled":                {Source{Repo: repo + "/podinfo", Name: "podinfo", Version: "1.0.0"}, "the name podinfo is added to the repository: write " + repo},
		"upper case":                  {Source{Repo: "oci://ghcr.io/Charts", Name: "podinfo", Version: "1.0.0"}, "can only contain the characters"},
		"unknown tag":                 {Source{Repo: repo, Name: "podinfo", Version: "9.9.9"}, "MANIFEST_UNKNOWN"},
		"an image, no chart":          {Source{Repo: repo, Name: "image", Version: "1.0.0"}, "it is no Helm chart"},
		"another chart inside":        {Source{Repo: repo, Name: "other", Version: "6.9.0"}, "the archive holds chart podinfo 6.9.0"},
		"another version inside":      {Source{Repo: repo, Name: "podinfo", Version: "1.0.0"}, "the archive holds chart podinfo 6.9.0"},
		"a range":                     {Source{Repo: repo, Name: "podinfo", Version: "^1.0.0"}, `"^1.0.0" is no exact version`},
		"no server":                   {Source{Repo: "oci://127.0.0.1:1/charts", Name: "podinfo", Version: "1.0.0"}, "connection refused"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := quick(Options{}).Resolve(t.Context(), test.source)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v\nwant one with %q", err, test.want)
			}
		})
	}
}

// TestOCILogin asks for the login of the registry's host, and only with it is the chart there.
func TestOCILogin(t *testing.T) {
	locked := false
	repo := newRegistry(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user, password, _ := r.BasicAuth()
			if locked && (user != "me" || password != "secret") {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				http.Error(w, "no", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	push(t, repo+"/podinfo:6.9.0", podinfo(t, ""), chartLayer)
	locked = true
	host := strings.TrimSuffix(strings.TrimPrefix(repo, ociScheme), "/charts")
	source := Source{Repo: repo, Name: "podinfo", Version: "6.9.0"}
	login := func(u *url.URL) (Login, bool) { return Login{"me", "secret"}, u.Host == host }
	if _, err := quick(Options{Credentials: login}).Resolve(t.Context(), source); err != nil {
		t.Error(err)
	}
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	_, err := quick(Options{}).Resolve(t.Context(), source)
	if err == nil || !strings.Contains(err.Error(), "401 Unauthorized") {
		t.Errorf("error = %v", err)
	}
	wrong := func(*url.URL) (Login, bool) { return Login{"me", "wrong-secret"}, true }
	_, err = quick(Options{Credentials: wrong}).Resolve(t.Context(), source)
	if err == nil || strings.Contains(err.Error(), "wrong-secret") {
		t.Errorf("error = %v", err)
	}
}

// TestOCILies serves other bytes under a digest, and a blob that never ends.
func TestOCILies(t *testing.T) {
	archive := podinfo(t, "a: 1\n")
	var blob http.HandlerFunc
	repo := newRegistry(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && blob != nil && strings.Contains(r.URL.Path, "/blobs/"+archiveDigest(archive)) {
				blob(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	push(t, repo+"/podinfo:6.9.0", archive, chartLayer)
	tests := map[string]struct {
		blob http.HandlerFunc
		want string
	}{
		"other bytes": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(podinfo(t, "a: 2\n")) }, "error verifying"},
		"no end": {func(w http.ResponseWriter, _ *http.Request) {
			for zeros := bytes.Repeat([]byte{0}, 1<<20); ; {
				if _, err := w.Write(zeros); err != nil {
					return
				}
			}
		}, "it is larger than 64 MiB"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			blob = test.blob
			_, err := quick(Options{}).Resolve(t.Context(), Source{Repo: repo, Name: "podinfo", Version: "6.9.0"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v\nwant one with %q", err, test.want)
			}
		})
	}
}

func TestOutdatedOCI(t *testing.T) {
	repo := newRegistry(t, nil)
	for _, tag := range []string{"1.0.0", "1.0.3", "1.2.0", "2.0.0_build.5", "3.0.0-rc.1", "latest"} {
		push(t, repo+"/podinfo:"+tag, podinfo(t, ""), chartLayer)
	}
	source := Source{Repo: repo, Name: "podinfo", Version: "1.0.0"}
	got, err := quick(Options{}).Outdated(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Newer{Source: source, Patch: "1.0.3", Minor: "1.2.0", Latest: "2.0.0+build.5"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
