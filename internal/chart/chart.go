// Package chart gives the verified bytes of a pinned chart, once per distinct chart, and keeps the lock that pins them.
package chart

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Source says where a chart comes from. It is comparable, and the key of the lock. One of three forms is set:
// Repo, Name and Version (HTTP or OCI repository); Git, Ref and perhaps Path; or Path alone (a folder or archive in the model's folder).
type Source struct {
	Repo    string // https://…, http://… or oci://…: the folder of charts
	Name    string // the chart's name in Repo
	Version string // exact
	Git     string // URL of a git repository
	Ref     string // tag, branch or commit
	Path    string // slash-separated: in the git repository, or in the model's folder
}

// String names the source in a message, without a login that its URL might hold.
func (s Source) String() string {
	switch {
	case s.Repo != "":
		return fmt.Sprintf("%s %s from %s", s.Name, s.Version, redact(s.Repo))
	case s.Git != "":
		return fmt.Sprintf("%s at %s of %s", cmp.Or(s.Path, "."), s.Ref, redact(s.Git))
	}
	return s.Path
}

// Validate returns what is wrong with the source's form, and what to write instead. It opens nothing.
func (s Source) Validate() error {
	switch {
	case s.Repo != "" && (s.Git != "" || s.Path != ""), s.Git == "" && s.Ref != "":
		return fmt.Errorf("reading chart source %s: repository, git and path exclude each other; keep one", s)
	case s.Repo != "":
		return s.validateRepo()
	case s.Git != "":
		return s.validateGit()
	case s.Path == "":
		return fmt.Errorf("reading chart source: it is empty; state a repo, a git repository or a path")
	}
	return validPath(s.Path)
}

// validPath refuses what leaves the folder that paths start in.
func validPath(p string) error {
	if !fs.ValidPath(path.Clean(p)) || strings.Contains(p, `\`) {
		return fmt.Errorf("reading chart path %q: it leaves its folder; write a path below it, with slashes", p)
	}
	return nil
}

// redact returns a URL without its login, for messages.
func redact(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.User == nil {
		return raw
	}
	u.User = nil
	return u.String()
}

// Options are what a Store works with. The zero value reads public repositories and keeps nothing on disk.
type Options struct {
	Root        fs.FS             // the model's folder; use os.Root.FS, so that links cannot leave it
	Vendored    string            // folder of vendored archives in Root; VendoredDir where it says nothing
	Cache       string            // folder of the cache, shared by processes; none where it says nothing
	Transport   http.RoundTripper // http.DefaultTransport where it says nothing
	Credentials Credentials       // logins by host; may be nil
	Stall       time.Duration     // how long a server may stay silent; 30 s where it says nothing
	Backoff     time.Duration     // first pause before a second attempt; 500 ms where it says nothing
}

// Store opens charts. It is safe for concurrent use, and fetches each distinct content once.
type Store struct {
	options Options
	http    client
	fetches atomic.Int64

	resolved shared[Source, Entry]
	opened   shared[string, *files] // by line of the lock
	content  shared[string, *files] // by digest
	indexes  shared[string, *index] // by repository
	local    sync.Map               // path of a folder or archive to a function that gives its digest: a hundred environments look once
}

// New returns a Store.
func New(o Options) *Store {
	o.Vendored = cmp.Or(o.Vendored, VendoredDir)
	o.Stall = cmp.Or(o.Stall, 30*time.Second)
	o.Backoff = cmp.Or(o.Backoff, 500*time.Millisecond)
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return &Store{options: o, http: newClient(o)}
}

// Fetches returns how many times content of a chart was asked of a network so far; indexes and tag lists do not count.
func (s *Store) Fetches() int64 { return s.fetches.Load() }
