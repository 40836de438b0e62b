package pipeline

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/coldstart-gitops/gen/internal/render"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// last remembers, on this machine and for one output folder, from what each environment was written last: if all of that is the
// same, and each owner's files still stand as this machine wrote them (tree.Snapshot.Current), nothing of it need be rendered.
type last struct {
	file         string
	Environments map[string]lastRun
}

type lastRun struct {
	Key    string            // of everything that the environment's output depends on
	Inputs map[string]string // of each owner, as the ownership records state them
}

func openLast(s Setup) *last {
	l := &last{Environments: map[string]lastRun{}}
	if s.Cache == "" || s.Build == "" {
		return l
	}
	abs, err := filepath.Abs(s.outputDir())
	if err != nil {
		return l
	}
	l.file = filepath.Join(s.Cache, "last", fmt.Sprintf("%.32x.json", sha256.Sum256([]byte(abs))))
	data, err := os.ReadFile(l.file)
	if err != nil || json.Unmarshal(data, l) != nil || l.Environments == nil {
		l.Environments = map[string]lastRun{}
	}
	return l
}

// save is called before the first file changes, without what is about to change, and after the last one.
func (l *last) save() {
	if l.file == "" {
		return
	}
	if data, err := json.Marshal(l); err == nil {
		_ = replaceFile(l.file, data)
	}
}

// environmentKey hashes everything that an environment's output depends on but the code: "" where nothing is remembered.
func (r renderer) environmentKey(plan Plan) (string, error) {
	if r.cache.dir == "" {
		return "", nil
	}
	env := *plan.Environment
	env.Components, env.Positions = nil, nil // the plan's components say what they come to; positions are for messages
	images, err := r.setup.readModelFile(ImagesLock)
	if err != nil {
		return "", err
	}
	parts := []any{r.cache.build, env, sha256.Sum256(images), r.setup.Strict}
	for _, c := range plan.Components {
		in := render.Input{Component: c, Files: r.files}
		if c.Source.Chart != nil {
			entry, err := r.lock.Find(chartSource(c.Source.Chart))
			if err != nil || !r.store.Intact(entry) {
				return "", nil // rendering says it with more words
			}
			in.ChartKey = chartKey(entry)
		}
		key, err := r.cache.key(in)
		if err != nil {
			return "", nil // a file that cannot be read: rendering meets it as well
		}
		parts = append(parts, c.Name, key)
	}
	data, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("hashing %s: %w", env.Name, err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data)), nil
}

// current reports whether all that the environment owns stands in the folder as the very same inputs made it.
func (l *last) current(s Setup, plan Plan, key string, snapshot *tree.Snapshot) bool {
	run, known := l.Environments[plan.Environment.Name]
	if !known || key == "" || run.Key != key || s.partial() {
		return false
	}
	for _, o := range run.owners(plan) {
		if !snapshot.Current(o, run.Inputs[o.Component]) {
			return false
		}
	}
	return true
}

// owners are the environment itself, its components, and what was split off from them in that run.
func (r lastRun) owners(plan Plan) []tree.Owner {
	list := []tree.Owner{}
	for _, name := range slices.Sorted(maps.Keys(r.Inputs)) {
		list = append(list, tree.Owner{Environment: plan.Environment.Name, Component: name})
	}
	return list
}
