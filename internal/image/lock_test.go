package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var otherHex = strings.Repeat("cd", 32)

const (
	ociIndex = "application/vnd.oci.image.index.v1+json"
	ociImage = "application/vnd.oci.image.manifest.v1+json"
)

// entry makes an entry from a line of a lock.
func mustEntry(t *testing.T, line string) Entry {
	t.Helper()
	entry, err := parseEntry(line)
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// TestLockText: entries in any order give one sorted text, which reads as the same again, line ends of Windows and blank lines or not.
func TestLockText(t *testing.T) {
	lines := []string{
		"a.example/x:1 m.example/a/x sha256:" + hex64 + " " + ociIndex + " !linux/s390x,linux/amd64,linux/arm64/v8",
		"a.example/x:1 ~https://m.example/v2/x sha256:" + hex64 + " " + ociIndex + " +signatures,linux/amd64",
		"a.example/x:1@sha256:" + hex64 + " m.example/a/x sha256:" + hex64 + " " + ociImage + " -",
		"a.example:5000/x:1 m.example/b/x sha256:" + hex64 + " " + ociImage + " linux/amd64",
	}
	want := LockHeader + strings.Join(lines, "\n") + "\n"
	backwards := &Lock{}
	for i := range lines {
		backwards.Put(mustEntry(t, lines[len(lines)-1-i]))
	}
	for name, text := range map[string]string{
		"as it is": want, "backwards": string(backwards.Emit()), "Windows": strings.ReplaceAll(want, "\n", "\r\n"),
		"spread": strings.ReplaceAll(want, "\n", "\n\n  # a remark\n  "), "twice": want + want,
	} {
		lock, err := ParseLock("images.lock", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, string(lock.Emit())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestLockMistakes: every damaged line is reported, by its place, with what to do.
func TestLockMistakes(t *testing.T) {
	good := "a.example/x:1 m.example/a/x sha256:" + hex64 + " " + ociIndex + " linux/amd64\n"
	text := "# a remark\n" + good +
		"a.example/x:1 m.example/a/x sha256:" + otherHex + " " + ociIndex + " linux/amd64\n" +
		"a.example/y:1 m.example/a/y\n" +
		"  https://a.example/z m.example/a/z sha256:" + hex64 + " " + ociIndex + " -\n" +
		"nginx m.example/a/z sha256:" + hex64 + " " + ociIndex + " -\n" +
		"a.example/x:2 m.example/a/x sha256:abc " + ociIndex + " -\n" +
		"a.example/x:3 m.example/a/x sha256:" + hex64 + " text/html -\n" +
		"a.example/x:4 m.example/a/x sha256:" + hex64 + " " + ociIndex + " linux/amd64,arm\n" +
		"<<<<<<< ours\n" + good + "=======\n>>>>>>> theirs\n" +
		"a.example/x:1 m.example/a/x sha256:" + hex64 + " " + ociImage + " linux/amd64\n"
	_, err := ParseLock("environments/images.lock", []byte(text))
	if err == nil {
		t.Fatal("it reads")
	}
	const restore = ": restore the line, or delete it and run `gen images lock`"
	const conflict = ": a merge left its conflict here: keep the lines of both sides and delete the markers; lines that disagree are reported then"
	want := []string{
		":3:1: a.example/x:1 at m.example/a/x stands here with sha256:" + otherHex + " and further up with sha256:" + hex64 + ": keep one line, then run `gen images verify`",
		":4:1: 2 fields instead of 5 (source, place, digest, media type, platforms)" + restore,
		`:5:3: source: parsing the image reference "https://a.example/z": it begins with the scheme https://, which no reference has` + restore,
		`:6:1: source: "nginx" is written docker.io/library/nginx:latest here` + restore,
		`:7:29: digest: "sha256:abc" is no digest` + restore,
		`:8:101: media type: "text/html" is none of an image or an index` + restore,
		`:9:141: platforms: "arm" is no platform (os/arch)` + restore,
		":10:1" + conflict, ":12:1" + conflict, ":13:1" + conflict,
		":14:1: a.example/x:1 at m.example/a/x stands here as " + ociImage + " and further up as " + ociIndex + ": keep one line, then run `gen images verify`",
	}
	for i := range want {
		want[i] = "environments/images.lock" + want[i]
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLockMerges: two branches that prove different images merge without a hand, and a merge by union of two that prove the same image for
// different platforms gives a good lock.
func TestLockMerges(t *testing.T) {
	line := func(name, platforms string) string {
		return "a.example/" + name + ":1 m.example/a/" + name + " sha256:" + hex64 + " " + ociIndex + " " + platforms + "\n"
	}
	base := LockHeader + line("b", "linux/amd64") + line("f", "linux/amd64") + line("j", "linux/amd64")
	ours := strings.Replace(base, line("f", "linux/amd64"), line("d", "linux/amd64")+line("f", "linux/amd64"), 1)
	theirs := strings.Replace(base, line("j", "linux/amd64"), line("h", "linux/amd64")+line("j", "linux/amd64,linux/arm64"), 1)
	both := LockHeader + line("b", "linux/amd64") + line("d", "linux/amd64") + line("f", "linux/amd64") + line("h", "linux/amd64") + line("j", "linux/amd64,linux/arm64")
	if got := merge(t, base, ours, theirs); got != both {
		t.Errorf("merged:\n%s\nwant:\n%s", got, both)
	}
	ours = strings.Replace(base, line("j", "linux/amd64"), line("j", "linux/amd64,linux/s390x"), 1)
	lock, err := ParseLock("images.lock", []byte(merge(t, base, ours, theirs, "--union")))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(lock.Emit()); !strings.Contains(got, line("j", "linux/amd64,linux/arm64,linux/s390x")) {
		t.Errorf("united:\n%s", got)
	}
}

// merge is git's, on three texts.
func merge(t *testing.T, base, ours, theirs string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"merge-file", "-p"}, flags...)
	for _, file := range []struct{ name, text string }{{"ours", ours}, {"base", base}, {"theirs", theirs}} {
		name := filepath.Join(dir, file.name)
		if err := os.WriteFile(name, []byte(file.text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	out, err := exec.CommandContext(t.Context(), "git", args...).Output()
	if err != nil {
		t.Fatalf("git merge-file: %v\n%s", err, out)
	}
	return string(out)
}

// FuzzParseLock: what ParseLock accepts, it emits in a form that reads as the same, sorted, each proof once.
func FuzzParseLock(f *testing.F) {
	f.Add("a.example/x:1 m.example/a/x sha256:" + hex64 + " " + ociIndex + " !linux/s390x,linux/amd64\n# x\n")
	f.Add("a.example/x:1 ~https://m.example/v2/x sha256:" + hex64 + " " + ociImage + " +signatures\r\n")
	f.Add("<<<<<<< a\n=======\n\u00a0\u2003x y z")
	f.Fuzz(func(t *testing.T, text string) {
		lock, err := ParseLock("images.lock", []byte(text))
		if err != nil {
			return
		}
		again, err := ParseLock("images.lock", lock.Emit())
		if err != nil {
			t.Fatalf("its own text does not read: %v\n%s", err, lock.Emit())
		}
		if diff := cmp.Diff(lock.Entries(), again.Entries()); diff != "" {
			t.Fatalf("(-first +again):\n%s", diff)
		}
	})
}
