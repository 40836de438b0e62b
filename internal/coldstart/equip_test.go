package coldstart

import (
	"strings"
	"testing"
)

// TestEquipment states what the nodes must have before pods run, each beside one that has it.
func TestEquipment(t *testing.T) {
	web := func(pod string) string {
		return written("apps/v1", "Deployment", "web", "0", "spec: {template: {metadata: {labels: {app: web}}, spec: {"+pod+"}}}")
	}
	driver := func(name, wave string) string {
		return "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: " + name + ", annotations: {argocd.argoproj.io/sync-wave: '" + wave + "'}}}\n---\n"
	}
	class := func(wave string) string {
		return written("secrets-store.csi.x-k8s.io/v1", "SecretProviderClass", "creds", wave, "spec: {}")
	}
	const store = "secrets-store.csi.k8s.io"
	secrets := web("volumes: [{name: s, csi: {driver: " + store + ", volumeAttributes: {secretProviderClass: creds}}}]")
	other := web("volumes: [{name: s, csi: {driver: csi.example.com}}]")
	near := func(term string) string {
		return web("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, " + term + "}]}}")
	}
	db := func(kind, wave, more string) string {
		return written("apps/v1", kind, "db", wave, "spec: {"+more+"template: {metadata: {labels: {app: db}}, spec: {containers: []}}}")
	}
	inOther := func(text string) string {
		return strings.Replace(text, "namespace: default", "namespace: kube-public", 1)
	}
	const beside = "labelSelector: {matchLabels: {app: db}}"
	gpu := func(resource, amount string) string {
		return web("containers: [{name: c, image: i, resources: {limits: {" + resource + ": " + amount + "}}}]")
	}
	plugin := func(image, path, wave, more string) string {
		return written("apps/v1", "DaemonSet", "plugin", wave, "spec: {template: {spec: {"+more+"containers: [{name: c, image: "+image+"}], volumes: [{name: d, hostPath: {path: "+path+"}}]}}}")
	}
	const folder, nvidia = "/var/lib/kubelet/device-plugins", "nvcr.io/nvidia/k8s-device-plugin:v0.17"
	runStarts(t, map[string]start{
		"a SecretProviderClass":            {driver(store, "0") + class("0") + secrets, "controller SecretProviderClass.secrets-store.csi.x-k8s.io", Proven, ""},
		"a SecretProviderClass of later":   {driver(store, "0") + class("1") + secrets, "controller SecretProviderClass.secrets-store.csi.x-k8s.io", Deadlock, "SecretProviderClass.secrets-store.csi.x-k8s.io default/creds is in wave 1"},
		"a SecretProviderClass of nobody":  {driver(store, "0") + secrets, "", Deadlock, "SecretProviderClass.secrets-store.csi.x-k8s.io default/creds comes from nobody"},
		"a driver":                         {driver("csi.example.com", "0") + other, "", Proven, ""},
		"a driver of later":                {driver("csi.example.com", "1") + other, "", Deadlock, "CSIDriver.storage.k8s.io csi.example.com is in wave 1"},
		"a driver of nobody":               {other, "", Unknown, "CSIDriver.storage.k8s.io csi.example.com comes from nobody"},
		"a driver that is given":           {other, "CSIDriver.storage.k8s.io csi.example.com", Proven, ""},
		"beside pods":                      {near(beside) + db("StatefulSet", "0", ""), "", Proven, ""},
		"beside pods of later":             {near(beside) + db("StatefulSet", "1", ""), "", Deadlock, "StatefulSet.apps default/db is in wave 1"},
		"beside pods that nobody makes":    {near(beside) + db("StatefulSet", "0", "replicas: 0, "), "", Unknown, "pods default app=db comes from nobody"},
		"beside pods that are given":       {near(beside), "pods default app=db", Proven, ""},
		"beside pods of another namespace": {near(beside+", namespaces: [kube-public]") + db("Deployment", "0", ""), "", Unknown, "pods kube-public app=db comes from nobody"},
		"beside pods of any namespace":     {near(beside+", namespaceSelector: {}") + db("Deployment", "0", ""), "", Proven, ""},
		"two that differ in where they look": {
			strings.Replace(near(beside+", namespaceSelector: {}"), "name: web", "name: a", 1) + near(beside) + inOther(db("Deployment", "0", "")), "", Unknown, "pods default app=db comes from nobody",
		},
		"beside one's own":                      {near("labelSelector: {matchLabels: {app: web}}"), "", Proven, ""},
		"beside the name server":                {near("labelSelector: {matchLabels: {k8s-app: kube-dns}}, namespaces: [kube-system]"), "", Proven, ""},
		"beside pods by an expression":          {near("labelSelector: {matchExpressions: [{key: app, operator: In, values: [db]}]}") + db("Deployment", "1", ""), "", Deadlock, "Deployment.apps default/db is in wave 1"},
		"better beside pods":                    {web("affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {" + beside + "}}]}}"), "", Proven, ""},
		"a device of nobody":                    {gpu("nvidia.com/gpu", "1"), "", Unknown, "ability resource nvidia.com/gpu comes from nobody"},
		"a device that is given":                {gpu("nvidia.com/gpu", "1"), "ability resource nvidia.com/gpu", Proven, ""},
		"no device":                             {gpu("nvidia.com/gpu", "0"), "", Proven, ""},
		"its plugin":                            {gpu("nvidia.com/gpu", "1") + plugin(nvidia, folder, "0", ""), "", Proven, ""},
		"its plugin, later":                     {gpu("nvidia.com/gpu", "1") + plugin(nvidia, folder, "1", ""), "", Deadlock, "DaemonSet.apps default/plugin is in wave 1"},
		"the plugin of another":                 {gpu("amd.com/gpu", "1") + plugin(nvidia, folder, "0", ""), "", Unknown, "ability resource amd.com/gpu comes from nobody"},
		"no plugin":                             {gpu("nvidia.com/gpu", "1") + plugin(nvidia, "/var/log", "0", ""), "", Unknown, "ability resource nvidia.com/gpu comes from nobody"},
		"its plugin on no node":                 {gpu("nvidia.com/gpu", "1") + plugin(nvidia, folder, "0", "nodeSelector: {gpu: 'yes'}, "), "", Unknown, "node gpu=yes comes from nobody"},
		"the policy of an operator":             {gpu("nvidia.com/gpu", "1") + written("nvidia.com/v1", "ClusterPolicy", "p", "0", "spec: {}"), "controller ClusterPolicy.nvidia.com", Proven, ""},
		"the policy of an operator, and nobody": {gpu("nvidia.com/gpu", "1") + written("nvidia.com/v1", "ClusterPolicy", "p", "0", "spec: {}"), "", Unknown, "controller ClusterPolicy.nvidia.com comes from nobody"},
		"what Kubernetes knows":                 {gpu("cpu", "1"), "", Proven, ""},
	})
}
