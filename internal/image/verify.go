package image

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Verify asks both sides of every request and answers in the order of the requests. Nothing is an error: who could not be asked is Unknown.
// Requests for one registry share a token, requests for one manifest share an answer.
func (c *Client) Verify(ctx context.Context, requests []Request) []Result {
	c.expect(ctx, requests)
	results := make([]Result, len(requests))
	var group errgroup.Group
	group.SetLimit(atOnce)
	var mu sync.Mutex
	done := 0
	for i, request := range requests {
		group.Go(func() error {
			results[i] = c.verify(ctx, request)
			if c.options.Progress != nil {
				mu.Lock()
				defer mu.Unlock()
				done++
				c.options.Progress(done, len(requests))
			}
			return nil
		})
	}
	_ = group.Wait() // no function of the group returns an error
	return results
}

// expect announces every repository that will be asked for, sorted, so that equal runs ask for equal tokens.
func (c *Client) expect(ctx context.Context, requests []Request) {
	repositories := map[*registry][]string{}
	add := func(endpoint Endpoint, repository string) {
		r := c.registry(ctx, endpoint, repository)
		repositories[r] = append(repositories[r], repository)
	}
	for _, request := range requests {
		if request.asksSource() {
			add(sourceEndpoint(request.Ref, request.Insecure), request.Ref.Path)
		}
		add(request.Target.Endpoint, request.Target.Repository)
	}
	for r, names := range repositories {
		r.expect(sortedSet(names))
	}
}

// asksSource reports whether the source has to be asked: a digest in the reference or from a lock stands for its answer.
func (r Request) asksSource() bool { return r.Digest == "" && r.Ref.Digest == "" && !r.NoSource }

func (r Request) source() place {
	return place{sourceEndpoint(r.Ref, r.Insecure), r.Ref.Path, r.Ref.Identifier(), ""}
}

// mirror is what the node will pull: by digest where the output carries one or where tags are resolved elsewhere, else by tag.
func (r Request) mirror(digest string) place {
	identifier := digest
	if r.Target.Kind == Transparent && r.Target.Tags && r.Ref.Digest == "" {
		identifier = r.Ref.Tag
	}
	return place{r.Target.Endpoint, r.Target.Repository, identifier, ""}
}

// verify is one examination: it is repeated once where the source's tag moved while the mirror was asked.
func (c *Client) verify(ctx context.Context, request Request) Result {
	if err := ctx.Err(); err != nil {
		return Result{Request: request, Verdict: Unknown, Message: "it was not asked: the run was stopped"}
	}
	result := c.examine(ctx, request, nil)
	if !request.asksSource() || result.Evidence.SourceDigest == "" || !secondLook(request.Ref, result.Verdict) {
		return result
	}
	for round := range 2 {
		again := c.lookAgain(ctx, request.source(), round > 0 || result.Verdict != Same)
		result.Evidence.Asked = append(result.Evidence.Asked, again.asked)
		if again.state != found || again.digest == result.Evidence.SourceDigest {
			return result
		}
		before := result.Evidence.Asked
		result = c.examine(ctx, request, &again)
		result.Evidence.Asked = append(before, result.Evidence.Asked...)
	}
	result.Verdict = Unknown
	result.Message = fmt.Sprintf("the tag %s moved at %s while it was looked at; run again, or name a digest", request.Ref.Tag, request.Ref.Host)
	return result
}

// lookAgain asks a source about its tag once more: by its bytes where its answer to HEAD did not fit, which may be a lie.
func (c *Client) lookAgain(ctx context.Context, source place, bytes bool) look {
	if bytes {
		return c.ask(ctx, http.MethodGet, source)
	}
	return c.headNow(ctx, source)
}

// immutableTag matches full versions: 1.2.3, v1.2.3-rc.1, RELEASE.2024-01-01; such tags get no second look when all agrees.
var immutableTag = regexp.MustCompile(`\d+[.-]\d+[.-]\d+`)

func secondLook(ref Ref, verdict Verdict) bool {
	return verdict == Different || verdict == Missing || verdict == Same && !immutableTag.MatchString(ref.Tag)
}

// examine does one round: the source's digest, the mirror's bytes, the platforms under them. moved is what the source answered when it was
// looked at again.
func (c *Client) examine(ctx context.Context, request Request, moved *look) Result {
	e := &examination{client: c, ctx: ctx, again: moved != nil, result: Result{Request: request}}
	source := look{state: found, digest: request.Ref.Digest}
	if request.Digest != "" {
		source.digest = request.Digest
	}
	if moved != nil {
		source = *moved
	} else if request.asksSource() {
		source = c.head(ctx, request.source())
		e.note(source)
		switch source.state {
		case absent:
			e.result.Cause = "the source " + source.cause
			return e.answer(Unknown, "the source %s: there is nothing to compare the mirror with", source.why)
		case doubt:
			e.result.Cause = "the source could not be asked: " + source.cause
			return e.answer(Unknown, "the source could not be asked: %s", source.why)
		}
	}
	if source.digest == "" {
		e.result.Cause = "the lock holds no digest for it, and the source is not to be asked"
		return e.answer(Unknown, "the lock holds no digest for it, and the source is not to be asked")
	}
	e.source = source
	e.result.Evidence.SourceDigest, e.result.Evidence.SourceType = source.digest, source.mediaType
	return e.mirrorSide()
}

// examination is one round of questions about one request.
type examination struct {
	client *Client
	ctx    context.Context
	source look
	again  bool // the source's tag moved meanwhile: what was remembered of tags may be old
	result Result
}

func (e *examination) note(answer look) {
	if answer.asked != "" {
		e.result.Evidence.Asked = append(e.result.Evidence.Asked, answer.asked)
	}
}

func (e *examination) answer(verdict Verdict, format string, args ...any) Result {
	e.result.Verdict, e.result.Message = verdict, fmt.Sprintf(format, args...)
	return e.result
}

// end is answer for those who end an examination early.
func (e *examination) end(verdict Verdict, format string, args ...any) *Result {
	result := e.answer(verdict, format, args...)
	return &result
}

// get fetches a manifest; in another round, tags are asked anew.
func (e *examination) get(p place) look {
	var answer look
	if e.again && !validDigest(p.identifier) {
		answer = e.client.ask(e.ctx, http.MethodGet, p)
	} else {
		answer = e.client.get(e.ctx, p)
	}
	e.note(answer)
	return answer
}

// mirrorSide fetches what the node will pull and compares.
func (e *examination) mirrorSide() Result {
	request := e.result.Request
	at := request.mirror(e.source.digest)
	mirror := e.get(at)
	if mirror.state == absent && at.identifier != request.Ref.Tag && request.Ref.Tag != "" && request.Target.Tags {
		return e.byTag(at)
	}
	switch mirror.state {
	case absent:
		e.result.Fix, e.result.Cause = copyCommands(request, e.source.digest), mirror.cause
		return e.answer(Missing, "%s", mirror.why)
	case doubt:
		if mirror.foreign && at.identifier == e.source.digest && mirror.digest != e.source.digest && strings.Contains(mirror.mediaType, "prettyjws") {
			return e.answer(Different, "%s serves %s as %s, whose digest cannot be checked, and its bytes hash to %s", at.endpoint.Host, e.source.digest, mirror.mediaType, mirror.digest)
		}
		e.result.Cause = "the mirror could not be asked: " + mirror.cause
		return e.answer(Unknown, "the mirror could not be asked: %s", mirror.why)
	}
	e.result.Evidence.MirrorDigest, e.result.Evidence.MirrorType = mirror.digest, mirror.mediaType
	mirror.digest = hash(e.source.digest, mirror.body)
	if mirror.digest != e.source.digest {
		return e.differs(mirror)
	}
	if e.source.mediaType != "" && e.source.mediaType != mirror.mediaType {
		return e.answer(Different, "the bytes are the same, but the source serves them as %s and the mirror as %s, and runtimes go by that", e.source.mediaType, mirror.mediaType)
	}
	return e.platforms(mirror)
}

// byTag finds out whether a mirror that lacks the digest has the tag with other bytes, or nothing.
func (e *examination) byTag(at place) Result {
	request := e.result.Request
	tagged := e.get(at.at(request.Ref.Tag))
	e.result.Fix = copyCommands(request, e.source.digest)
	switch {
	case tagged.state == absent:
		e.result.Cause = tagged.cause
		return e.answer(Missing, "%s has neither the digest %s nor the tag %s of %s", at.endpoint.Host, e.source.digest, request.Ref.Tag, at.repository)
	case tagged.state == doubt:
		e.result.Cause = "the mirror could not be asked: " + tagged.cause
		return e.answer(Unknown, "the mirror lacks the digest %s, and its tag could not be asked: %s", e.source.digest, tagged.why)
	}
	e.result.Evidence.MirrorDigest, e.result.Evidence.MirrorType = tagged.digest, tagged.mediaType
	if tagged.digest == e.source.digest {
		return e.answer(Unknown, "%s serves the right bytes for the tag %s, but not for their digest, by which the node will pull", at.endpoint.Host, request.Ref.Tag)
	}
	return e.differs(tagged)
}
