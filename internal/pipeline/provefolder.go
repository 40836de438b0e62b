package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/chart"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/render"
	"github.com/coldstart-gitops/gen/internal/source"
)

// Surroundings is what a folder does not say itself.
type Surroundings struct {
	Root     string          // the file with the Application that a person applies; every file where it says nothing
	Version  string          // of Argo CD; 3.2 where it says nothing
	Settings manifest.Object // its argocd-cm; the one in the folder where it is zero
	Given    []coldstart.Given
	Clusters []manifest.Object // Secrets of all registered clusters; those in the folder where there are none
	Hosts    []coldstart.Host  // that machines ask before anything runs on them
	network  bool              // nodes have their network before anything is applied
	over     bool              // Settings lie over those that Argo CD ships
	later    later             // settings that come into force during the start
}

// ProveFolder proves the cold start of whatever Applications stand in a folder. It ends when it is told to, and beyond limits that
// no repository reaches which is meant well.
func (s Setup) ProveFolder(ctx context.Context, fsys fs.FS, around Surroundings) (Proved, error) {
	return bounded(ctx, folderLimits, func() (Proved, error) { return s.proveFolder(ctx, fenced{ctx, fsys}, around) })
}

func (s Setup) proveFolder(ctx context.Context, fsys fs.FS, around Surroundings) (Proved, error) {
	look := looker{ctx, fsys, render.New()}
	folder, err := source.Load(ctx, fsys, around.Root, source.Tools{Helm: look.helm, Kustomize: look.kustomize, Functions: render.Bounded, Clusters: around.Clusters})
	if err != nil {
		return Proved{}, err
	}
	if len(folder.Applications)+len(folder.Hidden) == 0 {
		return Proved{}, fmt.Errorf("there is no Application in the folder: name one that holds Applications and what they apply, or by --root what renders to them%s", lines(folder.Notes))
	}
	var apps []coldstart.Application
	for _, a := range append(folder.Applications, folder.Hidden...) {
		apps = append(apps, coldstart.Application{Object: a.Object, Objects: a.Objects, Unknown: a.Unknown, Broken: a.Broken, Generator: a.Generator, Applied: a.Applied})
	}
	if around.Settings.IsZero() {
		around.settle(&folder, apps)
	}
	around.network, around.Clusters = true, folder.Clusters
	proved, err := s.prove(ctx, apps, folder.Projects, around)
	proved.Notes = append(folder.Notes, proved.Notes...)
	for _, g := range around.Given {
		if !slices.Contains(proved.Proof.Used, g) && !slices.Contains(proved.Proof.Expired, g) {
			proved.Notes = append(proved.Notes, "given, and nothing asked for it: "+g.Fact)
		}
	}
	return proved, err
}

func lines(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return "\n  " + strings.Join(notes, "\n  ")
}

// looker renders what stands in a folder.
type looker struct {
	ctx    context.Context
	fsys   fs.FS
	engine *render.Renderer
}

// kubernetes is the version that charts are rendered for where nobody states one.
const kubernetes = "1.34.0"

func (l looker) helm(c source.Chart) (source.Rendered, error) {
	content, err := chart.Folder(l.fsys, c.Dir)
	if err != nil {
		return source.Rendered{}, err
	}
	values, err := l.values(c)
	if err != nil {
		return source.Rendered{}, err
	}
	return rendered(l.engine.Look(l.ctx, render.Foreign{SkipCRDs: c.SkipCRDs, Input: render.Input{
		Chart: content, APIVersions: slices.Concat(served, c.APIVersions),
		Component: component.Component{
			Name: c.Release, Release: c.Release, Namespace: c.Namespace, Merged: values, KeepHooks: true,
			KubeVersion: cmp.Or(c.KubeVersion, kubernetes),
		},
	}}))
}

func (l looker) values(c source.Chart) (map[string]any, error) {
	var files [][]byte
	for _, name := range c.ValueFiles {
		data, err := fs.ReadFile(l.fsys, name)
		if err != nil {
			return nil, fmt.Errorf("reading values: %w", err)
		}
		files = append(files, data)
	}
	var plain, texts []string
	for _, p := range c.Parameters {
		if p.Text {
			texts = append(texts, p.Name+"="+p.Value)
			continue
		}
		plain = append(plain, p.Name+"="+p.Value)
	}
	return render.Values(files, c.Values, plain, texts)
}

func (l looker) kustomize(k source.Kustomization) (source.Rendered, error) {
	return rendered(l.engine.Look(l.ctx, render.Foreign{Changes: k.Changes, Input: render.Input{
		Files: l.fsys, Component: component.Component{Name: k.Dir, Source: component.Source{Kustomization: k.Dir}},
	}}))
}

func rendered(seen render.Seen, err error) (source.Rendered, error) {
	out := source.Rendered{Objects: seen.Objects, Absent: seen.Absent, Missing: seen.Missing, Read: seen.Folders}
	for _, q := range seen.Asks {
		out.Asks = append(out.Asks, source.Question(q))
	}
	return out, err
}
