package pipeline

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestModelOpensFilesOnly holds that nothing in the model's folder is waited for: whoever opened the pipe would wait for ever.
func TestModelOpensFilesOnly(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, ModelDir)
	at := func(name string) string { return filepath.Join(dir, name) }
	socket := func() error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at("socket"), Net: "unix"})
		if err == nil {
			t.Cleanup(func() { _ = l.Close() })
		}
		return err
	}
	for _, err := range []error{
		os.Mkdir(dir, 0o755), syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("pipe", at("link")), socket(),
		os.WriteFile(at("file"), []byte("text"), 0o600), os.Symlink("file", at("good")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	model, done, err := Setup{Root: top}.model()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for name, want := range map[string]string{"pipe": "a named pipe", "link": "a named pipe", "socket": "a socket"} {
		if _, isGuarded := model.(regularFiles); !isGuarded {
			t.Fatal("pipes would be opened")
		}
		_, err := fs.ReadFile(model, name)
		_, opened := model.Open(name)
		_, listed := fs.ReadDir(model, name)
		for _, err := range []error{err, opened, listed} {
			if err == nil || !strings.Contains(err.Error(), name+": it is "+want+" and no file") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if data, err := fs.ReadFile(model, "good"); err != nil || string(data) != "text" {
		t.Errorf("a link to a file: %q, %v", data, err)
	}
}
