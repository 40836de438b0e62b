package imagefield

import (
	"slices"
	"strings"

	"github.com/distribution/reference"
)

// wellKnown are public registries that hold images of public charts; they are looked for although no mirror covers them, so that
// what stands outside of every mirror is listed.
var wellKnown = []string{
	"cgr.dev", "container-registry.oracle.com", "dhi.io", "docker.io", "docker.elastic.co", "ecr-public.aws.com", "factory.talos.dev", "gcr.io",
	"ghcr.io", "icr.io", "index.docker.io", "lscr.io", "mcr.microsoft.com", "nvcr.io", "oci.external-secrets.io", "public.ecr.aws", "quay.io",
	"reg.kyverno.io", "registry-1.docker.io", "registry.access.redhat.com", "registry.connect.redhat.com", "registry.gitlab.com",
	"registry.hub.docker.com", "registry.istio.io", "registry.k8s.io", "registry.redhat.io", "registry.suse.com", "xpkg.crossplane.io", "xpkg.upbound.io",
}

// wellKnownDomains hold the registries of many: a region or a customer has a host of its own.
var wellKnownDomains = []string{".azurecr.io", ".gcr.io", ".pkg.dev"}

// registry reports whether host is one whose references are looked for.
func (f *finder) registry(host string) bool {
	host = normalHost(host)
	return slices.Contains(wellKnown, host) || slices.ContainsFunc(f.hosts, func(known string) bool { return strings.ToLower(known) == host }) ||
		slices.ContainsFunc(wellKnownDomains, func(domain string) bool { return strings.HasSuffix(host, domain) })
}

// surroundings is what is known about the place of a string.
type surroundings struct {
	words bool // its words are words of a command: container arguments and environment
	image bool // its name says that it is an image: the key, the variable, the flag before it
}

// values looks at every string that no surer tier has claimed.
func (f *finder) values(at path, value any, s surroundings) {
	switch v := value.(type) {
	case string:
		if f.taken(at) {
			return
		}
		if s.image && misunderstood(v) == "" && pinned(v) {
			f.whole(Value, at, v) // a short name of Docker Hub has no host to be found by
			return
		}
		f.tokens(at, v, s)
	case map[string]any:
		if f.id.Kind == "Secret" && f.id.Group == "" && len(at) == 1 && at[0].key == "data" {
			return // base64
		}
		name, _ := v["name"].(string)
		var buffer [16]string
		for _, key := range sortedKeys(buffer[:0], v) {
			if !skipped(at, key) {
				f.values(at.key(key), v[key], surroundings{words: s.words || wordKeys[key], image: calledImage(key) || key == "value" && calledImage(name)})
			}
		}
	case []any:
		for i, item := range v {
			f.values(at.item(i, item), item, surroundings{words: s.words, image: i > 0 && flag(v[i-1])})
		}
	}
}

// calledImage reports whether a key or a variable is called after an image: image, executorImage, queue-sidecar-image, KAFKA_IMAGE.
func calledImage(name string) bool {
	const image = "image"
	return len(name) >= len(image) && strings.EqualFold(name[len(name)-len(image):], image)
}

// flag reports whether an argument is a flag whose value, the next argument, is an image: --executor-image.
func flag(argument any) bool {
	text, _ := argument.(string)
	return strings.HasPrefix(text, "-") && calledImage(text)
}

// wordKeys are the fields of a container that its program reads.
var wordKeys = map[string]bool{"args": true, "command": true, "env": true}

// tokens finds the references in one string: runs of a reference's characters that begin with the host of a registry, or that
// the text calls an image.
func (f *finder) tokens(at path, text string, s surroundings) {
	if !strings.ContainsAny(text, "/:") {
		return
	}
	for start := 0; start < len(text); {
		if !tokenByte(text[start]) {
			start++
			continue
		}
		end := start
		for end < len(text) && tokenByte(text[end]) {
			end++
		}
		f.token(at, text, span{start, end}, s)
		start = end
	}
}

type span struct{ start, end int }

// token judges one run.
func (f *finder) token(at path, text string, run span, s surroundings) {
	token := strings.TrimRight(text[run.start:run.end], ".:-_/@+")
	scheme, rest, isURL := strings.Cut(token, "://")
	if isURL && scheme != "docker" && scheme != "oci" {
		return
	}
	host, path, ok := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
	if !isURL {
		host, path, ok = strings.Cut(token, "/")
	}
	if (!ok || path == "" || !f.registry(host)) && (isURL || !called(text[:run.start], token)) {
		return
	}
	hit := Hit{Object: f.id, Path: at.String(), Reference: token, Tier: Value, Start: run.start, End: run.start + len(token), at: at.keep()}
	hit.Note = unfit(text, hit, isURL, s)
	hit.Rewritable = hit.Note == ""
	f.hits = append(f.hits, hit)
}

// imageLabel reports whether a line ends with what stands before a reference that the text itself calls an image: image: ,
// "image": ", --init-image=, X_IMAGE=. It is asked about every word of every text, where a regular expression took a third of a render.
func imageLabel(line string) bool {
	line = strings.TrimRight(unquoted(line), " \t")
	if line == "" || line[len(line)-1] != ':' && line[len(line)-1] != '=' {
		return false
	}
	return calledImage(unquoted(strings.TrimRight(line[:len(line)-1], " \t")))
}

// unquoted takes one quote off the end.
func unquoted(text string) string {
	if strings.HasSuffix(text, `"`) || strings.HasSuffix(text, "'") {
		return text[:len(text)-1]
	}
	return text
}

// called reports whether the text before a token calls it an image, and it can be one: nothing else tells a short name of Docker Hub from
// other words with a colon. What a comment calls so is none.
func called(before, token string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return imageLabel(line) && !comment(line) && misunderstood(token) == "" && pinned(token)
}

// unfit says why a token may not be rewritten, or nothing.
func unfit(text string, hit Hit, isURL bool, s surroundings) string {
	before, after := text[:hit.Start], text[hit.End:]
	switch {
	case isURL:
		return "it has a scheme: a chart, or an image for a tool"
	case joined(before, after):
		return "part of a template or of a longer word"
	case !valid(hit.Reference):
		return "it is not a valid reference"
	case !pinned(hit.Reference):
		return noTag
	case !s.words && !structural(before, after):
		return "in the middle of text"
	}
	return ""
}

// joined reports whether a template or an unusual character touches the token.
func joined(before, after string) bool {
	return before != "" && strings.ContainsRune("})$*>\\%~&?#!^|", rune(before[len(before)-1])) || after != "" && strings.ContainsRune("{($*<\\%~&?#!^|:@+/", rune(after[0]))
}

// pinned reports whether a reference names a tag or a digest.
func pinned(ref string) bool {
	named, err := reference.ParseNormalizedNamed(ref)
	return err == nil && !reference.IsNameOnly(named)
}

// structural reports whether what stands around a token makes it a value of its own: the whole string, a line, a quoted string, the
// value after "key: " or "key=", an item of a list. A comment is text.
func structural(before, after string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return !comment(line) && opens(strings.TrimLeft(line, " \t")) && closes(after)
}

func comment(line string) bool {
	trimmed := strings.TrimLeft(line, " \t")
	return strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "//")
}

func opens(line string) bool {
	if line == "" || strings.ContainsRune("\"'=,;[{", rune(line[len(line)-1])) {
		return true
	}
	bare := strings.TrimRight(line, " \t")
	return len(bare) < len(line) && (strings.HasSuffix(bare, ":") || strings.TrimLeft(bare, "- ") == "" || strings.HasSuffix(bare, ",") || strings.HasSuffix(bare, "["))
}

func closes(after string) bool {
	rest := strings.TrimLeft(after, " \t\r")
	return rest == "" || rest[0] == '\n' || strings.ContainsRune("\"',;]}", rune(rest[0])) || len(rest) < len(after) && rest[0] == '#'
}

// tokenByte reports whether b may stand in a reference or in a URL.
func tokenByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("._-/:@+", b) >= 0
}

// valid reports whether s has the grammar of a reference. Hosts may be in capitals and have a trailing dot here; package image decides.
func valid(s string) bool {
	host, path, ok := strings.Cut(s, "/")
	if ok && strings.ContainsAny(host, ".:") {
		s = normalHost(host) + "/" + path
	}
	_, err := reference.ParseNormalizedNamed(s)
	return err == nil
}

func normalHost(host string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(host), ":443"), ".")
}
