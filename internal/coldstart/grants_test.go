package coldstart

import (
	"strings"
	"testing"
)

// granting writes a ServiceAccount "maker" that may do what rules say, in its namespace or everywhere, and a Deployment of that name.
func granting(everywhere bool, rules string) string {
	of := map[bool]string{true: "Cluster"}[everywhere]
	return written("v1", "ServiceAccount", "maker", "0", "automountServiceAccountToken: true") +
		written("rbac.authorization.k8s.io/v1", of+"Role", "maker", "0", "rules: ["+rules+"]") +
		written("rbac.authorization.k8s.io/v1", of+"RoleBinding", "maker", "0", "roleRef: {kind: "+of+"Role, name: maker}, subjects: [{kind: ServiceAccount, name: maker, namespace: default}]") +
		written("apps/v1", "Deployment", "maker", "0", "spec: {template: {spec: {serviceAccountName: maker, containers: [{name: c}]}}}")
}

// rule writes one rule of a role: "secrets login: get update" in an API group.
func rule(group, text string) string {
	of, verbs, _ := strings.Cut(text, ": ")
	resource, name, named := strings.Cut(of, " ")
	names := map[bool]string{true: ", resourceNames: [" + name + "]"}[named]
	return "{apiGroups: ['" + group + "'], resources: [" + resource + "]" + names + ", verbs: ['" + strings.ReplaceAll(verbs, " ", "', '") + "']}"
}

// TestWhatRolesMake states what a workload makes by what its roles hold, each beside one that does not.
func TestWhatRolesMake(t *testing.T) {
	reader := func(ref string) string {
		return written("apps/v1", "Deployment", "reader", "0", "spec: {template: {spec: {containers: [{name: c, envFrom: [{"+ref+": {name: login}}]}]}}}")
	}
	secret, config := reader("secretRef"), reader("configMapRef")
	elsewhere := "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: made}}\n---\n"
	claim := written("storage.k8s.io/v1", "StorageClass", "local", "0", "provisioner: kubernetes.io/no-provisioner") + written("v1", "PersistentVolumeClaim", "c", "0", "spec: {storageClassName: local}")
	const other = "example.com"
	runStarts(t, map[string]start{
		"a Secret":                        {granting(false, rule("", "secrets login: update")) + secret, "", Proven, ""},
		"a Secret, in part":               {granting(false, rule("", "secrets login: patch")) + secret, "", Proven, ""},
		"a Secret, whatever it likes":     {granting(false, rule("", "secrets login: *")) + secret, "", Proven, ""},
		"a Secret, once":                  {granting(false, rule("", "secrets login: create")) + secret, "", Proven, ""},
		"a Secret among all":              {granting(false, rule("", "secrets login: get")+", "+rule("", "secrets: create")) + secret, "", Proven, ""},
		"a Secret, read":                  {granting(false, rule("", "secrets login: get list")) + secret, "", Unknown, "Secret default/login comes from nobody"},
		"a Secret of another name":        {granting(false, rule("", "secrets other: update")) + secret, "", Unknown, "Secret default/login comes from nobody"},
		"a Secret beside others":          {granting(false, rule("", "secrets login: get")+", "+rule("", "secrets other: create")) + secret, "", Unknown, "Secret default/login comes from nobody"},
		"a Secret beside ConfigMaps":      {granting(false, rule("", "secrets login: get")+", "+rule("", "configmaps: create")) + secret, "", Unknown, "Secret default/login comes from nobody"},
		"what is called like a Secret":    {granting(false, rule(other, "secrets login: update")) + secret, "", Unknown, "Secret default/login comes from nobody"},
		"a Secret beside such":            {granting(false, rule("", "secrets login: get")+", "+rule(other, "secrets: create")) + secret, "", Unknown, "Secret default/login comes from nobody"},
		"a ConfigMap":                     {granting(false, rule("", "configmaps login: update")) + config, "", Proven, ""},
		"a ConfigMap of a Secret's name":  {granting(false, rule("", "secrets login: update")) + config, "", Unknown, "ConfigMap default/login comes from nobody"},
		"what is called like a ConfigMap": {granting(false, rule(other, "configmaps login: update")) + config, "", Unknown, "ConfigMap default/login comes from nobody"},
		"neither of the two":              {granting(false, rule("", "services login: update")) + config, "", Unknown, "ConfigMap default/login comes from nobody"},
		"any namespace":                   {granting(true, rule("", "namespaces: create")) + elsewhere, "", Unknown, "namespace made comes from nobody"},
		"any namespace, by any verb":      {granting(true, rule("", "namespaces: *")) + elsewhere, "", Unknown, "namespace made comes from nobody"},
		"namespaces that are there":       {granting(true, rule("", "namespaces: get update")) + elsewhere, "", Fails, "namespace made comes from nobody"},
		"what is called like a namespace": {granting(true, rule(other, "namespaces: create")) + elsewhere, "", Fails, "namespace made comes from nobody"},
		"no namespace but Secrets":        {granting(true, rule("", "secrets: create")) + elsewhere, "", Fails, "namespace made comes from nobody"},
		"any volume":                      {granting(true, rule("", "persistentvolumes: create")) + claim, "", Unknown, "claims a volume that somebody made"},
		"any volume, by any verb":         {granting(true, rule("", "persistentvolumes: *")) + claim, "", Unknown, "claims a volume that somebody made"},
		"volumes that are there":          {granting(true, rule("", "persistentvolumes: get update")) + claim, "", Deadlock, "claims a volume that somebody made"},
		"what is called like a volume":    {granting(true, rule(other, "persistentvolumes: create")) + claim, "", Deadlock, "claims a volume that somebody made"},
		"no volume but Secrets":           {granting(true, rule("", "secrets: create")) + claim, "", Deadlock, "claims a volume that somebody made"},
	})
}

// TestMakers states, of every kind that runs pods, when a Secret is there which those pods write: once they run, so that pods which mount it
// themselves never do, unless an init container of theirs writes it.
func TestMakers(t *testing.T) {
	role := written("v1", "ServiceAccount", "maker", "0", "automountServiceAccountToken: true") +
		written("rbac.authorization.k8s.io/v1", "Role", "maker", "0", "rules: [{apiGroups: [''], resources: [secrets], resourceNames: [login], verbs: [get, update]}, {apiGroups: [''], resources: [secrets], verbs: [create]}]") +
		written("rbac.authorization.k8s.io/v1", "RoleBinding", "maker", "0", "roleRef: {kind: Role, name: maker}, subjects: [{kind: ServiceAccount, name: maker, namespace: default}]")
	reader := written("apps/v1", "Deployment", "reader", "0", "spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: login}}]}]}}}")
	const bare, reads, first = "containers: [{name: c}]", "containers: [{name: c, envFrom: [{secretRef: {name: login}}]}]", "initContainers: [{name: i}], "
	tests := map[string]start{}
	for kind, api := range map[string]string{
		"Pod": "v1", "ReplicationController": "v1", "Deployment": "apps/v1", "DaemonSet": "apps/v1", "StatefulSet": "apps/v1", "ReplicaSet": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1",
		"Rollout": "argoproj.io/v1alpha1", "CloneSet": "apps.kruise.io/v1alpha1", "AdvancedStatefulSet": "apps.kruise.io/v1beta1", "AdvancedDaemonSet": "apps.kruise.io/v1alpha1", "DeploymentConfig": "apps.openshift.io/v1",
	} {
		kind, own := strings.TrimPrefix(kind, "Advanced"), Deadlock
		maker := func(pod, more string) string {
			spec := "spec: {" + more + "template: {spec: {serviceAccountName: maker, " + pod + "}}}"
			switch kind {
			case "Pod":
				spec = "spec: {serviceAccountName: maker, " + pod + "}"
			case "CronJob":
				spec, own = "spec: {"+more+"jobTemplate: {spec: {template: {spec: {serviceAccountName: maker, "+pod+"}}}}}", Unknown
			}
			return role + written(api, kind, "maker", "0", spec) + reader
		}
		group, _, _ := strings.Cut(api, "/")
		given, name := "controller "+kind+"."+group, api+" "+kind
		tests[name] = start{maker(bare, ""), given, Proven, ""}
		tests[name+", reads it itself"] = start{maker(reads, ""), given, own, "runs pods that read a Secret"}
		tests[name+", begins with it"] = start{maker(first+reads, ""), given, Proven, ""}
		if kind == "CronJob" {
			tests[name+", suspended"] = start{maker(bare, "suspend: true, "), given, Unknown, "Secret default/login comes from nobody"}
		} else if kind != "Pod" && kind != "Job" && kind != "DaemonSet" {
			tests[name+", without pods"] = start{maker(bare, "replicas: 0, "), given, Unknown, "Secret default/login comes from nobody"}
		}
	}
	runStarts(t, tests)
}
