package coldstart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// caWriter is the fact that the workload Kind Namespace/Name has done its work, which may be to write a CA.
const caWriter needs.Type = "may-have-written"

// surely says how sure it is that a workload which may write a CA into an object does so.
type surely int

const (
	perhaps surely = iota
	always
	notAtAll
)

// writesInto reads from what a workload is told whether it writes a CA into an object.
func writesInto(n, target *node) surely {
	words := wordsOf(n)
	switch {
	case certgenMode(n, words) != "":
		return patches(n, words, target)
	case runsImage(n, "cainjector"):
		return annotated(target)
	case n.id.Kind == "Job" && onlyReads(words):
		return notAtAll
	}
	return perhaps
}

// certgenMode returns what a Job of kube-webhook-certgen does, whose image or whose arguments tell: create or patch.
func certgenMode(n *node, words []string) string {
	known := runsImage(n, "webhook-certgen") || told(n, "secret-name") != ""
	if i := slices.IndexFunc(words, func(word string) bool { return word == "create" || word == "patch" }); i >= 0 && known && n.id.Kind == "Job" {
		return words[i]
	}
	return ""
}

// patches reports whether a Job of kube-webhook-certgen writes into an object: one that patches does, into the configurations of the
// name that it is told, and into no others (kube-webhook-certgen cmd/create.go, cmd/patch.go).
func patches(n *node, words []string, target *node) surely {
	if certgenMode(n, words) != "patch" {
		return notAtAll
	}
	name := told(n, "webhook-name")
	switch target.id.Kind {
	case "APIService":
		name = told(n, "apiservice-name")
	case crd:
		name = cmp.Or(told(n, "crd-name"), told(n, "crds"))
		if slices.Contains(strings.Split(name, ","), target.id.Name) {
			name = target.id.Name
		}
	default:
		if !slices.Contains(patchedKinds(words), target.id.Kind) {
			return notAtAll
		}
	}
	if strings.Contains(name, "$") {
		return perhaps
	}
	if name == target.id.Name {
		return always
	}
	return notAtAll
}

// annotated reports whether cert-manager's injector is told to write into an object (cert-manager docs, CA Injector).
func annotated(target *node) surely {
	for _, key := range []string{injectFrom, injectFromSecret, "cert-manager.io/inject-apiserver-ca"} {
		if target.task.Object.Annotation(key) != "" {
			return always
		}
	}
	return notAtAll
}

// onlyReads reports whether a Job runs kubectl, and no command of it that could write a CA.
func onlyReads(words []string) bool {
	line := " " + strings.Join(words, " ") + " "
	if !strings.Contains(line, "kubectl ") {
		return false
	}
	return !slices.ContainsFunc([]string{" patch", " apply", " replace", " edit", " create", " set ", "sed ", "curl "}, func(verb string) bool { return strings.Contains(line, verb) })
}

func images(n *node) []string {
	var list []string
	for _, c := range containers(needs.PodSpec(n.task.Object)) {
		image := textAt(c, "image")
		list = append(list, image)
	}
	return list
}

// runsImage reports whether a container of a workload runs an image with a part of a name.
func runsImage(n *node, part string) bool {
	return slices.ContainsFunc(images(n), func(image string) bool { return strings.Contains(image, part) })
}

// told returns what a workload is told by an argument or a variable of a name.
func told(n *node, name string) string {
	for _, f := range flags(n) {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// oneOfMany returns what must be there besides before it is sure that a CA stands in an object: several workloads share an account
// that may write it, nothing says which of them does, and so all of them must have run.
func (w *world) oneOfMany(target *node) []need {
	by := map[needs.Account][]*node{}
	for _, p := range w.provided[target.here(injected(target.id))] {
		switch account := needs.AccountOf(p.node.task.Object); {
		case writesInto(p.node, target) == always || !p.healthy:
			return nil
		case !slices.Contains(by[account], p.node):
			by[account] = append(by[account], p.node)
		}
	}
	var list []need
	for _, sharing := range by {
		if len(by) > 1 || len(sharing) < 2 {
			return nil
		}
		for _, n := range sharing {
			fact := n.here(named(caWriter, "", n.id.Kind+" "+n.id.Namespace+"/"+n.id.Name))
			if len(w.provided[fact]) == 0 {
				w.provide(fact, n, true)
			}
			list = append(list, need{fact: fact, why: " one of " + plural(len(sharing), "workload") + " of one ServiceAccount writes its CA, and which is not known:", unless: injected(target.id).String()})
		}
	}
	return list
}
