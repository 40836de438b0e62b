package argoapi_test

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// A CRD that is waited for because something comes after it, and one that nothing waits for.
var (
	gatedCRD = definition("0", "example.com", "Widget", "widgets", "Namespaced") + object("ConfigMap", "last", "1", "")
	lastCRD  = definition("0", "example.com", "Widget", "widgets", "Namespaced")
)

// TestGlimpse states when an attempt may fail because a CRD is seen Degraded before the API server has established it: where Argo CD's
// health check says so, and a step waits for the CRD. Who tries again is PROVEN all the same, with the object named.
func TestGlimpse(t *testing.T) {
	const degraded = `if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, c in ipairs(obj.status.conditions) do if c.type == "Established" and c.status == "True" then return {status = "Healthy", message = ""} end end
  return {status = "Degraded", message = ""}
end
return {status = "Progressing", message = ""}`
	own := map[string]any{argocd.DefinitionHealthKey: degraded}
	through := early("")
	through[argocd.DefinitionHealthKey] = degraded
	runGlimpses(t, map[string]glimpseCase{
		"as 3.2 ships":                        {apps: []string{"- a\n" + gatedCRD}, want: "PROVEN", moments: 1},
		"as 3.0 ships":                        {apps: []string{"- a\n" + gatedCRD}, version: "3.0", want: "PROVEN", moments: 1},
		"as 3.4 ships":                        {apps: []string{"- a\n" + gatedCRD}, version: "3.4", want: "PROVEN", moments: 1},
		"2.14 waits for no CRD":               {apps: []string{"- a\n" + gatedCRD}, version: "2.14", want: "PROVEN"},
		"3.5 waits until it is installed":     {apps: []string{"- a\n" + gatedCRD}, version: "3.5", want: "PROVEN"},
		"a script of one's own on 3.5":        {apps: []string{"- a\n" + gatedCRD}, version: "3.5", settings: own, want: "PROVEN", moments: 1},
		"a script of one's own on 2.14":       {apps: []string{"- a\n" + gatedCRD}, version: "2.14", settings: own, want: "PROVEN", moments: 1},
		"the emitted script":                  {apps: []string{"- a\n" + gatedCRD}, settings: map[string]any{argocd.DefinitionHealthKey: argocd.DefinitionHealth()}, want: "PROVEN"},
		"a wildcard of argocd-cm":             {apps: []string{"- a\n" + gatedCRD}, settings: map[string]any{argocd.HealthKeyPrefix + "apiextensions.k8s.io_*": argocd.DefinitionHealth()}, want: "PROVEN"},
		"nothing comes after it":              {apps: []string{"- a\n" + lastCRD}, want: "PROVEN"},
		"a hook comes after it":               {apps: []string{"- a\n" + lastCRD + object("ConfigMap", "hook", "PostSync/0", "")}, want: "PROVEN", moments: 1},
		"it is a hook":                        {apps: []string{"- a\n" + definition("PreSync/0", "example.com", "Widget", "widgets", "Namespaced") + object("ConfigMap", "c", "0", "")}, want: "PROVEN", moments: 1},
		"in two steps":                        {apps: []string{"- a\n" + gatedCRD + definition("-1", "example.com", "Gadget", "gadgets", "Namespaced")}, want: "PROVEN", moments: 2},
		"there before Argo CD":                {apps: []string{"- a\n" + gatedCRD + object("DaemonSet", "cni", "0", "spec: {template: {spec: {hostNetwork: true, containers: [], volumes: [{name: v, hostPath: {path: /etc/cni/net.d}}]}}}")}, want: "PROVEN"},
		"five attempts outlast a moment":      {apps: []string{"- a noretry\n" + gatedCRD}, want: "PROVEN", moments: 1},
		"one attempt more is enough":          {apps: []string{"- a limit=1\n" + gatedCRD}, want: "PROVEN", moments: 1},
		"no attempt is left":                  {apps: []string{"- a limit=0\n" + gatedCRD}, want: "FAILS"},
		"no attempt is left at the last step": {apps: []string{"- a limit=0\n" + object("ConfigMap", "first", "-1", "") + lastCRD + object("ConfigMap", "hook", "Sync/0", "")}, want: "FAILS"},
		"a child's, which the script hides":   {apps: []string{"0 a\n" + lastCRD, "1 b\n" + object("ConfigMap", "c", "0", "")}, settings: map[string]any{argocd.ApplicationHealthKey: argocd.ApplicationHealth()}, want: "PROVEN"},
		"a child's, which the script shows":   {apps: []string{"0 a\n" + lastCRD, "1 b\n" + object("ConfigMap", "c", "0", "")}, settings: through, app: "root", want: "PROVEN", moments: 1},
		"a child's, for which nothing waits":  {apps: []string{"0 a\n" + lastCRD}, settings: through, want: "PROVEN"},
	})
}

type glimpseCase struct {
	apps     []string
	version  string
	settings map[string]any
	app      string // which fails; a if empty
	want     coldstart.Verdict
	moments  int // objects for which an attempt may fail
}

func runGlimpses(t *testing.T, tests map[string]glimpseCase) {
	t.Helper()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.app == "" {
				tt.app = "a"
			}
			s := scenario{apps: tt.apps, version: tt.version, noHealth: true, settings: tt.settings, given: []string{team}}
			proof := coldstart.Prove(s.input(t))
			if proof.Verdict != tt.want || proof.Attempts != 0 {
				t.Errorf("%s after %d attempts, want %s after none", proof.Verdict, proof.Attempts, tt.want)
			}
			for _, o := range proof.Outcomes {
				tt.holds(t, o)
			}
		})
	}
}

func (tt glimpseCase) holds(t *testing.T, o coldstart.Outcome) {
	t.Helper()
	text, notes := chainText(o.Chain), strings.Join(o.Notes, "\n")
	switch {
	case o.Application != tt.app:
		if len(o.MayFail) > 0 || text+o.Cure != "" {
			t.Errorf("%s: may fail for %v, chain %s", o.Application, o.MayFail, text)
		}
	case o.Verdict == coldstart.Fails:
		if !strings.Contains(text, "until the API server has established it") || !strings.Contains(o.Cure, "\n"+argocd.DefinitionHealthKey+": |\n  local hs = ") || len(o.MayFail) > 0 {
			t.Errorf("%s: chain %s, cure %q, may fail for %v", o.Application, text, o.Cure, o.MayFail)
		}
	case len(o.MayFail) != tt.moments || strings.Count(notes, "the first attempt may fail") != tt.moments || strings.Count(notes, argocd.DefinitionHealthKey) != tt.moments:
		t.Errorf("%s: may fail for %v, notes %s", o.Application, o.MayFail, notes)
	}
}

// TestGlimpseWithoutCure wants no entry printed that does not help.
func TestGlimpseWithoutCure(t *testing.T) {
	in := (scenario{noHealth: true, given: []string{team}, apps: []string{"- a limit=0\n" + gatedCRD}}).input(t)
	in.HealthWith = func(string, string) (func(manifest.Object) (*argocd.Health, error), error) { return in.Health, nil }
	if o := coldstart.Prove(in).Outcomes[0]; o.Verdict != coldstart.Fails || strings.Contains(o.Cure, argocd.DefinitionHealthKey) {
		t.Errorf("%s, cure %q", o.Verdict, o.Cure)
	}
}

// TestGlimpseBesideAnother wants a moment told apart from what an attempt really fails for.
func TestGlimpseBesideAnother(t *testing.T) {
	s := scenario{noHealth: true, given: []string{team}, apps: []string{
		"- a\n" + gatedCRD + object("Gadget", "g", "1", ""), "- b\n" + definition("0", "example.com", "Gadget", "gadgets", "Namespaced"),
	}}
	s.apps[0] = strings.Replace(s.apps[0], "apiVersion: v1, kind: Gadget", "apiVersion: example.com/v1, kind: Gadget", 1)
	o := coldstart.Prove(s.input(t)).Outcomes[0]
	if o.Verdict != coldstart.Retry || o.Attempts != 1 || len(o.MayFail) != 1 {
		t.Errorf("%s(%d), may fail for %v", o.Verdict, o.Attempts, o.MayFail)
	}
	s.settings = map[string]any{argocd.DefinitionHealthKey: argocd.DefinitionHealth()}
	if o = coldstart.Prove(s.input(t)).Outcomes[0]; o.Verdict != coldstart.Retry || o.Attempts != 1 || len(o.MayFail) > 0 {
		t.Errorf("%s(%d), may fail for %v", o.Verdict, o.Attempts, o.MayFail)
	}
}

// TestBesideItsDefinition wants a custom resource named which its CRD may come too late for: in the same step, and not in a later one.
func TestBesideItsDefinition(t *testing.T) {
	for wave, want := range map[string]int{"0": 1, "1": 0} {
		widget := strings.Replace(object("Widget", "w", wave, ""), "apiVersion: v1, kind: Widget", "apiVersion: example.com/v1, kind: Widget", 1)
		s := scenario{given: []string{team}, apps: []string{"- a\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced") + widget}}
		if o := coldstart.Prove(s.input(t)).Outcomes[0]; o.Verdict != coldstart.Proven || len(o.MayFail) != want {
			t.Errorf("wave %s: %s, may fail for %v, want %d", wave, o.Verdict, o.MayFail, want)
		}
	}
}

// TestGlimpseOfPrometheus states the same of a Prometheus that is waited for: its operator says Available=False until a pod is ready, and
// Argo CD calls that Degraded.
func TestGlimpseOfPrometheus(t *testing.T) {
	server := "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: p, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '0'}}, spec: {}}\n---\n"
	last := object("ConfigMap", "last", "1", "")
	patience := map[string]any{argocd.HealthKeyPrefix + "monitoring.coreos.com_Prometheus": `return {status = "Progressing", message = ""}`}
	tests := map[string]struct {
		apps     string
		version  string
		settings map[string]any
		want     coldstart.Verdict
		moments  int
	}{
		"something comes after it":  {apps: "- a\n" + server + last, want: coldstart.Proven, moments: 1},
		"on 2.14":                   {apps: "- a\n" + server + last, version: "2.14", want: coldstart.Proven, moments: 1},
		"a hook comes after it":     {apps: "- a\n" + server + object("ConfigMap", "hook", "PostSync/0", ""), want: coldstart.Proven, moments: 1},
		"nothing comes after it":    {apps: "- a\n" + server, want: coldstart.Proven},
		"no attempt is left":        {apps: "- a limit=0\n" + server + last, want: coldstart.Fails},
		"a script of one's own":     {apps: "- a\n" + server + last, settings: patience, want: coldstart.Proven},
		"beside a CRD of that step": {apps: "- a\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced") + server + last, want: coldstart.Proven, moments: 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := scenario{apps: []string{tt.apps}, version: tt.version, noHealth: true, settings: tt.settings, given: []string{team, "kind Prometheus.monitoring.coreos.com", "controller Prometheus.monitoring.coreos.com"}}
			o := coldstart.Prove(s.input(t)).Outcomes[0]
			notes := strings.Join(o.Notes, "\n")
			if o.Verdict != tt.want || len(o.MayFail) != tt.moments || strings.Count(notes, "the first attempt may fail") != tt.moments {
				t.Errorf("%s, may fail for %v, notes %s, want %s for %d", o.Verdict, o.MayFail, notes, tt.want, tt.moments)
			}
			if strings.Contains(o.Cure, argocd.DefinitionHealthKey) {
				t.Errorf("cure %q is about CRDs", o.Cure)
			}
		})
	}
}
