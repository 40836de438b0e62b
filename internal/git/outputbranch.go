package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// OutputBranch asks for output on a branch, or in another repository, that nobody but gen writes.
type OutputBranch struct {
	Remote string // where the branch is, name or URL; "" is origin
	Branch string
	Source string // the commit to render; "" is HEAD
	// SourceRemote and SourceBranch are where sources are merged to. Without the branch, only commits that were published
	// are known to be newer, and sources whose histories part are refused.
	SourceRemote string // "" is origin
	SourceBranch string
	Sources      []string // as in SameBranch
	Attempts     int      // as in SameBranch
}

// farBehind is how many newer sources a run looks at before it leaves the branch to them.
const farBehind = 100

// PublishOutputBranch renders the source and commits the output on top of the branch, which it makes if there is none. Which
// source wins is decision 7.
//
//   - A branch without a single commit of ours (Source-Commit trailer) is refused; commits of others on top are kept.
//   - If the branch shows the output of a source that has this one in its history, this one is superseded. So it is where a
//     newer commit of the source branch gives exactly what the branch holds: that one was published by changing nothing,
//     and leaves no trace (an older output must not come back while the newest waits for its pipeline).
//   - A source that is not on the source branch is refused. Where the published one is no longer on it (its history was
//     rewritten), this one replaces it; where both are on it side by side (two parents of a merge), this one is superseded,
//     since the merge holds both.
func (r *Repository) PublishOutputBranch(ctx context.Context, req OutputBranch, render Render) (Outcome, error) {
	req.Remote, req.SourceRemote = cmp.Or(req.Remote, "origin"), cmp.Or(req.SourceRemote, "origin")
	req.Attempts = cmp.Or(req.Attempts, defaultAttempts)
	source, err := r.Resolve(ctx, cmp.Or(req.Source, "HEAD"))
	if err != nil {
		return Outcome{}, err
	}
	refused, err := r.dirty(ctx, Outcome{Kind: Refused, Branch: req.Branch}, req.Sources)
	if err != nil || refused.Kind != "" {
		return refused, err
	}
	p := outputPublisher{Repository: r, req: req, source: source, render: render}
	return race(req.Branch, req.Attempts, "`gen push`", func() (Outcome, error) { return p.try(ctx) })
}

type outputPublisher struct {
	*Repository
	req    OutputBranch
	source string
	render Render
}

// try is one attempt; an Outcome without Kind means that the race was lost.
func (p outputPublisher) try(ctx context.Context) (Outcome, error) {
	tip, err := p.tip(ctx, p.req.Remote, p.req.Branch)
	if err != nil {
		return Outcome{}, err
	}
	newest, outcome, err := p.newestSource(ctx)
	if err != nil || outcome.Kind != "" {
		return outcome, err
	}
	if outcome, err := p.judge(ctx, tip, newest); err != nil || outcome.Kind != "" {
		return outcome, err
	}
	edit, err := p.render(ctx, p.source, tip)
	if err != nil {
		return Outcome{}, err
	}
	commit, err := p.commit(ctx, tip, p.source, edit)
	if err != nil {
		return Outcome{}, err
	}
	if commit == tip {
		return Outcome{Kind: Unchanged, Commit: tip, Reason: "the branch holds this output already"}, nil
	}
	if outcome, err := p.later(ctx, tip, newest); err != nil || outcome.Kind != "" {
		return outcome, err
	}
	return p.publish(ctx, p.req.Remote, p.req.Branch, commit, tip)
}

// newestSource returns the tip of the source branch, "" if none was named, and refuses a source that is not on it.
func (p outputPublisher) newestSource(ctx context.Context) (string, Outcome, error) {
	if p.req.SourceBranch == "" {
		return "", Outcome{}, nil
	}
	newest, err := p.tip(ctx, p.req.SourceRemote, p.req.SourceBranch)
	if err != nil {
		return "", Outcome{}, err
	}
	if newest != "" {
		on, err := p.ancestor(ctx, p.source, newest)
		if err != nil || on {
			return newest, Outcome{}, err
		}
	}
	return "", Outcome{
		Kind: Refused, Reason: fmt.Sprintf("the commit %.12s is not on the branch %s of %s", p.source, p.req.SourceBranch, redact(p.req.SourceRemote)),
		Help: fmt.Sprintf("`git push %s HEAD:%s && gen push`, or merge it there", redact(p.req.SourceRemote), p.req.SourceBranch),
	}, nil
}

// judge compares the source with the one that the branch shows. An Outcome without Kind means: go on.
func (p outputPublisher) judge(ctx context.Context, tip, newest string) (Outcome, error) {
	if tip == "" {
		return Outcome{}, nil
	}
	last, err := p.lastSource(ctx, p.req.Branch, tip)
	if err != nil {
		return Outcome{}, err
	}
	if last == "" {
		return notOurs(p.req.Branch, tip, "git: branch"), nil
	}
	known, err := p.has(ctx, last)
	if err != nil {
		return Outcome{}, err
	}
	if !known {
		return p.rewritten(tip, last, newest), p.shallow(ctx, "telling whether %.12s, which the branch shows, is newer", last)
	}
	newer, err := p.ancestor(ctx, last, p.source)
	if err != nil || newer {
		return Outcome{}, err
	}
	older, err := p.ancestor(ctx, p.source, last)
	if err != nil {
		return Outcome{}, err
	}
	if older {
		return superseded(tip, fmt.Sprintf("the branch shows the output of the newer source %.12s", last)), nil
	}
	return p.parted(ctx, tip, last, newest)
}

// parted decides where neither source has the other in its history.
func (p outputPublisher) parted(ctx context.Context, tip, last, newest string) (Outcome, error) {
	if newest == "" {
		return p.rewritten(tip, last, newest), nil
	}
	beside, err := p.ancestor(ctx, last, newest)
	if err != nil || !beside {
		return Outcome{}, err
	}
	return superseded(tip, fmt.Sprintf("the source %.12s, which the branch shows, and this one were merged later: the merge holds both", last)), nil
}

// rewritten lets the source replace one that is no longer on the source branch, if that branch is known.
func (p outputPublisher) rewritten(tip, last, newest string) Outcome {
	if newest != "" {
		return Outcome{}
	}
	return Outcome{
		Kind: Refused, Commit: tip, Reason: fmt.Sprintf("the branch shows the output of the source %.12s, which is not in the history of %.12s", last, p.source),
		Help: "fetch and rebase onto the newest source, or name the source branch in the model (git: sourceBranch), which decides",
	}
}

func superseded(tip, reason string) Outcome {
	return Outcome{Kind: Superseded, Commit: tip, Reason: reason}
}

// later looks whether a source newer than ours gives what the branch holds. A source that cannot be rendered did not.
func (p outputPublisher) later(ctx context.Context, tip, newest string) (Outcome, error) {
	if newest == "" || newest == p.source || tip == "" {
		return Outcome{}, nil
	}
	out, err := p.git(ctx, "rev-list", "--first-parent", fmt.Sprintf("--max-count=%d", farBehind+1), p.source+".."+newest)
	if err != nil {
		return Outcome{}, fmt.Errorf("listing newer sources: %w", err)
	}
	commits := strings.Fields(out)
	if len(commits) > farBehind {
		return superseded(tip, fmt.Sprintf("the source is more than %d commits behind %s", farBehind, p.req.SourceBranch)), nil
	}
	for _, commit := range commits {
		edit, err := p.render(ctx, commit, tip)
		if err := ctx.Err(); err != nil {
			return Outcome{}, err
		}
		if err != nil {
			continue
		}
		tree, err := p.editTree(ctx, tip, edit)
		if err != nil {
			return Outcome{}, err
		}
		if same, err := p.sameTree(ctx, tip, tree); err != nil {
			return Outcome{}, err
		} else if same {
			return superseded(tip, fmt.Sprintf("the branch shows the output of the newer source %.12s", commit)), nil
		}
	}
	return Outcome{}, nil
}

// notOurs refuses a branch that gen did not make; field is where the model names it.
func notOurs(branch, tip, field string) Outcome {
	return Outcome{
		Kind: Refused, Commit: tip, Reason: fmt.Sprintf("no commit on %s was made by gen, so the branch is someone else's", branch),
		Help: fmt.Sprintf("name another branch in the model (%s), or delete this one if nobody needs it", field),
	}
}

// lastSource returns the source of the newest commit on the branch that gen made, "" if it made none.
func (r *Repository) lastSource(ctx context.Context, branch, tip string) (string, error) {
	out, err := r.git(ctx, "-c", "log.showSignature=false", "log", "--first-parent", "--max-count=1", "--extended-regexp",
		"--grep=^"+sourceTrailer+": ([0-9a-f]{40}|[0-9a-f]{64})$", "--format=%(trailers:key="+sourceTrailer+",valueonly)", tip)
	if err != nil {
		return "", fmt.Errorf("reading the history of %s: %w", branch, err)
	}
	sources := strings.Fields(out)
	if len(sources) == 0 || !commitName.MatchString(sources[len(sources)-1]) {
		return "", r.shallow(ctx, "finding the source that %s shows", branch)
	}
	return sources[len(sources)-1], nil
}

// has reports whether the commit is in the repository at all.
func (r *Repository) has(ctx context.Context, commit string) (bool, error) {
	_, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}")
	var f *Failure
	if err == nil || errors.As(err, &f) && f.Code > 0 {
		return err == nil, nil
	}
	return false, err
}
