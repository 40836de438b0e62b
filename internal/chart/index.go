package chart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"
	"go.yaml.in/yaml/v3"
)

// maxIndex is the most that is read of an index. The largest public ones are about 20 MB.
const maxIndex = 64 << 20

// index is a repository's index.yaml. What it says of one chart is parsed when it is asked for: an index of 50 MB takes nine seconds and
// a gigabyte to parse as a whole, and a fleet wants a dozen lines of it.
type index struct {
	address string
	body    []byte
	whole   func() (map[string][]indexed, error) // parses once
}

// indexed is one version of one chart in an index.
type indexed struct {
	Name       string   `yaml:"name"`
	Version    string   `yaml:"version"`
	Digest     string   `yaml:"digest"`
	URLs       []string `yaml:"urls"`
	Deprecated bool     `yaml:"deprecated"`
}

// readIndex reads the index of an HTTP repository, once however many charts of it are asked for.
func (s *Store) readIndex(ctx context.Context, repo string) (*index, error) {
	repo = strings.TrimSuffix(repo, "/")
	return s.indexes.get(ctx, repo, func() (*index, error) {
		// Only this address says whether the repository lives: many healthy ones answer 404 at their bare URL.
		address := repo + "/index.yaml"
		body, err := s.http.get(ctx, wanted{address: address, limit: maxIndex})
		if err != nil {
			return nil, fmt.Errorf("reading chart index: %w", whetherDead(repo, err))
		}
		parsed, err := newIndex(body)
		if err != nil {
			return nil, fmt.Errorf("reading chart index %s: %w", redact(address), err)
		}
		parsed.address = repo
		return parsed, nil
	})
}

// newIndex takes an index. A web page is named as such: it is what a login or a captive portal answers, with status 200.
func newIndex(body []byte) (*index, error) {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return nil, errors.New("the answer is a web page, not YAML: a login or an error page stands before the repository; look at it in a browser")
	}
	x := &index{body: body, whole: sync.OnceValues(func() (map[string][]indexed, error) { return parseIndex(body) })}
	if !sliceable(body) {
		if _, err := x.whole(); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// parseIndex parses an index as a whole.
func parseIndex(body []byte) (map[string][]indexed, error) {
	var parsed struct {
		Entries map[string][]indexed `yaml:"entries"`
	}
	if err := yaml.Unmarshal(body, &parsed); err != nil {
		return nil, fmt.Errorf("the answer is no chart index: %w", err)
	}
	if parsed.Entries == nil {
		return nil, errors.New("the answer is no chart index: it has no entries")
	}
	return parsed.Entries, nil
}

// versions returns what the index says of a chart.
func (x *index) versions(name string) ([]indexed, error) {
	if part, ok := sliceIndex(x.body, name); ok {
		var versions []indexed
		if err := yaml.Unmarshal(part, &versions); err == nil && len(versions) > 0 {
			return versions, nil
		}
	}
	if names, ok := sliceNames(x.body); ok && !slices.Contains(names, name) {
		return nil, x.absent(name, names)
	}
	entries, err := x.whole()
	if err != nil {
		return nil, fmt.Errorf("reading chart index of %s: %w", redact(x.address), err)
	}
	if len(entries[name]) == 0 {
		return nil, x.absent(name, slices.Collect(maps.Keys(entries)))
	}
	return entries[name], nil
}

// absent is the error of a chart that the index does not have, among the names that it has.
func (x *index) absent(name string, names []string) error {
	return &absentError{fmt.Sprintf("looking for chart %s in %s: its index has no such chart%s", name, redact(x.address), similar(names, name))}
}

// find returns a version of a chart: the very text first, then one that is equal as a semantic version (v1.17.2 for 1.17.2).
func (x *index) find(name, version string) (indexed, error) {
	versions, err := x.versions(name)
	if err != nil {
		return indexed{}, err
	}
	for _, v := range versions {
		if v.Version == version {
			return v, nil
		}
	}
	want, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v"))
	if err != nil {
		return indexed{}, fmt.Errorf("looking for chart %s in %s: %q is no exact version%s", name, redact(x.address), version, newestSuggestion(versions))
	}
	for _, v := range versions {
		if have, err := semver.NewVersion(v.Version); err == nil && have.Equal(want) && have.Metadata() == want.Metadata() {
			return v, nil
		}
	}
	return indexed{}, &absentError{fmt.Sprintf("looking for chart %s in %s: its index has no version %s%s", name, redact(x.address), version, newestSuggestion(versions))}
}

// absentError says that a repository lives but does not have a version.
type absentError struct{ text string }

func (e *absentError) Error() string { return e.text }

// newestSuggestion names the newest stable version.
func newestSuggestion(versions []indexed) string {
	var all []string
	for _, v := range versions {
		all = append(all, v.Version)
	}
	if best := newestOf(all, nil); best != "" {
		return "; the newest stable one is " + best
	}
	return ""
}

// similar suggests a chart whose name holds the wanted one, or is held by it.
func similar(names []string, name string) string {
	best := ""
	for _, other := range names {
		if (strings.Contains(other, name) || strings.Contains(name, other)) && (best == "" || other < best) {
			best = other
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// location returns the address of an archive: absolute, or relative to the repository.
func (x *index) location(v indexed) (string, error) {
	if len(v.URLs) == 0 {
		return "", fmt.Errorf("reading chart index of %s: %s %s has no URL", redact(x.address), v.Name, v.Version)
	}
	base, err := url.Parse(x.address + "/")
	if err != nil {
		return "", fmt.Errorf("reading chart repository %q: it is no URL", redact(x.address))
	}
	at, err := base.Parse(v.URLs[0])
	if err != nil {
		return "", fmt.Errorf("reading chart index of %s: %s %s has the URL %q, which is none", redact(x.address), v.Name, v.Version, v.URLs[0])
	}
	switch at.Scheme {
	case "http", "https", "oci":
	default:
		return "", fmt.Errorf("reading chart index of %s: %s %s lies at %s: only http, https and oci are fetched", redact(x.address), v.Name, v.Version, at.Redacted())
	}
	if at.User != nil {
		return "", fmt.Errorf("reading chart index of %s: %s %s lies at a URL with a login in it, which the lock would hold; put the login into the netrc file", redact(x.address), v.Name, v.Version)
	}
	return at.String(), nil
}

// newestOf returns the newest stable version that accept takes; nil takes all.
func newestOf(versions []string, accept func(*semver.Version) bool) string {
	var best *semver.Version
	text := ""
	for _, candidate := range versions {
		v, err := semver.NewVersion(candidate)
		if err != nil || v.Prerelease() != "" || accept != nil && !accept(v) {
			continue
		}
		if best == nil || v.GreaterThan(best) {
			best, text = v, candidate
		}
	}
	return text
}
