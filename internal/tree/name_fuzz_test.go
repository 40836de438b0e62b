package tree

import (
	"regexp"
	"testing"
)

// FuzzSegments holds what is written by hand against the expressions that say what is meant.
func FuzzSegments(f *testing.F) {
	device := regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(\.|$)`)
	plain := regexp.MustCompile(`^[A-Za-z0-9._=~@+-]+$`)
	line := regexp.MustCompile(`^([0-9a-f]{64}) [ *](.+)$`)
	sum := hash(nil)
	for _, text := range []string{"", "con", "CON.txt", "console", "com1", "com", "LPT9.x", "lpt10", "conin$", "CONOUT$.y", "nul.", ".con", "a/b", "a_b=~@+-", "ä", "\n", sum + "  a", sum + " *a", sum + "  ", sum + "   ", sum + " a", "A" + sum[1:] + "  a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := reserved(text), device.MatchString(text); got != want {
			t.Errorf("reserved(%q) is %v, want %v", text, got, want)
		}
		if got, want := plainSegment(text), plain.MatchString(text); got != want {
			t.Errorf("plainSegment(%q) is %v, want %v", text, got, want)
		}
		gotSum, gotPath, got := recordLine(text)
		want := line.FindStringSubmatch(text) // a line holds no line feed
		if got != (want != nil) && !regexp.MustCompile("\n").MatchString(text) || want != nil && (gotSum != want[1] || gotPath != want[2]) {
			t.Errorf("recordLine(%q) is %q %q %v, want %q", text, gotSum, gotPath, got, want)
		}
	})
}
