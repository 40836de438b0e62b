package imagefield_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/imagefield"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

func object(t *testing.T, document string) manifest.Object {
	t.Helper()
	objects := decodeAll(t, []byte(document))
	if len(objects) != 1 {
		t.Fatalf("%d objects in:\n%s", len(objects), document)
	}
	return objects[0]
}

// TestFind: objects, and the places found in them: tier, path, reference, and the note where it must stay.
func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"init, ephemeral, image volume, several containers": {in: `
apiVersion: batch/v1
kind: CronJob
metadata: {name: x}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          initContainers: [{name: i, image: nginx}]
          containers: [{name: c, image: "quay.io/a/b:1"}, {image: quay.io/a/c}]
          ephemeralContainers: [{name: e, image: busybox:1}]
          volumes: [{name: v, image: {reference: "quay.io/a/v@sha256:` + hex64 + `"}}]
`, want: []string{
			"typed spec.jobTemplate.spec.template.spec.containers.1.image quay.io/a/c",
			"typed spec.jobTemplate.spec.template.spec.containers.c.image quay.io/a/b:1",
			"typed spec.jobTemplate.spec.template.spec.ephemeralContainers.e.image busybox:1",
			"typed spec.jobTemplate.spec.template.spec.initContainers.i.image nginx",
			"typed spec.jobTemplate.spec.template.spec.volumes.v.image.reference quay.io/a/v@sha256:" + hex64,
		}},
		"arguments in one item and in two, and shell words": {in: `
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
  - name: c
    image: quay.io/a/b:1
    args: ["--solver=quay.io/a/solver:1", "--executor-image", "quay.io/a/exec:1", "--base=quay.io/a/base", "--url=https://quay.io/a/x:1"]
    command: [sh, -c, "crane pull quay.io/a/pulled:1 quay.io/{{ x }}"]
`, want: []string{
			"value spec.containers.c.args.0 quay.io/a/solver:1",
			"value spec.containers.c.args.2 quay.io/a/exec:1",
			"value spec.containers.c.args.3 quay.io/a/base (it names no tag: what is pulled is put together elsewhere)",
			"value spec.containers.c.command.2 quay.io/a/pulled:1",
			"typed spec.containers.c.image quay.io/a/b:1",
		}},
		"environment, several in one": {in: `
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
  - name: c
    image: quay.io/strimzi/operator:0.38.0
    env:
    - {name: ROOK_CSI_CEPH_IMAGE, value: "quay.io/cephcsi/cephcsi:v3"}
    - name: STRIMZI_KAFKA_IMAGES
      value: |
        3.5.0=quay.io/strimzi/kafka:0.38.0-kafka-3.5.0
        3.6.0=quay.io/strimzi/kafka:0.38.0-kafka-3.6.0
`, want: []string{
			"value spec.containers.c.env.ROOK_CSI_CEPH_IMAGE.value quay.io/cephcsi/cephcsi:v3",
			"value spec.containers.c.env.STRIMZI_KAFKA_IMAGES.value quay.io/strimzi/kafka:0.38.0-kafka-3.5.0",
			"value spec.containers.c.env.STRIMZI_KAFKA_IMAGES.value quay.io/strimzi/kafka:0.38.0-kafka-3.6.0",
			"typed spec.containers.c.image quay.io/strimzi/operator:0.38.0",
		}},
		"ConfigMap: scalars, JSON, YAML, template, prose, comment": {in: `
apiVersion: v1
kind: ConfigMap
metadata: {name: x}
data:
  queue-sidecar-image: gcr.io/knative-releases/queue@sha256:` + hex64 + `
  a.json: '{"image":"quay.io/a/json:1","other":["quay.io/a/list:1"]}'
  b.yaml: |
    # image: quay.io/a/comment:1
    image: quay.io/a/yaml:1 # pinned
    list:
      - quay.io/a/item:1
  c.tpl: |
    image: quay.io/a/{{ .name }}:1
    hub: quay.io/istio
  readme: See quay.io/a/prose:1 for more.
`, want: []string{
			"value data.a.json quay.io/a/json:1",
			"value data.a.json quay.io/a/list:1",
			"value data.b.yaml quay.io/a/comment:1 (in the middle of text)",
			"value data.b.yaml quay.io/a/yaml:1",
			"value data.b.yaml quay.io/a/item:1",
			"value data.c.tpl quay.io/a (part of a template or of a longer word)",
			"value data.c.tpl quay.io/istio (it names no tag: what is pulled is put together elsewhere)",
			"value data.queue-sidecar-image gcr.io/knative-releases/queue@sha256:" + hex64,
			"value data.readme quay.io/a/prose:1 (in the middle of text)",
		}},
		"short names: the key, the flag, the variable or the text calls them images": {in: `
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
  - name: c
    image: quay.io/a/b:1
    args: ["--helper-image=helper:1", "--exec-image", "exec:1", "--image", "untagged", "--listen=localhost:8080"]
    env: [{name: SIDECAR_IMAGE, value: "sidecar:1"}, {name: IMAGES, value: "a:1"}, {name: IMAGE_PULL_POLICY, value: "a:1"}]
data:
  initImage: init:1
  config: |
    # image: comment:1
    image: busybox:1.28
    "image": "json:1", "icon": "data:image/png;base64,iVBORw0:1"
    image: proxyv2
    other: nothing:1
    X_IMAGE=script:1
    image: {{ .hub }}/x:1
`, want: []string{
			"value data.config busybox:1.28",
			"value data.config json:1",
			"value data.config script:1",
			"value data.initImage init:1",
			"value spec.containers.c.args.0 helper:1",
			"value spec.containers.c.args.2 exec:1",
			"value spec.containers.c.env.SIDECAR_IMAGE.value sidecar:1",
			"typed spec.containers.c.image quay.io/a/b:1",
		}},
		"registries of many customers and regions": {in: `
apiVersion: v1
kind: ConfigMap
metadata: {name: x}
data: {a: "europe-docker.pkg.dev/p/r/a:1", b: "acme.azurecr.io/b:1", c: "notgcr.io/c:1", d: "eu.gcr.io/d:1"}
`, want: []string{
			"value data.a europe-docker.pkg.dev/p/r/a:1",
			"value data.b acme.azurecr.io/b:1",
			"value data.d eu.gcr.io/d:1",
		}},
		"placeholders and patterns": {in: `
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers: [{name: a, image: auto}, {name: b, image: "*"}, {name: c, image: "{{ .x }}"}, {name: d, image: ""}, {name: e, image: "A/b c"}]
`, want: []string{
			"typed spec.containers.a.image auto (a placeholder that Istio's webhook fills in)",
			"typed spec.containers.b.image * (a pattern or template, no reference)",
			"typed spec.containers.c.image {{ .x }} (a pattern or template, no reference)",
			"typed spec.containers.d.image  (it is empty: whoever runs it fills it in)",
			"typed spec.containers.e.image A/b c (it is not a valid reference)",
		}},
		"strings that only look like references": {in: `
apiVersion: v1
kind: ConfigMap
metadata: {name: x, annotations: {kubectl.kubernetes.io/last-applied-configuration: "quay.io/a/b:1"}, labels: {a: quay.io/x}}
data: {role: "system:auth-delegator", listen: "0.0.0.0:8080", url: "https://quay.io/a/b:1", metric: "apiserver_request:burnrate1d", evil: "quay.io.evil.io/a/b:1", in: "myquay.io/a:1"}
status: {image: "quay.io/a/b:1"}
`},
		"a CRD": {in: `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: x}
spec: {description: "image quay.io/a/b:1", default: {image: "quay.io/a/b:1"}}
`},
		"a Kyverno policy": {in: `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: x}
spec: {rules: [{name: r, validate: {pattern: {spec: {containers: [{name: "*", image: "quay.io/*"}]}}}}]}
`},
		"a chart's address": {in: `
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: x}
spec: {url: "oci://ghcr.io/stefanprodan/charts"}
`},
		"values of another chart": {in: `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: x}
spec: {source: {repoURL: "oci://ghcr.io/a/charts", helm: {valuesObject: {image: "quay.io/a/b:1"}}}}
`, want: []string{
			"value spec.source.helm.valuesObject.image quay.io/a/b:1 (in the values of another chart, which may put it together with other values: look at what that chart renders)",
			"value spec.source.repoURL oci://ghcr.io/a/charts (in the values of another chart, which may put it together with other values: look at what that chart renders)",
		}},
		"registered and split": {in: `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: x}
spec: {image: "quay.io/prometheus/prometheus:v3", baseImage: quay.io/prometheus/prometheus, tag: v2, sha: ` + hex64 + `}
`, want: []string{
			"registered spec.baseImage quay.io/prometheus/prometheus:v2@sha256:" + hex64,
			"registered spec.image quay.io/prometheus/prometheus:v3",
		}},
		"a short name under the key image of an unknown kind": {in: `
apiVersion: example.com/v1
kind: Thing
metadata: {name: x}
spec: {image: "bitnami/redis:7", other: {image: nothing}}
`, want: []string{"value spec.image bitnami/redis:7"}},
		"Istio's injector": {in: `
apiVersion: v1
kind: ConfigMap
metadata: {name: istio-sidecar-injector}
data:
  values: '{"global":{"hub":"docker.io/istio","tag":"1.26.0","proxy":{"image":"proxyv2"},"proxy_init":{"image":"proxyv2"}}}'
`, want: []string{"registered data.values docker.io/istio/proxyv2:1.26.0 (Istio's webhook puts it together from hub, tag and name: set the chart's values global.hub and global.tag)"}},
		"Istio's injector: a variant, an image with a hub of its own, the gateway's": {in: `
apiVersion: v1
kind: ConfigMap
metadata: {name: istio-sidecar-injector}
data:
  config: 'image: "{{ .AgentgatewayImage }}"'
  values: '{"global":{"hub":"docker.io/istio","tag":"1.26.0-debug","variant":"distroless","proxy":{"image":"quay.io/own/proxy:1"},"proxy_init":{"image":"proxyv2"}}}'
`, want: []string{
			"registered data.values quay.io/own/proxy:1 (Istio's webhook puts it together from hub, tag and name: set the chart's values global.hub and global.tag)",
			"registered data.values docker.io/istio/proxyv2:1.26.0-distroless (Istio's webhook puts it together from hub, tag and name: set the chart's values global.hub and global.tag)",
			"registered data.values docker.io/istio/agentgateway:1.26.0-distroless (Istio's webhook puts it together from hub, tag and name: set the chart's values global.hub and global.tag)",
		}},
		"a list item with a name and an image": {in: `
apiVersion: tekton.dev/v1
kind: Task
metadata: {name: x}
spec: {steps: [{name: a, image: "alpine:3"}, {image: "alpine:4"}]}
`, want: []string{"registered spec.steps.1.image alpine:4", "typed spec.steps.a.image alpine:3"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, hit := range imagefield.Find(object(t, c.in), imagefield.Options{}) {
				line := fmt.Sprintf("%s %s %s", hit.Tier, hit.Path, hit.Reference)
				if !hit.Rewritable {
					line += " (" + hit.Note + ")"
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
		})
	}
}

var hex64 = strings.Repeat("ab", 32)

// TestFindInLists: a List in a List, and a list of one kind whose items name none.
func TestFindInLists(t *testing.T) {
	pod := map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "quay.io/a/b:1"}}}}
	full := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"}, "spec": pod["spec"]}
	for name, fields := range map[string]map[string]any{
		"List in List": {"apiVersion": "v1", "kind": "List", "items": []any{map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{full}}}},
		"PodList":      {"apiVersion": "v1", "kind": "PodList", "items": []any{pod}},
	} {
		hits := imagefield.Find(manifest.New(fields), imagefield.Options{})
		if len(hits) != 1 || hits[0].Object.Kind != "Pod" {
			t.Errorf("%s: %+v", name, hits)
		}
		out, changes, err := imagefield.Rewrite(manifest.New(fields), imagefield.Options{}, replace("quay.io/", "m.example/"))
		if err != nil || len(changes) != 1 {
			t.Fatalf("%s: %v, %v", name, changes, err)
		}
		if again := imagefield.Find(out, imagefield.Options{Hosts: []string{"m.example"}}); len(again) != 1 || again[0].Reference != "m.example/a/b:1" {
			t.Errorf("%s: %+v", name, again)
		}
	}
}

func replace(old, with string) func(string) (string, bool) {
	return func(reference string) (string, bool) { return strings.Replace(reference, old, with, 1), true }
}

// TestRewrite: an object, what is known, and the object afterwards.
func TestRewrite(t *testing.T) {
	const digest = "@sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
	known := func(names ...string) func(string) (string, bool) {
		return func(reference string) (string, bool) {
			for _, name := range names {
				if strings.HasPrefix(reference, name) {
					cut, _, _ := strings.Cut(reference, "@")
					return strings.Replace(cut, "quay.io", "m.example/quay", 1) + digest, true
				}
			}
			return reference, !strings.HasPrefix(reference, "quay.io/") // what no rule covers stays, and that is all right
		}
	}
	for name, c := range map[string]struct {
		in, want string
		lookup   func(string) (string, bool)
	}{
		"three places, one image": {lookup: known("quay.io/es/es:1"), in: `
apiVersion: v1
kind: Pod
metadata: {name: x}
spec: {containers: [{name: a, image: "quay.io/es/es:1"}, {name: b, image: "quay.io/es/es:1", args: ["--image=quay.io/es/es:1"]}, {name: c, image: nginx}]}
`, want: `
apiVersion: v1
kind: Pod
metadata: {name: x}
spec: {containers: [{name: a, image: "m.example/quay/es/es:1` + digest + `"}, {name: b, image: "m.example/quay/es/es:1` + digest + `", args: ["--image=m.example/quay/es/es:1` + digest + `"]}, {name: c, image: nginx}]}
`},
		"one of three in a string is not proven: none of them, nowhere": {lookup: known("quay.io/k:1", "quay.io/k:2"), in: `
apiVersion: v1
kind: Pod
metadata: {name: x}
spec: {containers: [{name: a, image: "quay.io/k:1", env: [{name: IMAGES, value: "1=quay.io/k:1\n2=quay.io/k:2\n3=quay.io/k:3\n"}]}]}
`, want: `
apiVersion: v1
kind: Pod
metadata: {name: x}
spec: {containers: [{name: a, image: "quay.io/k:1", env: [{name: IMAGES, value: "1=quay.io/k:1\n2=quay.io/k:2\n3=quay.io/k:3\n"}]}]}
`},
		"all of a string": {lookup: known("quay.io/k"), in: `
apiVersion: v1
kind: ConfigMap
metadata: {name: x}
data: {a: "1=quay.io/k:1\r\n2=quay.io/k:2\n\n", b: '{"image":"quay.io/k:1"}'}
`, want: `
apiVersion: v1
kind: ConfigMap
metadata: {name: x}
data: {a: "1=m.example/quay/k:1` + digest + `\r\n2=m.example/quay/k:2` + digest + `\n\n", b: '{"image":"m.example/quay/k:1` + digest + `"}'}
`},
		"split with a bare digest": {lookup: known("quay.io/p"), in: `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: x}
spec: {baseImage: quay.io/p, tag: v2, sha: ` + hex64 + `}
`, want: `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: x}
spec: {baseImage: m.example/quay/p, tag: v2, sha: dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd}
`},
	} {
		t.Run(name, func(t *testing.T) {
			before := object(t, c.in)
			untouched := manifest.Copy(before.Fields())
			got, _, err := imagefield.Rewrite(before, imagefield.Options{}, c.lookup)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(object(t, c.want).Fields(), got.Fields()); diff != "" {
				t.Errorf("rewritten (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(untouched, any(before.Fields())); diff != "" {
				t.Errorf("the object that was given changed:\n%s", diff)
			}
			again, changes, err := imagefield.Rewrite(got, imagefield.Options{}, c.lookup)
			if err != nil || len(changes) != 0 || !cmp.Equal(again.Fields(), got.Fields()) {
				t.Errorf("a second run changes %d places, %v", len(changes), err)
			}
		})
	}
}

// TestSplitSuffix: a repository to which its reader appends a suffix, a registry in a field of its own, a digest behind the tag.
func TestSplitSuffix(t *testing.T) {
	kind := imagefield.Kind{Group: "example.com", Kind: "Thing", Splits: []imagefield.Split{
		{At: "spec.operator", Repository: "repository", Suffix: "-generic", Tag: "tag", Digest: "digest"},
		{At: "spec.agents.*", Registry: "registry", Repository: "repository", Tag: "tag"},
	}}
	options := imagefield.Options{Registered: []imagefield.Kind{kind}}
	in := object(t, `
apiVersion: example.com/v1
kind: Thing
metadata: {name: x}
spec:
  operator: {repository: quay.io/cilium/operator, tag: v1, digest: "sha256:`+hex64+`"}
  agents: [{registry: quay.io, repository: a/b, tag: "v1@sha256:`+hex64+`"}]
`)
	out, _, err := imagefield.Rewrite(in, options, replace("quay.io/", "m.example/quay/"))
	if err != nil {
		t.Fatal(err)
	}
	want := object(t, `
apiVersion: example.com/v1
kind: Thing
metadata: {name: x}
spec:
  operator: {repository: m.example/quay/cilium/operator, tag: v1, digest: "sha256:`+hex64+`"}
  agents: [{registry: m.example, repository: quay/a/b, tag: "v1@sha256:`+hex64+`"}]
`)
	if diff := cmp.Diff(want.Fields(), out.Fields()); diff != "" {
		t.Errorf("rewritten (-want +got):\n%s", diff)
	}
	if hits := imagefield.Find(in, options); hits[1].Reference != "quay.io/cilium/operator-generic:v1@sha256:"+hex64 {
		t.Errorf("the reference is %s", hits[1].Reference)
	}
}

// TestWarnings: what speaks about a host without pulling from it.
func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"policy":      {`{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: x}, spec: {pattern: "ghcr.io/*"}}`, "spec.pattern a policy about ghcr.io: it sees the mirror's name afterwards, and may refuse it or no longer apply"},
		"pull secret": {`{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {.dockerconfigjson: eyJhdXRocyI6eyJnaGNyLmlvIjp7fX19}}`, "data..dockerconfigjson a pull secret for ghcr.io: the mirror needs one of its own, if it asks for a login"},
		"other host":  {`{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: x}, spec: {pattern: "ghcr.io.evil/*"}}`, ""},
		"other kind":  {`{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: "ghcr.io"}}`, ""},
	} {
		got := ""
		for _, w := range imagefield.Warnings(object(t, c.in), []string{"ghcr.io"}) {
			got += w.Path + " " + w.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	job := object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {template: {spec: {containers: [{name: a, image: "quay.io/a:1"}]}}}}`)
	_, changes, err := imagefield.Rewrite(job, imagefield.Options{}, replace("quay.io", "m.example"))
	if err != nil || len(imagefield.ChangeWarnings(job, changes)) != 1 {
		t.Errorf("a changed Job gives no warning: %v", err)
	}
}

// TestUnseenImages: an operator that names images in its own code is listed with the remedy.
func TestUnseenImages(t *testing.T) {
	pod := object(t, `{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{name: a, image: "docker.io/rook/ceph:v1.21.0"}, {name: b, image: "quay.io/other/ceph:1"}]}}`)
	got := imagefield.UnseenImages([]manifest.Object{pod})
	if len(got) != 1 || !strings.Contains(got[0].Remedy, "rook-csi-operator-image-set-configmap") {
		t.Errorf("%+v", got)
	}
}
