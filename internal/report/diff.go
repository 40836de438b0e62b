// Package report shows results as text and JSON: what a run rendered, and what a change does to each cluster.
package report

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/imagefield"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// Difference is one changed file of one or many environments: equal changes are one Difference.
type Difference struct {
	Environments []string    // sorted
	Path         string      // below the environment's folder
	Kind         tree.Kind   // added, changed or removed
	Object       manifest.ID // zero where the file is no object
	Before       []byte      // Secret values are hidden
	After        []byte
}

// Summary is what a reviewer wants to know before reading a diff.
type Summary struct {
	Counts      []Count      `json:"counts"`     // by environment
	LeftBehind  []Line       `json:"leftBehind"` // objects that stay in the cluster with nobody to look after them, or change hands
	Deletions   []Line       `json:"deletions"`  // every removed object; those whose removal loses more than themselves are marked
	Images      []Line       `json:"images"`     // references that appear or go
	CRDs        []Line       `json:"crds"`       // changed and added CustomResourceDefinitions
	RBAC        []Line       `json:"rbac"`       // changed and added roles and bindings
	Waves       []Line       `json:"waves"`      // Applications that move
	Refused     []Line       `json:"refused"`    // changes of fields that the API server does not let change; those that fail the sync are marked
	Restarts    []Line       `json:"restarts"`   // workloads whose pods are replaced
	Differences []Difference `json:"differences"`
}

// Count says how many objects of one environment change.
type Count struct {
	Environment string `json:"environment"`
	Added       int    `json:"added"`
	Changed     int    `json:"changed"`
	Removed     int    `json:"removed"`
}

// Line is one fact about some environments.
type Line struct {
	Environments []string `json:"environments"`
	Text         string   `json:"text"`
	Mark         bool     `json:"mark"` // the removal loses more than the object itself
}

// NewSummary groups changes and draws what matters out of them. Ownership records and foreign files are no part of it.
func NewSummary(changes []tree.Change) Summary {
	s := Summary{Counts: []Count{}, Differences: []Difference{}}
	counts := map[string]*Count{}
	lines := lineSet{}
	byContent := map[string]int{}
	for _, c := range changes {
		if c.IsRecord() || c.Kind == tree.Foreign {
			continue
		}
		env, rest, _ := strings.Cut(c.Path, "/")
		count(counts, env, c.Kind)
		before, after := manifest.Sole(c.Before), manifest.Sole(c.After)
		lines.draw(env, before, after)
		key := strings.Join([]string{rest, string(c.Kind), string(c.Before), string(c.After)}, "\x00")
		if at, seen := byContent[key]; seen {
			s.Differences[at].Environments = append(s.Differences[at].Environments, env)
			continue
		}
		byContent[key] = len(s.Differences)
		s.Differences = append(s.Differences, difference(env, rest, c, before, after))
	}
	for _, c := range counts {
		s.Counts = append(s.Counts, *c)
	}
	slices.SortFunc(s.Counts, func(a, b Count) int { return cmp.Compare(a.Environment, b.Environment) })
	s.Deletions, s.Images, s.CRDs, s.RBAC, s.Waves = lines.list("deletion"), lines.list("image"), lines.list("crd"), lines.list("rbac"), lines.list("wave")
	lines.leavings(changes)
	s.LeftBehind = lines.list("left")
	s.Refused, s.Restarts = lines.list("refused"), lines.list("restart")
	return s
}

func count(counts map[string]*Count, env string, kind tree.Kind) {
	c := counts[env]
	if c == nil {
		c = &Count{Environment: env}
		counts[env] = c
	}
	switch kind {
	case tree.Added:
		c.Added++
	case tree.Changed:
		c.Changed++
	case tree.Removed:
		c.Removed++
	}
}

func difference(env, rest string, c tree.Change, before, after manifest.Object) Difference {
	d := Difference{Environments: []string{env}, Path: rest, Kind: c.Kind, Before: c.Before, After: c.After}
	if d.Object = after.ID(); after.IsZero() {
		d.Object = before.ID()
	}
	if d.Object.Kind == "Secret" && d.Object.Group == "" || isSecretFile(rest) {
		d.Before, d.After = hide(c, before, after)
	}
	return d
}

// lineSet gathers facts: topic, then text, then the environments it holds for.
type lineSet map[string]map[string]*Line

func (l lineSet) add(topic, env, text string, mark bool) {
	if l[topic] == nil {
		l[topic] = map[string]*Line{}
	}
	line := l[topic][text]
	if line == nil {
		line = &Line{Text: text, Mark: mark}
		l[topic][text] = line
	}
	if !slices.Contains(line.Environments, env) {
		line.Environments = append(line.Environments, env)
	}
}

func (l lineSet) list(topic string) []Line {
	lines := []Line{}
	for _, line := range l[topic] {
		slices.Sort(line.Environments)
		lines = append(lines, *line)
	}
	slices.SortFunc(lines, func(a, b Line) int { return cmp.Compare(a.Text, b.Text) })
	return lines
}

// draw takes out of one changed file what the summary lists.
func (l lineSet) draw(env string, before, after manifest.Object) {
	id := after.ID()
	if after.IsZero() {
		id = before.ID()
	}
	if id.Kind == "" {
		return
	}
	verb := "changed"
	switch {
	case before.IsZero():
		verb = "added"
	case after.IsZero():
		verb = "removed"
		l.add("deletion", env, id.String(), losesMore(id))
	}
	switch {
	case id.Kind == "CustomResourceDefinition":
		l.add("crd", env, id.Name+": "+verb+versions(before, after), false)
	case id.Group == "rbac.authorization.k8s.io":
		l.add("rbac", env, id.String()+": "+verb, false)
	case id.Kind == "Application" && verb == "changed":
		if from, to := wave(before), wave(after); from != to {
			l.add("wave", env, id.Name+": wave "+from+" → "+to, false)
		}
	}
	l.images(env, before, after)
	l.effects(env, before, after)
}

// leavings says what happens to objects whose component goes, or changes.
func (l lineSet) leavings(changes []tree.Change) {
	orphans, moved := pipeline.Leavings(changes)
	for _, o := range orphans {
		for _, id := range o.Objects {
			l.add("left", o.Environment, id.String()+" stays: the Application "+o.Component+" goes without it; see `gen remove "+o.Environment+" "+o.Component+"`", true)
		}
	}
	for _, m := range moved {
		text := m.Object.String() + " moves from " + m.From + " to " + m.To
		if !m.Safe {
			text += ": if Argo CD syncs " + m.From + " first, it is deleted and made anew; first release it there with the annotations " +
				"argocd.argoproj.io/sync-options: Prune=false and argocd.argoproj.io/compare-options: IgnoreExtraneous"
		}
		l.add("left", m.Environment, text, !m.Safe)
	}
}

// effects says what the change does to a cluster that runs.
func (l lineSet) effects(env string, before, after manifest.Object) {
	if paths := fixed(before, after); len(paths) > 0 {
		if text, fails := effect(after, paths); text != "" {
			l.add("refused", env, text, fails)
		}
	}
	if text := restarts(before, after); text != "" {
		l.add("restart", env, text, false)
	}
}

func (l lineSet) images(env string, before, after manifest.Object) {
	old, now := references(before), references(after)
	for _, ref := range now {
		if !slices.Contains(old, ref) {
			l.add("image", env, "+ "+ref, false)
		}
	}
	for _, ref := range old {
		if !slices.Contains(now, ref) {
			l.add("image", env, "- "+ref, false)
		}
	}
}

func references(o manifest.Object) []string {
	if o.IsZero() {
		return nil
	}
	var refs []string
	for _, hit := range imagefield.Find(o, imagefield.Options{}) {
		refs = append(refs, hit.Reference)
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// losesMore reports kinds whose removal takes other things along: every custom resource, every object of a namespace, data.
func losesMore(id manifest.ID) bool {
	switch id.Kind {
	case "CustomResourceDefinition", "Namespace", "PersistentVolumeClaim", "PersistentVolume", "StatefulSet", "AppProject":
		return true
	}
	return false
}

func wave(o manifest.Object) string { return cmp.Or(o.Annotation(argocd.WaveAnnotation), "0") }

// versions says which versions of a CRD come or go: objects stored under one that goes are lost.
func versions(before, after manifest.Object) string {
	if before.IsZero() || after.IsZero() {
		return ""
	}
	old, now := served(before), served(after)
	if slices.Equal(old, now) {
		return ""
	}
	return ", versions " + strings.Join(old, " ") + " → " + strings.Join(now, " ")
}

func served(crd manifest.Object) []string {
	var names []string
	for _, api := range manifest.ServedAPIs([]manifest.Object{crd}) {
		if strings.Count(api, "/") == 1 {
			names = append(names, path.Base(api))
		}
	}
	return names
}
