package chart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// answer is a fixed status.
func answer(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte("an error page"))
	}
}

// reset hangs up without an answer.
func reset(w http.ResponseWriter, _ *http.Request) {
	if connection, _, err := w.(http.Hijacker).Hijack(); err == nil {
		_ = connection.(*net.TCPConn).SetLinger(0)
		_ = connection.Close()
	}
}

// cutShort promises more than it sends.
func cutShort(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte("entries:\n"))
}

// hang says nothing until the client gives up.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// hangMidway begins, then says nothing.
func hangMidway(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte("entries:\n"))
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// endless never stops sending.
func endless(w http.ResponseWriter, _ *http.Request) {
	for spaces := bytes.Repeat([]byte("#"), 1<<20); ; {
		if _, err := w.Write(spaces); err != nil {
			return
		}
	}
}

// text is a fixed body.
func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

const (
	indexPath   = "/charts/index.yaml"
	archivePath = "/charts/podinfo-6.9.0.tgz"
)

// TestRepositoryFailures asks a server that fails, once for the index and once for the archive, and counts how often.
func TestRepositoryFailures(t *testing.T) {
	both := []string{indexPath, archivePath}
	tests := map[string]struct {
		paths   []string
		handler http.HandlerFunc
		want    string
		asked   int
	}{
		"404":               {both, answer(404), "answers 404 Not Found: nothing is there (any more)", 1},
		"410":               {both, answer(410), "answers 410 Gone: nothing is there (any more)", 1},
		"401":               {both, answer(401), "answers 401 Unauthorized: it wants a login; add one for this host to the netrc file, or correct it", 1},
		"403":               {both, answer(403), "answers 403 Forbidden: this login, or anybody without one, may not read it", 1},
		"418":               {both, answer(418), "answers 418 I'm a teapot", 1},
		"500":               {both, answer(500), "answers 500 Internal Server Error", attempts},
		"503":               {both, answer(503, "Retry-After", "0"), "answers 503 Service Unavailable", attempts},
		"429":               {both, answer(429, "Retry-After", "0"), "answers 429 Too Many Requests: it limits requests, and still did at attempt 3", attempts},
		"429 for long":      {both, answer(429, "Retry-After", "3600"), "it asks to come back after 1h0m0s", 1},
		"429 until a date":  {both, answer(429, "Retry-After", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat)), "it asks to come back after ", 1},
		"429 with nonsense": {both, answer(429, "Retry-After", "soon"), "answers 429 Too Many Requests", attempts},
		"connection reset":  {both, reset, "", attempts},
		"cut short":         {both, cutShort, "unexpected EOF", attempts},
		"hangs":             {both, hang, "the server fell silent for 1s", 1},
		"hangs midway":      {both, hangMidway, "the server fell silent for 1s", 1},
		"endless":           {both, endless, "it is larger than 64 MiB, the most that is read", 1},
		"claims to be huge": {both, answer(200, "Content-Length", fmt.Sprint(maxIndex+1)), "it is larger than 64 MiB", 1},
		"redirects for ever": {
			both, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
			"following redirects: more than 10", maxRedirects,
		},
		"web page":          {[]string{indexPath}, text("<!DOCTYPE html><title>Log in</title>"), "the answer is a web page, not YAML", 1},
		"no YAML":           {[]string{indexPath}, text("entries: [\n"), "the answer is no chart index: yaml: line ", 1},
		"other YAML":        {[]string{indexPath}, text("a: b\n"), "the answer is no chart index: it has no entries", 1},
		"empty":             {[]string{indexPath}, text(""), "the answer is no chart index: it has no entries", 1},
		"a list":            {[]string{indexPath}, text("- a\n"), "the answer is no chart index: yaml: ", 1},
		"web page, archive": {[]string{archivePath}, text("<html>"), "the index says " + archiveDigest(podinfo(t, "")), 1},
	}
	for name, test := range tests {
		for _, path := range test.paths {
			t.Run(name+" "+path, func(t *testing.T) {
				w := serve(t)
				w.publish(t, podinfo(t, ""), "", "podinfo-6.9.0.tgz")
				w.page(path, test.handler)
				_, err := quick(Options{Stall: time.Second}).Resolve(t.Context(), Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"})
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), w.URL+path) {
					t.Errorf("error = %v\nwant one with %q and %q", err, test.want, w.URL+path)
				}
				if got := w.count(path); got != test.asked {
					t.Errorf("asked %d times, want %d", got, test.asked)
				}
			})
		}
	}
}

func TestRepositoryRecovers(t *testing.T) {
	tests := map[string]http.HandlerFunc{"500": answer(500), "reset": reset, "cut short": cutShort, "429": answer(429)}
	for name, failure := range tests {
		t.Run(name, func(t *testing.T) {
			archive := podinfo(t, "")
			w := serve(t)
			w.publish(t, archive, "", "podinfo-6.9.0.tgz")
			w.page(archivePath, func(out http.ResponseWriter, in *http.Request) {
				if w.count(archivePath) < attempts {
					failure(out, in)
					return
				}
				_, _ = out.Write(archive)
			})
			if _, err := quick(Options{}).Resolve(t.Context(), Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRepositoryDeadline(t *testing.T) {
	w := serve(t)
	w.page(indexPath, hang)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := quick(Options{Stall: time.Hour}).Resolve(ctx, Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v", err)
	}
	// While it waits to try again, too.
	w.page(indexPath, answer(429, "Retry-After", "20"))
	ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second) // time for the first answer on a busy machine, and far below Retry-After
	defer cancel()
	_, err = quick(Options{}).Resolve(ctx, Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "429 Too Many Requests") {
		t.Errorf("error = %v", err)
	}
}

// TestSlowServerIsNotAStalledOne downloads for longer than the stall time, a little at a time.
func TestSlowServerIsNotAStalledOne(t *testing.T) {
	archive := podinfo(t, "")
	w := serve(t)
	w.publish(t, archive, "", "podinfo-6.9.0.tgz")
	w.page(archivePath, func(out http.ResponseWriter, _ *http.Request) {
		for i := range archive {
			if i%(len(archive)/10) == 0 {
				time.Sleep(200 * time.Millisecond)
			}
			_, _ = out.Write(archive[i : i+1])
			out.(http.Flusher).Flush()
		}
	})
	if _, err := quick(Options{Stall: 1500 * time.Millisecond}).Resolve(t.Context(), Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}); err != nil {
		t.Error(err)
	}
}

func TestIndexLies(t *testing.T) {
	w := serve(t)
	archive := podinfo(t, "")
	w.publish(t, archive, strings.Repeat("d", 64), "podinfo-6.9.0.tgz")
	source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
	_, err := quick(Options{}).Resolve(t.Context(), source)
	for _, want := range []string{"the index says sha256:" + strings.Repeat("d", 64), w.URL + archivePath, archiveDigest(archive)} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q: %v", want, err)
		}
	}
}

func TestIndexMistakes(t *testing.T) {
	tests := map[string]struct{ index, name, version, want string }{
		"unknown chart":     {"entries: {cert-manager: [{name: cert-manager, version: 1.0.0}]}", "cert", "1.0.0", "its index has no such chart; did you mean cert-manager?"},
		"unknown version":   {"entries: {a: [{version: 1.0.0}, {version: 1.2.0}, {version: 2.0.0-rc.1}, {version: nonsense}]}", "a", "3.0.0", "its index has no version 3.0.0; the newest stable one is 1.2.0"},
		"no exact version":  {"entries: {a: [{version: 1.0.0}]}", "a", "1.0", `"1.0" is no exact version; the newest stable one is 1.0.0`},
		"no URL":            {"entries: {a: [{name: a, version: 1.0.0}]}", "a", "1.0.0", "a 1.0.0 has no URL"},
		"another scheme":    {"entries: {a: [{name: a, version: 1.0.0, urls: ['file:///etc/passwd']}]}", "a", "1.0.0", "only http, https and oci are fetched"},
		"a login in a URL":  {"entries: {a: [{name: a, version: 1.0.0, urls: ['https://me:secret@a.example/a.tgz']}]}", "a", "1.0.0", "lies at a URL with a login in it"},
		"no URL at all":     {"entries: {a: [{name: a, version: 1.0.0, urls: ['http://[::1']}]}", "a", "1.0.0", "which is none"},
		"entries of a text": {"entries: {a: text}", "a", "1.0.0", "the answer is no chart index"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := serve(t)
			w.body(indexPath, []byte(test.index))
			_, err := quick(Options{}).Resolve(t.Context(), Source{Repo: w.URL + "/charts", Name: test.name, Version: test.version})
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error = %v\nwant one with %q", err, test.want)
			}
		})
	}
}

func TestIndexVersionWithOrWithoutV(t *testing.T) {
	for _, pair := range [][2]string{{"v6.9.0", "6.9.0"}, {"6.9.0", "v6.9.0"}} {
		archive := pack(t, "podinfo", map[string]string{"Chart.yaml": chartYAML("podinfo", pair[0])})
		w := serve(t)
		w.publish(t, archive, "", "podinfo-"+pair[0]+".tgz")
		entry, err := quick(Options{}).Resolve(t.Context(), Source{Repo: w.URL + "/charts/", Name: "podinfo", Version: pair[1]})
		if err != nil || entry.URL != w.URL+"/charts/podinfo-"+pair[0]+".tgz" {
			t.Errorf("%v: %v, %v", pair, entry.URL, err)
		}
	}
}

// TestLoginsStayAtTheirHost redirects to another host, names archives on another host, and looks who got which login.
func TestLoginsStayAtTheirHost(t *testing.T) {
	archive := podinfo(t, "")
	got := map[string]string{}
	note := func(who string, next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			user, password, _ := r.BasicAuth()
			got[who] = user + ":" + password
			next(w, r)
		}
	}
	w, other := serve(t), serve(t)
	w.publish(t, archive, "", "podinfo-6.9.0.tgz")
	w.page(indexPath, note("index", w.pages[indexPath]))
	w.page(archivePath, note("archive", func(out http.ResponseWriter, in *http.Request) {
		http.Redirect(out, in, other.URL+"/storage", http.StatusFound)
	}))
	other.page("/storage", note("storage", text(string(archive))))
	logins, err := Netrc([]byte("machine "+host(w.URL)+" login me password secret # mine\n"), "netrc")
	if err != nil {
		t.Fatal(err)
	}
	source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
	if _, err := quick(Options{Credentials: logins}).Resolve(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"index": "me:secret", "archive": "me:secret", "storage": ":"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("logins (-want +got):\n%s", diff)
	}
}

// host is the host and port of a URL.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

func TestRedirectToPlainHTTPIsRefused(t *testing.T) {
	w := serve(t)
	w.publish(t, podinfo(t, ""), "", "podinfo-6.9.0.tgz")
	secure := httptest.NewTLSServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		http.Redirect(out, in, w.URL+in.URL.Path+"?signature=abc", http.StatusFound)
	}))
	defer secure.Close()
	store := quick(Options{Transport: secure.Client().Transport})
	_, err := store.Resolve(t.Context(), Source{Repo: secure.URL + "/charts", Name: "podinfo", Version: "6.9.0"})
	if err == nil || !strings.Contains(err.Error(), "following a redirect from https to http://"+host(w.URL)+": refused") {
		t.Errorf("error = %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "signature") {
		t.Errorf("the error shows a signed address: %v", err)
	}
	if w.count(indexPath) != 0 {
		t.Error("the plain address was read")
	}
}

func TestNetrc(t *testing.T) {
	tests := map[string]struct {
		in, ask string
		want    Login
		found   bool
	}{
		"host":              {"machine a.example login u password p", "https://a.example/x", Login{"u", "p"}, true},
		"lines and comment": {"# mine\nmachine a.example\n login u\n password p\nmachine b.example login v password q", "https://b.example/x", Login{"v", "q"}, true},
		"port stated":       {"machine a.example:8443 login u password p", "https://a.example:8443/x", Login{"u", "p"}, true},
		"other port":        {"machine a.example login u password p", "https://a.example:8443/x", Login{}, false},
		"subdomain":         {"machine a.example login u password p", "https://x.a.example/x", Login{}, false},
		"empty":             {"", "https://a.example/x", Login{}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			logins, err := Netrc([]byte(test.in), "netrc")
			if err != nil {
				t.Fatal(err)
			}
			u, err := url.Parse(test.ask)
			if err != nil {
				t.Fatal(err)
			}
			got, found := logins(u)
			if found && got != test.want || found != test.found {
				t.Errorf("found %v", found)
			}
			if printed := fmt.Sprintf("%v %+v %#v %s", got, got, got, got); strings.Contains(printed, "p") {
				t.Errorf("a login prints as %s", printed)
			}
		})
	}
}

func TestNetrcMistakes(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"default":       {"machine a.example login u password hunter2\ndefault login u password hunter2", "netrc:2: reading logins: a default login would go to any host"},
		"no machine":    {"login u password hunter2", "netrc:1: reading logins: login stands before any machine"},
		"unknown word":  {"machine a.example hunter2", "netrc:1: reading logins: expected machine, login or password"},
		"ends too soon": {"machine a.example login u password", "netrc: reading logins: the file ends after password"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Netrc([]byte(test.in), "netrc")
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error = %v\nwant one with %q", err, test.want)
			}
		})
	}
}

func TestSourceValidate(t *testing.T) {
	tests := map[string]struct {
		source Source
		want   string
	}{
		"good":            {Source{Repo: "https://a.example/charts", Name: "a", Version: "1.0.0"}, ""},
		"nothing":         {Source{}, "it is empty; state a repo, a git repository or a path"},
		"two kinds":       {Source{Repo: "https://a.example", Name: "a", Version: "1.0.0", Path: "x"}, "exclude each other"},
		"ref without git": {Source{Path: "x", Ref: "v1"}, "exclude each other"},
		"no version":      {Source{Repo: "https://a.example", Name: "a"}, "state an exact one"},
		"no name":         {Source{Repo: "https://a.example", Version: "1.0.0"}, `"" is no name of a chart`},
		"name with slash": {Source{Repo: "https://a.example", Name: "a/../b", Version: "1.0.0"}, "is no name of a chart"},
		"a login":         {Source{Repo: "https://me:secret@a.example", Name: "a", Version: "1.0.0"}, "put the login into the netrc file"},
		"another scheme":  {Source{Repo: "ftp://a.example/charts", Name: "a", Version: "1.0.0"}, "it has no scheme that is known"},
		"no host":         {Source{Repo: "https:///charts", Name: "a", Version: "1.0.0"}, "it has no scheme that is known"},
		"a range":         {Source{Repo: "https://a.example", Name: "a", Version: "~1.2"}, "is no exact version"},
		"path out":        {Source{Path: "../x"}, "it leaves its folder"},
		"absolute path":   {Source{Path: "/etc"}, "it leaves its folder"},
		"a registry":      {Source{Repo: "https://123.dkr.ecr.eu-central-1.amazonaws.com/charts", Name: "a", Version: "1.0.0"}, "write oci://123.dkr.ecr.eu-central-1.amazonaws.com/charts"},
		"a bucket":        {Source{Repo: "https://mine.s3.eu-central-1.amazonaws.com/charts", Name: "a", Version: "1.0.0"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := test.source.Validate()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v\nwant one with %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows a password: %v", err)
			}
		})
	}
}
