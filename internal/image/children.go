package image

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// absentMark stands before a platform that neither side has.
const absentMark = "!"

// attestationOf is the annotation by which BuildKit says which manifest of an index an attestation is about.
const attestationOf = "vnd.docker.reference.digest"

// subjects are the manifests that a node could pull: the one that was asked for, and those under it.
type subjects struct {
	images []look   // image manifests, whose layers would be pulled
	lacks  []string // what of them the mirror does not have
	seen   []string // platforms that are there
}

// platforms looks at the manifests under an index: for each needed platform those that a node could choose must be there and hash right.
// Then it looks at layers and signatures, where somebody asked for that.
func (e *examination) platforms(mirror look) Result {
	found := subjects{images: []look{mirror}}
	needed := required(e.result.Request.Platforms)
	same := "the mirror's bytes hash to the source's digest"
	if isIndex(mirror.mediaType) {
		index, err := v1.ParseIndexManifest(bytes.NewReader(mirror.body))
		if err != nil {
			return e.answer(Unknown, "the index cannot be read: %s", err)
		}
		found = subjects{}
		for _, platform := range needed {
			if refusal := e.platform(index, platform, &found); refusal != nil {
				return *refusal
			}
		}
		same += ", and so do those for " + strings.Join(needed, ", ")
	}
	e.result.Evidence.Platforms = found.seen
	if !isIndex(mirror.mediaType) {
		if refusal := e.layers(mirror, "the image", &found); refusal != nil {
			return *refusal
		}
	}
	if len(found.lacks) > 0 {
		e.result.Fix = copyCommands(e.result.Request, e.source.digest)
		return e.answer(Sparse, "the image is the same, but the mirror lacks, under it, %s", strings.Join(found.lacks, ", "))
	}
	if refusal := e.signatures(mirror, found.images); refusal != nil {
		return *refusal
	}
	return e.answer(Same, "%s", same)
}

// platform adds what stands under an index for one platform; a non-nil result ends the examination.
func (e *examination) platform(index *v1.IndexManifest, platform string, found *subjects) *Result {
	choices, err := choicesFor(index.Manifests, platform)
	if err != nil {
		return e.end(Unknown, "%q is no platform: %s", platform, err)
	}
	if len(choices) == 0 {
		found.seen = append(found.seen, absentMark+platform)
		e.result.Notes = append(e.result.Notes, fmt.Sprintf("neither side has it for %s", platform))
		return nil
	}
	before := len(found.lacks)
	for _, choice := range choices {
		if refusal := e.child(choice, platform, found); refusal != nil {
			return refusal
		}
		if e.result.Request.Deep {
			for _, d := range attestations(index.Manifests, choice) {
				if refusal := e.child(d, "the attestation for "+platform, found); refusal != nil {
					return refusal
				}
			}
		}
	}
	if len(found.lacks) == before {
		found.seen = append(found.seen, platform)
	}
	return nil
}

// child fetches and hashes one manifest under an index, and its layers where they are asked for.
func (e *examination) child(d v1.Descriptor, what string, found *subjects) *Result {
	child := e.get(e.at().at(d.Digest.String()))
	switch {
	case child.state == absent:
		found.lacks = append(found.lacks, fmt.Sprintf("%s (%s)", what, d.Digest))
	case child.state == doubt:
		e.result.Cause = "the index is the same, but not every manifest under it could be asked: " + child.cause
		return e.end(Unknown, "the index is the same, but its manifest for %s could not be asked: %s", what, child.why)
	case child.digest != d.Digest.String():
		return e.end(Different, "the index is the same, but for %s the mirror serves %s instead of %s", what, child.digest, d.Digest)
	default:
		found.images = append(found.images, child)
		return e.layers(child, what, found)
	}
	return nil
}

// layers asks the mirror for each layer of an image, where that was asked for: whether it is there, not what it holds.
func (e *examination) layers(image look, what string, found *subjects) *Result {
	if !e.result.Request.Deep || isIndex(image.mediaType) {
		return nil
	}
	manifest, err := v1.ParseManifest(bytes.NewReader(image.body))
	if err != nil {
		return e.end(Unknown, "the manifest for %s cannot be read: %s", what, err)
	}
	for _, d := range append([]v1.Descriptor{manifest.Config}, manifest.Layers...) {
		if len(d.URLs) > 0 || !d.MediaType.IsDistributable() {
			continue // lies where its URL says, in no registry
		}
		blob := e.client.blob(e.ctx, place{e.at().endpoint, e.at().repository, d.Digest.String(), blobs})
		e.note(blob)
		switch blob.state {
		case absent:
			found.lacks = append(found.lacks, fmt.Sprintf("a layer of %s (%s)", what, d.Digest))
		case doubt:
			e.result.Cause = "not every layer could be asked: " + blob.cause
			return e.end(Unknown, "the layer %s for %s could not be asked: %s", d.Digest, what, blob.why)
		}
	}
	return nil
}

// at is the mirror's repository.
func (e *examination) at() place {
	return place{e.result.Request.Target.Endpoint, e.result.Request.Target.Repository, "", ""}
}

// choicesFor returns the manifests that a runtime could choose on a platform: those that state it, of any variant, and those that state
// none, which containerd takes for possible, too. Attestations state unknown/unknown.
func choicesFor(manifests []v1.Descriptor, platform string) ([]v1.Descriptor, error) {
	want, err := v1.ParsePlatform(platform)
	if err != nil {
		return nil, err
	}
	var out []v1.Descriptor
	for _, d := range manifests {
		if d.Annotations[attestationOf] == "" && (d.Platform == nil || d.Platform.Satisfies(*want)) {
			out = append(out, d)
		}
	}
	return out, nil
}

// attestations returns the manifests of an index that are about another one of it.
func attestations(manifests []v1.Descriptor, about v1.Descriptor) []v1.Descriptor {
	return slices.DeleteFunc(slices.Clone(manifests), func(d v1.Descriptor) bool { return d.Annotations[attestationOf] != about.Digest.String() })
}

// firstFor returns the manifest for a platform that a comparison of contents looks at.
func firstFor(manifests []v1.Descriptor, platform string) (string, bool) {
	choices, err := choicesFor(manifests, platform)
	if err != nil || len(choices) == 0 {
		return "", false
	}
	return choices[0].Digest.String(), true
}
