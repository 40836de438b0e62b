package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// chartYAML is a Chart.yaml.
func chartYAML(name, version string, more ...string) string {
	return fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n%s", name, version, strings.Join(more, "\n"))
}

// pack makes a chart archive with the files below folder.
func pack(t testing.TB, folder string, content map[string]string) []byte {
	t.Helper()
	var entries []tar.Header
	var bodies []string
	for _, name := range slices.Sorted(maps.Keys(content)) {
		entries = append(entries, tar.Header{Name: folder + "/" + name, Typeflag: tar.TypeReg, Mode: 0o644})
		bodies = append(bodies, content[name])
	}
	return packRaw(t, entries, bodies)
}

// packRaw makes an archive of any entries.
func packRaw(t testing.TB, entries []tar.Header, bodies []string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	writer := tar.NewWriter(zipped)
	for i, header := range entries {
		if header.Typeflag == tar.TypeReg {
			header.Size = int64(len(bodies[i]))
		}
		if err := writer.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			if _, err := writer.Write([]byte(bodies[i])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// web is a server of fixed answers that counts what it is asked.
type web struct {
	*httptest.Server
	mu       sync.Mutex
	pages    map[string]http.HandlerFunc
	requests map[string]int
}

// serve starts a server that answers 404 until it is told otherwise.
func serve(t testing.TB) *web {
	t.Helper()
	w := &web{pages: map[string]http.HandlerFunc{}, requests: map[string]int{}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		w.mu.Lock()
		w.requests[in.URL.Path]++
		page, ok := w.pages[in.URL.Path]
		w.mu.Unlock()
		if !ok {
			page = http.NotFound
		}
		page(out, in)
	}))
	// On a connection that is used again, net/http itself sends a GET once more, which would spoil the counts.
	w.Config.SetKeepAlivesEnabled(false)
	t.Cleanup(w.Server.Close)
	return w
}

// page sets the answer for a path.
func (w *web) page(path string, answer http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[path] = answer
}

// body sets a fixed answer for a path.
func (w *web) body(path string, body []byte) {
	w.page(path, func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write(body) })
}

// count returns how often a path was asked for.
func (w *web) count(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests[path]
}

// publish serves one version of a chart, and an index with the digest and URL given; an empty digest is the true one.
func (w *web) publish(t testing.TB, archive []byte, digest, url string) {
	t.Helper()
	content, err := unpack(archive)
	if err != nil {
		t.Fatal(err)
	}
	m, err := readMetadata(content)
	if err != nil {
		t.Fatal(err)
	}
	if digest == "" {
		digest = digestHex(archiveDigest(archive))
	}
	w.body("/charts/index.yaml", []byte(fmt.Sprintf("apiVersion: v1\nentries:\n  %s:\n  - name: %s\n    version: %s\n    digest: %s\n    urls:\n    - %s\n", m.Name, m.Name, m.Version, digest, url)))
	w.body("/charts/"+m.Name+"-"+m.Version+".tgz", archive)
}

// quick returns a store that does not wait long.
func quick(o Options) *Store {
	o.Backoff = time.Millisecond
	if o.Stall == 0 {
		o.Stall = 5 * time.Second
	}
	return New(o)
}

// listing returns the files of a chart with their content.
func listing(t testing.TB, fsys fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// podinfo is a small chart.
func podinfo(t testing.TB, values string) []byte {
	t.Helper()
	return pack(t, "podinfo", map[string]string{
		"Chart.yaml": chartYAML("podinfo", "6.9.0"), "values.yaml": values, "templates/service.yaml": "kind: Service\n",
	})
}
