package chart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	digestA = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	digestB = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// sampleEntries are one entry of each kind.
func sampleEntries() []Entry {
	return []Entry{
		{Source: Source{Path: "charts/own"}, Digest: "tree-" + digestA, Dependencies: []Dependency{
			{At: "charts/redis-1.2.3", Repo: "https://redis.example", Name: "redis", Version: "1.2.3", Digest: digestB, URL: "https://redis.example/redis-1.2.3.tgz"},
			{At: "charts/common-0.1.0", Path: "charts/common", Name: "common", Version: "0.1.0", Digest: "tree-" + digestB},
		}},
		{Source: Source{Repo: "https://helm.cilium.io", Name: "cilium", Version: "1.19.4"}, Digest: digestA, URL: "https://helm.cilium.io/cilium-1.19.4.tgz"},
		{Source: Source{Repo: "oci://ghcr.io/stefanprodan/charts", Name: "podinfo", Version: "6.9.0+1"}, Digest: digestB, URL: "oci://ghcr.io/stefanprodan/charts/podinfo:6.9.0_1"},
		{Source: Source{Git: "https://git.example/platform.git", Ref: "v1", Path: "charts/a"}, Commit: strings.Repeat("c", 40), Digest: "tree-" + digestA},
	}
}

const sampleLock = "# Written by `gen charts lock`: which bytes each chart of the model is. One line a chart, in any order.\n" + `apiVersion: gen/v1
kind: ChartsLock
charts:
- {git: "https://git.example/platform.git", path: "charts/a", ref: "v1", commit: "cccccccccccccccccccccccccccccccccccccccc", digest: "tree-` + digestA + `"}
- {path: "charts/own", digest: "tree-` + digestA + `", dependencies: [{at: "charts/common-0.1.0", path: "charts/common", name: "common", version: "0.1.0", digest: "tree-` + digestB + `"}, {at: "charts/redis-1.2.3", repo: "https://redis.example", name: "redis", version: "1.2.3", digest: "` + digestB + `", url: "https://redis.example/redis-1.2.3.tgz"}]}
- {repo: "https://helm.cilium.io", name: "cilium", version: "1.19.4", digest: "` + digestA + `", url: "https://helm.cilium.io/cilium-1.19.4.tgz"}
- {repo: "oci://ghcr.io/stefanprodan/charts", name: "podinfo", version: "6.9.0+1", digest: "` + digestB + `", url: "oci://ghcr.io/stefanprodan/charts/podinfo:6.9.0_1"}
`

func TestLockBytes(t *testing.T) {
	lock, err := NewLock(sampleEntries())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sampleLock, string(lock.Bytes())); diff != "" {
		t.Errorf("charts.lock (-want +got):\n%s", diff)
	}
	read, err := ParseLock(lock.Bytes(), "charts.lock")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sampleLock, string(read.Bytes())); diff != "" {
		t.Errorf("read and written again (-want +got):\n%s", diff)
	}
}

func TestParseLockMistakes(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"all at once, sorted": {
			in: `apiVersion: gen/v1
kind: ChartsLock
charts:
- {repo: "https://a.example", name: a, version: 1.10, digest: "sha256:12", urls: x}
- {path: "../b", digest: "` + digestA + `"}
extra: 1
`,
			want: `charts.lock:4:3: charts: reading chart repository https://a.example: chart a has no version; state an exact one
charts.lock:4:3: digest: "sha256:12" is not sha256: or tree-sha256: and 64 hex digits; run ` + "`gen charts lock`" + `
charts.lock:4:49: version: expected a text; put it into double quotes
charts.lock:4:76: urls: unknown key; another version of gen wrote it, or a hand did
charts.lock:5:3: charts: reading chart path "../b": it leaves its folder; write a path below it, with slashes
charts.lock:6:1: extra: unknown key; another version of gen wrote it, or a hand did`,
		},
		"another file": {
			in:   "apiVersion: gen/v1\nkind: ImagesLock\n",
			want: "charts.lock:1:1: apiVersion, kind: this is no gen/v1 ChartsLock; another version of gen wrote it, or another tool; run `gen charts lock`",
		},
		"not a mapping": {
			in: "- a\n",
			want: "charts.lock:1:1: apiVersion, kind: this is no gen/v1 ChartsLock; another version of gen wrote it, or another tool; run `gen charts lock`\n" +
				"charts.lock:1:1: file: expected a mapping of keys to values",
		},
		"a key twice": {
			in:   "apiVersion: gen/v1\nkind: ChartsLock\nkind: ChartsLock\n",
			want: "charts.lock:3:1: kind: this key stands here twice",
		},
		"two documents": {
			in:   "apiVersion: gen/v1\nkind: ChartsLock\n---\na: 1\n",
			want: "charts.lock:3:1: file: a second document; a lock is one",
		},
		"two branches locked different content": {
			in: lockHeader + `- {repo: "https://a.example", name: "a", version: "1.0.0", digest: "` + digestA + `", url: "https://a.example/a.tgz"}
- {repo: "https://a.example", name: "a", version: "1.0.0", digest: "` + digestB + `", url: "https://a.example/a.tgz"}
`,
			want: "charts.lock:6:3: a 1.0.0 from https://a.example: pinned before, in line 5, as " + digestA + " and here as " + digestB + ": two branches locked different content; find out which is right, then run `gen charts lock`",
		},
		"git without a commit": {
			in:   lockHeader + `- {git: "https://a.example/a.git", ref: "v1", digest: "tree-` + digestA + `"}` + "\n",
			want: "charts.lock:5:3: commit: a chart from git has one, and only that; run `gen charts lock`",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ParseLock([]byte(test.in), "charts.lock")
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseLockConflictMarkers(t *testing.T) {
	_, err := ParseLock([]byte(lockHeader+"<<<<<<< HEAD\n- {}\n=======\n>>>>>>> b\n"), "charts.lock")
	if err == nil || !strings.Contains(err.Error(), "if a merge left it so") {
		t.Errorf("error = %v", err)
	}
}

func TestParseLockUnionMerge(t *testing.T) {
	line := `- {repo: "https://a.example", name: "a", version: "1.0.0", digest: "` + digestA + `", url: "https://a.example/a.tgz"}` + "\n"
	lock, err := ParseLock([]byte(lockHeader+line+strings.ReplaceAll(line, "1.0.0", "0.9.0")+line), "charts.lock")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lockHeader+strings.ReplaceAll(line, "1.0.0", "0.9.0")+line, string(lock.Bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLockFind(t *testing.T) {
	lock, err := NewLock(sampleEntries())
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		lock   *Lock
		source Source
		want   string
	}{
		"found":           {lock, Source{Repo: "https://helm.cilium.io", Name: "cilium", Version: "1.19.4"}, ""},
		"another version": {lock, Source{Repo: "https://helm.cilium.io", Name: "cilium", Version: "1.19.5"}, "reading charts.lock: it pins 1.19.4, the model asks for cilium 1.19.5 from https://helm.cilium.io; run `gen charts lock`"},
		"another ref":     {lock, Source{Git: "https://git.example/platform.git", Ref: "v2", Path: "charts/a"}, "reading charts.lock: it pins v1, the model asks for charts/a at v2 of https://git.example/platform.git; run `gen charts lock`"},
		"unknown":         {lock, Source{Path: "charts/other"}, "reading charts.lock: it does not pin charts/other; run `gen charts lock`"},
		"no lock":         {nil, Source{Path: "charts/other"}, "reading charts.lock: there is none, so nothing says which bytes charts/other is; run `gen charts lock`"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := test.lock.Find(test.source)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add([]byte(sampleLock))
	f.Add([]byte("charts: [{dependencies: [{at: [}]}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lock, err := ParseLock(data, "charts.lock")
		if err != nil {
			return
		}
		again, err := ParseLock(lock.Bytes(), "charts.lock")
		if err != nil {
			t.Fatalf("a written lock cannot be read: %v\n%s", err, lock.Bytes())
		}
		if diff := cmp.Diff(string(lock.Bytes()), string(again.Bytes())); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
