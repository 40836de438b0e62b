package image

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// signedMark stands among the platforms of a proof which covers signatures, too.
const signedMark = "+signatures"

// signatureTypes are the artifact types that a registry's list of referrers names signatures and attestations by.
var signatureTypes = []string{
	"application/vnd.dev.cosign.artifact.sig.v1+json", // sigstore/cosign, specs/COSIGN_PREDICATE_SPEC
	"application/vnd.dev.cosign.artifact.att.v1+json",
	"application/vnd.dev.sigstore.bundle.v0.3+json", // sigstore bundle, for both
	"application/vnd.cncf.notary.signature",         // Notary Project
}

// noReferrers are the answers of registries that know no list of referrers.
var noReferrers = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}

// signatures holds a mirror to having every signature and attestation that the source has, where the model requires it: an admission
// policy that asks for one would refuse the rewritten name. A non-nil result ends the examination.
func (e *examination) signatures(mirror look, images []look) *Result {
	request := e.result.Request
	if !request.Target.RequireSignatures {
		return nil
	}
	digests := []string{mirror.digest}
	for _, image := range images {
		digests = append(digests, image.digest)
	}
	var lacks []string
	signed := false
	for _, digest := range sortedSet(digests) {
		there, why := e.attached(e.at(), digest)
		if why.state == doubt {
			return e.doubtSigned("the mirror", why)
		}
		needed := slices.Clone(there)
		if !request.NoSource {
			if needed, why = e.attached(request.source(), digest); why.state == doubt {
				return e.doubtSigned("the source", why)
			}
		}
		signed = signed || len(needed) > 0
		lacks = append(lacks, slices.DeleteFunc(needed, func(s string) bool { return slices.Contains(there, s) })...)
	}
	switch {
	case len(lacks) > 0:
		e.result.Unsigned = true
		e.result.Fix = signatureCommands(request, e.source.digest)
		return e.end(Sparse, "the image is the same, but the mirror lacks its signatures: %s", strings.Join(lacks, ", "))
	case !signed && request.NoSource:
		return e.end(Unknown, "the image is the same, but the mirror has no signature for it, and whether the source has one is not to be asked")
	case !signed:
		e.result.Notes = append(e.result.Notes, "the source has no signature for it")
	}
	e.result.Evidence.Platforms = append(e.result.Evidence.Platforms, signedMark)
	return nil
}

func (e *examination) doubtSigned(who string, why look) *Result {
	e.result.Cause = fmt.Sprintf("the image is the same, but %s could not be asked for signatures: %s", who, why.cause)
	return e.end(Unknown, "the image is the same, but %s could not be asked for its signatures: %s", who, why.why)
}

// attached returns what is attached to a digest as a signature or an attestation, "name digest" each; a look in doubt says why that
// cannot be told. cosign puts it under tags made from the digest, newer tools into the list of referrers, or, where a registry has none,
// under a tag that stands for the list (OCI distribution specification 1.1).
func (e *examination) attached(at place, digest string) ([]string, look) {
	var out []string
	base := strings.Replace(digest, ":", "-", 1)
	for _, suffix := range []string{".sig", ".att"} {
		tagged := e.get(at.at(base + suffix))
		switch tagged.state {
		case doubt:
			return nil, tagged
		case found:
			out = append(out, base+suffix+" "+tagged.digest)
		}
	}
	list := at
	list.identifier, list.kind = digest, referrers
	answer := e.get(list)
	if answer.state == absent || answer.state == doubt && slices.Contains(noReferrers, answer.status) {
		answer = e.get(at.at(base))
	}
	if answer.state != found {
		return out, look{state: answer.state, why: answer.why, cause: answer.cause}
	}
	index, err := v1.ParseIndexManifest(bytes.NewReader(answer.body))
	if err != nil {
		return nil, doubtful("the list of referrers of %s at %s cannot be read: %s", digest, at.endpoint.Host, err)
	}
	for _, d := range index.Manifests {
		if slices.Contains(signatureTypes, d.ArtifactType) {
			out = append(out, d.ArtifactType+" "+d.Digest.String())
		}
	}
	return out, answer
}

// signatureCommands are commands that copy an image with all that is attached to it.
func signatureCommands(request Request, digest string) []string {
	from, to := copyNames(request, digest)
	return []string{"cosign copy " + from + " " + to, "regctl image copy --digest-tags --referrers " + from + " " + to}
}
