package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/component"
)

// Why says in one clause why a component starts in its wave: what it waits for, or what it starts together with and what lets it.
func (o Order) Why(c component.Component, all []component.Component) string {
	group := groups(all)
	wave := o.Waves[c.Name]
	var together, above []string
	for _, e := range o.Edges {
		switch {
		case e.From != c.Name:
		case group[e.To] == group[c.Name]:
			together = append(together, e.To)
		case o.Waves[e.To] == wave:
			above = append(above, e.To) // both by hand
		}
	}
	var parts []string
	if c.Wave != nil {
		parts = append(parts, "its wave is set by hand")
	} else if text := o.waits(c.Name, group); text != "" {
		parts = append(parts, text)
	}
	if partners := partnersOf(c.Name, group); len(partners) > 0 {
		parts = append(parts, fmt.Sprintf("started together with %s, because %s", strings.Join(partners, " and "), o.mutual(c.Name, partners)))
	}
	if len(above) > 0 {
		parts = append(parts, "and finds "+strings.Join(slices.Compact(above), " and ")+" by trying again, since both waves are set by hand")
	}
	if len(parts) == 0 && len(together) == 0 {
		parts = append(parts, "needs nothing that another component brings")
	}
	return strings.Join(parts, "; ")
}

// waits names what holds a component, or one that it starts together with, in its wave: the needs of the wave before.
func (o Order) waits(name string, group map[string]string) string {
	var names []string
	last := o.Waves[name]
	for _, e := range o.Edges {
		if group[e.From] == group[name] && group[e.To] != group[name] && o.Waves[e.To] == last-1 && !slices.Contains(names, e.To) {
			names = append(names, e.To)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return fmt.Sprintf("waits for %s in wave %d", strings.Join(names, ", "), last-1)
}

// partnersOf returns the components that share a wave with one because one of them says so, sorted.
func partnersOf(name string, group map[string]string) []string {
	var names []string
	for other, g := range group {
		if g == group[name] && other != name {
			names = append(names, other)
		}
	}
	slices.Sort(names)
	return names
}

// mutual says what a component and its partners need of each other: no order of waves could serve both.
func (o Order) mutual(name string, partners []string) string {
	var list []string
	for _, e := range o.Edges {
		if e.From == name && slices.Contains(partners, e.To) || e.To == name && slices.Contains(partners, e.From) {
			if text := e.String(); !slices.ContainsFunc(list, func(old string) bool { return strings.HasPrefix(old, e.From+" needs "+e.To+":") }) {
				list = append(list, text)
			}
		}
	}
	if len(list) == 0 {
		return "one of them asks for it"
	}
	return strings.Join(list, ", and ")
}
