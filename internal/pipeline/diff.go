package pipeline

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/git"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// CompareBase renders the model as it stands and compares it with what the base has: the newest commit that HEAD and rev share.
// Output that lies beside its source is read from that commit; for output branches the base's model is rendered.
func (s Setup) CompareBase(ctx context.Context, rev string) (Run, error) {
	repo, err := git.Open(ctx, s.Root)
	if err != nil {
		return Run{}, err
	}
	base, err := repo.MergeBase(ctx, "HEAD", rev)
	if err != nil {
		return Run{}, err
	}
	results, after, err := s.files(ctx)
	if err != nil {
		return Run{Results: results}, err
	}
	before, err := s.baseFiles(ctx, repo, base, results)
	if err != nil {
		return Run{Results: results}, err
	}
	return Run{results, changes(before, after)}, nil
}

// files renders what is selected, by path below output/.
func (s Setup) files(ctx context.Context) ([]Result, map[string][]byte, error) {
	plans, err := s.Load()
	if err != nil {
		return nil, nil, err
	}
	results, err := s.Finish(ctx, plans)
	if err != nil {
		return results, nil, err
	}
	t, err := s.Output(ctx, results)
	if err != nil {
		return results, nil, err
	}
	return results, t.Files(), nil
}

// baseFiles returns what the base commit has of the environments and components that are selected.
func (s Setup) baseFiles(ctx context.Context, repo *git.Repository, base string, results []Result) (map[string][]byte, error) {
	onBranch := slices.ContainsFunc(results, func(r Result) bool { return r.Environment.Git.Mode == outputBranch })
	if onBranch {
		at, err := s.at(ctx, repo, base)
		if err != nil {
			return nil, err
		}
		at.Environments = nil // the base may not have all that is selected
		_, files, err := at.files(ctx)
		maps.DeleteFunc(files, func(name string, _ []byte) bool { return !s.selects(name) })
		return files, err
	}
	committed, err := repo.Files(ctx, base, git.Folder{Path: path.Join(repo.Prefix(), OutputDir)})
	if err != nil {
		return nil, err
	}
	return s.owned(committed)
}

// owned reads the files of a folder that owners in the selection have recorded.
func (s Setup) owned(folder fs.FS) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !s.selects(name) {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		out[name] = data
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	return out, err
}

// selects reports whether a path below output/ lies in what was selected.
func (s Setup) selects(name string) bool {
	env, rest, _ := strings.Cut(name, "/")
	if len(s.Environments) > 0 && !matches(s.Environments, env) {
		return false
	}
	if !s.partial() {
		return true
	}
	parts := strings.Split(rest, "/")
	return len(parts) > 1 && parts[0] == componentsDir && s.Wants(parts[1])
}

func matches(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := path.Match(glob, name)
		return err == nil && ok
	})
}

// changes compares two sets of files, sorted by path.
func changes(before, after map[string][]byte) []tree.Change {
	var out []tree.Change
	names := slices.Sorted(maps.Keys(before))
	for name := range after {
		if _, both := before[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		old, had := before[name]
		now, has := after[name]
		switch {
		case !had:
			out = append(out, tree.Change{Path: name, Kind: tree.Added, After: now})
		case !has:
			out = append(out, tree.Change{Path: name, Kind: tree.Removed, Before: old})
		case !bytes.Equal(old, now):
			out = append(out, tree.Change{Path: name, Kind: tree.Changed, Before: old, After: now})
		}
	}
	return out
}
