package coldstart

import (
	"strings"
	"testing"
)

// TestFoldAttempts states that what would be drafted of several Applications is drafted once.
func TestFoldAttempts(t *testing.T) {
	for list, want := range map[string]string{
		"":                    "",
		"Secret a":            "Secret a",
		"attempts a":          "attempts a",
		"attempts a,node x=y": "attempts a,node x=y",
		"Secret a,attempts a,attempts b,attempts c,node x=y": "Secret a,attempts *,node x=y",
		"attempts a,attempts b":                              "attempts *",
	} {
		if got := strings.Join(foldAttempts(strings.Split(list, ",")), ","); got != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
}
