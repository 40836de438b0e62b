package coldstart

import "testing"

// TestKeys states which keys of Secrets and ConfigMaps are known to be there, or not.
func TestKeys(t *testing.T) {
	const eso = "external-secrets.io/v1"
	web := func(pod string) string {
		return written("apps/v1", "Deployment", "web", "0", "spec: {template: {spec: {"+pod+"}}}")
	}
	env := func(kind, more string) string {
		return web("containers: [{name: c, image: i, env: [{name: A, valueFrom: {" + kind + "KeyRef: {name: s, key: k" + more + "}}}]}]")
	}
	secret := func(fields string) string { return written("v1", "Secret", "s", "0", fields) }
	external := func(spec string) string {
		return written(eso, "SecretStore", "store", "0", "spec: {provider: {fake: {}}}") + written(eso, "ExternalSecret", "s", "0", "spec: {secretStoreRef: {name: store}, "+spec+"}")
	}
	sealed := func(spec string) string {
		return written("bitnami.com/v1alpha1", "SealedSecret", "s", "0", "spec: {"+spec+"}")
	}
	made := func(policy string) string {
		return external("data: [{secretKey: k}], target: {creationPolicy: " + policy + "}")
	}
	const lacks = "key k of Secret default/s comes from nobody"
	runStarts(t, map[string]start{
		"a key of data":                       {env("secret", "") + secret("data: {k: eA==}"), "", Proven, ""},
		"a key of stringData":                 {env("secret", "") + secret("stringData: {k: v}"), "", Proven, ""},
		"a key that is not there":             {env("secret", "") + secret("stringData: {other: v}"), "", Deadlock, lacks},
		"it says which are":                   {env("secret", "") + secret("stringData: {b: v, a: v}"), "", Deadlock, "runs pods that read the key k of Secret s, which holds only a, b"},
		"it is given":                         {env("secret", "") + secret("stringData: {other: v}"), "key k of Secret default/s", Proven, ""},
		"a key that is optional":              {env("secret", ", optional: true") + secret("stringData: {other: v}"), "", Proven, ""},
		"a Secret that somebody fills":        {env("secret", "") + secret(""), "", Proven, ""},
		"a Secret that a generator fills":     {env("secret", "") + `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default, annotations: {secret-generator.v1.mittwald.de/autogenerate: k}}, stringData: {user: v}}`, "", Proven, ""},
		"the token of an account":             {env("secret", "") + secret("type: kubernetes.io/service-account-token, data: {extra: eA==}"), "", Proven, ""},
		"a key of a ConfigMap":                {env("configMap", "") + written("v1", "ConfigMap", "s", "0", "data: {k: v}"), "", Proven, ""},
		"a binary key":                        {env("configMap", "") + written("v1", "ConfigMap", "s", "0", "binaryData: {k: eA==}"), "", Proven, ""},
		"a ConfigMap without the key":         {env("configMap", "") + written("v1", "ConfigMap", "s", "0", "data: {other: v}"), "", Deadlock, "key k of ConfigMap default/s comes from nobody"},
		"an item of a volume":                 {web("volumes: [{name: v, secret: {secretName: s, items: [{key: k, path: p}]}}]") + secret("stringData: {other: v}"), "", Deadlock, lacks},
		"an item that is there":               {web("volumes: [{name: v, secret: {secretName: s, items: [{key: k, path: p}]}}]") + secret("stringData: {k: v}"), "", Proven, ""},
		"an item of an optional volume":       {web("volumes: [{name: v, secret: {secretName: s, optional: true, items: [{key: k, path: p}]}}]") + secret("stringData: {other: v}"), "", Proven, ""},
		"an item of a projected volume":       {web("volumes: [{name: v, projected: {sources: [{secret: {name: s, items: [{key: k, path: p}]}}]}}]") + secret("stringData: {other: v}"), "", Deadlock, lacks},
		"a container that comes first":        {web("initContainers: [{name: c, image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]") + secret("stringData: {other: v}"), "", Deadlock, lacks},
		"a workload without pods":             {written("apps/v1", "Deployment", "web", "0", "spec: {replicas: 0, template: {spec: {containers: [{name: c, image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]}}}") + secret("stringData: {other: v}"), "", Proven, ""},
		"an ExternalSecret that fetches it":   {env("secret", "") + external("data: [{secretKey: k}]"), anyController, Proven, ""},
		"one that fetches another":            {env("secret", "") + external("data: [{secretKey: other}]"), anyController, Deadlock, lacks},
		"one that fetches whatever there is":  {env("secret", "") + external("data: [{secretKey: other}], dataFrom: [{extract: {key: x}}]"), anyController, Proven, ""},
		"one whose template has it":           {env("secret", "") + external("data: [{secretKey: other}], target: {template: {data: {k: v}}}"), anyController, Proven, ""},
		"one whose template leaves it out":    {env("secret", "") + external("data: [{secretKey: k}], target: {template: {data: {other: v}}}"), anyController, Deadlock, lacks},
		"one whose template adds to it":       {env("secret", "") + external("data: [{secretKey: k}], target: {template: {mergePolicy: Merge, data: {other: v}}}"), anyController, Proven, ""},
		"one whose template is elsewhere":     {env("secret", "") + external("data: [{secretKey: other}], target: {template: {templateFrom: [{configMap: {name: x}}]}}"), anyController, Proven, ""},
		"a SealedSecret with it":              {env("secret", "") + sealed("encryptedData: {k: x}"), anyController, Proven, ""},
		"a SealedSecret with it in the clear": {env("secret", "") + sealed("encryptedData: {other: x}, template: {data: {k: v}}"), anyController, Proven, ""},
		"a SealedSecret without it":           {env("secret", "") + sealed("encryptedData: {other: x}"), anyController, Deadlock, lacks},
		"a Certificate has no such key":       {env("secret", "") + written("cert-manager.io/v1", "Issuer", "i", "0", "spec: {selfSigned: {}}") + written("cert-manager.io/v1", "Certificate", "c", "0", "spec: {secretName: s, issuerRef: {name: i}}"), anyController, Deadlock, lacks},
		"an ExternalSecret of one's own":      {env("secret", "") + made("Owner"), anyController, Proven, ""},
		"an ExternalSecret that lets go":      {env("secret", "") + made("Orphan"), anyController, Proven, ""},
		"one that makes or adds":              {env("secret", "") + made("CreateOrMerge"), anyController, Proven, ""},
		"one that only adds":                  {env("secret", "") + made("Merge"), anyController, Unknown, "Secret default/s comes from nobody"},
		"one that makes none":                 {env("secret", "") + made("None"), anyController, Unknown, "Secret default/s comes from nobody"},
		"one that adds what is missing":       {env("secret", "") + made("Merge") + secret("stringData: {other: v}"), anyController, Proven, ""},
		"one that would, and nobody runs it":  {env("secret", "") + made("Merge") + secret("stringData: {other: v}"), "", Unknown, "controller ExternalSecret.external-secrets.io comes from nobody"},
		"one that writes none to it":          {env("secret", "") + made("None") + secret("stringData: {other: v}"), anyController, Deadlock, lacks},
	})
}
