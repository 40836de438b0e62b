package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestEditRefuses(t *testing.T) {
	w := clone(t, remote(t))
	for name, edit := range map[string]Edit{
		"escape":         {Write: map[string][]byte{"../x": nil}},
		"absolute":       {Delete: []string{"/etc/passwd"}},
		"newline":        {Write: map[string][]byte{"a\nb": nil}},
		"git's folder":   {Write: map[string][]byte{".git/config": nil}},
		"both":           {Write: map[string][]byte{"x": nil}, Delete: []string{"x"}},
		"file in a file": {Write: map[string][]byte{"x": nil, "x/y": nil}},
	} {
		if commit, err := w.Repository.commit(t.Context(), "HEAD", "HEAD", edit); err == nil {
			t.Errorf("%s: no error but %s: %v", name, commit, files(t, w.dir, commit))
		}
	}
}

func TestFiles(t *testing.T) {
	w := clone(t, remote(t))
	w.write("a/plain", "1")
	w.write("a/with space\tand ümlaut", "2\n")
	w.write("a/b/empty", "")
	w.write("a/script", "#!/bin/sh\n")
	if err := os.Symlink("/etc/passwd", filepath.Join(w.dir, "a", "link")); err != nil {
		t.Fatal(err)
	}
	sh(t, w.dir, "add", "a")
	sh(t, w.dir, "update-index", "--chmod=+x", "a/script")
	sh(t, w.dir, "update-index", "--add", "--cacheinfo", "160000,"+sh(t, w.dir, "rev-parse", "HEAD")+",a/module")
	sh(t, w.dir, "commit", "--quiet", "--message", "a")
	fsys, err := w.Files(t.Context(), "HEAD", Folder{Path: "a", As: "lab/x"}, Folder{Path: "environments"}, Folder{Path: "absent"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fsys.Open("lab/x/link"); !errors.Is(err, errLeadsOut) {
		t.Errorf("a link to /etc/passwd: %v", err)
	}
	for _, name := range []string{"lab/x/module", "lab/x/module/file"} {
		if _, err := fs.ReadFile(fsys, name); !errors.Is(err, errSubmodule) {
			t.Errorf("%s: %v", name, err)
		}
	}
	sh(t, w.dir, "rm", "--quiet", "--cached", "a/module")
	if err := os.Remove(filepath.Join(w.dir, "a", "link")); err != nil {
		t.Fatal(err)
	}
	sh(t, w.dir, "commit", "--quiet", "--all", "--message", "no link")
	fsys, err = w.Files(t.Context(), "HEAD", Folder{Path: "a/"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := contents(fsys)
	want := map[string]string{"plain": "1", "with space\tand ümlaut": "2\n", "b/empty": "", "script": "#!/bin/sh\n"}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	if err := fstest.TestFS(fsys, "plain"); err != nil {
		t.Error(err)
	}
	if _, err := w.Files(t.Context(), "absent"); err == nil {
		t.Error("an absent revision: no error")
	}
}

// Links within the folder lead where they lead on disk; those that lead out or in a circle are errors.
func TestLinks(t *testing.T) {
	w := clone(t, remote(t))
	w.write("model/shared/page", "1")
	w.write("model/web/own", "2")
	w.write("outside", "3")
	for name, target := range map[string]string{
		"model/web/page": "../shared/page", "model/folder": "shared", "model/web/twice": "../folder/page",
		"model/out": "../outside", "model/absolute": "/etc/passwd", "model/dangling": "nothing", "model/circle": "circle", "model/web/up": "..",
	} {
		if err := os.Symlink(target, filepath.Join(w.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	sh(t, w.dir, "add", ".")
	sh(t, w.dir, "commit", "--quiet", "--message", "links")
	fsys, err := w.Files(t.Context(), "HEAD", Folder{Path: "model"})
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Join(w.dir, "model"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	for _, name := range []string{"web/page", "folder/page", "web/twice", "web/up/web/own", "out", "absolute", "dangling", "circle", "folder"} {
		got, err := fs.ReadFile(fsys, name)
		want, wantErr := fs.ReadFile(root.FS(), name)
		if string(got) != string(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %q, %v; on disk %q, %v", name, got, err, want, wantErr)
		}
	}
	entries, err := fs.ReadDir(fsys, "folder")
	if err != nil || len(entries) != 1 || entries[0].Name() != "page" {
		t.Errorf("a linked folder holds %v, %v", entries, err)
	}
}

func TestNoConversion(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	sh(t, w.dir, "config", "core.autocrlf", "input")
	w.commit(".gitattributes", "*.yaml text eol=crlf\n")
	commit, err := w.Repository.commit(t.Context(), "HEAD", "HEAD", Edit{Write: map[string][]byte{"x.yaml": []byte("a\r\nb\n"), "bin": {0, 255, '\n'}}, Message: "x"})
	if err != nil {
		t.Fatal(err)
	}
	fsys, err := w.Files(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	got, err := contents(fsys)
	if got["x.yaml"] != "a\r\nb\n" || got["bin"] != "\x00\xff\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDirty(t *testing.T) {
	w := clone(t, remote(t))
	w.write("environments/new", "1")
	w.write("environments/base", "2")
	w.write("elsewhere", "3")
	w.write("[glob]*", "4")
	for _, test := range []struct{ paths, want []string }{
		{[]string{"environments"}, []string{"environments/base", "environments/new"}},
		{[]string{"[glob]*"}, []string{"[glob]*"}},
		{[]string{"absent"}, nil},
	} {
		got, err := w.Dirty(t.Context(), test.paths...)
		if d := cmp.Diff(test.want, got); d != "" || err != nil {
			t.Errorf("%v: %v (-want +got)\n%s", test.paths, err, d)
		}
	}
}
