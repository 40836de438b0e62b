package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/source"
)

// Proved is how the cold start of one environment, or of one folder, ends.
type Proved struct {
	Name    string
	Version argocd.Version
	Given   []coldstart.Given // all that was stated
	Proof   coldstart.Proof
	Notes   []string // what could not be looked at
}

// Surroundings is what a folder does not say itself.
type Surroundings struct {
	Version  string          // of Argo CD; read from its controller's image where it says nothing, else 3.2
	Settings manifest.Object // its argocd-cm; the one in the folder where it is zero
	Given    []coldstart.Given
}

// Prove proves the cold start of every selected environment, from what would be written out.
func (s Setup) Prove(ctx context.Context) ([]Proved, error) {
	plans, err := s.Load()
	if err != nil {
		return nil, err
	}
	results, err := s.Finish(ctx, plans)
	if err != nil {
		return nil, err
	}
	var list []Proved
	for _, result := range results {
		if result.Applications == nil {
			list = append(list, Proved{Name: result.Environment.Name, Notes: []string{"has no Argo CD: there is nothing that would sync"}, Proof: coldstart.Proof{Verdict: coldstart.Proven}})
			continue
		}
		apps, err := s.applied(result)
		if err != nil {
			return nil, prefixed(result.Environment.Name, err)
		}
		around := Surroundings{Version: argoVersion(result.Environment, result.Bundles)}
		for _, g := range result.Environment.Given {
			around.Given = append(around.Given, coldstart.Given(g))
		}
		proved, err := s.prove(apps, nil, around)
		if err != nil {
			return nil, prefixed(result.Environment.Name, err)
		}
		proved.Name = result.Environment.Name
		list = append(list, proved)
	}
	return list, nil
}

// applied pairs each Application of a result with the objects that lie under its path.
func (s Setup) applied(result Result) ([]coldstart.Application, error) {
	all := result.Applications
	project, err := s.EncodeProject(all.Project)
	if err != nil {
		return nil, err
	}
	root, err := s.EncodeApplication(all.Root)
	if err != nil {
		return nil, err
	}
	top := coldstart.Application{Object: root, Objects: []manifest.Object{project}}
	bundles := map[string]manifest.Bundle{}
	for _, b := range result.Bundles {
		bundles[b.Name] = b
	}
	var list []coldstart.Application
	for _, child := range all.Children {
		object, err := s.EncodeApplication(child)
		if err != nil {
			return nil, err
		}
		top.Objects = append(top.Objects, object)
		list = append(list, coldstart.Application{Object: object, Objects: bundles[path.Base(child.Source.Path)].Objects})
	}
	return append(list, top), nil
}

// ProveFolder proves the cold start of whatever Applications stand in a folder.
func (s Setup) ProveFolder(fsys fs.FS, around Surroundings) (Proved, error) {
	folder, err := source.Load(fsys)
	if err != nil {
		return Proved{}, err
	}
	if len(folder.Applications) == 0 {
		return Proved{}, fmt.Errorf("there is no Application in the folder: name one that holds Applications and what they apply")
	}
	var apps []coldstart.Application
	for _, a := range folder.Applications {
		apps = append(apps, coldstart.Application{Object: a.Object, Objects: a.Objects, Unknown: a.Unknown})
	}
	proved, err := s.prove(apps, folder.Projects, around)
	for _, set := range folder.Sets {
		proved.Notes = append(proved.Notes, "ApplicationSet "+set.Name+" is not expanded: what it generates is not looked at")
	}
	return proved, err
}

// prove settles what surrounds the Applications and hands all to the proof.
func (s Setup) prove(apps []coldstart.Application, projects []manifest.Object, around Surroundings) (Proved, error) {
	version, err := argocd.ParseVersion(cmp.Or(around.Version, "3.2"))
	if err != nil {
		return Proved{}, err
	}
	settings := around.Settings
	for i, a := range apps {
		if apps[i].Bootstrap = coldstart.Bootstraps(a.Objects); !apps[i].Bootstrap || !settings.IsZero() {
			continue
		}
		for _, o := range a.Objects {
			if id := o.ID(); id.Kind == "ConfigMap" && id.Name == argocd.ConfigMapName {
				settings = o
			}
		}
	}
	health, err := s.Judge(version, settings)
	if err != nil {
		return Proved{}, err
	}
	exclusions, err := exclusionsOf(version, settings)
	if err != nil {
		return Proved{}, err
	}
	in := coldstart.Input{Version: version, Applications: apps, Projects: projects, Exclusions: exclusions, Given: around.Given, Health: health}
	return Proved{Version: version, Given: around.Given, Proof: coldstart.Prove(in)}, nil
}

// exclusionsOf returns the kinds that Argo CD overlooks: the shipped list is part of the shipped argocd-cm.
func exclusionsOf(version argocd.Version, settings manifest.Object) ([]argocd.Exclusion, error) {
	if settings.IsZero() {
		return argocd.DefaultExclusions(version), nil
	}
	stated, isStated, err := argocd.ReadExclusions(settings)
	if err == nil && !isStated && !version.Has(argocd.ExclusionsShipped) {
		stated = argocd.DefaultExclusions(version)
	}
	return stated, err
}
