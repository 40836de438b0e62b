package argocd

import "testing"

// TestIsPlaceholder states which addresses and paths are still to be filled in.
func TestIsPlaceholder(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "https://git.example.com/team/fleet.git": false, "git@example.com:team/replacement.git": false, "https://example.com/yours/a": false, "clusters/lab": false,
		"https://example.com/change-log": false, "https://example.com/a$1": false, "https://example.com/todo": false,
		"${GIT_BASEURL}/fleet.git": true, "$GIT_BASEURL/fleet": true, "https://github.com/<YOUR-ORG>/fleet": true, "https://github.com/{{ .Values.org }}/fleet": true, "REPLACE_ME": true,
		"https://github.com/your-org/fleet": true, "https://github.com/YOUR_ORG/fleet": true, "changeme": true, "clusters/$(ENV)": true, "https://example.com/TODO": true,
	} {
		if got := IsPlaceholder(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
