package chart

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
	"go.yaml.in/yaml/v3"
)

// metadata is what is needed of a Chart.yaml.
type metadata struct {
	Name         string     `yaml:"name"`
	Version      string     `yaml:"version"`
	Dependencies []declared `yaml:"dependencies"`
}

// readMetadata reads Chart.yaml, and requirements.yaml of charts that still have one.
func readMetadata(f *files) (metadata, error) {
	var m metadata
	for _, name := range []string{chartFile, "requirements.yaml"} {
		data, ok := f.read(name)
		if !ok && name != chartFile {
			continue
		}
		if err := yaml.Unmarshal(data, &m); err != nil {
			return m, fmt.Errorf("reading %s: %w", name, err)
		}
	}
	if m.Name == "" || m.Version == "" {
		return m, fmt.Errorf("reading %s: it has no name or no version", chartFile)
	}
	return m, nil
}

// readChartLock returns the version of each dependency that Chart.lock states, or requirements.lock of old charts.
func readChartLock(f *files) (map[string]string, error) {
	locked := map[string]string{}
	for _, name := range []string{"requirements.lock", "Chart.lock"} {
		data, ok := f.read(name)
		if !ok {
			continue
		}
		var m metadata
		if err := yaml.Unmarshal(data, &m); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		for _, d := range m.Dependencies {
			locked[d.Name] = d.Version
		}
	}
	return locked, nil
}

// sameVersion compares two versions as texts, then by meaning.
func sameVersion(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := semver.NewVersion(a)
	y, errY := semver.NewVersion(b)
	return errX == nil && errY == nil && x.Equal(y) && x.Metadata() == y.Metadata()
}

// declared is one dependency in Chart.yaml.
type declared struct {
	Name       string `yaml:"name"`
	Version    string `yaml:"version"`
	Repository string `yaml:"repository"`
}
