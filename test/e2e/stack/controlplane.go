package stack

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
)

// token of the one user, who may do everything.
const token = "gen-e2e"

// ports of the control plane, each on loopback.
type ports struct{ etcd, etcdPeer, api, manager, scheduler, kwok int }

func (s *Stack) startControlPlane(ctx context.Context) error {
	free, err := freePorts(6)
	if err != nil {
		return err
	}
	p := ports{free[0], free[1], free[2], free[3], free[4], free[5]}
	s.URL = loopback("https", p.api)
	if err := s.writeConfig(); err != nil {
		return err
	}
	for _, start := range []func(context.Context, ports) error{s.startEtcd, s.startAPI, s.startControllers} {
		if err := start(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func loopback(scheme string, port int) string {
	return scheme + "://127.0.0.1:" + strconv.Itoa(port)
}

func (s *Stack) startEtcd(ctx context.Context, p ports) error {
	client, peer := loopback("http", p.etcd), loopback("http", p.etcdPeer)
	m, err := s.procs.start("etcd", s.paths["etcd"], nil, "--data-dir", filepath.Join(s.Dir, "etcd"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer,
		"--unsafe-no-fsync", "--log-level", "warn")
	if err != nil {
		return err
	}
	return s.procs.await(ctx, m, answers(client+"/health", ""))
}

// gates switch off what the version of Argo CD cannot read: 2.14 knows no status.terminatingReplicas (Kubernetes 1.35), and a
// comparison of a Deployment under server-side apply then ends with "field not declared in schema".
func (s *Stack) gates() string {
	if strings.HasPrefix(s.opts.Argo, "2.") {
		return "--feature-gates=DeploymentReplicaSetTerminatingReplicas=false"
	}
	return "--feature-gates="
}

func (s *Stack) startAPI(ctx context.Context, p ports) error {
	m, err := s.procs.start("kube-apiserver", s.paths["kube-apiserver"], nil, s.gates(),
		"--etcd-servers", loopback("http", p.etcd), "--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(p.api),
		"--cert-dir", filepath.Join(s.Dir, "certs"), "--token-auth-file", filepath.Join(s.Dir, "tokens.csv"),
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", filepath.Join(s.Dir, "sa.key"),
		"--service-account-signing-key-file", filepath.Join(s.Dir, "sa.key"),
		"--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.96.0.0/16", "--allow-privileged",
		"--apiserver-count", strconv.Itoa(max(1, s.opts.APIServers)), "--endpoint-reconciler-type", "none", "--egress-selector-config-file", filepath.Join(s.Dir, "egress.yaml"))
	if err != nil {
		return err
	}
	return s.procs.await(ctx, m, answers(s.URL+"/readyz", token))
}

// startControllers: the grace period keeps a busy machine from turning KWOK's nodes NotReady.
func (s *Stack) startControllers(ctx context.Context, p ports) error {
	serving := func(port int) []string {
		return []string{
			"--kubeconfig", s.Kubeconfig, "--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(port),
			"--cert-dir", filepath.Join(s.Dir, "certs"), "--leader-elect=false",
		}
	}
	manager, err := s.procs.start("kube-controller-manager", s.paths["kube-controller-manager"], nil, append(serving(p.manager), s.gates(),
		"--node-monitor-grace-period=1h", "--controllers=*,-nodeipam,-route,-cloud-node-lifecycle",
		"--use-service-account-credentials=false",
		"--service-account-private-key-file", filepath.Join(s.Dir, "sa.key"), "--kube-api-qps=200", "--kube-api-burst=400")...)
	if err != nil {
		return err
	}
	scheduler, err := s.procs.start("kube-scheduler", s.paths["kube-scheduler"], nil, append(serving(p.scheduler), "--kube-api-qps=200", "--kube-api-burst=400")...)
	if err != nil {
		return err
	}
	kwok, err := s.procs.start("kwok", s.paths["kwok"], []string{"HOME=" + s.Dir}, "--kubeconfig", s.Kubeconfig, "--manage-all-nodes=true",
		"--config", filepath.Join(s.Dir, "kwok.yaml"),
		"--server-address", "127.0.0.1:"+strconv.Itoa(p.kwok))
	if err != nil {
		return err
	}
	waits := []struct {
		m   *member
		url string
	}{{manager, loopback("https", p.manager)}, {scheduler, loopback("https", p.scheduler)}, {kwok, loopback("http", p.kwok)}}
	for _, w := range waits {
		if err := s.procs.await(ctx, w.m, answers(w.url+"/healthz", "")); err != nil {
			return err
		}
	}
	return nil
}

// answers probes an address for 200; certificates are of this run's own making and not looked at.
func answers(url, bearer string) func(context.Context) error {
	own := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // loopback, where a certificate made a second ago proves nothing
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: own, DisableKeepAlives: true}}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if bearer != "" {
			req.Header.Set("Authorization", "Bearer "+bearer)
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			body, _ := io.ReadAll(io.LimitReader(resp.Body, 2000))
			return fmt.Errorf("%s answered %s: %s", url, resp.Status, body)
		}
		return nil
	}
}

// writeConfig writes what the parts read: the user, the key of service accounts, the kubeconfig, the way into the cluster.
func (s *Stack) writeConfig() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return fmt.Errorf("making the key of service accounts: %w", err)
	}
	files := map[string]string{
		"tokens.csv":  token + `,admin,admin,"system:masters"` + "\n",
		"sa.key":      string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
		"kubeconfig":  fmt.Sprintf(kubeconfigText, s.URL, token),
		"kwok.yaml":   kwokText,
		"egress.yaml": fmt.Sprintf(egressText, filepath.Join(s.Dir, "peers.sock")),
	}
	for name, content := range files {
		if _, err := s.write(name, content); err != nil {
			return err
		}
	}
	return nil
}

const kubeconfigText = `apiVersion: v1
kind: Config
clusters: [{name: e2e, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: %q}}]
contexts: [{name: e2e, context: {cluster: e2e, user: admin, namespace: argocd}}]
current-context: e2e
`

// kwokText takes KWOK's own pods away: a stage that no pod is ever in replaces them, and a kubelet is played.
const kwokText = `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: none}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector: {matchAnnotations: {played.example.internal/never: "true"}}
  next: {}
`

const egressText = `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection:
    proxyProtocol: HTTPConnect
    transport: {uds: {udsName: %q}}
`
