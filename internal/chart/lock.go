package chart

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What to run where the lock and the model part, and where the lock and the source do: a pin is kept until it is renewed.
const (
	LockCommand  = "gen charts lock"
	RenewCommand = "gen charts lock --renew"
)

// Entry is what the lock holds of one chart.
type Entry struct {
	Source
	Digest       string       // of the content: see archivePrefix and treePrefix
	URL          string       // where the content was, for repositories
	Commit       string       // for git
	Dependencies []Dependency // declared in Chart.yaml and not packed into the chart, sorted by At
}

// Dependency is a chart that another one declares without holding it.
type Dependency struct {
	At      string // the folder where it is put, below the chart: charts/redis-1.2.3
	Repo    string // as Chart.yaml names it: https://… or oci://…
	Path    string // instead of Repo, for file://: in the same file system as the chart
	Name    string
	Version string // as resolved
	Digest  string
	URL     string // where the content was; empty for Path
}

// Lock is charts.lock: every chart that the model names, pinned by content. It is read-only.
type Lock struct {
	name    string
	entries []Entry // sorted as they are written
}

// NewLock makes a lock of entries, in any order. Two entries of one source that pin different content are an error.
func NewLock(entries []Entry) (*Lock, error) {
	lock := &Lock{name: "charts.lock", entries: slices.Clone(entries)}
	slices.SortFunc(lock.entries, func(a, b Entry) int { return strings.Compare(a.line(), b.line()) })
	lock.entries = slices.CompactFunc(lock.entries, func(a, b Entry) bool { return a.line() == b.line() })
	var problems []error
	for i := 1; i < len(lock.entries); i++ {
		a, b := lock.entries[i-1], lock.entries[i]
		if a.Source == b.Source {
			problems = append(problems, fmt.Errorf("writing charts.lock: %s is pinned twice, as %s and %s", a.Source, a.Digest, b.Digest))
		}
	}
	return lock, errors.Join(problems...)
}

// Entries returns all entries, sorted.
func (l *Lock) Entries() []Entry { return slices.Clone(l.entries) }

// Find returns the entry of a source, or an error that names the command that makes one. A nil Lock holds nothing.
func (l *Lock) Find(source Source) (Entry, error) {
	if err := source.Validate(); err != nil {
		return Entry{}, err
	}
	if l == nil {
		return Entry{}, fmt.Errorf("reading charts.lock: there is none, so nothing says which bytes %s is; run `%s`", source, LockCommand)
	}
	var near []string
	for _, entry := range l.entries {
		if entry.Source == source {
			return entry, nil
		}
		if entry.near(source) {
			near = append(near, cmp.Or(entry.Version, entry.Ref))
		}
	}
	if len(near) > 0 {
		return Entry{}, fmt.Errorf("reading %s: it pins %s, the model asks for %s; run `%s`", l.name, strings.Join(near, ", "), source, LockCommand)
	}
	return Entry{}, fmt.Errorf("reading %s: it does not pin %s; run `%s`", l.name, source, LockCommand)
}

// near says whether an entry pins another version of the same chart.
func (e Entry) near(source Source) bool {
	other := source
	other.Version, other.Ref = e.Version, e.Ref
	return other == e.Source && source.Path == e.Path && (source.Repo != "" || source.Git != "")
}

// lockHeader opens the file. One line an entry, each complete in itself, so that `merge=union` in .gitattributes joins the
// additions of two branches without a conflict; two different pins of one source are found when the lock is read.
const lockHeader = `# Written by ` + "`" + LockCommand + "`" + `: which bytes each chart of the model is. One line a chart, in any order.
apiVersion: gen/v1
kind: ChartsLock
charts:
`

// Bytes returns the file: sorted lines, the same bytes for the same entries.
func (l *Lock) Bytes() []byte {
	out := bytes.NewBufferString(lockHeader)
	for _, entry := range l.entries {
		out.WriteString(entry.line())
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// line writes an entry as a YAML flow mapping on one line, every value a JSON string, which YAML reads alike.
func (e Entry) line() string {
	fields := flow(
		"repo", e.Repo, "name", e.Name, "git", e.Git, "path", e.Path, "version", e.Version, "ref", e.Ref,
		"commit", e.Commit, "digest", e.Digest, "url", e.URL,
	)
	if len(e.Dependencies) > 0 {
		var parts []string
		for _, d := range e.Dependencies {
			parts = append(parts, "{"+flow("at", d.At, "repo", d.Repo, "path", d.Path, "name", d.Name, "version", d.Version, "digest", d.Digest, "url", d.URL)+"}")
		}
		slices.Sort(parts)
		fields += ", dependencies: [" + strings.Join(parts, ", ") + "]"
	}
	return "- {" + fields + "}"
}

// flow joins keys and values, leaving out empty values.
func flow(pairs ...string) string {
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			parts = append(parts, pairs[i]+": "+quote(pairs[i+1]))
		}
	}
	return strings.Join(parts, ", ")
}

// quote writes a JSON string as YAML 1.1 and 1.2 both read it.
func quote(value string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(out.String(), "\n")
}
