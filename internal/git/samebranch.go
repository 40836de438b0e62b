package git

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// SameBranch asks for output beside its sources, on the branch that holds these: in a pull request, say.
type SameBranch struct {
	Remote   string   // name or URL; "" is origin
	Branch   string   // "" is the branch that HEAD is on
	Sources  []string // files and folders that output is made of: uncommitted changes in them are refused
	Output   []string // folders that gen writes: the work tree's files there are overwritten by what was published
	Attempts int      // how often a lost race is run again; 0 is 20
}

// PublishSameBranch renders HEAD, commits the output on top of it and pushes, with the commits that the branch has before.
//
// HEAD may be detached, as continuous integration checks out; then the branch has to be named.
//
// Where the remote branch moved on and HEAD is in its history, its tip is rendered instead: nothing is ever merged as text.
// Where HEAD has commits of its own besides, it is refused with the command that brings both together. After a push the
// work tree follows, the written output included; foreign files and the rest stay.
func (r *Repository) PublishSameBranch(ctx context.Context, req SameBranch, render Render) (Outcome, error) {
	req.Remote, req.Attempts = cmp.Or(req.Remote, "origin"), cmp.Or(req.Attempts, defaultAttempts)
	head, err := r.Head(ctx)
	if err != nil {
		return Outcome{}, err
	}
	req.Branch = cmp.Or(req.Branch, head.Branch)
	if refused, err := r.unfit(ctx, head, req.Branch, req.Sources); err != nil || refused.Kind != "" {
		return refused, err
	}
	return race(req.Branch, req.Attempts, "`gen push`", func() (Outcome, error) { return r.trySameBranch(ctx, req, head, render) })
}

// unfit refuses a work tree that does not stand on the branch with all its sources committed.
func (r *Repository) unfit(ctx context.Context, head Head, branch string, sources []string) (Outcome, error) {
	refused := Outcome{Kind: Refused, Commit: head.Commit, Branch: branch}
	switch {
	case head.Commit == "":
		refused.Reason, refused.Help = "there is no commit yet, so there are no sources to render", "`git add environments && git commit`"
		return refused, nil
	case branch == "":
		refused.Reason, refused.Help = "HEAD is on no branch", detachedHelp
		return refused, nil
	case head.Branch != "" && head.Branch != branch:
		refused.Reason, refused.Help = fmt.Sprintf("HEAD is on %s, not on %s", head.Branch, branch), "`git switch "+branch+"`"
		return refused, nil
	}
	return r.dirty(ctx, refused, sources)
}

// detachedHelp says what continuous integration knows and git does not.
const detachedHelp = "`gen push --branch BRANCH` with the branch that the commit is on ($GITHUB_HEAD_REF or $GITHUB_REF_NAME, $CI_COMMIT_BRANCH), or `git switch BRANCH`"

func (r *Repository) dirty(ctx context.Context, refused Outcome, sources []string) (Outcome, error) {
	if len(sources) == 0 {
		return Outcome{}, nil
	}
	dirty, err := r.Dirty(ctx, sources...)
	if err != nil || len(dirty) == 0 {
		return Outcome{}, err
	}
	const shown = 10
	names := strings.Join(dirty[:min(len(dirty), shown)], ", ")
	if len(dirty) > shown {
		names += fmt.Sprintf(" and %d more", len(dirty)-shown)
	}
	refused.Reason = "only committed sources are published, and these are not committed: " + names
	refused.Help = "`git add " + strings.Join(sources, " ") + " && git commit`, or `git stash --include-untracked`"
	return refused, nil
}

// trySameBranch is one attempt; an Outcome without Kind means that the race was lost.
func (r *Repository) trySameBranch(ctx context.Context, req SameBranch, head Head, render Render) (Outcome, error) {
	tip, err := r.tip(ctx, req.Remote, req.Branch)
	if err != nil {
		return Outcome{}, err
	}
	source, err := r.newest(ctx, head.Commit, tip)
	if err != nil {
		return Outcome{}, err
	}
	if source == "" {
		return Outcome{
			Kind: Refused, Commit: tip, Branch: req.Branch,
			Reason: fmt.Sprintf("%s moved on, and HEAD has commits that it does not have", req.Branch),
			Help:   r.rebaseHelp(ctx, req, head.Commit, tip),
		}, nil
	}
	if refused, err := r.mergedByOthers(ctx, req, head, tip); err != nil || refused.Kind != "" {
		return refused, err
	}
	edit, err := render(ctx, source, source)
	if err != nil {
		return Outcome{}, err
	}
	commit, err := r.commit(ctx, source, source, edit)
	if err != nil {
		return Outcome{}, err
	}
	done := Outcome{Kind: Committed, Commit: commit, Branch: req.Branch}
	if commit == source {
		done.Kind, done.Reason = Unchanged, "the branch holds this output already"
	}
	if commit != tip {
		pushed, err := r.push(ctx, req.Remote, req.Branch, commit, tip)
		if err != nil || !pushed {
			return Outcome{}, err
		}
		if commit == source {
			done.Reason = "the sources were pushed; their output was committed already"
		}
	}
	if err := r.follow(ctx, head.Commit, commit, req.Output); err != nil {
		done.Help = fmt.Sprintf("the branch is published, but the work tree could not follow (%v): `git reset --hard %.12s` brings it there, and drops what is not committed", err, commit)
	}
	return done, nil
}

// newest returns the one of head and tip that has the other in its history, or "" if neither has.
func (r *Repository) newest(ctx context.Context, head, tip string) (string, error) {
	if tip == "" || head == tip {
		return head, nil
	}
	if behind, err := r.ancestor(ctx, head, tip); err == nil && behind {
		return tip, nil
	}
	ahead, err := r.ancestor(ctx, tip, head)
	if err != nil || !ahead {
		return "", err
	}
	return head, nil
}

// rebaseHelp is the command that brings both sides together, and what to do where commits of HEAD hold output, which then may
// conflict.
func (r *Repository) rebaseHelp(ctx context.Context, req SameBranch, head, tip string) string {
	remote, again := redact(req.Remote), "gen push"
	if remote != "origin" {
		again += " --remote " + remote
	}
	help := fmt.Sprintf("`git pull --rebase %s %s && %s`", remote, req.Branch, again)
	args, quoted := []string{"log", "--format=%H", tip + ".." + head, "--"}, make([]string, len(req.Output))
	for i, folder := range req.Output {
		args = append(args, ":(top,literal)"+folder)
		quoted[i] = "':/" + folder + "'"
	}
	if holding, err := r.git(ctx, args...); err != nil || holding == "" || len(quoted) == 0 {
		return help
	}
	return help + fmt.Sprintf("; where generated files conflict, `git restore --source=HEAD --staged --worktree %s && git -c core.editor=true rebase --continue`, until the rebase ends, then `%s`, which renders them anew",
		strings.Join(quoted, " "), again)
}

// mergedByOthers refuses a detached HEAD that merges the branch with another one: for a pull request, continuous integration
// checks out a merge that nobody made, and it must not land on the branch.
func (r *Repository) mergedByOthers(ctx context.Context, req SameBranch, head Head, tip string) (Outcome, error) {
	if head.Branch != "" || tip == "" || tip == head.Commit {
		return Outcome{}, nil
	}
	merges, err := r.git(ctx, "rev-list", "--merges", "--max-count=1", tip+".."+head.Commit)
	if err != nil || merges == "" {
		return Outcome{}, err
	}
	return Outcome{
		Kind: Refused, Commit: tip, Branch: req.Branch,
		Reason: fmt.Sprintf("HEAD is on no branch and holds the merge %.12s, which %s does not have: pushing would merge the branch", merges, req.Branch),
		Help:   fmt.Sprintf("check out the branch itself: `git fetch %s %s && git switch --detach FETCH_HEAD` (GitHub Actions: `ref: ${{ github.head_ref }}` in actions/checkout)", redact(req.Remote), req.Branch),
	}, nil
}
