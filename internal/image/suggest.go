package image

import (
	"context"
	"encoding/json"
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
// those of its known aliases, and under the address of its code, if its manifest states one. It answers sorted by reference.
func (c *Client) Suggest(ctx context.Context, references []string, policy Policy) []Suggestion {
	var out []Suggestion
	for _, reference := range sortedSet(references) {
		ref, err := Parse(reference)
		if err != nil || policy.Rules.AtMirror(ref) || policy.Rules.Covered(ref) {
			continue
		}
		out = append(out, c.suggest(ctx, ref, policy))
	}
	return out
}

func (c *Client) suggest(ctx context.Context, ref Ref, policy Policy) Suggestion {
	out := Suggestion{Reference: ref.String(), Digest: ref.Digest}
	source := Request{Ref: ref}.source()
	if ref.Digest == "" {
		answer := c.head(ctx, source)
		if answer.state != found {
			out.Message = "its source could not be asked: " + answer.why
			return out
		}
		out.Digest = answer.digest
	}
	names := append(knownNames(ref), ref)
	if found := c.tryNames(ctx, out, ref, names, policy); found != nil {
		return *found
	}
	if code, ok := c.codeName(ctx, source, ref); ok {
		if found := c.tryNames(ctx, out, ref, []Ref{code}, policy); found != nil {
			return *found
		}
	}
	out.Message = "no mirror of the model holds its digest under a name that is known"
	return out
}

// knownNames returns what the table of aliases calls ref.
func knownNames(ref Ref) []Ref {
	var out []Ref
	for _, a := range aliases {
		if !under(ref.Repository(), a.from) {
			continue
		}
		name := ref
		name.Host, name.Path, _ = strings.Cut(a.to+strings.TrimPrefix(ref.Repository(), a.from), "/")
		out = append(out, name)
	}
	return out
}

// tryNames asks every mirror that could hold one of the names for the digest.
func (c *Client) tryNames(ctx context.Context, out Suggestion, ref Ref, names []Ref, policy Policy) *Suggestion {
	for _, name := range names {
		for _, rule := range policy.Rules {
			at := name
			if name == ref || name.Path == ref.Path {
				at.Host, _, _ = strings.Cut(canonicalPrefix(rule.Source), "/")
			}
			if !under(at.Repository(), canonicalPrefix(rule.Source)) {
				continue
			}
			if found := c.tryRule(ctx, out, at, rule, policy); found != nil {
				return found
			}
		}
	}
	return nil
}

// tryRule asks one mirror whether it holds the digest under a name.
func (c *Client) tryRule(ctx context.Context, out Suggestion, name Ref, rule Rule, policy Policy) *Suggestion {
	target, err := rule.explicit().target(name)
	if err != nil {
		return nil
	}
	ref, err := Parse(out.Reference)
	if err != nil {
		return nil
	}
	ref.Digest = out.Digest
	proof := c.examine(ctx, Request{Ref: ref, Target: target, Platforms: policy.Platforms, NoSource: true}, nil)
	if proof.Verdict != Same {
		return nil
	}
	out.Proof = &proof
	if name.Path == ref.Path {
		out.Line = rule.explicit().line(ref.Host)
		out.Message = fmt.Sprintf("%s serves the same bytes as %s: add the line to facts.mirrors", target.Ref.Repository(), ref.Host)
		return &out
	}
	name.Digest = ""
	out.Instead = name.String()
	out.Message = fmt.Sprintf("%s serves the same bytes: name %s in the chart's values", target.Ref.Repository(), out.Instead)
	return &out
}

// codeName guesses the image's name at ghcr.io from the address of its code, which a manifest may state.
func (c *Client) codeName(ctx context.Context, source place, ref Ref) (Ref, bool) {
	answer := c.get(ctx, source)
	var manifest struct {
		Annotations map[string]string `json:"annotations"`
	}
	if answer.state != found || json.Unmarshal(answer.body, &manifest) != nil {
		return Ref{}, false
	}
	address, ok := strings.CutPrefix(manifest.Annotations["org.opencontainers.image.source"], "https://github.com/")
	name, err := Parse("ghcr.io/" + strings.ToLower(strings.TrimSuffix(address, ".git")))
	if !ok || err != nil {
		return Ref{}, false
	}
	name.Tag = ref.Tag
	return name, true
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
