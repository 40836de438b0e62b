package coldstart

import (
	"fmt"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// fleet is a root with n Applications in ten waves, each with 100 objects: Deployments with accounts and Services.
func fleet(n int) Input {
	in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments}
	root := Application{Object: child("root", 0)}
	for i := range n {
		name := fmt.Sprintf("app-%03d", i)
		app := Application{Object: child(name, i%10), Objects: []manifest.Object{plain("v1", "Namespace", "", name, nil)}}
		for j := range 33 {
			each := fmt.Sprintf("w-%02d", j)
			app.Objects = append(app.Objects, plain("v1", "ServiceAccount", name, each, nil),
				plain("v1", "Service", name, each, map[string]any{"selector": map[string]any{"app": each}}),
				plain("apps/v1", "Deployment", name, each, map[string]any{"template": map[string]any{
					"metadata": map[string]any{"labels": map[string]any{"app": each}}, "spec": map[string]any{"serviceAccountName": each},
				}}))
		}
		in.Applications = append(in.Applications, app)
		root.Objects = append(root.Objects, app.Object)
	}
	in.Applications = append(in.Applications, root)
	return in
}

func plain(api, kind, namespace, name string, spec map[string]any) manifest.Object {
	meta := map[string]any{"name": name}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	fields := map[string]any{"apiVersion": api, "kind": kind, "metadata": meta}
	if spec != nil {
		fields["spec"] = spec
	}
	return manifest.New(fields)
}

func child(name string, wave int) manifest.Object {
	o := plain("argoproj.io/v1alpha1", "Application", "argocd", name, map[string]any{
		"destination": map[string]any{"name": "in-cluster", "namespace": name}, "project": "default", "source": map[string]any{"repoURL": "https://x", "path": name}, "syncPolicy": map[string]any{"automated": map[string]any{}, "retry": map[string]any{"limit": int64(-1)}},
	})
	return withWave(wave)(o)
}

// onlyDeployments stands in for Argo CD's checks: Deployments and Applications begin as Progressing, all else has none.
func onlyDeployments(o manifest.Object) (*argocd.Health, error) {
	switch kind := o.ID().Kind; {
	case kind == "Application" && o.String("status", "sync", "status") == "Synced":
		return &argocd.Health{Status: argocd.HealthStatus(o.String("status", "health", "status"))}, nil
	case kind == "Deployment" || kind == "Application":
		return &argocd.Health{Status: argocd.Progressing}, nil
	}
	return nil, nil
}

func TestFleetProven(t *testing.T) {
	if proof := Prove(fleet(20)); proof.Verdict != Proven {
		t.Errorf("verdict %s: %v", proof.Verdict, proof.Outcomes)
	}
}

// BenchmarkProve proves 10 000 objects in 100 Applications.
func BenchmarkProve(b *testing.B) {
	in := fleet(100)
	b.ReportAllocs()
	for b.Loop() {
		if proof := Prove(in); proof.Verdict != Proven {
			b.Fatal(proof.Verdict)
		}
	}
}

// TestGivenNeverHurts takes scenarios apart object by object: whatever is left, one more given never makes it worse.
func TestGivenNeverHurts(t *testing.T) {
	in := fleet(3)
	for drop := range in.Applications[0].Objects[:40] {
		less := in
		less.Applications = append([]Application{}, in.Applications...)
		kept := append([]manifest.Object{}, in.Applications[0].Objects[:drop]...)
		less.Applications[0].Objects = append(kept, in.Applications[0].Objects[drop+1:]...)
		before := Prove(less)
		less.Given = []Given{{Fact: "namespace app-000"}, {Fact: "ServiceAccount app-000/w-05"}, {Fact: "ability load-balancer-address"}}
		if after := Prove(less); worse(after.Verdict, before.Verdict) {
			t.Errorf("without object %d: %s, and %s with more given", drop, before.Verdict, after.Verdict)
		}
	}
}
