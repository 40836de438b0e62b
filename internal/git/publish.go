package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Kind says how publishing ended.
type Kind string

// The ends of publishing.
const (
	Committed  Kind = "committed"  // a commit with the output was made and pushed
	Unchanged  Kind = "unchanged"  // the branch holds this output already
	Superseded Kind = "superseded" // the branch holds the output of a newer source; nothing was written
	Refused    Kind = "refused"    // nothing was written, for a reason that a person has to look at
)

// Outcome is how publishing ended.
type Outcome struct {
	Kind   Kind
	Commit string // the tip of the branch, as far as known
	Branch string
	Reason string // why it ended so, empty for Committed
	Help   string // what to run next; also for Committed, where the work tree could not follow
}

// Render renders the sources of one commit (a full name) and returns what its output changes in the commit base, which is
// "" where the branch does not exist yet. Both are read by Repository.Files. It is called again for other commits when the
// branch moved meanwhile, and its errors end the publishing.
type Render func(ctx context.Context, source, base string) (Edit, error)

const (
	// defaultAttempts bounds how often a lost race is run again. Of N that race, each round has a winner.
	defaultAttempts = 20
	// pushAttempts is how often a push that failed without the branch having moved is tried: two pushes that meet in one
	// moment make the server refuse one of them before the other is visible.
	pushAttempts = 3
	pushPause    = 300 * time.Millisecond
)

// tip returns where the branch stands in the remote, "" if it does not exist, and fetches it.
func (r *Repository) tip(ctx context.Context, remote, branch string) (string, error) {
	ref := "refs/heads/" + branch
	if _, err := r.git(ctx, "check-ref-format", ref); err != nil {
		return "", fmt.Errorf("branch %q: is no name that git allows for a branch: %w", branch, err)
	}
	_, err := r.git(ctx, "ls-remote", "--quiet", "--exit-code", "--", remote, ref)
	if exitCode(err) == 2 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("asking %s for the branch %s: %w%s", redact(remote), branch, err, r.remoteHelp(ctx, remote))
	}
	local := trackingRef(remote, branch)
	if _, err := r.git(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--", remote, "+"+ref+":"+local); err != nil {
		return "", fmt.Errorf("fetching the branch %s of %s: %w", branch, redact(remote), err)
	}
	return r.Resolve(ctx, local)
}

// remoteHelp says how to name a remote, where that is what git misses.
func (r *Repository) remoteHelp(ctx context.Context, remote string) string {
	if strings.ContainsAny(remote, "/:\\") {
		return ""
	}
	if _, err := r.git(ctx, "remote", "get-url", "--", remote); err == nil {
		return ""
	}
	return fmt.Sprintf(": this clone has no remote %s: `git remote add %s URL`, or name where to push: `gen push --remote URL`", remote, remote)
}

// trackingRef is where we keep what was fetched, so that the next fetch brings only what is new. The remote may be a URL.
func trackingRef(remote, branch string) string {
	sum := sha256.Sum256([]byte(remote))
	return "refs/gen/" + hex.EncodeToString(sum[:4]) + "/" + branch
}

// push moves the branch of the remote from tip to commit, which descends from it. It reports false where the branch moved
// meanwhile. No force is ever used: the server itself refuses what is no fast-forward.
func (r *Repository) push(ctx context.Context, remote, branch, commit, tip string) (bool, error) {
	var pushErr error
	for attempt := range pushAttempts {
		if err := pause(ctx, time.Duration(attempt)*pushPause); err != nil {
			return false, err
		}
		_, pushErr = r.git(ctx, "push", "--quiet", "--no-follow-tags", "--", remote, commit+":refs/heads/"+branch)
		if pushErr == nil {
			return true, nil
		}
		now, err := r.tip(ctx, remote, branch)
		if err != nil {
			return false, fmt.Errorf("pushing to the branch %s of %s: %w (and then: %w)", branch, redact(remote), pushErr, err)
		}
		if now == commit {
			return true, nil // it arrived, only the answer did not
		}
		if now != tip {
			return false, nil
		}
	}
	return false, fmt.Errorf("pushing to the branch %s of %s: %w", branch, redact(remote), pushErr)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// race runs one attempt after the other until one has an end; an Outcome without Kind means that others were faster. If they are
// so each time, again is the command that tries once more.
func race(branch string, attempts int, again string, try func() (Outcome, error)) (Outcome, error) {
	for range attempts {
		outcome, err := try()
		if err != nil || outcome.Kind != "" {
			outcome.Branch = branch
			return outcome, err
		}
	}
	return Outcome{
		Kind: Refused, Branch: branch, Help: again,
		Reason: fmt.Sprintf("others pushed to %s each of the %d times that this run tried", branch, attempts),
	}, nil
}

// publish pushes the commit on top of tip. An Outcome without Kind means that the race was lost.
func (r *Repository) publish(ctx context.Context, remote, branch, commit, tip string) (Outcome, error) {
	pushed, err := r.push(ctx, remote, branch, commit, tip)
	if err != nil || !pushed {
		return Outcome{}, err
	}
	return Outcome{Kind: Committed, Commit: commit}, nil
}
