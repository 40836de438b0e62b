package coldstart

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// TestBinding states what a claim before its consumer waits for, by what is said of its class: a WaitForFirstConsumer class binds it for
// a pod alone (argo-cd#12840), and of a class that is merely given nobody knows.
func TestBinding(t *testing.T) {
	claim := func(spec string) string {
		return "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {" + spec + "}}\n---\n"
	}
	pod := func(wave int) string {
		return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default, annotations: {argocd.argoproj.io/sync-wave: '%d'}}, "+
			"spec: {template: {spec: {containers: [], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}}}}\n---\n", wave)
	}
	class := "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: p}\n---\n"
	const named, usual = "StorageClass.storage.k8s.io fast", "ability default-storage-class"
	for name, tt := range map[string]struct {
		objects string
		given   []string
		want    Verdict
		axiom   string
		drafts  []string
	}{
		"a class that is given":                   {claim("storageClassName: fast") + pod(1), []string{named}, Unknown, "binding fast Immediate", []string{"binding fast Immediate"}},
		"one that nobody states":                  {claim("storageClassName: fast") + pod(1), nil, Unknown, named, []string{named, "binding fast Immediate"}},
		"one that binds at once":                  {claim("storageClassName: fast") + pod(1), []string{named, "binding fast Immediate"}, Proven, "", nil},
		"one that binds for a pod":                {claim("storageClassName: fast") + pod(1), []string{named, "binding fast WaitForFirstConsumer"}, Deadlock, "", nil},
		"what nobody waits for is not asked for":  {claim("storageClassName: fast") + pod(1) + "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, namespace: default}}\n---\n", []string{named}, Unknown, "binding fast Immediate", []string{"binding fast Immediate"}},
		"and the pod is in time":                  {claim("storageClassName: fast") + pod(0), []string{named, "binding fast WaitForFirstConsumer"}, Proven, "", nil},
		"a pod in time, the mode does not matter": {claim("storageClassName: fast") + pod(0), []string{named}, Proven, "", nil},
		"a claim that nobody mounts":              {claim("storageClassName: fast"), []string{named}, Unknown, "binding fast Immediate", []string{"binding fast Immediate"}},
		"the mode of another class":               {claim("storageClassName: fast") + pod(1), []string{named, "binding slow Immediate"}, Unknown, "binding fast Immediate", []string{"binding fast Immediate"}},
		"the default class":                       {claim("") + pod(1), []string{usual}, Unknown, "binding default-storage-class Immediate", []string{"binding default-storage-class Immediate"}},
		"a default class that nobody states":      {claim("") + pod(1), nil, Unknown, usual, []string{usual, "binding default-storage-class Immediate"}},
		"a default class that binds at once":      {claim("") + pod(1), []string{usual, "binding default-storage-class Immediate"}, Proven, "", nil},
		"a default class that binds for a pod":    {claim("") + pod(1), []string{usual, "binding default-storage-class WaitForFirstConsumer"}, Deadlock, "", nil},
		"a class among the objects says itself":   {class + claim("storageClassName: fast") + pod(1), []string{"binding fast WaitForFirstConsumer"}, Proven, "", nil},
		"a claim of one volume waits for no pod": {"{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {storageClassName: fast}}\n---\n" +
			claim("storageClassName: fast, volumeName: pv") + pod(1), []string{named, "binding fast WaitForFirstConsumer"}, Proven, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			proof := granted(t, tt.objects, tt.given)
			if o := proof.Outcomes[0]; o.Verdict != tt.want || o.Axiom != tt.axiom || !slices.Equal(proof.Drafts, tt.drafts) {
				t.Errorf("%s %q drafts %q %v, want %s %q", o.Verdict, o.Axiom, proof.Drafts, o.Chain, tt.want, tt.axiom)
			}
		})
	}
	o := granted(t, claim("storageClassName: fast")+pod(1), []string{named}).Outcomes[0]
	if len(o.Chain) == 0 || !strings.HasSuffix(o.Chain[0].Text, "Deployment.apps default/web mounts it, in wave 1 of a") {
		t.Errorf("the chain does not name who mounts the claim, and when: %v", o.Chain)
	}
}

// granted proves one Application of objects with a step behind them, of which something holds before the start.
func granted(t *testing.T, documents string, facts []string) Proof {
	t.Helper()
	list := append(objects(t, documents), withWave(9)(plain("v1", "ConfigMap", "default", "last", nil)))
	in := Input{
		Version: argocd.Version{Major: 3, Minor: 2}, Health: untilHealthy("Deployment", "StatefulSet", "PersistentVolumeClaim"),
		Applications: []Application{{Object: child("a", 0), Objects: list}},
	}
	for _, fact := range facts {
		in.Given = append(in.Given, Given{Fact: fact})
	}
	if err := CheckGiven(in.Given); err != nil {
		t.Error(err)
	}
	return Prove(in)
}
