package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdFaults is the script command `faults VAR file`: chart repositories below one address, which goes into the variable. While the
// file is there, VAR/KIND fails in the way that its name says; while it is not, each serves a sound chart of that name, version 1.0.0.
func cmdFaults(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: faults VAR file")
	}
	file := ts.MkAbs(args[1])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, name, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
		_, err := os.Stat(file)
		f := fault{kind: kind, on: err == nil}
		if name == "index.yaml" {
			f.index(w, r)
		} else {
			f.archive(w, r)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// fault is one repository that fails in one way.
type fault struct {
	kind string
	on   bool
}

func (f fault) is(kind string) bool { return f.on && f.kind == kind }

func (f fault) index(w http.ResponseWriter, r *http.Request) {
	if f.status(w, "index-") || f.is("index-hangs") && hang(r) {
		return
	}
	if f.is("index-page") {
		fmt.Fprint(w, "<html>log in, please</html>")
		return
	}
	entry := fmt.Sprintf("  - {name: %s, version: 1.0.0, urls: [chart.tgz], digest: %x}\n", f.kind, sha256.Sum256(f.chart(f.on)))
	fmt.Fprint(w, "apiVersion: v1\nentries:\n")
	switch {
	case f.is("index-large"):
		fill(w, 50<<20)
	case f.is("index-too-large"):
		fill(w, 65<<20)
	}
	fmt.Fprintf(w, "  %s:\n%s", f.kind, entry)
}

// status answers with the status that the kind is named after.
func (f fault) status(w http.ResponseWriter, prefix string) bool {
	for _, code := range []int{http.StatusUnauthorized, http.StatusNotFound, http.StatusInternalServerError} {
		if f.is(prefix + fmt.Sprint(code)) {
			http.Error(w, http.StatusText(code), code)
			return true
		}
	}
	return false
}

func hang(r *http.Request) bool {
	<-r.Context().Done()
	return true
}

// fill writes entries of other charts.
func fill(w io.Writer, size int) {
	entry := "  - {name: other, version: 1.0.0, urls: [other.tgz], description: " + strings.Repeat("x", 900) + "}\n"
	fmt.Fprint(w, "  other:\n")
	for written := 0; written < size; written += len(entry) {
		fmt.Fprint(w, entry)
	}
}

func (f fault) archive(w http.ResponseWriter, r *http.Request) {
	if f.status(w, "chart-") || f.is("chart-hangs") && hang(r) {
		return
	}
	data := f.chart(f.on)
	switch {
	case f.is("chart-lies"):
		data[len(data)/2] ^= 1
	case f.is("chart-cut-off"):
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		data = data[:len(data)/2]
	}
	_, _ = w.Write(data)
}

// chart packs the chart. Kinds that fail by their content are republished with a digest of that content.
func (f fault) chart(broken bool) []byte {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	add := func(header tar.Header, text string) {
		header.Mode, header.Size = 0o644, int64(len(text))
		_ = archive.WriteHeader(&header)
		_, _ = io.WriteString(archive, text)
	}
	add(tar.Header{Name: f.kind + "/Chart.yaml"}, "apiVersion: v2\nname: "+f.kind+"\nversion: 1.0.0\n")
	add(tar.Header{Name: f.kind + "/templates/a.yaml"}, configMap(f.kind, "1"))
	switch {
	case broken && f.kind == "chart-escapes":
		add(tar.Header{Name: f.kind + "/../../evil"}, "x")
	case broken && f.kind == "chart-link":
		add(tar.Header{Name: f.kind + "/templates/b.yaml", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, "")
	}
	_, _ = archive.Close(), zipped.Close()
	return out.Bytes()
}
