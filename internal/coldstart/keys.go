package coldstart

import (
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// keyIn is the fact that a Secret or a ConfigMap holds a key: "key password of Secret team/db". Without it a container is not created
// (CreateContainerConfigError), a volume not mounted, and a store does not log in.
const keyIn needs.Type = "key"

// holding returns the need for one key of an object, where whoever makes the object is known to leave it out.
func (w *world) holding(n *node, l login, verb string) []need {
	exists := n.here(needs.Fact{Type: needs.Exists, Kind: l.kind, Namespace: l.namespace, Name: l.name})
	makers := w.provided[exists]
	if len(makers) == 0 || w.isGiven(exists) {
		return nil // whether it is there at all is another need
	}
	var holders []provision
	seen := map[string]bool{}
	for _, p := range makers {
		keys, known := keysOf(p.node.task.Object)
		if !known || slices.Contains(keys, l.key) {
			holders = append(holders, p)
		}
		for _, key := range keys {
			seen[key] = true
		}
	}
	if len(holders) == len(makers) {
		return nil
	}
	for _, m := range w.mergers[exists] {
		if keys, known := keysOf(m.task.Object); !known || slices.Contains(keys, l.key) {
			holders = append(holders, provision{m, true})
		}
	}
	fact := n.here(needs.Fact{Type: keyIn, Name: l.key + " of " + l.kind + " " + l.namespace + "/" + l.name})
	w.provided[fact] = holders
	why := verb + " the key " + l.key + " of " + l.kind + " " + l.name
	if len(holders) == 0 {
		why += ", which holds only " + strings.Join(slices.Sorted(maps.Keys(seen)), ", ")
	}
	return []need{wants(fact, why)}
}

// podKeys returns the keys that the pods of a workload cannot start without.
func (w *world) podKeys(n *node) []need {
	spec := startedPods(n)
	if spec == nil {
		return nil
	}
	var list []need
	for _, l := range keysRead(spec) {
		l.namespace = n.id.Namespace
		for _, k := range w.holding(n, l, "runs pods that read") {
			if !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// keysRead returns every key that a pod names: in its environment, and as an item of a volume.
func keysRead(spec map[string]any) []login {
	var list []login
	add := func(kind string, source any, nameAt string, keys ...any) {
		name := textAt(source, nameAt)
		for _, at := range keys {
			if key := textAt(at, "key"); key != "" && name != "" && valueAt(source, "optional") != true {
				list = append(list, login{kind: kind, name: name, key: key})
			}
		}
	}
	for _, c := range containers(spec) {
		for _, env := range listOf(c, "env") {
			from := valueAt(env, "valueFrom")
			add("Secret", valueAt(from, "secretKeyRef"), "name", valueAt(from, "secretKeyRef"))
			add("ConfigMap", valueAt(from, "configMapKeyRef"), "name", valueAt(from, "configMapKeyRef"))
		}
	}
	for _, v := range listOf(spec, "volumes") {
		add("Secret", valueAt(v, "secret"), "secretName", listOf(v, "secret", "items")...)
		add("ConfigMap", valueAt(v, "configMap"), "name", listOf(v, "configMap", "items")...)
		for _, source := range listOf(v, "projected", "sources") {
			add("Secret", valueAt(source, "secret"), "name", listOf(source, "secret", "items")...)
			add("ConfigMap", valueAt(source, "configMap"), "name", listOf(source, "configMap", "items")...)
		}
	}
	return list
}

// keysOf returns the keys of the Secret or ConfigMap that an object is, or that a controller makes of it. known is false where others may
// write more of them: what is empty waits for somebody to fill it.
func keysOf(o manifest.Object) (keys []string, known bool) {
	switch dotted(o.ID()) {
	case "Secret", "ConfigMap":
		keys = keysUnder(o, []string{"data"}, []string{"stringData"}, []string{"binaryData"})
		return keys, len(keys) > 0 && !filled(o)
	case "SealedSecret.bitnami.com":
		keys = keysUnder(o, []string{"spec", "encryptedData"}, []string{"spec", "template", "data"})
		return keys, len(keys) > 0
	case "Certificate." + certManager: // cert-manager docs, Certificate: what its Secret holds, keystores and other formats
		return []string{"tls.crt", "tls.key", "ca.crt", "keystore.jks", "truststore.jks", "keystore.p12", "truststore.p12", "tls-combined.pem", "key.der"}, true
	case "ExternalSecret." + externalSecs:
		return externalKeys(o)
	}
	return nil, false
}

// externalKeys returns the keys that an ExternalSecret writes: those of its template, where that has any, else those that it fetches
// (external-secrets docs, Advanced Templating, mergePolicy).
func externalKeys(o manifest.Object) (keys []string, known bool) {
	templated := keysUnder(o, []string{"spec", "target", "template", "data"})
	merges := o.String("spec", "target", "template", "mergePolicy") == "Merge"
	if len(o.List("spec", "target", "template", "templateFrom")) > 0 || o.Get("spec", "target", "manifest") != nil {
		return nil, false
	}
	if len(templated) > 0 && !merges {
		return templated, true
	}
	for _, item := range o.List("spec", "data") {
		key := textAt(item, "secretKey")
		templated = append(templated, key)
	}
	return templated, len(o.List("spec", "dataFrom")) == 0 && len(templated) > 0
}

func keysUnder(o manifest.Object, paths ...[]string) []string {
	var keys []string
	for _, path := range paths {
		keys = append(keys, slices.Sorted(maps.Keys(o.Map(path...)))...)
	}
	return keys
}

// filling are what annotations and labels begin with by which somebody is asked to write more keys into an object, or to copy another
// into it (READMEs of kubernetes-secret-generator, kubernetes-replicator, reflector; OpenShift docs, CA bundle and service certificates).
var filling = []string{
	"secret-generator.v1.mittwald.de/", "replicator.v1.mittwald.de/", "reflector.v1.k8s.emberstack.com/reflects",
	"config.openshift.io/inject-", "service.beta.openshift.io/", "service.alpha.openshift.io/",
}

// filled reports whether somebody writes more keys into an object than it states: the API server into the token of a ServiceAccount,
// Argo CD into its own Secret, and whoever is asked to.
func filled(o manifest.Object) bool {
	if o.String("type") == "kubernetes.io/service-account-token" || o.ID().Kind == "Secret" && o.ID().Name == "argocd-secret" {
		return true
	}
	for _, marks := range []map[string]any{o.Map("metadata", "annotations"), o.Map("metadata", "labels")} {
		for key := range marks {
			if slices.ContainsFunc(filling, func(begin string) bool { return strings.HasPrefix(key, begin) }) {
				return true
			}
		}
	}
	return false
}
