package image

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Outcome says what became of one reference in a lock.
type Outcome string

// The outcomes of Update. Refused and Unproven are what a guard stops at.
const (
	Added     Outcome = "added"     // proven for the first time
	Renewed   Outcome = "renewed"   // proven again, and something about it is new
	Unchanged Outcome = "unchanged" // proven again
	Kept      Outcome = "kept"      // proven once; now somebody could not be asked, or the source's tag moved on
	Refused   Outcome = "refused"   // proven once; now the mirror serves other bytes. The lock keeps what was proven
	Unproven  Outcome = "unproven"  // never proven, and not now
)

// Update is what one result did to a lock.
type Update struct {
	Result  Result
	Outcome Outcome
	Message string // with both digests where bytes differ
}

// Update enters the results that are Same, and of sparse ones the platforms that are there, and keeps every other entry as it is. It answers in the order of the results.
func (l *Lock) Update(results []Result) []Update {
	out := make([]Update, len(results))
	for i, result := range results {
		old, proven := l.Get(result.Request.Ref, result.Request.Target.Key())
		out[i] = judge(result, old, proven)
		partly := result.Verdict == Sparse && (len(result.Evidence.Platforms) > 0 || result.Unsigned) && (!proven || old.Digest == result.Evidence.MirrorDigest)
		if result.Verdict == Same && out[i].Outcome != Refused || partly {
			l.Put(result.entry(old)) // a sparse one is proven for the platforms that are there, and to those who require no signatures
		}
	}
	return l.forgive(out)
}

// judge compares one result with what the lock holds.
func judge(result Result, old Entry, proven bool) Update {
	update := Update{Result: result, Message: result.Message}
	switch {
	case result.Verdict == Same && proven && result.entry(old).platformOnly() && !old.platformOnly():
		update.Outcome = Refused
		update.Message = fmt.Sprintf("proven was the whole index %s; the mirror now holds a single platform of it, %s: copy it again, or delete its line from the lock to accept that", old.Digest, result.Evidence.MirrorDigest)
	case result.Verdict == Same && !proven:
		update.Outcome = Added
	case result.Verdict == Same:
		update.Outcome, update.Message = renewal(result, old)
	case !proven:
		update.Outcome = Unproven
	case result.Verdict == Unknown || result.Verdict == Missing:
		update.Outcome = Kept
	case result.Evidence.MirrorDigest == old.Digest && result.Verdict != Sparse:
		update.Outcome = Kept
		update.Message = fmt.Sprintf("the source's tag moved to %s; the mirror still serves the proven %s: copy the new image, or name the old digest", result.Evidence.SourceDigest, old.Digest)
	default:
		update.Outcome = Refused
		update.Message = fmt.Sprintf("proven was %s; %s", old.Digest, result.Message)
	}
	return update
}

// renewal says what is new about a reference that is proven again.
func renewal(result Result, old Entry) (Outcome, string) {
	entry := result.entry(old)
	switch {
	case entry.Digest != old.Digest:
		return Renewed, fmt.Sprintf("the tag moved on both sides, from %s to %s", old.Digest, entry.Digest)
	case !slices.Equal(entry.Platforms, old.Platforms):
		return Renewed, fmt.Sprintf("proven for more platforms: %s were %s", list(entry.Platforms), list(old.Platforms))
	case entry.MediaType != old.MediaType:
		return Renewed, fmt.Sprintf("the media type is now %s, it was %s", entry.MediaType, old.MediaType)
	}
	return Unchanged, result.Message
}

func list(platforms []string) string { return fmt.Sprint(platforms) }

// entry is the proof that a result gives; what was proven of the same bytes before stays proven.
func (r Result) entry(old Entry) Entry {
	entry := Entry{
		Source: r.Request.Ref, Place: r.Request.Target.Key(),
		Digest: r.Evidence.MirrorDigest, MediaType: r.Evidence.MirrorType, Platforms: r.Evidence.Platforms,
	}
	if entry.Digest == old.Digest {
		entry.Platforms = append(slices.Clone(entry.Platforms), old.Platforms...)
	}
	entry.Platforms = sortedSet(entry.Platforms)
	entry.MediaType = cmp.Or(entry.MediaType, "-")
	return entry
}

// forgive lets a candidate be unproven where another candidate for the same reference is proven, on all platforms that are needed.
func (l *Lock) forgive(updates []Update) []Update {
	candidates := map[Ref][]Request{}
	for _, update := range updates {
		request := update.Result.Request
		candidates[request.Ref] = append(candidates[request.Ref], request)
	}
	for i, update := range updates {
		request := update.Result.Request
		instead := func(other Request) bool {
			entry, ok := l.Get(other.Ref, other.Target.Key())
			return ok && covers(entry, other)
		}
		if update.Outcome == Unproven && slices.ContainsFunc(candidates[request.Ref], instead) {
			updates[i].Outcome = Unchanged
			updates[i].Message = "not used, another mirror is proven: " + update.Message
		}
	}
	return updates
}

// Prune deletes the entries that no request names any more, and returns them.
func (l *Lock) Prune(requests []Request) []Entry {
	used := map[lockKey]bool{}
	for _, request := range requests {
		used[lockKey{request.Ref, request.Target.Key()}] = true
	}
	var out []Entry
	for _, entry := range l.Entries() {
		if !used[lockKey{entry.Source, entry.Place}] {
			l.Delete(entry.Source, entry.Place)
			out = append(out, entry)
		}
	}
	return out
}

// Digest returns what the lock holds as the source's answer to a request, or "".
func (l *Lock) Digest(request Request) string {
	entry, _ := l.Get(request.Ref, request.Target.Key())
	return entry.Digest
}

// Clone returns a copy that can be changed.
func (l *Lock) Clone() *Lock { return &Lock{entries: maps.Clone(l.entries)} }

// Key names what a request is about, whatever platforms it asks for.
func (r Request) Key() string { return r.Ref.String() + " " + r.Target.Key() }

// Requests returns what to ask about references under policy: each candidate of each covered reference once, sorted.
// References that are invalid, not covered or at a mirror already give none; Lookup says which.
func Requests(references []string, policy Policy) []Request {
	var out []Request
	seen := map[lockKey]bool{}
	for _, reference := range sortedSet(references) {
		ref, err := Parse(reference)
		if err != nil {
			continue
		}
		for _, target := range policy.Rules.Candidates(ref) {
			if key := (lockKey{ref, target.Key()}); !seen[key] {
				seen[key] = true
				out = append(out, Request{Ref: ref, Target: target, Platforms: required(policy.Platforms)})
			}
		}
	}
	return out
}

// Merge joins the requests of several environments: one for each reference and place, with the platforms of all, and what any of them
// accepts or requires; Lookup holds each environment to its own.
func Merge(requests ...[]Request) []Request {
	var out []Request
	at := map[lockKey]int{}
	for _, request := range slices.Concat(requests...) {
		key := lockKey{request.Ref, request.Target.Key()}
		if i, ok := at[key]; ok {
			out[i].Platforms = sortedSet(append(slices.Clone(out[i].Platforms), request.Platforms...))
			out[i].Target.PlatformOnly = out[i].Target.PlatformOnly || request.Target.PlatformOnly
			out[i].Target.RequireSignatures = out[i].Target.RequireSignatures || request.Target.RequireSignatures
			continue
		}
		at[key] = len(out)
		out = append(out, request)
	}
	slices.SortFunc(out, func(a, b Request) int {
		return cmp.Or(cmp.Compare(a.Ref.String(), b.Ref.String()), cmp.Compare(a.Target.Key(), b.Target.Key()))
	})
	return out
}
