package image

import (
	"context"
	"fmt"
	"strings"
)

// Suggestion is a way to bring an image that no mirror covers under one.
type Suggestion struct {
	Reference string  `json:"reference"`
	Digest    string  `json:"digest,omitempty"`  // what the source answers
	Line      string  `json:"line,omitempty"`    // for facts.mirrors: a mirror that holds the same bytes under the same path
	Instead   string  `json:"instead,omitempty"` // the name to use instead: a mirror of that name holds the same bytes
	Message   string  `json:"message"`
	Proof     *Result `json:"-"`
}

// alias says that two names stand for one registry, or part of one.
type alias struct{ from, to, source string }

// aliases are known second names of registries, each with where it is said.
var aliases = []alias{
	{"oci.external-secrets.io/external-secrets", "ghcr.io/external-secrets", "external-secrets PR 5617: the gateway was taken out"},
	{"reg.kyverno.io/kyverno", "ghcr.io/kyverno", "kyverno.io: the registry is a gateway to ghcr.io"},
	{"k8s.gcr.io", "registry.k8s.io", "kubernetes.io: k8s.gcr.io is frozen"},
	{"public.ecr.aws", "ecr-public.aws.com", "AWS: two names of one service"},
	{"ecr-public.aws.com", "public.ecr.aws", "AWS: two names of one service"},
	{"public.ecr.aws/docker/library", "docker.io/library", "AWS: Docker official images"},
	{"ecr-public.aws.com/docker/library", "docker.io/library", "AWS: Docker official images"},
	{"mirror.gcr.io", "docker.io", "Google: a cache of Docker Hub"},
	{"xpkg.upbound.io", "xpkg.crossplane.io", "docs.crossplane.io: community packages moved"},
}

// Suggest looks, for every reference that no rule of policy covers, for a mirror that serves what its source answers: under its own path, under
// those of its known aliases, and under names made from the address of its code, if the image states one. It answers sorted by reference.
func (c *Client) Suggest(ctx context.Context, references []string, policy Policy) []Suggestion {
	var out []Suggestion
	for _, reference := range sortedSet(references) {
		ref, err := Parse(reference)
		if err != nil || policy.Rules.AtMirror(ref) || policy.Rules.Covered(ref) {
			continue
		}
		out = append(out, suggester{c, ref, policy}.suggest(ctx))
	}
	return out
}

// suggester looks for one reference.
type suggester struct {
	client *Client
	ref    Ref
	policy Policy
}

// second is another name that the same image may have, and why one may think so.
type second struct {
	name    Ref
	because string // "" for the image's own name
}

func (s suggester) suggest(ctx context.Context) Suggestion {
	out := Suggestion{Reference: s.ref.String(), Digest: s.ref.Digest}
	source := Request{Ref: s.ref}.source()
	if s.ref.Digest == "" {
		answer := s.client.head(ctx, source)
		if answer.state != found {
			out.Message = "its source could not be asked: " + answer.why
			return out
		}
		out.Digest = answer.digest
	}
	if s.try(ctx, &out, append(knownNames(s.ref), second{name: s.ref})) {
		return out
	}
	if s.try(ctx, &out, codeNames(s.client.sourceCode(ctx, source), s.ref)) {
		return out
	}
	out.Message = "no mirror of the model holds its digest under a name that is known"
	return out
}

// knownNames returns what the table of aliases calls ref.
func knownNames(ref Ref) []second {
	var out []second
	for _, a := range aliases {
		if !under(ref.Repository(), a.from) {
			continue
		}
		name := ref
		name.Host, name.Path, _ = strings.Cut(a.to+strings.TrimPrefix(ref.Repository(), a.from), "/")
		out = append(out, second{name, fmt.Sprintf("%s is another name of %s (%s)", a.to, a.from, a.source)})
	}
	return out
}

// try asks every mirror that could hold one of the names for the digest, and reports whether one does.
func (s suggester) try(ctx context.Context, out *Suggestion, names []second) bool {
	for _, other := range names {
		for _, rule := range s.policy.Rules {
			at := other.name
			if other.name.Path == s.ref.Path {
				at.Host, _, _ = strings.Cut(canonicalPrefix(rule.Source), "/")
			}
			if under(at.Repository(), canonicalPrefix(rule.Source)) && s.holds(ctx, out, second{at, other.because}, rule) {
				return true
			}
		}
	}
	return false
}

// holds asks one mirror whether it holds the digest under a name, and says so in out.
func (s suggester) holds(ctx context.Context, out *Suggestion, other second, rule Rule) bool {
	target, err := rule.explicit().target(other.name)
	if err != nil {
		return false
	}
	ref := s.ref
	ref.Digest = out.Digest
	proof := s.client.examine(ctx, Request{Ref: ref, Target: target, Platforms: s.policy.Platforms, NoSource: true}, nil)
	if proof.Verdict != Same {
		return false
	}
	out.Proof = &proof
	if other.name.Path == s.ref.Path {
		out.Line = rule.explicit().line(s.ref.Host)
		out.Message = fmt.Sprintf("%s serves the same bytes, %s: add the line to facts.mirrors", target.Ref.Repository(), out.Digest)
	} else {
		other.name.Digest = ""
		out.Instead = other.name.String()
		out.Message = fmt.Sprintf("%s serves the same bytes, %s: name %s in the chart's values", target.Ref.Repository(), out.Digest, out.Instead)
	}
	if other.because != "" {
		out.Message += "; " + other.because
	}
	return true
}

// explicit returns a rule for the same place that needs nothing of the nodes.
func (rule Rule) explicit() Rule {
	endpoint, err := ParseEndpoint(rule.Endpoint, rule.OverridePath)
	if err != nil || rule.Kind == Explicit {
		return rule
	}
	rule.Endpoint, rule.Path = endpoint.Scheme+"://"+endpoint.Host, join(endpoint.repositoryPrefix, rule.Path)
	rule.Kind, rule.OverridePath = Explicit, false
	return rule
}

// line is the rule for another source, as facts.mirrors has it.
func (rule Rule) line(source string) string {
	parts := []string{"source: " + source, fmt.Sprintf("endpoint: %q", rule.Endpoint)}
	if rule.Path != "" {
		parts = append(parts, "path: "+rule.Path)
	}
	parts = append(parts, "kind: "+rule.Kind)
	return "- {" + strings.Join(parts, ", ") + "}"
}
