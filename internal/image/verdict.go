package image

// Verdict says whether a mirror serves the image that the source answers.
type Verdict string

// The verdicts. Only Same may lead to a rewritten reference.
const (
	Same       Verdict = "SAME"       // the bytes fetched from the mirror hash to the source's digest, children included
	Equivalent Verdict = "EQUIVALENT" // other bytes, but the same configuration and layers: another digest, thus not the same image
	Different  Verdict = "DIFFERENT"  // other bytes
	Sparse     Verdict = "SPARSE"     // the image is the same, but something that is needed of it is missing: a platform, a layer, a signature
	Missing    Verdict = "MISSING"    // the mirror's registry says that it does not have it
	Unknown    Verdict = "UNKNOWN"    // somebody could not be asked, or answered what proves nothing
)

// Request asks whether one reference is the same at a mirror.
type Request struct {
	Ref       Ref
	Target    Target
	Platforms []string // os/arch of the environment's nodes; none asks for linux/amd64
	Digest    string   // the source's digest from a lock: the source is not asked then
	NoSource  bool     // the source is never asked; without a digest nothing can be proven
	Insecure  bool     // the source is meant to be asked over plain http
	Deep      bool     // ask for every layer, and for attestations, too
}

// Result is the answer to a Request: a value, whatever happened.
type Result struct {
	Request  Request
	Verdict  Verdict
	Evidence Evidence
	Message  string   // why, in one sentence
	Cause    string   // why, without what is this image's own, where many images may share it; else ""
	Fix      []string // what to do: commands or model lines
	Notes    []string // what is worth knowing besides
	Unsigned bool     // Sparse for signatures alone: a proof to environments that require none
}

// Evidence is what was seen.
type Evidence struct {
	SourceDigest string   `json:"sourceDigest,omitempty"`
	MirrorDigest string   `json:"mirrorDigest,omitempty"` // own hash over the fetched bytes
	SourceType   string   `json:"sourceMediaType,omitempty"`
	MirrorType   string   `json:"mirrorMediaType,omitempty"`
	Platforms    []string `json:"platforms,omitempty"` // what was proven: platforms, "!" before those that neither side has, "+signatures"
	Asked        []string `json:"asked,omitempty"`     // what was asked, in order: "HEAD https://…: 200"
}
