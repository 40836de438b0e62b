package image

import "slices"

// Status says what a lock knows about a reference.
type Status string

// The statuses of Lookup.
const (
	NotCovered Status = "not covered" // no mirror rule covers it: it stays as it is
	AtMirror   Status = "at mirror"   // its name lies at an explicit mirror already: it stays as it is
	Proven     Status = "proven"      // the lock proves it: what Lookup returns is what to write
	NotProven  Status = "not proven"  // a rule covers it and the lock does not prove it: nothing may be written
	Invalid    Status = "invalid"     // no reference
	Listed     Status = "listed"      // its place cannot be rewritten; Lookup never answers so
)

// Policy is what an environment says about its images.
type Policy struct {
	Rules     Rules
	Platforms []string // os/arch of its nodes
}

// Lookup returns what to write for reference under policy, from the lock alone. A name that is rewritten carries the tag, for people,
// and the digest, for the runtime. A transparent mirror's name is returned byte for byte, with the digest behind it where the mirror resolves no
// tags: nodes would ask the source which digest the tag is (docs/decisions/0016).
func (l *Lock) Lookup(reference string, policy Policy) (string, Status) {
	ref, err := Parse(reference)
	if err != nil {
		return reference, Invalid
	}
	if policy.Rules.AtMirror(ref) {
		return reference, AtMirror
	}
	targets := policy.Rules.Candidates(ref)
	if len(targets) == 0 {
		return reference, NotCovered
	}
	for _, target := range targets {
		entry, ok := l.Get(ref, target.Key())
		if !ok || !covers(entry, Request{Ref: ref, Target: target, Platforms: policy.Platforms}) {
			continue
		}
		if target.Kind == Transparent {
			return target.pinned(reference, ref, entry), Proven
		}
		target.Ref.Digest = entry.Digest
		return target.Ref.String(), Proven
	}
	return reference, NotProven
}

// pinned is what to write for a reference at a transparent mirror.
func (t Target) pinned(reference string, ref Ref, entry Entry) string {
	if t.Tags || ref.Digest != "" {
		return reference
	}
	return reference + "@" + entry.Digest
}

// covers reports whether an entry proves what a request asks: on all platforms, or that neither side has it for them, and with signatures
// where they are required. An image that is no index has no platforms to prove, unless it was accepted for one platform only, which
// counts for those alone who accept it.
func covers(entry Entry, request Request) bool {
	if request.Target.RequireSignatures && !slices.Contains(entry.Platforms, signedMark) {
		return false
	}
	switch platformOnly := entry.platformOnly(); {
	case platformOnly && !request.Target.PlatformOnly:
		return false
	case !platformOnly && request.Ref.Digest != "" && request.Ref.Digest != entry.Digest:
		return false
	case !platformOnly && !isIndex(entry.MediaType):
		return true
	}
	for _, platform := range required(request.Platforms) {
		if !slices.Contains(entry.Platforms, platform) && !slices.Contains(entry.Platforms, absentMark+platform) {
			return false
		}
	}
	return true
}

// platformOnly reports whether an entry is the image of one platform, where the source has an index.
func (e Entry) platformOnly() bool {
	return !isIndex(e.MediaType) && slices.ContainsFunc(e.Platforms, func(p string) bool { return p != signedMark })
}

// required returns the platforms to prove: linux/amd64 where an environment says nothing.
func required(platforms []string) []string {
	if len(platforms) == 0 {
		return []string{"linux/amd64"}
	}
	return sortedSet(platforms)
}
