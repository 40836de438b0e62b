package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/tree"
)

func TestLeavings(t *testing.T) {
	app := func(name, finalizers string) tree.Change {
		return tree.Change{Path: "lab/apps/application.argoproj.io_argocd_" + name + ".yaml", Kind: tree.Removed, Before: fmt.Appendf(nil,
			"{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: %s, finalizers: [%s]}, spec: {source: {path: output/lab/components/%s}}}", name, finalizers, name)}
	}
	object := func(kind tree.Kind, component, version, options string) tree.Change {
		options, compare, _ := strings.Cut(options, "; ")
		text := fmt.Appendf(nil, "{apiVersion: example.com/%s, kind: Cat, metadata: {name: tom, namespace: a, annotations: {argocd.argoproj.io/sync-options: %q, argocd.argoproj.io/compare-options: %q}}}", version, options, compare)
		c := tree.Change{Path: "lab/components/" + component + "/cat.yaml", Kind: kind}
		if kind == tree.Added {
			c.After = text
		} else {
			c.Before = text
		}
		return c
	}
	const left, moved, unsafe = "lab/x: [Cat.example.com a/tom]", "x → y", "x → y, unsafe"
	tests := map[string]struct {
		changes []tree.Change
		want    []string
	}{
		"pruned by its Application":               {[]tree.Change{object(tree.Removed, "x", "v1", "")}, nil},
		"left by its Application":                 {[]tree.Change{app("x", ""), object(tree.Removed, "x", "v1", "")}, []string{left}},
		"taken along":                             {[]tree.Change{app("x", "resources-finalizer.argocd.argoproj.io"), object(tree.Removed, "x", "v1", "")}, nil},
		"kept on removal":                         {[]tree.Change{app("x", ""), object(tree.Removed, "x", "v1", "Delete=false")}, nil},
		"the whole environment goes":              {[]tree.Change{app("x", ""), object(tree.Removed, "x", "v1", ""), {Path: "lab/root.yaml", Kind: tree.Removed}}, nil},
		"renamed: the old one deletes nothing":    {[]tree.Change{app("x", ""), object(tree.Removed, "x", "v1", ""), object(tree.Added, "y", "v1", "")}, []string{moved}},
		"moved: the old one prunes":               {[]tree.Change{object(tree.Removed, "x", "v1", ""), object(tree.Added, "y", "v2", "")}, []string{unsafe}},
		"moved: the old one takes it along":       {[]tree.Change{app("x", "resources-finalizer.argocd.argoproj.io"), object(tree.Removed, "x", "v1", ""), object(tree.Added, "y", "v1", "")}, []string{unsafe}},
		"moved, and the old one waits":            {[]tree.Change{object(tree.Removed, "x", "v1", "Prune=false"), object(tree.Added, "y", "v1", "")}, []string{unsafe}},
		"moved, and the old one lets it go":       {[]tree.Change{object(tree.Removed, "x", "v1", "Prune=false; IgnoreExtraneous"), object(tree.Added, "y", "v1", "")}, []string{moved}},
		"another environment's":                   {[]tree.Change{app("x", ""), object(tree.Removed, "x", "v1", ""), {Path: "prod/components/y/cat.yaml", Kind: tree.Added}}, []string{left}},
		"another file of the same component":      {[]tree.Change{object(tree.Removed, "x", "v1", ""), object(tree.Added, "x", "v2", "")}, nil},
		"an Application of another shape of text": {[]tree.Change{{Path: "lab/apps/application.argoproj.io_argocd_x.yaml", Kind: tree.Removed, Before: []byte("{")}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			orphans, moves := Leavings(tt.changes)
			for _, o := range orphans {
				got = append(got, fmt.Sprintf("%s/%s: %v", o.Environment, o.Component, o.Objects))
			}
			for _, m := range moves {
				text := m.From + " → " + m.To
				if !m.Safe {
					text += ", unsafe"
				}
				got = append(got, text)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
