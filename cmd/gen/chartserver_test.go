package main

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdCharts is the script command `charts VAR dir`: an HTTP repository of the charts that lie in the folder's folders, packed anew at every
// request, whose address goes into the variable. A script that edits a file publishes a version again; one that moves the folder away
// takes the repository down.
func cmdCharts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: charts VAR dir")
	}
	dir := ts.MkAbs(args[1])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.Trim(r.URL.Path, "/")
		if _, err := os.Stat(dir); err != nil {
			http.NotFound(w, r)
		} else if name == "index.yaml" {
			writeIndex(w, dir)
		} else if folder := filepath.Join(dir, strings.TrimSuffix(name, ".tgz")); !packFolder(w, folder) {
			http.NotFound(w, r)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// chartField finds a field of a Chart.yaml.
var chartField = regexp.MustCompile(`(?m)^(name|version): (.*)$`)

// writeIndex writes the index of the folders, whose names sort a chart's versions together.
func writeIndex(w http.ResponseWriter, dir string) {
	fmt.Fprintf(w, "apiVersion: v1\nentries:\n")
	files, _ := filepath.Glob(filepath.Join(dir, "*", "Chart.yaml"))
	last := ""
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		fields := map[string]string{}
		for _, match := range chartField.FindAllStringSubmatch(string(data), -1) {
			fields[match[1]] = match[2]
		}
		if fields["name"] != last {
			last = fields["name"]
			fmt.Fprintf(w, "  %s:\n", last)
		}
		fmt.Fprintf(w, "  - name: %s\n    version: %s\n    urls: [%s.tgz]\n", last, fields["version"], filepath.Base(filepath.Dir(file)))
	}
}

// packFolder writes an archive of a chart's folder, and says whether there is one.
func packFolder(w http.ResponseWriter, folder string) bool {
	if _, err := os.Stat(filepath.Join(folder, "Chart.yaml")); err != nil {
		return false
	}
	zipped := gzip.NewWriter(w)
	writer := tar.NewWriter(zipped)
	err := filepath.WalkDir(folder, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(folder), file)
		if err != nil {
			return err
		}
		if err := writer.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(data))}); err != nil {
			return err
		}
		_, err = writer.Write(data)
		return err
	})
	return err == nil && writer.Close() == nil && zipped.Close() == nil
}

// cmdEnvFile is the script command `envfile file…`: it fills variables into files.
func cmdEnvFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: envfile file…")
	}
	for _, name := range args {
		filled := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(filled), 0o644))
	}
}
