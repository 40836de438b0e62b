package argoapi

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	v2scripts "github.com/argoproj/argo-cd/v2/resource_customizations"
	"github.com/argoproj/argo-cd/v2/util/lua"
	v3scripts "github.com/argoproj/argo-cd/v3/resource_customizations"
	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/gobwas/glob"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	_ "github.com/coldstart-gitops/gen/internal/argoapi/untranslated" // before kubectl's packages, which this file links
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Judge tells the health of objects as one Argo CD does: by the scripts of its argocd-cm, then by the scripts that its release
// line ships, then by the engine's own checks. It may be used by many goroutines.
type Judge struct {
	version   argocd.Version
	scripts   []argocd.HealthScript // of argocd-cm, sorted by pattern
	shipped   embed.FS
	wildcards []string // shipped folders whose name holds "_" for "*", sorted
	memo      memo
	chosen    sync.Map // kind to its script, or to nil
	slow      sync.Map // scripts of argocd-cm that were stopped once: they are not run again
	stopped   atomic.Int32
}

// NewJudge returns the judge for a release line with an argocd-cm; a zero settings object stands for an argocd-cm as shipped.
// Scripts are those of 2.14.21 before 3.0 and of 3.2.11 from it on, but for the one that 3.5 changed (see newer). Settings that
// Argo CD would refuse are an error.
func NewJudge(version argocd.Version, settings manifest.Object) (*Judge, error) {
	j := &Judge{version: version, shipped: v2scripts.Embedded}
	if version.Major >= 3 {
		j.shipped = v3scripts.Embedded
		var err error
		if j.wildcards, err = wildcards(j.shipped); err != nil {
			return nil, err
		}
	}
	var err error
	j.scripts, err = argocd.HealthScripts(settings)
	return j, err
}

// newer returns what stands in for a shipped script of a release line that is not linked here, where the version table
// (argocd.Feature) says that the linked one differs: since argo-cd#26126 a CRD that is being installed is Progressing.
func newer(version argocd.Version, key string) (lua string, ok bool) {
	if key == argocd.DefinitionPattern && version.Has(argocd.CRDInstallingHealthy) {
		return argocd.DefinitionHealth(), true
	}
	return "", false
}

// wildcards lists the shipped folders that stand for more than one kind; 3.0 began to read them.
func wildcards(shipped embed.FS) ([]string, error) {
	var found []string
	err := fs.WalkDir(shipped, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Base(name) == "health.lua" && strings.Contains(path.Dir(name), "_") {
			found = append(found, path.Dir(name))
		}
		return err
	})
	slices.Sort(found)
	return found, err
}

// Health returns the object's health, or nil where Argo CD has no check for its kind. A script that raises an error, or
// returns what is no health, is an error: to Argo CD such an object stays as it is, and a wave waits for it for ever.
func (j *Judge) Health(o manifest.Object) (*argocd.Health, error) {
	live := &unstructured.Unstructured{Object: o.Fields()} // read only, by the engine as by scripts
	status, err := health.GetResourceHealth(live, override{j})
	if err != nil {
		return nil, fmt.Errorf("judging the health of %s: %w", o.ID(), err)
	}
	if status == nil {
		return nil, nil
	}
	return &argocd.Health{Status: argocd.HealthStatus(status.Status), Message: status.Message}, nil
}

// override is the judge as the engine asks it.
type override struct{ *Judge }

var _ health.HealthOverride = override{}

// GetResourceHealth runs the script for the object, if there is one.
func (j override) GetResourceHealth(live *unstructured.Unstructured) (*health.HealthStatus, error) {
	script := j.scriptOf(lua.GetConfigMapKey(live.GroupVersionKind()))
	if script == nil {
		return nil, nil
	}
	return j.memo.ask(script.HealthScript, live, func() (*health.HealthStatus, error) {
		if script.shipped {
			return lua.VM{UseOpenLibs: true}.ExecuteHealthLua(live, script.Lua)
		}
		return j.confined(script.HealthScript, live)
	})
}

// scriptOf chooses the script for a kind, once.
func (j *Judge) scriptOf(key string) *script {
	if known, ok := j.chosen.Load(key); ok {
		return known.(*script)
	}
	var chosen *script
	if found, ok := j.script(key); ok {
		chosen = &found
	}
	j.chosen.Store(key, chosen)
	return chosen
}

// script chooses by Argo CD's precedence: argocd-cm by name, argocd-cm by wildcard, shipped by name, shipped by wildcard. Of
// several wildcards of argocd-cm Argo CD takes any; here the first by name counts.
func (j *Judge) script(key string) (script, bool) {
	for _, s := range j.scripts {
		if s.Pattern == key {
			return script{s, false}, true
		}
	}
	for _, s := range j.scripts {
		if pattern, err := glob.Compile(s.Pattern); err == nil && pattern.Match(key) {
			return script{s, false}, true
		}
	}
	if text, ok := newer(j.version, key); ok {
		return script{argocd.HealthScript{Pattern: key, Lua: text}, true}, true
	}
	folders := []string{key}
	for _, folder := range j.wildcards {
		if ok, err := path.Match(strings.ReplaceAll(folder, "_", "*"), key); ok && err == nil {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		if text, err := j.shipped.ReadFile(path.Join(folder, "health.lua")); err == nil {
			return script{argocd.HealthScript{Pattern: folder, Lua: string(text), OpenLibs: true}, true}, true
		}
	}
	return script{}, false
}
