package chart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// State is what a source says today about content that was locked before.
type State string

// The states, from best to worst.
const (
	Served    State = "served"    // the very bytes
	Moved     State = "moved"     // a branch or tag names another commit; the locked one is still there
	Changed   State = "changed"   // other bytes under the same version
	Withdrawn State = "withdrawn" // the source lives, the version is gone
	Gone      State = "gone"      // the repository itself is not there
)

// Verdict is the answer of Verify.
type Verdict struct {
	Source Source
	State  State
	Found  string // the digest or commit that is served now, where it is another
	Detail string // what it means and what to do; empty for Served
}

// worse says whether a verdict is worse than another.
func (v Verdict) worse(other Verdict) bool {
	order := map[State]int{Served: 0, Moved: 1, Changed: 2, Withdrawn: 3, Gone: 4}
	return order[v.State] > order[other.State]
}

// Verify asks the source, not the cache and not the vendored copy, whether it still serves what the entry pins, dependencies included; the
// worst state wins. An error means that it could not be told.
func (s *Store) Verify(ctx context.Context, source Source, entry Entry) (Verdict, error) {
	if entry.Source != source {
		return Verdict{}, fmt.Errorf("verifying chart %s: the lock's entry is for %s; run `%s`", source, entry.Source, LockCommand)
	}
	worst, err := s.verifyOwn(ctx, entry)
	if err != nil {
		return Verdict{}, fmt.Errorf("verifying chart %s: %w", source, err)
	}
	for _, d := range entry.Dependencies {
		verdict, err := s.verifyDependency(ctx, d)
		if err != nil {
			return Verdict{}, fmt.Errorf("verifying chart %s: dependency %s: %w", source, d.Name, err)
		}
		if verdict.worse(worst) {
			worst, worst.Source = verdict, source
			worst.Detail = fmt.Sprintf("dependency %s: %s", d.Name, verdict.Detail)
		}
	}
	return worst, nil
}

// verifyOwn verifies an entry without its dependencies.
func (s *Store) verifyOwn(ctx context.Context, entry Entry) (Verdict, error) {
	switch {
	case entry.Repo != "":
		return s.verifyRepo(ctx, entry.Source, entry.pins()[0])
	case entry.Git != "":
		return s.verifyGit(ctx, entry)
	}
	return s.verifyLocal(entry.Source, entry.pins()[0])
}

// verifyDependency verifies one dependency. In git, the commit that holds it has been verified.
func (s *Store) verifyDependency(ctx context.Context, d Dependency) (Verdict, error) {
	p := pin{label: d.Name + "-" + d.Version, digest: d.Digest, repo: d.Repo, url: d.URL, path: d.Path}
	if d.Repo != "" {
		return s.verifyRepo(ctx, Source{Repo: d.Repo, Name: d.Name, Version: d.Version}, p)
	}
	if s.options.Root == nil {
		return Verdict{State: Served}, nil
	}
	return s.verifyLocal(Source{Path: d.Path}, p)
}

// verifyRepo looks the version up and reads it again.
func (s *Store) verifyRepo(ctx context.Context, source Source, p pin) (Verdict, error) {
	found, _, err := s.ask(ctx, source)
	var dead *deadError
	var lie *lieError
	var absent *absentError
	verdict := Verdict{Source: source}
	switch {
	case err == nil && found.Digest == p.digest:
		verdict.State = Served
	case err == nil:
		verdict.State, verdict.Found = Changed, found.Digest
		p.url = found.URL
		verdict.Detail = republished(p, &mismatchError{want: p.digest, got: found.Digest}).Error()
	case errors.As(err, &lie):
		verdict.State, verdict.Found, verdict.Detail = Changed, lie.got, lie.Error()
	case errors.As(err, &dead):
		verdict.State, verdict.Detail = Gone, dead.Error()
	case errors.As(err, &absent), gone(err):
		verdict.State = Withdrawn
		verdict.Detail = err.Error() + "; `gen charts vendor` keeps the locked bytes in your own repository while a cache still has them"
	default:
		return Verdict{}, err
	}
	return verdict, nil
}

// verifyGit reads the ref again, and where it names another commit, the locked one.
func (s *Store) verifyGit(ctx context.Context, entry Entry) (Verdict, error) {
	var now, digest string
	read := func(tree fs.FS, commit string) error {
		var err error
		now = commit
		if commit == entry.Commit {
			_, digest, err = readLocal(tree, entry.Path)
		}
		return err
	}
	if err := checkout(ctx, entry.Git, entry.Ref, read); err != nil {
		return Verdict{}, err
	}
	if named := now; named != entry.Commit {
		if err := checkout(ctx, entry.Git, entry.Commit, read); err != nil {
			return Verdict{}, err
		}
		return Verdict{Source: entry.Source, State: Moved, Found: named, Detail: fmt.Sprintf("%s names commit %s now, the lock pins %s, which is still there; run `%s` to follow", entry.Ref, named, entry.Commit, RenewCommand)}, nil
	}
	if digest != entry.Digest {
		return Verdict{Source: entry.Source, State: Changed, Found: digest, Detail: republished(entry.pins()[0], &mismatchError{want: entry.Digest, got: digest}).Error()}, nil
	}
	return Verdict{Source: entry.Source, State: Served}, nil
}

// verifyLocal compares a folder or archive of the model's folder.
func (s *Store) verifyLocal(source Source, p pin) (Verdict, error) {
	if s.options.Root == nil {
		return Verdict{}, fmt.Errorf("%s: no folder was given to look in", p.path)
	}
	_, digest, err := readLocal(s.options.Root, p.path)
	if err != nil {
		return Verdict{}, err
	}
	if digest != p.digest {
		return Verdict{Source: source, State: Changed, Found: digest, Detail: fmt.Sprintf("%s is %s, the lock pins %s; run `%s`", p.path, digest, p.digest, LockCommand)}, nil
	}
	return Verdict{Source: source, State: Served}, nil
}
