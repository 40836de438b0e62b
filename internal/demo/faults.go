package demo

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// Answer is a host that answers everything with status: 404 (it moved), 401, 429, 500.
func Answer(status int) Fault {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Basic realm="demo"`)
			}
			http.Error(w, http.StatusText(status), status)
		})
	}
}

// Hang is a host that takes connections and never answers.
func Hang() Fault {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	}
}

// Lie is a host that sends one changed byte in each body whose path contains part, and keeps the headers and the index, so that
// the digest that it states is not the digest of what it sends.
func Lie(part string) Fault {
	return rewrite(part, func(body []byte) []byte {
		if len(body) > 0 {
			body[len(body)/2] ^= 1
		}
		return body
	})
}

// CutOff is a host that sends only half of each body whose path contains part, though it announces the whole.
func CutOff(part string) Fault {
	return rewrite(part, func(body []byte) []byte { return body[:len(body)/2] })
}

// Only puts fault on the paths that contain part; the others are answered as always.
func Only(part string, fault Fault) Fault {
	return func(next http.Handler) http.Handler {
		broken := fault(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, part) {
				broken.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// rewrite passes successful bodies through change; the length announced stays that of the true body.
func rewrite(part string, change func([]byte) []byte) Fault {
	return Only(part, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := answer{header: w.Header(), status: http.StatusOK}
			next.ServeHTTP(&a, r)
			body := a.body.Bytes()
			if a.status == http.StatusOK && r.Method == http.MethodGet {
				w.Header().Set("Content-Length", strconv.Itoa(len(body)))
				body = change(body)
			}
			w.WriteHeader(a.status)
			_, _ = w.Write(body)
		})
	})
}

// answer keeps a handler's answer instead of sending it.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }
