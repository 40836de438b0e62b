package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pinnedAs is an entry of a chart of one repository.
func pinnedAs(name, version, digest string) Entry {
	source := Source{Repo: "https://charts.example", Name: name, Version: version}
	return Entry{Source: source, Digest: digest, URL: "https://charts.example/" + name + "-" + version + ".tgz"}
}

// TestLockMerges lets git merge what two branches did to one lock, with the attribute that decision 2 names.
func TestLockMerges(t *testing.T) {
	base := []Entry{pinnedAs("a", "1.0.0", digestA), pinnedAs("k", "1.0.0", digestA), pinnedAs("z", "1.0.0", digestA)}
	with := func(entries ...Entry) []Entry {
		return append(append([]Entry{}, base[:1]...), append(entries, base[2])...)
	}
	tests := map[string]struct {
		ours, theirs []Entry
		want         []Entry
		mistake      string
	}{
		"an addition each, in one gap": {
			with(base[1], pinnedAs("m", "1.0.0", digestB)), with(base[1], pinnedAs("n", "1.0.0", digestB)),
			with(base[1], pinnedAs("m", "1.0.0", digestB), pinnedAs("n", "1.0.0", digestB)), "",
		},
		"the same addition": {with(base[1], pinnedAs("m", "1.0.0", digestB)), with(base[1], pinnedAs("m", "1.0.0", digestB)), with(base[1], pinnedAs("m", "1.0.0", digestB)), ""},
		"neighbours bumped": {
			with(pinnedAs("k", "1.0.1", digestB)), append(append([]Entry{}, base[:2]...), pinnedAs("z", "1.0.1", digestB)),
			append(append([]Entry{}, base[0]), pinnedAs("k", "1.0.1", digestB), pinnedAs("z", "1.0.1", digestB)), "",
		},
		"one chart, two versions": {with(pinnedAs("k", "1.0.1", digestB)), with(pinnedAs("k", "1.0.2", digestB)), with(pinnedAs("k", "1.0.1", digestB), pinnedAs("k", "1.0.2", digestB)), ""},
		"one version, two contents": {
			with(pinnedAs("k", "1.0.1", digestA)), with(pinnedAs("k", "1.0.1", digestB)), nil,
			"two branches locked different content",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			lock := func(entries []Entry) map[string]string {
				return map[string]string{"charts.lock": string(mustLock(t, entries).Bytes())}
			}
			repo := newRepo(t, map[string]string{".gitattributes": "*.lock merge=union\n", "charts.lock": lock(base)["charts.lock"]})
			repo.run("branch", "theirs")
			repo.commit(lock(test.ours))
			repo.run("checkout", "--quiet", "theirs")
			repo.commit(lock(test.theirs))
			repo.run("merge", "--quiet", "--no-edit", "main")
			data, err := os.ReadFile(filepath.Join(repo.dir, "charts.lock"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := ParseLock(data, "charts.lock")
			if test.mistake != "" {
				if err == nil || !strings.Contains(err.Error(), test.mistake) {
					t.Errorf("error = %v\nwant one with %q", err, test.mistake)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range test.want {
				if _, err := got.Find(entry.Source); err != nil {
					t.Errorf("lost by the merge: %v", err)
				}
			}
			if name != "neighbours bumped" { // a union keeps the lines that only one side replaced; the next lock drops them
				if diff := cmp.Diff(string(mustLock(t, test.want).Bytes()), string(got.Bytes())); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// mustLock makes a lock.
func mustLock(t testing.TB, entries []Entry) *Lock {
	t.Helper()
	lock, err := NewLock(entries)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}
