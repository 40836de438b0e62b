package coldstart

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// binding is the fact that a StorageClass which is given binds its claims in one of two modes: "binding NAME Immediate". What the
// default class does is said by its ability: "binding default-storage-class Immediate".
const binding needs.Type = "binding"

// The modes in which a StorageClass binds claims (storage.k8s.io/v1, volumeBindingMode; Immediate where it says nothing).
const (
	immediate   = "Immediate"
	forConsumer = "WaitForFirstConsumer"
)

// consumed returns the need of a claim for a pod that mounts it, where its class binds for pods alone. Of a class that is given, and
// whose mode nobody states, only a given can tell.
func (w *world) consumed(n *node) []need {
	k := wants(named(consumer, n.id.Namespace, n.id.Name), "is bound only once a pod mounts it ("+forConsumer+")")
	mode, class := w.bindingOf(n)
	switch {
	case mode == immediate:
		return nil
	case mode == forConsumer || w.givenText(bindingText(class, forConsumer)):
		return []need{k}
	}
	k.unless = bindingText(class, immediate)
	k.why = "is bound only once a pod mounts it if its class (" + class + ") is one of " + forConsumer + ", and nobody says which"
	if mounts := w.provided[n.here(k.fact)]; len(mounts) > 0 {
		by := mounts[0].node
		k.why += ": " + by.id.String() + " mounts it, in " + by.place() + " of " + by.app.name
	}
	return []need{k}
}

// bindingOf returns the mode in which the class of a claim binds: that of the class among the objects; "" of one that is given. One that
// nobody brings is asked for first, and binds nothing. A claim that names its volume, or for which one is kept, waits for nobody
// (kubernetes component-helpers/storage/volume/pv_helpers.go, FindMatchingVolume).
func (w *world) bindingOf(n *node) (mode, class string) {
	c := w.claims[n][0]
	if c.object.String("spec", "volumeName") != "" || c.reserved || c.stated && c.class == "" {
		return immediate, ""
	}
	classes := w.classes(c)
	for _, known := range classes {
		if known.task.Object.String("volumeBindingMode") == forConsumer {
			return forConsumer, known.id.Name
		}
	}
	if class = c.class; !c.stated {
		class = needs.DefaultStorage
	}
	if len(classes) > 0 || !w.isGiven(n.here(c.classFact())) {
		return immediate, class
	}
	return "", class
}

func bindingText(class, mode string) string { return string(binding) + " " + class + " " + mode }

// checkBinding refuses a binding without a class or with a mode that there is not, and a second mode of one class.
func checkBinding(rest string, list []Given) error {
	words := strings.Fields(rest)
	if len(words) != 2 || !slices.Contains([]string{immediate, forConsumer}, words[1]) {
		return fmt.Errorf("%q says of no StorageClass how it binds: write `%s`, or %s; %s stands for the default class",
			string(binding)+" "+rest, bindingText("NAME", immediate), forConsumer, needs.DefaultStorage)
	}
	other := map[string]string{immediate: forConsumer, forConsumer: immediate}[words[1]]
	if words[1] == forConsumer && slices.ContainsFunc(list, func(g Given) bool { return g.Fact == bindingText(words[0], other) }) {
		return errors.New("StorageClass " + words[0] + " cannot bind in both modes: leave out one of the two")
	}
	return nil
}
