package argoapi

import (
	"time"

	"github.com/argoproj/argo-cd/v2/util/lua"
	"github.com/argoproj/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// script is a health script, and whether Argo CD ships it: one of argocd-cm may come from a pull request that nobody has read.
type script struct {
	argocd.HealthScript
	shipped bool
}

// lid stands before a script of argocd-cm, on its first line. What Argo CD opens for every script reads files, loads code and
// prints (gopher-lua's base and package libraries): none of that has a place where a stranger's folder is proven.
const lid = `dofile, loadfile, print, _printregs = nil, nil, function() end, nil; package.loaders[2] = nil; `

// patience is how long Argo CD lets a script run (util/lua/lua.go, runLua).
const patience = time.Second

// confined runs a script of argocd-cm without anything that reaches out of it. One that asks for Lua's open libraries is not run,
// and one that was stopped for its length is not run again: what they say is not known.
func (j *Judge) confined(s argocd.HealthScript, live *unstructured.Unstructured) (*health.HealthStatus, error) {
	if s.OpenLibs {
		return nil, argocd.Unrun{Pattern: s.Pattern, Why: "uses Lua's open libraries, which reach files and programs"}
	}
	stopped := argocd.Unrun{Pattern: s.Pattern, Why: "runs longer than Argo CD lets it, a second"}
	if _, slow := j.slow.Load(s.Lua); slow {
		return nil, stopped
	}
	start := time.Now()
	status, err := lua.VM{}.ExecuteHealthLua(live, lid+s.Lua)
	if err != nil && time.Since(start) >= patience {
		j.slow.Store(s.Lua, true)
		j.stopped.Add(1)
		return nil, stopped
	}
	return status, err
}
