package argoapi

import (
	"io/fs"
	"path"
	"testing"

	v3scripts "github.com/argoproj/argo-cd/v3/resource_customizations"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// TestDefinitionHealth runs the emitted script for CRDs, by Argo CD's own code. It must never raise an error, never be Healthy
// without cause, and be Degraded for nothing but what the API server refuses.
func TestDefinitionHealth(t *testing.T) {
	condition := func(kind, status, reason string) string {
		return `{type: ` + kind + `, status: "` + status + `", reason: ` + reason + `, message: text of ` + kind + `}`
	}
	named, established := condition("NamesAccepted", "True", "NoConflicts"), condition("Established", "True", "InitialNamesAccepted")
	installing := condition("Established", "False", "Installing")
	const waiting = "waiting for the API server to establish the kind"
	tests := map[string]healthCase{
		"nothing":                     {``, argocd.Health{Status: "Progressing", Message: waiting}},
		"no metadata":                 {`metadata: null`, argocd.Health{Status: "Progressing", Message: waiting}},
		"null status":                 {`status: null`, argocd.Health{Status: "Progressing", Message: waiting}},
		"empty status":                {`status: {}`, argocd.Health{Status: "Progressing", Message: waiting}},
		"as it is created":            {`status: {conditions: null, storedVersions: [v1]}`, argocd.Health{Status: "Progressing", Message: waiting}},
		"no conditions":               {`status: {conditions: []}`, argocd.Health{Status: "Progressing", Message: waiting}},
		"empty condition":             {`status: {conditions: [{}]}`, argocd.Health{Status: "Progressing", Message: waiting}},
		"an unknown condition":        {`status: {conditions: [` + condition("KubernetesAPIApprovalPolicyConformant", "True", "Approved") + `]}`, argocd.Health{Status: "Progressing", Message: waiting}},
		"names accepted":              {`status: {conditions: [` + named + `]}`, argocd.Health{Status: "Progressing", Message: waiting}},
		"being installed":             {`status: {conditions: [` + named + `, ` + installing + `]}`, argocd.Health{Status: "Progressing", Message: waiting + ": text of Established"}},
		"the other way round":         {`status: {conditions: [` + installing + `, ` + named + `]}`, argocd.Health{Status: "Progressing", Message: waiting + ": text of Established"}},
		"waiting for a CA":            {`status: {conditions: [` + named + `, ` + condition("Established", "False", "InvalidCABundle") + `]}`, argocd.Health{Status: "Progressing", Message: waiting + ": text of Established"}},
		"established is not known":    {`status: {conditions: [` + named + `, {type: Established, status: Unknown}]}`, argocd.Health{Status: "Progressing", Message: waiting}},
		"established":                 {`status: {conditions: [` + named + `, ` + established + `]}`, argocd.Health{Status: "Healthy", Message: "the kind is served"}},
		"names taken":                 {`status: {conditions: [` + condition("NamesAccepted", "False", "KindConflict") + `, ` + condition("Established", "False", "NotAccepted") + `]}`, argocd.Health{Status: "Degraded", Message: "its names are not accepted: text of NamesAccepted"}},
		"new names taken, old served": {`status: {conditions: [` + established + `, ` + condition("NamesAccepted", "False", "KindConflict") + `]}`, argocd.Health{Status: "Degraded", Message: "its names are not accepted: text of NamesAccepted"}},
		"names taken, no message":     {`status: {conditions: [{type: NamesAccepted, status: "False"}]}`, argocd.Health{Status: "Degraded", Message: "its names are not accepted: "}},
		"not structural":              {`status: {conditions: [` + named + `, ` + established + `, ` + condition("NonStructuralSchema", "True", "Violations") + `]}`, argocd.Health{Status: "Degraded", Message: "its schema is refused: text of NonStructuralSchema"}},
		"being deleted":               {`status: {conditions: [` + named + `, ` + established + `, ` + condition("Terminating", "True", "InstanceDeletionInProgress") + `]}`, argocd.Health{Status: "Progressing", Message: "is being deleted: text of Terminating"}},
		"no longer being deleted":     {`status: {conditions: [` + established + `, ` + condition("Terminating", "False", "InstanceDeletionCompleted") + `]}`, argocd.Health{Status: "Healthy", Message: "the kind is served"}},
	}
	compareHealth(t, argocd.DefinitionHealthKey, argocd.DefinitionHealth(), "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n", tests)
}

// TestDefinitionHealthLikeShipped wants of the emitted script what Argo CD's own says of its fixtures, but for the CRD that is not
// established yet.
func TestDefinitionHealthLikeShipped(t *testing.T) {
	folder := argocd.DefinitionPattern
	own := judge(t, "3.2", nil)
	emitted := judge(t, "3.2", map[string]any{argocd.DefinitionHealthKey: argocd.DefinitionHealth()})
	files, err := fs.Glob(v3scripts.Embedded, folder+"/testdata/*.yaml")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	for _, name := range files {
		raw, err := v3scripts.Embedded.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		object := decode(t, string(raw))
		was, errWas := own.Health(object)
		now, errNow := emitted.Health(object)
		if errWas != nil || errNow != nil {
			t.Fatal(errWas, errNow)
		}
		if path.Base(name) == "crd-v1-not-established-degraded.yaml" {
			was = &argocd.Health{Status: argocd.Progressing}
		}
		if was.Status != now.Status {
			t.Errorf("%s: shipped %s, emitted %s", name, was.Status, now.Status)
		}
	}
}

// TestEmittedHealth wants the script for CRDs where the linked one of that line calls a CRD Degraded which is being installed, and
// nowhere else.
func TestEmittedHealth(t *testing.T) {
	const installing = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a}, status: {conditions: [
  {type: NamesAccepted, status: "True", reason: NoConflicts, message: m}, {type: Established, status: "False", reason: Installing, message: m}]}}`
	for version, want := range map[string]bool{"2.14": false, "3.0": true, "3.2": true, "3.4": true, "3.5": false} {
		health, err := judge(t, version, nil).Health(decode(t, installing))
		if err != nil {
			t.Fatal(err)
		}
		v, err := argocd.ParseVersion(version)
		if err != nil {
			t.Fatal(err)
		}
		degraded := health != nil && health.Status == argocd.Degraded
		_, emitted := argocd.EmittedHealth(v)[argocd.DefinitionHealthKey]
		if degraded != want || emitted != want {
			t.Errorf("%s: Degraded %v, script emitted %v, want %v", version, degraded, emitted, want)
		}
	}
}
