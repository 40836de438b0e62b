package image

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// differs says which of the known causes made the mirror's bytes other ones. It asks the source for its bytes, which only
// a reference that is refused costs.
func (e *examination) differs(mirror look) Result {
	request := e.result.Request
	e.result.Fix = copyCommands(request, e.source.digest)
	both := fmt.Sprintf("the source is %s, the mirror %s", e.source.digest, mirror.digest)
	if request.NoSource {
		return e.answer(Different, "%s; the source's side is from the lock", both)
	}
	source := e.get(request.source().at(e.source.digest))
	if source.state != found {
		return e.answer(Different, "%s (the cause is not known: %s)", both, source.why)
	}
	e.result.Evidence.SourceType = source.mediaType
	if source.digest != e.source.digest {
		return e.answer(Unknown, "the source names %s and serves %s for it", e.source.digest, source.digest)
	}
	verdict, cause := e.compare(source, mirror)
	return e.answer(verdict, "%s: %s", both, cause)
}

// compare compares two manifests with different bytes.
func (e *examination) compare(source, mirror look) (Verdict, string) {
	switch {
	case isIndex(source.mediaType) && isIndex(mirror.mediaType):
		return e.compareIndexes(source, mirror)
	case isIndex(source.mediaType):
		return e.single(source, mirror)
	case isIndex(mirror.mediaType):
		return Different, wrapped(source, mirror)
	}
	if sameContent(source.body, mirror.body) {
		if source.mediaType == mirror.mediaType {
			return Equivalent, "the same configuration and layers in a manifest that was written anew"
		}
		return Equivalent, fmt.Sprintf("the same configuration and layers in a converted manifest (%s became %s)", source.mediaType, mirror.mediaType)
	}
	return Different, "another image: the tag moved, or something else was pushed under it"
}

// single is a mirror with one image where the source has an index.
func (e *examination) single(source, mirror look) (Verdict, string) {
	index, err := v1.ParseIndexManifest(bytes.NewReader(source.body))
	if err != nil {
		return Different, "the source's index cannot be read: " + err.Error()
	}
	for _, d := range index.Manifests {
		if d.Digest.String() != mirror.digest || d.Platform == nil {
			continue
		}
		if e.result.Request.Target.PlatformOnly {
			return e.onlyPlatform(mirror, neededName(*d.Platform, required(e.result.Request.Platforms)))
		}
		return Different, fmt.Sprintf("the mirror holds a single platform of the source's index, %s: it was copied without the others", d.Platform)
	}
	return Different, "the mirror holds a single image, which is not in the source's index"
}

// neededName is what the nodes call a platform: linux/arm64 for linux/arm64/v8.
func neededName(has v1.Platform, needed []string) string {
	for _, name := range needed {
		if want, err := v1.ParsePlatform(name); err == nil && has.Satisfies(*want) {
			return name
		}
	}
	return has.String()
}

// onlyPlatform judges the image of one platform in the place of the index, where the model accepts that. It proves that platform, if the
// node will pull it by what was fetched: by its own digest at an explicit mirror, by the tag at a transparent one.
func (e *examination) onlyPlatform(mirror look, platform string) (Verdict, string) {
	request := e.result.Request
	if request.Target.Kind == Transparent && request.mirror(e.source.digest).identifier != request.Ref.Tag {
		return Different, "the mirror holds a single platform of the source's index, " + platform + ": the node will ask it for the index, by digest"
	}
	if own := e.get(e.at().at(mirror.digest)); request.Target.Kind == Explicit && own.digest != mirror.digest {
		return Unknown, "the mirror holds a single platform of the source's index, " + platform + ", but does not serve it by its digest: " + own.why
	}
	e.result.Evidence.Platforms = []string{platform}
	if need := required(request.Platforms); !slices.Equal(need, e.result.Evidence.Platforms) {
		return Sparse, fmt.Sprintf("the mirror holds a single platform of the source's index, %s, and nodes need %s", platform, strings.Join(need, ", "))
	}
	e.result.Fix = nil
	e.result.Notes = append(e.result.Notes, "the index became the image of one platform, as `accept: platform-only` allows")
	if refusal := e.signatures(mirror, nil); refusal != nil {
		return refusal.Verdict, refusal.Message
	}
	return Same, "the mirror's bytes hash to the digest that the source's index names for " + platform
}

// wrapped is a mirror with an index where the source has one image.
func wrapped(source, mirror look) string {
	index, err := v1.ParseIndexManifest(bytes.NewReader(mirror.body))
	if err == nil && slices.ContainsFunc(index.Manifests, func(d v1.Descriptor) bool { return d.Digest.String() == source.digest }) {
		return "the mirror wrapped the source's image into a new index"
	}
	return "the mirror holds an index, the source a single image"
}

// compareIndexes calls two indexes equivalent if they name the same manifests, or, for the needed platforms, manifests of the same content.
func (e *examination) compareIndexes(source, mirror look) (Verdict, string) {
	a, errA := v1.ParseIndexManifest(bytes.NewReader(source.body))
	b, errB := v1.ParseIndexManifest(bytes.NewReader(mirror.body))
	if errA != nil || errB != nil {
		return Different, "one of the two indexes cannot be read"
	}
	if slices.EqualFunc(a.Manifests, b.Manifests, sameEntry) {
		return Equivalent, "two indexes of the same manifests: the mirror's tool rewrote the index"
	}
	if slices.EqualFunc(a.Manifests, b.Manifests, func(x, y v1.Descriptor) bool { return x.Digest == y.Digest }) {
		return Different, "the mirror's index offers the same manifests to other platforms"
	}
	if missing := len(a.Manifests) - len(b.Manifests); missing > 0 && subset(b, a) {
		return Different, fmt.Sprintf("the mirror's index lacks %d of the source's %d manifests: it was copied with some platforms only", missing, len(a.Manifests))
	}
	if e.sameChildren(a, b) {
		return Equivalent, "the same configuration and layers in converted manifests"
	}
	return Different, "another image: the tag moved, or something else was pushed under it"
}

// sameEntry reports whether two entries of indexes offer one manifest to the same platform, which is what a runtime chooses by.
func sameEntry(x, y v1.Descriptor) bool {
	if x.Platform == nil || y.Platform == nil {
		return x.Digest == y.Digest && x.Platform == y.Platform
	}
	return x.Digest == y.Digest && x.Platform.Equals(*y.Platform)
}

func subset(part, whole *v1.IndexManifest) bool {
	for _, d := range part.Manifests {
		if !slices.ContainsFunc(whole.Manifests, func(w v1.Descriptor) bool { return w.Digest == d.Digest }) {
			return false
		}
	}
	return true
}

// sameChildren fetches the manifests of the needed platforms from both sides and compares their content.
func (e *examination) sameChildren(a, b *v1.IndexManifest) bool {
	request := e.result.Request
	for _, platform := range required(request.Platforms) {
		i, okA := firstFor(a.Manifests, platform)
		j, okB := firstFor(b.Manifests, platform)
		if !okA || !okB {
			return false
		}
		x, y := e.get(request.source().at(i)), e.get(e.at().at(j))
		if x.state != found || y.state != found || !sameContent(x.body, y.body) {
			return false
		}
	}
	return true
}

// sameContent reports whether two image manifests name the same configuration and layers, in order.
func sameContent(a, b []byte) bool {
	x, errX := v1.ParseManifest(bytes.NewReader(a))
	y, errY := v1.ParseManifest(bytes.NewReader(b))
	return errX == nil && errY == nil && len(x.Layers) > 0 && x.Config.Digest == y.Config.Digest &&
		slices.EqualFunc(x.Layers, y.Layers, func(l, m v1.Descriptor) bool { return l.Digest == m.Digest })
}

// copyCommands are commands that copy all platforms and keep the digests.
func copyCommands(request Request, digest string) []string {
	from, to := copyNames(request, digest)
	return []string{"crane copy " + from + " " + to, "regctl image copy --digest-tags " + from + " " + to}
}

func copyNames(request Request, digest string) (from, to string) {
	to = request.Target.Endpoint.Host + "/" + request.Target.Repository
	if request.Ref.Tag != "" {
		to += ":" + request.Ref.Tag
	} else {
		to += "@" + digest
	}
	return request.Ref.Repository() + "@" + digest, to
}
