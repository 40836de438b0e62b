package git

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// Release asks for a commit of the output to be named on a branch that nobody but gen writes.
type Release struct {
	Remote   string // where the branches are, name or URL; "" is origin
	Branch   string // the one that is written
	Tracks   string // the one that holds the output
	Commit   string // what to release, any revision; "" is the newest of Tracks, and then nothing older than what is released
	Attempts int    // as in SameBranch
}

// PublishRelease renders the branch from the commit and pushes it. Going back to an older commit is a release like any other,
// as long as it is asked for by name.
//
//   - A commit that is on no branch and no tag of the remote is refused: Argo CD starts from an empty clone, and could not
//     find it, today or once the server has cleaned up.
//   - A branch without a single commit of ours (Source-Commit trailer) is refused.
func (r *Repository) PublishRelease(ctx context.Context, req Release, render Render) (Outcome, error) {
	req.Remote, req.Attempts = cmp.Or(req.Remote, "origin"), cmp.Or(req.Attempts, defaultAttempts)
	commit, outcome, err := r.released(ctx, req)
	if err != nil || outcome.Kind != "" {
		return outcome, err
	}
	found, err := r.inEmptyClone(ctx, req.Remote, commit)
	if err != nil {
		return Outcome{}, err
	}
	if !found {
		return Outcome{
			Kind: Refused, Branch: req.Branch, Reason: fmt.Sprintf("the commit %.12s is on no branch and no tag of %s, so an empty clone, such as Argo CD's, does not have it", commit, redact(req.Remote)),
			Help: "push the branch that holds it, or release a commit of " + req.Tracks,
		}, nil
	}
	p := releasePublisher{r, req, commit, render}
	return race(req.Branch, req.Attempts, "gen release", func() (Outcome, error) { return p.try(ctx) })
}

// released returns the commit to release. An Outcome with a Kind says why there is none.
func (r *Repository) released(ctx context.Context, req Release) (string, Outcome, error) {
	newest, err := r.tip(ctx, req.Remote, req.Tracks)
	if err != nil {
		return "", Outcome{}, err
	}
	if req.Commit != "" {
		commit, err := r.Resolve(ctx, req.Commit)
		if err != nil {
			return "", Outcome{}, fmt.Errorf("%w: %w", err, r.unknown(ctx))
		}
		return commit, Outcome{}, nil
	}
	if newest == "" {
		return "", Outcome{
			Kind: Refused, Branch: req.Branch, Reason: fmt.Sprintf("%s has no branch %s, so there is no output to release", redact(req.Remote), req.Tracks), Help: "gen push",
		}, nil
	}
	return newest, Outcome{}, nil
}

// unknown says what to do about a revision that this clone does not know. A shallow one cannot tell that there is none.
func (r *Repository) unknown(ctx context.Context) error {
	return r.absent(ctx, fmt.Errorf("run `git fetch --tags`, and name a commit by its full name, a branch or a tag"))
}

// inEmptyClone reports whether a clone that begins with nothing has the commit: it fetches all branches and tags into an empty
// repository, without their files where the server allows that. The configuration of this clone (credentials among it) holds there too.
func (r *Repository) inEmptyClone(ctx context.Context, remote, commit string) (bool, error) {
	dir, done, err := scratch()
	if err != nil {
		return false, err
	}
	defer done()
	config, err := r.git(ctx, "rev-parse", "--path-format=absolute", "--git-path", "config")
	if err != nil {
		return false, fmt.Errorf("finding git's configuration: %w", err)
	}
	if _, err := r.git(ctx, "init", "--quiet", "--bare", dir); err != nil {
		return false, fmt.Errorf("making an empty clone: %w", err)
	}
	clone := []string{"--git-dir", dir, "-c", "include.path=" + config, "-c", "core.bare=true"}
	fetch := []string{"fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--filter=tree:0", "--", remote, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"}
	if _, err := r.git(ctx, append(clone, fetch...)...); err != nil {
		return false, fmt.Errorf("fetching all of %s into an empty clone: %w", redact(remote), err)
	}
	refs, err := r.git(ctx, append(clone, "for-each-ref", "--count=1", "--contains", commit)...)
	if code := exitCode(err); code > 0 {
		return false, nil // an empty clone does not know the name
	}
	if err != nil {
		return false, fmt.Errorf("looking for the commit %.12s in an empty clone: %w", commit, err)
	}
	return strings.TrimSpace(refs) != "", nil
}

type releasePublisher struct {
	*Repository
	req    Release
	commit string
	render Render
}

// try is one attempt; an Outcome without Kind means that the race was lost.
func (p releasePublisher) try(ctx context.Context) (Outcome, error) {
	tip, err := p.tip(ctx, p.req.Remote, p.req.Branch)
	if err != nil {
		return Outcome{}, err
	}
	if outcome, err := p.judge(ctx, tip); err != nil || outcome.Kind != "" {
		return outcome, err
	}
	edit, err := p.render(ctx, p.commit, tip)
	if err != nil {
		return Outcome{}, err
	}
	commit, err := p.Repository.commit(ctx, tip, p.commit, edit)
	if err != nil {
		return Outcome{}, err
	}
	if commit == tip {
		return Outcome{Kind: Unchanged, Commit: tip, Reason: fmt.Sprintf("%.12s is released already", p.commit)}, nil
	}
	return p.publish(ctx, p.req.Remote, p.req.Branch, commit, tip)
}

// judge looks at what is released. An Outcome without Kind means: go on.
func (p releasePublisher) judge(ctx context.Context, tip string) (Outcome, error) {
	if tip == "" {
		return Outcome{}, nil
	}
	last, err := p.lastSource(ctx, p.req.Branch, tip)
	if err != nil {
		return Outcome{}, err
	}
	if last == "" {
		return notOurs(p.req.Branch, tip, "git: releaseBranch"), nil
	}
	if p.req.Commit != "" || last == p.commit {
		return Outcome{}, nil
	}
	known, err := p.has(ctx, last)
	if err != nil || !known {
		return Outcome{}, err
	}
	older, err := p.ancestor(ctx, p.commit, last)
	if err != nil || !older {
		return Outcome{}, err
	}
	return superseded(tip, fmt.Sprintf("the newer commit %.12s is released; name an older one with --commit to go back", last)), nil
}
