package coldstart

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/gobwas/glob"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// permissions is what one AppProject allows, its patterns read once (argo-cd pkg/apis/application/v1alpha1/app_project_types.go,
// the same in 2.14 and 3.2).
type permissions struct {
	name         string
	sources      []pattern
	destinations []allowedPlace
	places       map[place]bool // destinations that were asked for
	homes        []string       // sourceNamespaces
	object       manifest.Object
	names        bool // clusterResource lists may state names
}

// allowedPlace is one of a project's destinations.
type allowedPlace struct{ server, name, namespace pattern }

// place is a namespace of a cluster.
type place struct {
	cluster   cluster
	namespace string
}

// builtinProject is the project that Argo CD makes itself where nobody states one of its name (util/settings, cmd/…/commands).
var builtinProject = manifest.New(map[string]any{"metadata": map[string]any{"name": "default"}, "spec": map[string]any{
	"sourceRepos": []any{"*"}, "destinations": []any{map[string]any{"server": "*", "namespace": "*"}},
	"clusterResourceWhitelist": []any{map[string]any{"group": "*", "kind": "*"}},
}})

func readPermissions(project manifest.Object, version argocd.Version) *permissions {
	p := &permissions{name: project.ID().Name, object: project, places: map[place]bool{}, names: version.Has(argocd.ClusterResourceNames)}
	for _, repo := range textsOf(project.Fields(), "spec", "sourceRepos") {
		denied, isDenied := strings.CutPrefix(repo, "!")
		normal := normalRepo(denied)
		if isDenied {
			normal = "!" + normal
		}
		p.sources = append(p.sources, newPattern(normal, '/'))
	}
	for _, item := range project.List("spec", "destinations") {
		text := func(key string) string { return textAt(item, key) }
		p.destinations = append(p.destinations, allowedPlace{newPattern(text("server")), newPattern(text("name")), newPattern(text("namespace"))})
	}
	p.homes = textsOf(project.Fields(), "spec", "sourceNamespaces")
	return p
}

// pattern is a glob, or by a ! before it what must not match.
type pattern struct {
	text   string
	denies bool
	glob   glob.Glob // nil: nothing matches
}

func newPattern(text string, separators ...rune) pattern {
	bare, denies := strings.CutPrefix(text, "!")
	compiled, err := glob.Compile(bare, separators...)
	if err != nil {
		compiled = nil
	}
	return pattern{text, denies, compiled}
}

// matches follows Argo CD in that * alone matches whatever separators there are, and a denial all but what it names.
func (p pattern) matches(text string) bool {
	if p.text == "*" {
		return true
	}
	return (p.glob != nil && p.glob.Match(text)) != p.denies
}

// source reports whether Applications may read from a repository.
func (p *permissions) source(repo string) bool {
	allowed, normal := false, normalRepo(repo)
	for _, s := range p.sources {
		matched := s.matches(normal)
		if !matched && s.denies {
			return false
		}
		allowed = allowed || matched
	}
	return allowed
}

var scpLike = regexp.MustCompile(`^(ssh://)?([^/:]*?)@[^@]+$`)

// normalRepo returns a repository's address as Argo CD compares it (argo-cd util/git, NormalizeGitURL).
func normalRepo(repo string) string {
	repo = strings.ToLower(strings.TrimSpace(repo))
	if scpLike.MatchString(repo) && !strings.HasPrefix(repo, "ssh://") {
		repo = "ssh://" + strings.Replace(repo, ":", "/", 1)
	}
	u, err := url.Parse(strings.TrimSuffix(repo, ".git"))
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.String(), "ssh://")
}

// reaches reports whether one of the destinations covers a namespace of a cluster.
func (p *permissions) reaches(c cluster, namespace string) bool {
	at := place{c, namespace}
	if allowed, known := p.places[at]; known {
		return allowed
	}
	p.places[at] = p.covers(c, namespace)
	return p.places[at]
}

func (p *permissions) covers(c cluster, namespace string) bool {
	allowed := false
	for _, d := range p.destinations {
		name, server := d.name.matchesHalf(c.name, d.server, c.server), d.server.matchesHalf(c.server, d.name, c.name)
		in := d.namespace.matches(namespace)
		switch {
		case (name || server) && in:
			allowed = true
		case !name && d.name.denies, !server && d.server.denies && in:
			return false
		case !in && d.namespace.denies && server:
			return false
		}
	}
	return allowed
}

// matchesHalf matches one half of a cluster. One that nobody states is unknown: it may be what is allowed, and is not what is denied.
func (p pattern) matchesHalf(text string, other pattern, otherText string) bool {
	if text == "" {
		return p.text != "" && (p.denies || otherText != "" && !other.denies)
	}
	return p.matches(text)
}

// kind reports whether objects of a kind are allowed. In lists of cluster-scoped kinds an entry may state a name (3.3 and later).
func (p *permissions) kind(id manifest.ID, namespaced bool) bool {
	if namespaced {
		white := p.object.Get("spec", "namespaceResourceWhitelist")
		return (white == nil || p.listed("namespaceResourceWhitelist", id, false)) && !p.listed("namespaceResourceBlacklist", id, false)
	}
	return p.listed("clusterResourceWhitelist", id, p.names) && !p.listed("clusterResourceBlacklist", id, p.names)
}

func (p *permissions) listed(list string, id manifest.ID, names bool) bool {
	for _, item := range p.object.List("spec", list) {
		group := textAt(item, "group")
		kind := textAt(item, "kind")
		name := textAt(item, "name")
		if globs(group, id.Group) && globs(kind, id.Kind) && (!names || name == "" || globs(name, id.Name)) {
			return true
		}
	}
	return false
}

// globs matches as Argo CD matches kinds: by path.Match, in which * stops at a slash.
func globs(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return err == nil && ok
}

// welcomes reports whether Applications may live in a namespace beside Argo CD's own.
func (p *permissions) welcomes(namespace string) bool { return anyOf(p.homes, namespace) }

// anyOf matches a list of globs and, in slashes, regular expressions (argo-cd util/glob, MatchStringInList).
func anyOf(list []string, text string) bool {
	for _, item := range list {
		if len(item) > 1 && strings.HasPrefix(item, "/") && strings.HasSuffix(item, "/") {
			if expression, err := regexp.Compile(item[1 : len(item)-1]); err == nil && expression.MatchString(text) {
				return true
			}
		}
		if compiled, err := glob.Compile(item); err == nil && compiled.Match(text) {
			return true
		}
	}
	return false
}
