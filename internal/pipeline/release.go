package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/git"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// ordered is the roll-out whose children are pinned to one commit, so that updates walk the waves as the first installation does.
const ordered = "ordered"

// Release is what `gen release` was asked for.
type Release struct {
	Remote string // name or URL; "" is origin
	Commit string // any revision; "" is the newest output
}

// Release writes the Applications of every selected environment, pinned to one commit of its output, on the branch that its root
// reads. An environment that is not rolled out in order is an error.
func (s Setup) Release(ctx context.Context, release Release) ([]Pushed, error) {
	repo, err := git.Open(ctx, s.Root)
	if err != nil {
		return nil, err
	}
	plans, err := s.Load()
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, plan := range plans {
		problems = append(problems, releasable(plan.Environment))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	var pushed []Pushed
	var outcomes []met
	for _, plan := range plans {
		p, err := releaseOne(ctx, repo, plan.Environment, release)
		pushed, outcomes = append(pushed, p), append(outcomes, met{environment: plan.Environment.Name, err: err})
	}
	return pushed, errors.Join(placed(outcomes)...)
}

// releasable says what a release needs of the model.
func releasable(env *environment.Environment) error {
	switch {
	case env.Rollout != ordered:
		return env.Wrong("rollout", "is "+env.Rollout+": the Applications follow the branch "+env.Git.Branch+" by themselves, so there is nothing to release; state rollout: ordered to release by hand")
	case env.ArgoCD.In == "none":
		return env.Wrong("argocd.in", "is none: no Argo CD reads this environment's Applications, so there is nothing to release")
	}
	return nil
}

func releaseOne(ctx context.Context, repo *git.Repository, env *environment.Environment, release Release) (Pushed, error) {
	outcome, err := repo.PublishRelease(ctx, git.Release{
		Remote: release.Remote, Branch: env.Git.ReleaseBranch, Tracks: env.Git.Branch, Commit: release.Commit,
	}, func(ctx context.Context, commit, base string) (git.Edit, error) {
		output, err := repo.Files(ctx, commit, git.Folder{Path: env.Git.Path, As: env.Name})
		if err != nil {
			return git.Edit{}, err
		}
		pinned, err := pin(env, output, commit)
		if err != nil {
			return git.Edit{}, fmt.Errorf("the output of %s in the commit %.12s: %w", env.Name, commit, err)
		}
		return rollout{env, commit, pinned}.edit(ctx, repo, base)
	})
	return Pushed{Environments: []string{env.Name}, Outcome: outcome}, err
}

// rollout is what an environment's branch is to hold: its Applications, by file, pinned to a commit.
type rollout struct {
	env    *environment.Environment
	commit string
	pinned map[string][]byte
}

// edit leaves nothing but the pinned Applications of the environment on its branch, whose newest commit is base; "" where there is none.
func (r rollout) edit(ctx context.Context, repo *git.Repository, base string) (git.Edit, error) {
	edit := git.Edit{Write: r.pinned, Message: fmt.Sprintf("gen: release %s at %.12s", r.env.Name, r.commit)}
	if base == "" {
		return edit, nil
	}
	before, err := repo.Files(ctx, base, git.Folder{Path: r.env.Git.Path})
	if err != nil {
		return edit, err
	}
	err = fs.WalkDir(before, ".", func(name string, entry fs.DirEntry, err error) error {
		if _, stays := r.pinned[path.Join(r.env.Git.Path, name)]; err == nil && !entry.IsDir() && !stays {
			edit.Delete = append(edit.Delete, path.Join(r.env.Git.Path, name))
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return edit, err
}

// pin returns the files of apps/ with each Application held on the commit. The folder holds the environment's output under its
// name; it must be what its records claim, and every Application must find its folder there.
func pin(env *environment.Environment, output fs.FS, commit string) (map[string][]byte, error) {
	if err := claimed(output, env.Name); err != nil {
		return nil, err
	}
	folder := path.Join(env.Name, appsDir)
	entries, err := fs.ReadDir(output, folder)
	if err != nil {
		return nil, fmt.Errorf("reading its Applications: %w", err)
	}
	pinned := map[string][]byte{}
	var problems []error
	for _, entry := range entries {
		data, err := fs.ReadFile(output, path.Join(folder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading its Applications: %w", err)
		}
		p := pinner{env, output, commit}
		text, err := p.file(data)
		pinned[path.Join(env.Git.Path, appsDir, entry.Name())] = text
		if err != nil {
			problems = append(problems, within{path.Join(appsDir, entry.Name()), err})
		}
	}
	return pinned, errors.Join(problems...)
}

// claimed refuses a folder that is not what a run of gen wrote and ended.
func claimed(output fs.FS, env string) error {
	snapshot, err := tree.Scan(output, tree.Scope{}, nil)
	if err != nil {
		return err
	}
	if len(snapshot.Owners()) == 0 {
		return fmt.Errorf("it holds no output of %s: name a commit that does, or run `gen push` first", env)
	}
	if half := snapshot.Interrupted(); len(half) > 0 {
		return fmt.Errorf("a run that wrote %s broke off, and its mixture was committed: run `gen render`, commit and push, and release that commit", half[0])
	}
	broken, err := snapshot.Broken()
	if err != nil {
		return err
	}
	if len(broken) > 0 {
		return fmt.Errorf("%d files are not what was rendered (%s): somebody changed them by hand; run `gen render`, commit and push, and release that commit",
			len(broken), SomeOf(broken))
	}
	return nil
}

// pinner holds Applications on one commit.
type pinner struct {
	env    *environment.Environment
	output fs.FS
	commit string
}

// file returns a file of apps/ with its Application pinned; other objects stay as they are.
func (p pinner) file(data []byte) ([]byte, error) {
	objects, _, err := manifest.Decode(data)
	if err != nil {
		return nil, err
	}
	if len(objects) != 1 || objects[0].ID().Kind != "Application" {
		return data, nil
	}
	var problems []error
	pinned := objects[0].Edit(func(fields map[string]any) {
		spec, _ := fields["spec"].(map[string]any)
		sources, _ := spec["sources"].([]any)
		for _, source := range append(slices.Clone(sources), spec["source"]) {
			if s, ok := source.(map[string]any); ok && s["repoURL"] == p.env.Git.URL {
				problems = append(problems, p.source(s))
			}
		}
	})
	text, err := manifest.Emit(pinned)
	return text, errors.Join(append(problems, err)...)
}

// source pins one source of our own repository.
func (p pinner) source(source map[string]any) error {
	source["targetRevision"] = p.commit
	folder, _ := source["path"].(string)
	below, inside := strings.CutPrefix(folder, p.env.Git.Path+"/")
	if !inside {
		return nil
	}
	if entries, err := fs.ReadDir(p.output, path.Join(p.env.Name, below)); err != nil || len(entries) == 0 {
		return fmt.Errorf("spec.source.path: %s is not in that commit, so Argo CD would not find it; release a commit that holds it", folder)
	}
	return nil
}
