package judge

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// splitModel is three operators, each with objects of its kinds that its own webhook admits, and a chart that waits for an address.
const splitModel = `
-- fleet.yaml --
apiVersion: gen/v1
kind: Fleet
git: {url: "$REPO", branch: main, path: "output/{env}"}
argocd: {in: cluster}
components:
  certs:
    chart: {path: charts/cert-manager.tgz}
    release: cert-manager
    namespace: cert-manager
    values: {crds: {enabled: true}}
    objects:
      - {apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: selfsigned}, spec: {selfSigned: {}}}
      - {apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: ca}, spec: {isCA: true, commonName: ca, secretName: ca, issuerRef: {name: selfsigned, kind: ClusterIssuer}}}
      - {apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: ca}, spec: {ca: {secretName: ca}}}
  eso:
    chart: {path: charts/external-secrets.tgz}
    release: external-secrets
    objects:
      - {apiVersion: external-secrets.io/v1beta1, kind: ClusterSecretStore, metadata: {name: vault}, spec: {provider: {vault: {server: "https://vault.example.com", path: secret, version: v2, auth: {kubernetes: {mountPath: k, role: r, serviceAccountRef: {name: external-secrets, namespace: eso}}}}}}}
      - {apiVersion: external-secrets.io/v1beta1, kind: ExternalSecret, metadata: {name: db}, spec: {secretStoreRef: {name: vault, kind: ClusterSecretStore}, target: {name: db}, data: [{secretKey: p, remoteRef: {key: db, property: p}}]}}
  lb:
    chart: {path: charts/metallb.tgz}
    release: metallb
    objects:
      - {apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: default}, spec: {addresses: [192.0.2.0/28]}}
      - {apiVersion: metallb.io/v1beta1, kind: L2Advertisement, metadata: {name: default}}
  nginx:
    chart: {path: charts/ingress-nginx.tgz}
    objects:
      - {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: hello}, spec: {ingressClassName: nginx, defaultBackend: {service: {name: hello, port: {number: 80}}}}}
-- lab.yaml --
apiVersion: gen/v1
kind: Environment
name: lab
versions: {kubernetes: 1.36.2, argocd: $ARGO}
given:
  - {fact: reachable vault.example.com, reason: it stands outside, owner: e2e}
`

const keptWhole = `components:
  certs: {split: never}
  eso: {split: never}
  lb: {split: never}
`

// TestSplitOutput plays what gen makes of real charts with objects that their own webhooks admit: in two Applications each, no attempt
// fails; kept whole, they settle as well, and gen says that an attempt may fail.
func TestSplitOutput(t *testing.T) {
	for name, test := range map[string]struct {
		more     string
		want     Verdict
		children int
	}{
		"split": {"", Proven, 7},
		"whole": {keptWhole, Retry, 4},
	} {
		t.Run(name, func(t *testing.T) {
			f := emptyFleet(t)
			f.charts("cert-manager", "external-secrets", "metallb", "ingress-nginx")
			f.edit(splitModel + test.more)
			f.run("charts", "lock")
			f.push("")
			folder := filepath.Join(f.tree, "output/lab")
			proof, err := f.gen.Prove(f.ctx, folder, f.Stack.Dir, Around{Argo: f.Argo, Facts: []string{"reachable vault.example.com"}})
			f.must(err)
			if proof.Verdict != test.want {
				t.Errorf("gen proves %s, want %s", proof.Verdict, test.want)
			}
			f.start("")
			list, _ := f.watch.Settle(f.ctx, 1+test.children, 6*time.Minute)
			report(t, list)
			if len(list) != 1+test.children {
				t.Errorf("%d Applications, want %d", len(list), 1+test.children)
			}
			real := outcome(list, time.Since(f.watch.start))
			real.Races = true // of what is kept whole: whether the webhook's authority is written in time
			for _, difference := range proof.Compare(real) {
				t.Error(difference)
			}
			failed := slices.ContainsFunc(list, func(a Application) bool { return a.Failed || a.Retries > 0 })
			t.Logf("%s: an attempt failed: %v", name, failed)
		})
	}
}

// charts copies packed charts of GEN_E2E_CHARTS to charts/NAME.tgz of the model.
func (f *fleet) charts(names ...string) {
	f.t.Helper()
	corpus, err := LoadCorpus(os.Getenv("GEN_E2E_CHARTS"), f.gen, f.t.TempDir())
	f.must(err)
	for _, name := range names {
		content, err := os.ReadFile(corpus.packed[name])
		if err != nil {
			f.t.Skipf("skipped: no packed chart %s in GEN_E2E_CHARTS", name)
		}
		path := filepath.Join(f.tree, "environments/charts", name+".tgz")
		f.must(os.MkdirAll(filepath.Dir(path), 0o755))
		f.must(os.WriteFile(path, content, 0o600))
	}
}
