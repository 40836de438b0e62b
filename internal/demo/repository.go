package demo

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// serveCharts adds the hosts of chart repositories, HTTP and OCI, to handlers and returns what they publish.
func serveCharts(handlers map[string]http.Handler) ([]Chart, error) {
	var all []Chart
	releases, objects := http.NewServeMux(), http.NewServeMux()
	handlers[HostReleases], handlers[HostObjects] = releases, objects
	for _, r := range repositories() {
		mux := http.NewServeMux()
		charts, err := r.serve(mux, releases, objects)
		if err != nil {
			return nil, err
		}
		all, handlers[r.host] = append(all, charts...), r.guard(mux)
	}
	charts, err := serveOCI(handlers)
	if err != nil {
		return nil, err
	}
	all = append(all, charts...)
	slices.SortFunc(all, func(a, b Chart) int {
		return cmp.Or(strings.Compare(a.Repository, b.Repository), strings.Compare(a.Name, b.Name), strings.Compare(a.Version, b.Version))
	})
	return all, nil
}

// serve adds the repository's index to mux, and its archives to mux or to releases and objects.
func (r repository) serve(mux, releases, objects *http.ServeMux) ([]Chart, error) {
	var charts []Chart
	var index strings.Builder
	index.WriteString("apiVersion: v1\nentries:\n")
	for _, p := range r.charts {
		fmt.Fprintf(&index, "  %s:\n", p.name)
		for _, version := range append([]string{""}, p.others...) {
			a, err := load(p.name, version)
			if err != nil {
				return nil, err
			}
			url := r.place(a, mux, releases, objects)
			index.WriteString(entry(a, url))
			if r.style == relative || r.style == private {
				url = "https://" + r.host + "/" + url
			}
			charts = append(charts, Chart{Repository: "https://" + r.host, Name: a.name, Version: a.version, URL: url, Digest: digest(a.data)})
		}
	}
	fmt.Fprintf(&index, "generated: %q\n", published().Format(time.RFC3339))
	switch r.style {
	case gone:
	case moved:
		mux.Handle("GET /index.yaml", http.RedirectHandler("https://"+r.to+"/index.yaml", http.StatusMovedPermanently))
	default:
		mux.Handle("GET /index.yaml", bytesOf("application/yaml", []byte(index.String())))
	}
	return charts, nil
}

// place puts an archive where the repository's style wants it and returns its URL as the index gives it.
func (r repository) place(a archive, mux, releases, objects *http.ServeMux) string {
	const gzip = "application/gzip"
	switch r.style {
	case absolute:
		mux.Handle("GET /archives/"+a.fileName(), bytesOf(gzip, a.data))
		return "https://" + r.host + "/archives/" + a.fileName()
	case redirected:
		object := "/" + digest(a.data)
		objects.Handle("GET "+object, bytesOf(gzip, a.data))
		at := "/" + a.name + "/" + a.fileName()
		releases.Handle("GET "+at, http.RedirectHandler("https://"+HostObjects+object, http.StatusFound))
		return "https://" + HostReleases + at
	default:
		mux.Handle("GET /"+a.fileName(), bytesOf(gzip, a.data))
		return a.fileName()
	}
}

// guard asks for the password where the repository is a private one.
func (r repository) guard(next http.Handler) http.Handler {
	if r.style != private {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if user, password, _ := req.BasicAuth(); user != User || password != Password {
			Answer(http.StatusUnauthorized)(nil).ServeHTTP(w, req)
			return
		}
		next.ServeHTTP(w, req)
	})
}

// entry is an archive's entry in index.yaml: its Chart.yaml, further in, and where the archive is.
func entry(a archive, url string) string {
	text := fmt.Sprintf("%screated: %q\ndigest: %s\nurls:\n- %s\n", a.metadata, published().Format(time.RFC3339), digest(a.data), url)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return "  - " + strings.Join(lines, "\n    ") + "\n"
}

// bytesOf answers with data.
func bytesOf(contentType string, data []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(data)
	})
}
