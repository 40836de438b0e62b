package imagefield

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Warning is something that a rewritten reference may break, or that only a person can judge.
type Warning struct {
	Object  manifest.ID
	Path    string
	Message string
}

// Warnings looks at what speaks about images without pulling them, and names one of hosts, the sources of a mirror map whose references are
// rewritten: policies that may refuse the new name, pull secrets for the old host, network policies that do not let nodes' pods reach the new one.
func Warnings(object manifest.Object, hosts []string) []Warning {
	w := &warner{object: object.ID(), hosts: hosts}
	w.about = about(w.object)
	if w.about == "" {
		return nil
	}
	w.walk(nil, object.Fields())
	return w.found
}

// ChangeWarnings says what to mind about changed references of an object: a Job cannot be changed once it is there.
func ChangeWarnings(object manifest.Object, changes []Change) []Warning {
	id := object.ID()
	replaced := object.Annotation("argocd.argoproj.io/hook") != "" || object.Annotation("helm.sh/hook") != "" ||
		strings.Contains(object.Annotation("argocd.argoproj.io/sync-options"), "Replace=true")
	if len(changes) == 0 || id.Group != "batch" || id.Kind != "Job" || replaced {
		return nil
	}
	return []Warning{{id, changes[0].Hit.Path, "a Job's pod template cannot be changed: where it is there already, applying it is refused until it is deleted"}}
}

// about says why a kind is looked at, or nothing.
func about(id manifest.ID) string {
	switch {
	case id.Group == "" && id.Kind == "Secret":
		return "a pull secret for %s: the mirror needs one of its own, if it asks for a login"
	case id.Group == "cilium.io" && strings.HasSuffix(id.Kind, "NetworkPolicy"):
		return "it lets pods reach %s: the mirror's host is another"
	case slices.Contains([]string{"ImageContentSourcePolicy", "ImageDigestMirrorSet", "ImageTagMirrorSet"}, id.Kind):
		return "it redirects %s already: the two mirror maps must agree"
	case id.Group == "admissionregistration.k8s.io", id.Group == "policy.sigstore.dev", strings.HasSuffix(id.Group, "kyverno.io"), strings.HasSuffix(id.Group, "gatekeeper.sh"):
		return "a policy about %s: it sees the mirror's name afterwards, and may refuse it or no longer apply"
	}
	return ""
}

type warner struct {
	object manifest.ID
	hosts  []string
	about  string
	found  []Warning
}

func (w *warner) walk(at path, value any) {
	switch v := value.(type) {
	case string:
		w.text(at, v)
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			w.text(at.key(key), key)
			w.walk(at.key(key), v[key])
		}
	case []any:
		for i, item := range v {
			w.walk(at.item(i, item), item)
		}
	}
}

func (w *warner) text(at path, text string) {
	if w.object.Kind == "Secret" {
		last := at[len(at)-1].key
		if last != ".dockerconfigjson" && last != ".dockercfg" || text == last {
			return
		}
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
			text = string(decoded)
		}
	}
	for _, host := range w.hosts {
		if names(text, host) {
			w.found = append(w.found, Warning{w.object, at.String(), fmt.Sprintf(w.about, host)})
		}
	}
}

// names reports whether text holds host as a whole word.
func names(text, host string) bool {
	for rest, at := text, 0; ; {
		i := strings.Index(rest, host)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(host)
		before, after := byte(' '), byte(' ')
		if at > 0 {
			before = text[at-1]
		}
		if end < len(text) {
			after = text[end]
		}
		if !hostByte(before) && !hostByte(after) {
			return true
		}
		rest, at = text[end:], end
	}
}

func hostByte(b byte) bool { return tokenByte(b) && !strings.ContainsRune("/:@", rune(b)) }

// Unseen is an image that a program in the output pulls, or makes pods pull, although no manifest names it.
type Unseen struct {
	Object manifest.ID // whose program it is
	Images string      // what it pulls
	Remedy string      // the field that brings them into a manifest
	Source string      // where its project says so
}

// UnseenImages lists what the operators among objects are known to pull by themselves. It can only know what its table knows.
func UnseenImages(objects []manifest.Object) []Unseen {
	var out []Unseen
	for _, object := range objects {
		seen := map[string]bool{}
		for _, hit := range Find(object, Options{}) {
			for _, o := range operators {
				if strings.Contains(repositoryOf(hit.Reference)+"/", "/"+o.repository+"/") && !seen[o.repository] {
					seen[o.repository] = true
					out = append(out, Unseen{object.ID(), o.images, o.remedy, o.source})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Unseen) int { return cmp.Or(a.Object.Compare(b.Object), cmp.Compare(a.Images, b.Images)) })
	return out
}

// repositoryOf returns "/repository" of a reference, without tag and digest, with a leading slash.
func repositoryOf(reference string) string {
	name, _, _ := strings.Cut(reference, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name = name[:i]
	}
	return "/" + name
}

type operator struct{ repository, images, remedy, source string }

// operators are programs that name images in their own code, by the end of their own repository.
var operators = []operator{
	{"rook/ceph", "Ceph CSI drivers and sidecars (from 1.21 in ceph-csi-operator)", "ConfigMap rook-csi-operator-image-set-configmap, or ROOK_CSI_*_IMAGE", "rook.io: Ceph CSI drivers, custom images"},
	{"eck/eck-operator", "Elasticsearch, Kibana, Beats, … by spec.version", "the operator's --container-registry and --container-repository, or spec.image of each object", "elastic.co: ECK, override the container image"},
	{"cloudnative-pg/cloudnative-pg", "PostgreSQL for clusters without spec.imageName", "POSTGRES_IMAGE_NAME of the operator, or spec.imageName", "cloudnative-pg.io: operator configuration"},
	{"prometheus-operator/prometheus-operator", "Prometheus, Alertmanager, Thanos for objects without spec.image", "--prometheus-default-base-image and its siblings, or spec.image", "prometheus-operator.dev: operator flags"},
	{"kubevirt/virt-operator", "virt-api, virt-controller, virt-handler, virt-launcher", "imageRegistry and imageTag of the KubeVirt object", "kubevirt.io: KubeVirt API"},
	{"tigera/operator", "Calico's components", "spec.registry and spec.imagePath of the Installation", "docs.tigera.io: Installation"},
	{"istio/pilot", "the proxies that its webhook injects", "global.hub and global.tag of the chart", "istio.io: installation options"},
	{"knative-releases/knative.dev/operator/cmd/operator", "Knative Serving and Eventing", "spec.registry of KnativeServing and KnativeEventing", "knative.dev: configuring the operator, private registries"},
	{"open-telemetry/opentelemetry-operator/opentelemetry-operator", "collectors and auto-instrumentation", "--collector-image and its siblings, or spec.image", "opentelemetry.io: operator flags"},
	{"strimzi/operator", "Kafka of versions that STRIMZI_KAFKA_IMAGES does not list", "STRIMZI_KAFKA_IMAGES and its siblings", "strimzi.io: deploying the operator, container images"},
	{"crossplane/crossplane", "packages named by providers and functions, and their dependencies", "spec.package with a mirror's name; ImageConfig", "docs.crossplane.io: image configs"},
	{"rancher/local-path-provisioner", "the helper pod's image", "helperPod.yaml in its ConfigMap", "github.com/rancher/local-path-provisioner: configuration"},
}
