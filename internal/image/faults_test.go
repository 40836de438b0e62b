package image

import (
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/types"
)

type fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

// onManifests applies a fault to manifest requests with one of the methods only.
func onManifests(methods string, f fault) fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.Contains(r.URL.Path, "/manifests/") && strings.Contains(methods, r.Method) {
			f(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	}
}

// changed lets the registry answer, and then changes the answer.
func changed(change func(h http.Header, status int, body []byte) (int, []byte)) fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		status, body := change(recorder.Header(), recorder.Code, recorder.Body.Bytes())
		for key, values := range recorder.Header() {
			w.Header()[key] = values
		}
		if body != nil {
			w.Header().Del("Content-Length")
		}
		w.WriteHeader(status)
		if body != nil {
			_, _ = w.Write(body)
		} else {
			_, _ = w.Write(recorder.Body.Bytes())
		}
	}
}

func setHeader(key, value string) fault {
	return changed(func(h http.Header, status int, _ []byte) (int, []byte) {
		h.Del(key)
		if value != "" {
			h.Set(key, value)
		} else if key == "Content-Type" {
			h[key] = nil // keeps the server from guessing one
		}
		return status, nil
	})
}

func answer(status int, contentType, body string) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// gzipped compresses the answer, as some gateways do.
func gzipped(w http.ResponseWriter, r *http.Request, next http.Handler) {
	recorder := httptest.NewRecorder()
	next.ServeHTTP(recorder, r)
	for key, values := range recorder.Header() {
		w.Header()[key] = values
	}
	w.Header().Del("Content-Length")
	w.Header().Set("Content-Encoding", "gzip")
	zipped := gzip.NewWriter(w)
	_, _ = zipped.Write(recorder.Body.Bytes())
	_ = zipped.Close()
}

func otherBody(mediaType, header string) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", mediaType)
		w.Header().Set("Docker-Content-Digest", header)
		_, _ = w.Write([]byte(`{"schemaVersion":2,"config":{"digest":"sha256:` + hex64 + `","mediaType":"application/vnd.oci.image.config.v1+json","size":2},"layers":[]}`))
	}
}

// TestFaults is the fault table: what a registry may answer, at the source or at the mirror, and the verdict.
// Both sides hold the same index; in every row that ends SAME the bytes were seen.
func TestFaults(t *testing.T) {
	const forged = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	sourceDigest := "" // set below: the digest that both sides hold
	for name, c := range map[string]struct {
		source, mirror func() fault
		want           Verdict
		message        string
	}{
		"all well":                          {want: Same, message: "hash to the source's digest"},
		"mirror: lying header, right bytes": {mirror: func() fault { return onManifests("GET", setHeader("Docker-Content-Digest", forged)) }, want: Same},
		"mirror: right header, other bytes": {mirror: func() fault { return onManifests("GET", otherBody(string(types.OCIManifestSchema1), sourceDigest)) }, want: Different, message: "the mirror sha256:"},
		"mirror: schema 1 with a forged header": {mirror: func() fault {
			return onManifests("GET", otherBody(string(types.DockerManifestSchema1Signed), sourceDigest))
		}, want: Different, message: "whose digest cannot be checked"},
		"mirror: no digest header":        {mirror: func() fault { return onManifests("GET", setHeader("Docker-Content-Digest", "")) }, want: Same},
		"mirror: no content type":         {mirror: func() fault { return onManifests("GET", setHeader("Content-Type", "")) }, want: Same},
		"mirror: another content type":    {mirror: func() fault { return onManifests("GET", setHeader("Content-Type", string(types.DockerManifestList))) }, want: Unknown, message: "calls itself"},
		"mirror: content type of nothing": {mirror: func() fault { return onManifests("GET", setHeader("Content-Type", "application/octet-stream")) }, want: Unknown, message: "octet-stream"},
		"mirror: content type with a parameter": {mirror: func() fault {
			return onManifests("GET", changed(func(h http.Header, status int, _ []byte) (int, []byte) {
				h.Set("Content-Type", h.Get("Content-Type")+"; charset=utf-8")
				return status, nil
			}))
		}, want: Same},
		"mirror: login page":           {mirror: func() fault { return onManifests("GET", answer(200, "text/html", "<html>Log in</html>")) }, want: Unknown, message: "text/html"},
		"mirror: HTML called an index": {mirror: func() fault { return onManifests("GET", answer(200, string(types.OCIImageIndex), "<html>")) }, want: Unknown, message: "no image manifest"},
		"mirror: 401": {mirror: func() fault {
			return onManifests("GET", answer(401, "application/json", `{"errors":[{"code":"UNAUTHORIZED"}]}`))
		}, want: Unknown, message: "m.example refuses access to up/app (401; asked anonymously"},
		"mirror: 403": {mirror: func() fault {
			return onManifests("GET", answer(403, "application/json", `{"errors":[{"code":"DENIED"}]}`))
		}, want: Unknown, message: "403"},
		"mirror: 404 of a registry": {mirror: func() fault {
			return onManifests("GET", answer(404, "application/json", `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`))
		}, want: Missing, message: "neither the digest"},
		"mirror: 404 of a gateway": {mirror: func() fault { return onManifests("GET", answer(404, "text/html", `<h1>Not Found</h1>`)) }, want: Unknown, message: "not as a registry does"},
		"mirror: 404 that means denied": {mirror: func() fault {
			return onManifests("GET", answer(404, "application/json", `{"errors":[{"code":"DENIED"}]}`))
		}, want: Unknown, message: "DENIED"},
		"mirror: 429": {mirror: func() fault { return onManifests("GET", answer(429, "text/plain", "slow")) }, want: Unknown, message: "429"},
		"mirror: 500": {mirror: func() fault { return onManifests("GET", answer(500, "text/plain", "")) }, want: Unknown, message: "500"},
		"mirror: 503": {mirror: func() fault { return onManifests("GET", answer(503, "text/plain", "")) }, want: Unknown, message: "503"},
		"mirror: 10 MiB": {mirror: func() fault {
			return onManifests("GET", answer(200, string(types.OCIImageIndex), strings.Repeat(" ", 10<<20)))
		}, want: Unknown, message: "larger than 4 MiB"},
		"mirror: ping answers 404": {mirror: func() fault { return answer(404, "text/html", "") }, want: Unknown, message: "m.example answers the login with 404"},
		"mirror: closes the connection": {mirror: func() fault {
			return onManifests("GET", func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) })
		}, want: Unknown, message: "m.example: "},
		"mirror: redirect to a private address": {mirror: func() fault {
			return onManifests("GET", func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				http.Redirect(w, r, "https://169.254.169.254/latest", 302)
			})
		}, want: Unknown, message: "private address 169.254.169.254"},
		"mirror: redirect to plain http": {mirror: func() fault {
			return onManifests("GET", func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				http.Redirect(w, r, "http://up.example/v2/", 302)
			})
		}, want: Unknown, message: "plain http"},
		"mirror: 400":     {mirror: func() fault { return onManifests("GET", answer(400, "text/plain", "")) }, want: Unknown, message: "400"},
		"mirror: 405":     {mirror: func() fault { return onManifests("GET", answer(405, "text/plain", "")) }, want: Unknown, message: "405"},
		"mirror: gzipped": {mirror: func() fault { return onManifests("GET", gzipped) }, want: Same},
		"mirror: hangs": {mirror: func() fault {
			return onManifests("GET", func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() })
		}, want: Unknown, message: "m.example did not answer in time"},
		"mirror: hangs in the body": {mirror: func() fault {
			return onManifests("GET", func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				w.Header().Set("Content-Type", string(types.OCIImageIndex))
				_, _ = w.Write([]byte(`{"schemaVersion":`))
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
		}, want: Unknown, message: "m.example did not answer in time"},
		"mirror: redirect to a registry that has it": {mirror: func() fault {
			return onManifests("GET", func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				http.Redirect(w, r, "https://up.example"+strings.Replace(r.URL.Path, "/up/", "/", 1), 307)
			})
		}, want: Same},
		"mirror: sends to log in at a private address": {mirror: func() fault {
			return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				w.Header().Set("WWW-Authenticate", `Bearer realm="https://169.254.169.254/token",service="x"`)
				w.WriteHeader(401)
			}
		}, want: Unknown, message: "m.example: "},
		"mirror: sends to log in over plain http": {mirror: func() fault {
			return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				w.Header().Set("WWW-Authenticate", `Bearer realm="http://up.example/token",service="x"`)
				w.WriteHeader(401)
			}
		}, want: Unknown, message: "realm scheme \"http\" not allowed"},
		"mirror: redirects for ever": {mirror: func() fault {
			return onManifests("GET", func(w http.ResponseWriter, r *http.Request, _ http.Handler) { http.Redirect(w, r, r.URL.Path, 302) })
		}, want: Unknown, message: "more than ten"},
		"mirror: children gone": {mirror: func() fault {
			return childrenOnly(answer(404, "application/json", `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`))
		}, want: Sparse, message: "linux/amd64 (sha256:"},
		"mirror: children cannot be asked":  {mirror: func() fault { return childrenOnly(answer(503, "", "")) }, want: Unknown, message: "its manifest for linux/amd64"},
		"mirror: children are others":       {mirror: func() fault { return childrenOnly(otherBody(string(types.OCIManifestSchema1), "")) }, want: Different, message: "for linux/amd64 the mirror serves"},
		"source: HEAD without digest":       {source: func() fault { return onManifests("HEAD", setHeader("Docker-Content-Digest", "")) }, want: Same},
		"source: HEAD without content type": {source: func() fault { return onManifests("HEAD", setHeader("Content-Type", "")) }, want: Same},
		"source: HEAD with sha512":          {source: func() fault { return onManifests("HEAD", setHeader("Docker-Content-Digest", "sha512:"+hex64+hex64)) }, want: Same},
		"source: no HEAD":                   {source: func() fault { return onManifests("HEAD", answer(405, "", "")) }, want: Same},
		"source: HEAD lies":                 {source: func() fault { return onManifests("HEAD", setHeader("Docker-Content-Digest", forged)) }, want: Same},
		"source: schema 1": {source: func() fault {
			return onManifests("HEAD GET", otherBody(string(types.DockerManifestSchema1Signed), forged))
		}, want: Unknown, message: "the source could not be asked"},
		"source: login page": {source: func() fault { return onManifests("HEAD GET", answer(200, "text/html", "<html>")) }, want: Unknown, message: "text/html"},
		"source: 401":        {source: func() fault { return onManifests("HEAD GET", answer(401, "", "")) }, want: Unknown, message: "up.example refuses access"},
		"source: 404": {source: func() fault {
			return onManifests("HEAD GET", answer(404, "application/json", `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`))
		}, want: Unknown, message: "up.example does not have app:v1.0.0"},
		"source: 429": {source: func() fault { return onManifests("HEAD GET", answer(429, "", "")) }, want: Unknown, message: "429"},
		"source: 503": {source: func() fault { return onManifests("HEAD GET", answer(503, "", "")) }, want: Unknown, message: "503"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "up.example", "m.example", "169.254.169.254")
			index := newIndex(t, "linux/amd64", "linux/arm64")
			sourceDigest = digestOf(t, index)
			w.put("up.example/app:v1.0.0", index)
			w.put("m.example/up/app:v1.0.0", index)
			for _, s := range w.servers {
				s.forget()
			}
			if c.source != nil {
				w.servers["up.example"].fault = c.source()
			}
			if c.mirror != nil {
				w.servers["m.example"].fault = c.mirror()
			}
			options := Options{}
			if strings.Contains(name, "hangs") {
				options.Timeout = 500 * time.Millisecond
			}
			got := w.client(options).Verify(t.Context(), []Request{request(t, oneRule, "up.example/app:v1.0.0")})[0]
			if got.Verdict != c.want || !strings.Contains(got.Message, c.message) {
				t.Errorf("got %s: %s\nwant %s: …%s…\nasked %s", got.Verdict, got.Message, c.want, c.message, strings.Join(got.Evidence.Asked, "\n      "))
			}
			lock := &Lock{}
			lock.Update([]Result{got})
			if written, status := lock.Lookup("up.example/app:v1.0.0", Policy{Rules: oneRule}); (status == Proven) != (c.want == Same) || status != Proven && written != "up.example/app:v1.0.0" {
				t.Errorf("%s is looked up as %s, and written %s", got.Verdict, status, written)
			}
			for host, s := range w.servers {
				if asked := s.log(); host == "169.254.169.254" && len(asked) > 0 || len(asked) > 20 {
					t.Errorf("%s was asked %v", host, asked)
				}
			}
		})
	}
}

// childrenOnly applies a fault to manifests that are asked for after the first one.
func childrenOnly(f fault) fault {
	first := ""
	return onManifests("GET", func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if first == "" {
			first = r.URL.Path
		}
		if r.URL.Path == first {
			next.ServeHTTP(w, r)
			return
		}
		f(w, r, next)
	})
}
