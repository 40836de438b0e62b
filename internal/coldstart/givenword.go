package coldstart

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// factWords are the words that a fact begins with which is no object; an object begins with its kind.
func factWords() []string {
	words := []string{"admission", "attempts", strings.TrimSpace(bootstrapSource), "health", "webhook"}
	for _, t := range []needs.Type{
		needs.Kind, needs.Namespace, needs.Ability, watched, reachable, injection, nodeLabel, binding, volume, controller, endpoints, consumer, addressOf, syncWindow,
		keyIn, registration, repository, podsThere, ingressOpen, egressOpen, ciliumIn, ciliumOut, freeAddress, resolves, permission,
		referenceGranted, accepted, pooledFor, caWriter,
	} {
		words = append(words, string(t))
	}
	slices.Sort(words)
	return words
}

// CheckGiven refuses assumptions that nothing can ask for: one with a typing mistake would count for nothing in silence.
func CheckGiven(list []Given) error {
	var errs []error
	for i, g := range list {
		word, rest, _ := strings.Cut(g.Fact, " ")
		switch {
		case word == string(needs.Ability):
			known := []string{needs.Addresses, needs.DefaultStorage, publishes, gatewayAddress}
			if of, class, _ := strings.Cut(rest, " of class "); !strings.HasPrefix(rest, resourceAbility) && !slices.Contains(known, rest) && (of != needs.Addresses || class == "") {
				errs = append(errs, fmt.Errorf("given[%d].fact: there is no ability %q: %s", i, rest, oneOf(rest, known)))
			}
		case word == string(binding):
			if err := checkBinding(rest, list); err != nil {
				errs = append(errs, fmt.Errorf("given[%d].fact: %w", i, err))
			}
		case rest == "" || word == "":
			errs = append(errs, fmt.Errorf("given[%d].fact: %q says of nothing that it holds: write a word and a name, or a kind and a name", i, g.Fact))
		case unicode.IsLower([]rune(word)[0]) && !slices.Contains(factWords(), word):
			errs = append(errs, fmt.Errorf("given[%d].fact: no fact begins with %q: %s, or the kind of an object", i, word, oneOf(word, factWords())))
		}
	}
	return errors.Join(errs...)
}

// oneOf names the known word that is most like another, or all.
func oneOf(word string, known []string) string {
	best, most := "", 0
	for _, k := range known {
		if same := alike(word, k); same > most {
			best, most = k, same
		}
	}
	if 2*most > len(word) {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "known are " + strings.Join(known, ", ")
}

// alike counts the pairs of letters that two words have in common.
func alike(a, b string) int {
	n := 0
	for i := 0; i+2 <= len(a); i++ {
		if strings.Contains(b, a[i:i+2]) {
			n++
		}
	}
	return n
}
