package environment

import (
	"io/fs"
	"net/url"
	"slices"
	"strings"
)

// checkTopology checks versions, Git and Argo CD of one environment.
func (r *resolver) checkTopology() {
	e := r.env
	r.checkVersions()
	if e.ArgoCD.In == "" && !r.stated("argocd.in") {
		r.c.add(r.fleet.doc.find("argocd"), "argocd.in", "missing: it decides where Argo CD runs and what it is told; state cluster, hub or none here, or in environment %s", e.Name)
	}
	if e.ArgoCD.In == "hub" && e.ArgoCD.Cluster == "" && !r.stated("argocd.cluster") {
		at, _ := r.winner("argocd.in")
		r.c.add(at, "argocd.cluster", "missing: it decides which cluster the hub writes to; state the name under which the hub knows this one, for example \"{env}\"")
	}
	r.checkHubFields()
	r.checkSyncTimeout()
}

// checkHubFields holds that what says how a hub serves the environment is stated for a hub. What a lower layer says for the
// environments of a hub falls away where this one has another Argo CD.
func (r *resolver) checkHubFields() {
	e := r.env
	if e.ArgoCD.In == "hub" || e.ArgoCD.In == "" {
		return
	}
	for _, field := range []string{"argocd.cluster", "argocd.hub"} {
		if at, ok := r.winner(field); ok && r.height(field) >= r.height("argocd.in") {
			r.c.add(at, field, "means something for in: hub only, and environment %s has in: %s; take it out", e.Name, e.ArgoCD.In)
		}
	}
	e.ArgoCD.Cluster, e.ArgoCD.Hub = "", ""
}

// height is the number of the highest layer that states a path, -1 where none does.
func (r *resolver) height(path string) int {
	for i, l := range slices.Backward(r.layers) {
		if l.doc.stated[path] {
			return i
		}
	}
	return -1
}

// stated reports whether any layer states a path.
func (r *resolver) stated(path string) bool {
	return r.partial || slices.ContainsFunc(r.layers, func(l *layer) bool { return l.doc.says(path) })
}

// checkVersions holds that versions are exact and the needed one is there.
func (r *resolver) checkVersions() {
	v := r.env.Versions
	if !r.stated("versions.kubernetes") {
		r.c.add(r.own.doc.find("versions"), "versions.kubernetes", "missing: it decides which APIs charts find; state it in this file, or in a group that this file names")
	}
	for _, each := range []struct{ name, value string }{{"kubernetes", v.Kubernetes}, {"talos", v.Talos}, {"argocd", v.ArgoCD}} {
		field := "versions." + each.name
		at, ok := r.winner(field)
		switch {
		case !ok || each.value == "":
		case strings.HasPrefix(each.value, "v") && exactVersion(each.value):
			r.c.add(at, field, "%q begins with v: versions are written in one way, so that they can be compared; write %s", each.value, each.value[1:])
		case !exactVersion(each.value):
			r.c.add(at, field, "%q is not exact; write a complete version such as 1.36.2", each.value)
		}
	}
}

// checkFleet checks what only all environments together can get wrong.
func (m *model) checkFleet(all []*Environment) {
	if m.fleet == nil {
		return
	}
	m.checkGit()
	m.checkClusters(all)
	if len(m.environments) == 0 && len(m.c.found) == 0 {
		m.c.add(m.fleet.doc.top(), "", "the fleet has no environment: nothing would be rendered; write one, such as prod.yaml, beside this file")
	}
	registered := map[string]*Environment{}
	byName := map[string]*Environment{}
	for _, e := range all {
		byName[e.Name] = e
	}
	for _, e := range all {
		if e.ArgoCD.In != "hub" {
			continue
		}
		m.checkHub(e, byName)
		key := e.ArgoCD.Hub + " " + e.ArgoCD.Cluster
		if first, twice := registered[key]; twice && e.ArgoCD.Cluster != "" {
			m.c.add(m.placeIn(e, "argocd.cluster"), "argocd.cluster", "the hub would know environments %s and %s by one name, %q, and write both to one cluster; give each its own, for example \"{env}\"", first.Name, e.Name, e.ArgoCD.Cluster)
		}
		registered[key] = e
	}
}

// placeIn is the place of a path in the environment's own file, or in the highest of its layers that has it.
func (m *model) placeIn(e *Environment, path string) Origin {
	for _, group := range slices.Backward(append([]string{""}, e.Groups...)) {
		if at, ok := e.Positions[path]; ok {
			return at
		}
		if l := m.groups[group]; l != nil && l.doc.stated[path] {
			return l.doc.find(path)
		}
	}
	return m.fleet.doc.find(path)
}

// checkHub checks the hub that serves an environment.
func (m *model) checkHub(e *Environment, all map[string]*Environment) {
	name := e.ArgoCD.Hub
	if name == "" {
		return
	}
	hub, there := all[name]
	switch at := m.placeIn(e, "argocd.hub"); {
	case !there && !m.declares(name):
		m.c.add(at, "argocd.hub", "there is no environment %q%s; name the environment that runs the hub, or leave it out where the hub is none of this fleet", name, didYouMean(name, keys(all)))
	case there && hub.ArgoCD.In != "cluster":
		m.c.add(at, "argocd.hub", "environment %s runs no Argo CD (it has in: %s), so it cannot serve %s; set in: cluster there", name, hub.ArgoCD.In, e.Name)
	}
}

// declares reports whether there is a file of an environment, be it one with mistakes.
func (m *model) declares(name string) bool {
	_, err := fs.Stat(m.fsys, name+".yaml")
	return err == nil && fs.ValidPath(name)
}

// checkGit checks where output goes.
func (m *model) checkGit() {
	g, doc := m.git, m.fleet.doc
	if g.URL != "" && !isGitURL(g.URL) {
		m.c.add(doc.find("git.url"), "git.url", "%q is no address of a repository; write https://…, ssh://… or git@host:path", g.URL)
	}
	folder := !doc.stated["git.path"] || strings.Contains(g.Path, "{env}")
	switch {
	case g.Mode == "output-branch" && !doc.stated["git.sourceBranch"]:
		m.c.add(doc.find("git.mode"), "git.sourceBranch", "missing: an output branch is rendered from it; state the branch that holds the model")
	case g.Mode == "output-branch" && g.SourceBranch != "" && g.SourceBranch == g.Branch:
		m.c.add(doc.find("git.branch"), "git.branch", "is the source branch: only the bot writes an output branch; name another one, for example \"env/{env}\"")
	case g.Mode != "output-branch" && doc.stated["git.sourceBranch"]:
		m.c.add(doc.find("git.sourceBranch"), "git.sourceBranch", "means something for mode: output-branch only; take it out")
	case g.Mode != "output-branch" && strings.Contains(g.Branch, "{env}") && !doc.broken["git.mode"]:
		m.c.add(doc.find("git.branch"), "git.branch", "holds {env}, but with mode: same-branch source and output of all environments share one branch; write its name, or set mode: output-branch")
	}
	if doc.stated["git.releaseBranch"] && !doc.broken["git.releaseBranch"] && !strings.Contains(g.ReleaseBranch, "{env}") {
		m.c.add(doc.find("git.releaseBranch"), "git.releaseBranch", "is one branch for all environments, and each release would take the others' Applications away; write {env} into it")
	}
	if !folder && !strings.Contains(g.Branch, "{env}") && g.Branch != "" {
		m.c.add(doc.find("git.path"), "git.path", "is one folder for all environments: they would overwrite each other; write {env} into it")
	}
}

// isGitURL reports whether git can fetch from it.
func isGitURL(address string) bool {
	if u, err := url.Parse(address); err == nil && u.Scheme != "" {
		return u.Scheme == "file" || u.Host != "" && slices.Contains([]string{"https", "http", "ssh"}, u.Scheme)
	}
	user, path, scp := strings.Cut(address, ":")
	return scp && strings.Contains(user, "@") && path != ""
}
