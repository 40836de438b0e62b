package chart

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Newer names the newest stable versions of a chart's repository that are newer than the one in use; empty where none is.
type Newer struct {
	Source     Source
	Patch      string // same major and minor
	Minor      string // same major
	Latest     string
	Deprecated bool // the repository marks the version in use as deprecated
}

// Outdated asks the chart's repository for newer versions: the index, the registry's tags, or the tags of a git repository whose ref ends
// in a version. A folder, a branch and a commit have none.
func (s *Store) Outdated(ctx context.Context, source Source) (Newer, error) {
	if err := source.Validate(); err != nil {
		return Newer{}, err
	}
	newer := Newer{Source: source}
	prefix, current, versions, err := s.siblings(ctx, source)
	if err != nil {
		return Newer{}, fmt.Errorf("looking for newer versions of %s: %w", source, err)
	}
	now, err := semver.NewVersion(current)
	if err != nil || versions == nil {
		return newer, nil // nothing to compare with
	}
	pick := func(same func(*semver.Version) bool) string {
		best := newestOf(versions, func(v *semver.Version) bool { return v.GreaterThan(now) && same(v) })
		if best != "" {
			best = prefix + best
		}
		return best
	}
	newer.Patch = pick(func(v *semver.Version) bool { return v.Major() == now.Major() && v.Minor() == now.Minor() })
	newer.Minor = pick(func(v *semver.Version) bool { return v.Major() == now.Major() })
	newer.Latest = pick(func(*semver.Version) bool { return true })
	newer.Deprecated, err = s.deprecated(ctx, source)
	return newer, err
}

// siblings returns the version in use and all versions there are, without the prefix that tags of a git repository share.
func (s *Store) siblings(ctx context.Context, source Source) (prefix, current string, versions []string, err error) {
	if source.Repo != "" {
		versions, err = s.versions(ctx, source)
		return "", source.Version, versions, err
	}
	if source.Git == "" {
		return "", "", nil, nil
	}
	match := tagForm.FindStringSubmatch(source.Ref)
	if match == nil {
		return "", "", nil, nil
	}
	tags, err := remoteTags(ctx, source.Git)
	for _, tag := range tags {
		if version, ok := strings.CutPrefix(tag, match[1]); ok {
			versions = append(versions, version)
		}
	}
	return match[1], match[2], versions, err
}

// tagForm splits a tag into what precedes its version, and the version: chart-v1.2.3.
var tagForm = regexp.MustCompile(`^(|.*[^0-9.])(v?[0-9]+\.[0-9]+\.[0-9]+.*)$`)

// deprecated says whether the repository's index marks the version in use.
func (s *Store) deprecated(ctx context.Context, source Source) (bool, error) {
	if source.Repo == "" || strings.HasPrefix(source.Repo, ociScheme) {
		return false, nil
	}
	x, err := s.readIndex(ctx, source.Repo)
	if err != nil {
		return false, err
	}
	found, err := x.find(source.Name, source.Version)
	return err == nil && found.Deprecated, nil
}
