package argoapi_test

func webhookFailures() map[string]scenario {
	one := func(objects string) []string { return []string{"- app\n" + objects} }
	last := object("ConfigMap", "last", "9", "")
	certKinds := definition("-5", "cert-manager.io", "Issuer", "issuers", "Namespaced") + definition("-5", "cert-manager.io", "Certificate", "certificates", "Namespaced")
	manager := func(wave string) string {
		return object("ClusterRole", "cm", wave, "rules: [{apiGroups: [cert-manager.io], resources: [issuers/status, certificates/status], verbs: [update]}, {apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations, mutatingwebhookconfigurations], verbs: [update]}]") +
			object("ServiceAccount", "cm", wave, "") + workload("cm", wave, "serviceAccountName: cm") +
			object("ClusterRoleBinding", "cm", wave, "roleRef: {kind: ClusterRole, name: cm}, subjects: [{kind: ServiceAccount, name: cm, namespace: team}]")
	}
	bare := func(wave string) string {
		return closed("cm-webhook", wave, "service: {namespace: team, name: cm-webhook}", "cert-manager.io", "*", "") + service("cm-webhook", wave) + workload("cm-webhook", wave, "")
	}
	issuer := func(wave string) string { return object("Issuer", "own", wave, "spec: {selfSigned: {}}") }
	certificate := func(wave string) string {
		return object("Certificate", "tls", wave, "spec: {secretName: tls, issuerRef: {name: own}}")
	}
	pool := func(wave string) string { return object("IPAddressPool", "pool", wave, "spec: {addresses: []}") }
	metal := operator("controller", "-1", "metallb.io", "ipaddresspools") + definition("-5", "metallb.io", "IPAddressPool", "ipaddresspools", "Namespaced")
	metalHook := closed("metallb", "-1", "", "metallb.io", "ipaddresspools", "") + object("Service", "metallb", "-1", "spec: {selector: {app: controller}}")
	rules := definition("-5", "monitoring.coreos.com", "PrometheusRule", "prometheusrules", "Namespaced")
	patch := func(at, args string) string {
		return object("ServiceAccount", "patch", "PreSync/-1", "") + object("ClusterRole", "patch", "PreSync/-1", "rules: [{apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [get, update]}]") +
			object("ClusterRoleBinding", "patch", "PreSync/-1", "roleRef: {kind: ClusterRole, name: patch}, subjects: [{kind: ServiceAccount, name: patch, namespace: team}]") +
			object("Job", "patch", at, "spec: {template: {spec: {serviceAccountName: patch, containers: [{name: c, image: i, args: ["+args+"]}]}}}")
	}
	create := object("Job", "create", "PreSync/0", "spec: {template: {spec: {containers: [{name: c, image: i, args: [create, --secret-name=admission]}]}}}")
	admission := closed("admission", "0", "service: {namespace: team, name: admission}", "monitoring.coreos.com", "prometheusrules", "") + service("admission", "0") + workload("admission", "0", "")
	return map[string]scenario{
		"16 a webhook whose certificate is a hook of the last phase": {
			apps: one(certKinds + manager("-1") + closed("shepherd", "-1", "", "example.com", "widgets", "") + service("shepherd", "-1") + workload("shepherd", "0", "volumes: [{name: v, secret: {secretName: tls}}]") +
				issuer("helm:post-install") + certificate("helm:post-install")), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"Deployment.apps team/shepherd runs pods that read a Secret", "Certificate.cert-manager.io team/tls is in PostSync wave 0"},
		},
		"17 a Certificate is Issuing first: nothing fails": {apps: one(certKinds + manager("-1") + issuer("0") + certificate("1") + last), given: nobodyElse, want: "PROVEN"},
		"17 a script that calls it Degraded first": {
			apps: one(certKinds + manager("-1") + issuer("0") + certificate("0") + last), given: nobodyElse, want: "RETRY",
			settings: map[string]any{"resource.customizations.health.cert-manager.io_Certificate": `if obj.status ~= nil and obj.status.conditions ~= nil then for _, c in ipairs(obj.status.conditions) do
  if c.type == "Ready" and c.status == "False" then return {status = "Degraded", message = ""} end
  if c.type == "Ready" and c.status == "True" then return {status = "Healthy", message = ""} end end end
return {status = "Progressing", message = ""}`},
		},
		"18 an Issuer in the wave of the webhook":          {apps: one(certKinds + manager("0") + bare("0") + issuer("0")), given: nobodyElse, want: "RETRY"},
		"18 an Issuer of a later wave, and a CA that lags": {apps: one(certKinds + manager("0") + bare("0") + issuer("1")), given: nobodyElse, want: "PROVEN", notes: []string{"may be refused for a moment: the CA of ValidatingWebhookConfiguration cm-webhook"}},
		"18 an Issuer before the webhook's pods":           {apps: one(certKinds + manager("0") + closed("cm-webhook", "0", "service: {namespace: team, name: cm-webhook}", "cert-manager.io", "*", "") + service("cm-webhook", "0") + issuer("1") + workload("cm-webhook", "2", "")), given: nobodyElse, want: "DEADLOCK", chain: []string{"Issuer.cert-manager.io team/own must be admitted by the webhook cm-webhook", "cm-webhook is in wave 2"}},
		"20 a store whose webhook is of the same wave":     {apps: one(externalSecretsKinds() + closed("eso-webhook", "0", "", "external-secrets.io", "clustersecretstores", "") + service("eso-webhook", "0") + workload("eso-webhook", "0", "") + object("ClusterSecretStore", "vault", "0", "spec: {provider: {fake: {}}}")), given: []string{team, "controller ClusterSecretStore.external-secrets.io"}, want: "RETRY"},
		"21 a pool whose webhook is of the same wave":      {apps: one(metal + metalHook + pool("-1")), given: nobodyElse, want: "RETRY"},
		"21 a pool of a later wave":                        {apps: one(metal + metalHook + pool("0")), given: nobodyElse, want: "PROVEN"},
		"22 rules before the Job that writes the CA": {
			apps: one(rules + admission + object("PrometheusRule", "r", "0", "") + create + patch("PostSync/0", "patch, --webhook-name=admission, --secret-name=admission, --patch-mutating=false")), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"PrometheusRule.monitoring.coreos.com team/r must be admitted by the webhook admission", "Job.batch team/patch is in PostSync wave 0"},
		},
		"22 the Job in PreSync, before what it writes into": {
			apps: one(rules + admission + patch("PreSync/0", "patch, --webhook-name=admission, --patch-mutating=false")), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"Job.batch team/patch writes a CA into a webhook", "ValidatingWebhookConfiguration.admissionregistration.k8s.io admission is in wave 0"},
		},
		"23 an empty caBundle in git": {
			apps: one(certKinds + manager("0") + closed("guard", "0", "caBundle: '', service: {namespace: team, name: guard}", "example.com", "widgets", "") + last), given: nobodyElse, want: "PROVEN",
			notes: []string{"ValidatingWebhookConfiguration.admissionregistration.k8s.io guard will drift: field webhooks[].clientConfig.caBundle, written by Deployment.apps team/cm"},
		},
		"23 none in git": {
			apps: one(certKinds + manager("0") + closed("guard", "0", "service: {namespace: team, name: guard}", "example.com", "widgets", "") + last), given: nobodyElse, want: "PROVEN", silent: []string{"will drift"},
		},
		"37 an API whose pod waits for a certificate of a later wave": {
			apps: one(certKinds + manager("-1") + object("APIService", "v1.example.com", "0", "spec: {group: example.com, version: v1, service: {namespace: team, name: api}}") + service("api", "0") +
				workload("api", "0", "volumes: [{name: v, secret: {secretName: tls}}]") + issuer("1") + certificate("1") + last), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"runs pods that read a Secret", "Certificate.cert-manager.io team/tls is in wave 1"},
		},
		"38 a conversion webhook that comes after its objects": {
			apps: []string{"0 kinds\n" + converting, "1 use\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: team}}", "2 webhook\n" + service("turn", "0") + workload("turn", "0", "")}, given: nobodyElse, want: "DEADLOCK",
			chain: []string{"Widget.example.com team/w is stored in another version", "turn is in Application webhook, in wave 2 of root"}, cure: "move Application webhook to wave 0 of root, before Application use",
		},
		"38 the webhook first": {
			apps: []string{"0 kinds\n" + converting + service("turn", "0") + workload("turn", "0", ""), "1 use\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: team}}"}, given: nobodyElse, want: "PROVEN",
		},
	}
}

// converting is a CRD whose objects of v1 are stored as v2.
var converting = object("CustomResourceDefinition", "widgets.example.com", "0", "spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, "+
	"versions: [{name: v1, served: true, storage: false}, {name: v2, served: true, storage: true}], "+
	"conversion: {strategy: Webhook, webhook: {clientConfig: {caBundle: Y2E=, service: {namespace: team, name: turn}}}}}")

func externalSecretsKinds() string {
	return definition("-5", "external-secrets.io", "ExternalSecret", "externalsecrets", "Namespaced") + definition("-5", "external-secrets.io", "ClusterSecretStore", "clustersecretstores", "Cluster")
}

func kindFailures() map[string]scenario {
	one := func(objects string) []string { return []string{"- app\n" + objects} }
	last := object("ConfigMap", "last", "9", "")
	monitors := definition("0", "monitoring.coreos.com", "ServiceMonitor", "servicemonitors", "Namespaced")
	monitor := object("ServiceMonitor", "web", "0", "")
	template := func(wave string) string {
		return object("ConstraintTemplate", "k8srequired", wave, "spec: {crd: {spec: {names: {kind: K8sRequired}}}}")
	}
	gatekeeper := operator("gatekeeper", "-1", "templates.gatekeeper.sh", "constrainttemplates") + definition("-5", "templates.gatekeeper.sh", "ConstraintTemplate", "constrainttemplates", "Cluster")
	constraint := func(options string) string {
		return "{apiVersion: constraints.gatekeeper.sh/v1beta1, kind: K8sRequired, metadata: {name: r, annotations: {argocd.argoproj.io/sync-wave: '1', argocd.argoproj.io/sync-options: '" + options + "'}}}\n---\n"
	}
	subscription := func(approval string) string {
		return definition("-5", "operators.coreos.com", "Subscription", "subscriptions", "Namespaced") + object("Subscription", "op", "0", "spec: {installPlanApproval: "+approval+"}")
	}
	skipping := "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '1', argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}}}\n---\n"
	provider := definition("-5", "pkg.crossplane.io", "Provider", "providers", "Cluster") + operator("crossplane", "-1", "pkg.crossplane.io", "providers") + object("Provider", "aws", "0", "spec: {package: p}")
	large := "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: large, annotations: {pad: " + pad(300_000) + "}}, spec: {group: example.com, names: {kind: Widget}}}\n---\n"
	knative := definition("-5", "operator.knative.dev", "KnativeServing", "knativeservings", "Namespaced") + operator("knative", "-1", "operator.knative.dev", "knativeservings")
	gateways := definition("-5", "gateway.networking.k8s.io", "Gateway", "gateways", "Namespaced")
	return map[string]scenario{
		"24 a ServiceMonitor fails its whole Application": {apps: []string{"0 web\n" + monitor + workload("web", "0", ""), "1 monitoring\n" + monitors}, given: nobodyElse, want: "DEADLOCK", chain: []string{"ServiceMonitor.monitoring.coreos.com team/web is of a kind", "is in Application monitoring, in wave 1 of root"}, cure: "move Application monitoring to wave -1 of root, before Application web"},
		"24 the CRDs' Application first":                  {apps: []string{"0 monitoring\n" + monitors, "1 web\n" + monitor + workload("web", "0", "")}, given: nobodyElse, want: "PROVEN"},
		"25 waves inside an Application do not help":      {apps: one(operatorOf("example.com", "widgets") + object("Widget", "w", "5", "")), given: nobodyElse, want: "DEADLOCK", chain: []string{"Widget.example.com team/w is of a kind", "op is in wave 0 of app, which is not reached"}, cure: "add SkipDryRunOnMissingResource=true to Widget.example.com team/w"},
		"25 the look skipped on the object, on 2.14":      {apps: one(operatorOf("example.com", "widgets") + skipping), given: nobodyElse, version: "2.14", want: "PROVEN"},
		"25 the look skipped on the Application":          {apps: []string{"- app SkipDryRunOnMissingResource=true\n" + operatorOf("example.com", "widgets") + object("Widget", "w", "5", "")}, given: nobodyElse, want: "PROVEN"},
		"26 a kind of an operator that OLM installs":      {apps: one(subscription("Automatic") + skipping), given: []string{team, "controller Subscription.operators.coreos.com"}, want: "UNKNOWN", axiom: "kind Widget.example.com"},
		"26 installed only by a person's hand":            {apps: one(subscription("Manual") + skipping), given: []string{team, "controller Subscription.operators.coreos.com"}, want: "FAILS", chain: []string{"kind Widget.example.com comes from nobody"}},
		"27 a Constraint needs the look skipped":          {apps: one(gatekeeper + template("0") + constraint("")), given: nobodyElse, want: "DEADLOCK", chain: []string{"K8sRequired.constraints.gatekeeper.sh r is of a kind", "ConstraintTemplate.templates.gatekeeper.sh k8srequired is in wave 0"}, cure: "add SkipDryRunOnMissingResource=true"},
		"27 skipped, but a template is no gate":           {apps: one(gatekeeper + template("0") + constraint("SkipDryRunOnMissingResource=true")), given: nobodyElse, want: "RETRY", notes: []string{"ConstraintTemplate.templates.gatekeeper.sh k8srequired gates nothing"}},
		"27 with a script for templates": {
			apps: one(gatekeeper + template("0") + constraint("SkipDryRunOnMissingResource=true")), given: nobodyElse, want: "PROVEN", silent: []string{"gates nothing"},
			settings: map[string]any{"resource.customizations.health.templates.gatekeeper.sh_ConstraintTemplate": `if obj.status ~= nil and obj.status.created then return {status = "Healthy", message = ""} end return {status = "Progressing", message = ""}`},
		},
		"28 kinds of a provider's package":            {apps: one(provider + "{apiVersion: aws.example.com/v1, kind: ProviderConfig, metadata: {name: p, annotations: {argocd.argoproj.io/sync-wave: '1', argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}}}"), given: nobodyElse, want: "UNKNOWN", axiom: "kind ProviderConfig.aws.example.com"},
		"29 a CRD that is too large, and its objects": {apps: one(large + object("Widget", "w", "0", "")), given: nobodyElse, want: "FAILS", chain: []string{"CustomResourceDefinition.apiextensions.k8s.io large is larger than a client-side apply can store"}, cure: "add ServerSideApply=true"},
		"29 applied on the server":                    {apps: []string{"- app ServerSideApply=true\n" + large}, given: nobodyElse, want: "PROVEN"},
		"29 replaced instead":                         {apps: []string{"- app Replace=true\n" + large}, given: nobodyElse, want: "PROVEN"},
		"48 an operator's object is not Degraded while it installs (3.2 says Progressing)": {apps: one(knative + object("KnativeServing", "k", "0", "") + last), given: nobodyElse, want: "PROVEN"},
		"49 a new health check turns a wrong order into a block": {
			apps: one(gateways + operator("gw", "1", "gateway.networking.k8s.io", "gateways") + object("Gateway", "g", "0", "") + last), given: nobodyElse, want: "DEADLOCK", chain: []string{"Gateway.gateway.networking.k8s.io team/g is reconciled by a controller", "Deployment.apps team/gw is in wave 1"},
		},
		"49 before it, nothing waits": {apps: one(gateways + operator("gw", "1", "gateway.networking.k8s.io", "gateways") + object("Gateway", "g", "0", "") + last), given: nobodyElse, version: "2.14", want: "PROVEN"},
	}
}

// operatorOf is an operator that registers the kind of its objects when it runs.
func operatorOf(apiGroup, plural string) string {
	return operator("op", "0", apiGroup, plural) +
		object("ClusterRole", "registers", "0", "rules: [{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: ["+plural+"."+apiGroup+"], verbs: [update]}]") +
		object("ClusterRoleBinding", "registers", "0", "roleRef: {kind: ClusterRole, name: registers}, subjects: [{kind: ServiceAccount, name: op, namespace: team}]")
}

func secretFailures() map[string]scenario {
	one := func(objects string) []string { return []string{"- app\n" + objects} }
	last := object("ConfigMap", "last", "9", "")
	kinds := definition("-5", "bitnami.com", "SealedSecret", "sealedsecrets", "Namespaced")
	sealed := func(wave string) string { return object("SealedSecret", "s", wave, "") }
	quiet := object("ServiceAccount", "op", "0", "") + object("Deployment", "op", "0", "spec: {template: {spec: {serviceAccountName: op, containers: [{name: c, image: i, args: [--update-status=false]}]}}}") +
		object("ClusterRole", "op", "0", "rules: [{apiGroups: [bitnami.com], resources: [sealedsecrets/status], verbs: [update]}]") +
		object("ClusterRoleBinding", "op", "0", "roleRef: {kind: ClusterRole, name: op}, subjects: [{kind: ServiceAccount, name: op, namespace: team}]")
	agent := func(wave string) string {
		return object("DaemonSet", "agent", wave, "spec: {template: {spec: {containers: [], volumes: [{name: v, secret: {secretName: s}}]}}}")
	}
	routes := definition("-5", "gateway.networking.k8s.io", "HTTPRoute", "httproutes", "Namespaced")
	route := func(wave, backend string) string {
		return object("HTTPRoute", "web", wave, "spec: {rules: [{backendRefs: [{name: "+backend+", port: 80}]}]}")
	}
	databases := definition("-5", "postgresql.cnpg.io", "Cluster", "clusters", "Namespaced") + operator("cnpg", "-1", "postgresql.cnpg.io", "clusters")
	gateway := operator("gw", "-1", "gateway.networking.k8s.io", "httproutes")
	classes := func(wave string) string {
		return definition(wave, "gateway.networking.k8s.io", "GatewayClass", "gatewayclasses", "Cluster") + definition(wave, "gateway.networking.k8s.io", "Gateway", "gateways", "Namespaced")
	}
	starts := object("ServiceAccount", "cilium-operator", "0", "") + object("Deployment", "cilium-operator", "0", "spec: {template: {spec: {serviceAccountName: cilium-operator, containers: [{name: c, image: i, command: [cilium-operator-generic]}]}}}") +
		object("ClusterRole", "cilium-operator", "0", "rules: [{apiGroups: [gateway.networking.k8s.io], resources: [gateways/status, gatewayclasses/status], verbs: [update]}]") +
		object("ClusterRoleBinding", "cilium-operator", "0", "roleRef: {kind: ClusterRole, name: cilium-operator}, subjects: [{kind: ServiceAccount, name: cilium-operator, namespace: team}]")
	through := object("GatewayClass", "cilium", "1", "spec: {controllerName: io.cilium/gateway-controller}") + object("Gateway", "g", "2", "spec: {gatewayClassName: cilium}") + last
	return map[string]scenario{
		"30 nobody unseals":                      {apps: one(kinds + sealed("0") + last), given: nobodyElse, want: "UNKNOWN", axiom: "controller SealedSecret.bitnami.com"},
		"30 the controller in a later wave":      {apps: one(kinds + sealed("0") + operator("sealer", "1", "bitnami.com", "sealedsecrets")), given: nobodyElse, want: "DEADLOCK", chain: []string{"SealedSecret.bitnami.com team/s is reconciled by a controller", "Deployment.apps team/sealer is in wave 1"}},
		"30 a controller that writes no status":  {apps: one(kinds + quiet + sealed("1") + last), given: nobodyElse, want: "DEADLOCK", chain: []string{"SealedSecret.bitnami.com team/s is reconciled by Deployment.apps team/op, which writes no status"}},
		"30 the controller in an earlier wave":   {apps: one(kinds + operator("sealer", "-1", "bitnami.com", "sealedsecrets") + sealed("0") + last), given: nobodyElse, want: "PROVEN"},
		"31 a DaemonSet before its SealedSecret": {apps: one(kinds + operator("sealer", "-1", "bitnami.com", "sealedsecrets") + agent("0") + sealed("1")), given: nobodyElse, want: "DEADLOCK", chain: []string{"DaemonSet.apps team/agent runs pods that read a Secret", "SealedSecret.bitnami.com team/s is in wave 1"}, cure: "to wave 0"},
		"31 the SealedSecret before":             {apps: one(kinds + operator("sealer", "-1", "bitnami.com", "sealedsecrets") + agent("1") + sealed("0") + last), given: nobodyElse, want: "PROVEN"},
		"32 an ExternalSecret before its store":  {apps: one(externalSecrets("-5") + object("ExternalSecret", "db", "-6", "spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}}")), given: nobodyElse, want: "DEADLOCK", chain: []string{"ExternalSecret.external-secrets.io team/db", "is in wave"}},
		"33 a route whose backend an operator makes of a later object": {
			apps: one(routes + gateway + databases + route("0", "db-rw") + object("Cluster", "db", "1", "")), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"HTTPRoute.gateway.networking.k8s.io team/web leads to a Service", "Cluster.postgresql.cnpg.io team/db is in wave 1"},
		},
		"33 the route after it":              {apps: one(routes + gateway + databases + route("1", "db-rw") + object("Cluster", "db", "0", "") + last), given: nobodyElse, want: "PROVEN"},
		"33 a backend that nobody makes":     {apps: one(routes + gateway + route("0", "nowhere") + last), given: nobodyElse, want: "FAILS", chain: []string{"Service team/nowhere comes from nobody"}},
		"34 nobody writes a route's status":  {apps: one(routes + service("web", "0") + route("0", "web") + last), given: nobodyElse, want: "UNKNOWN", axiom: "controller HTTPRoute.gateway.networking.k8s.io"},
		"35 Gateway API after the operator":  {apps: one(starts + classes("1") + through), given: nobodyElse, want: "DEADLOCK", chain: []string{"Gateway.gateway.networking.k8s.io team/g is reconciled by Deployment.apps team/cilium-operator, which looks for Gateway API only when it starts"}},
		"35 Gateway API before the operator": {apps: one(starts + classes("-1") + through), given: append([]string{"ability load-balancer-address"}, nobodyElse...), want: "PROVEN"},
	}
}

func treeFailures() map[string]scenario {
	crds := func(wave string) string {
		return wave + " crds\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced")
	}
	widget := object("Widget", "w", "0", "")
	service := object("Service", "s", "0", "spec: {ports: [{port: 80}]}")
	docs := map[string]any{"resource.customizations.health.argoproj.io_Application": `hs = {status = "Progressing", message = ""}
if obj.status ~= nil and obj.status.health ~= nil then hs.status = obj.status.health.status or "Progressing" end
return hs`}
	cni := func(more string) string {
		return "0 cni\n" + object("Namespace", "team", "0", "") + object("DaemonSet", "cni", "0", "spec: {template: {spec: {hostNetwork: true, containers: [{name: c, image: i}], volumes: [{name: v, hostPath: {path: /etc/cni/net.d}}"+more+"]}}}")
	}
	project := "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: tenants, namespace: argocd}, spec: {destinations: [{namespace: '*', server: '*'}], sourceRepos: ['*']}}\n---\n"
	return map[string]scenario{
		"39 waves over Applications without health": {apps: []string{crds("-2"), "0 web\n" + widget}, given: nobodyElse, noHealth: true, want: "RETRY", notes: []string{"Application.argoproj.io argocd/crds gates nothing: Argo CD has no health check for it, so wave -2 does not wait for it"}},
		"39 with health": {apps: []string{crds("-2"), "0 web\n" + widget}, given: nobodyElse, want: "PROVEN", silent: []string{"gates nothing"}},
		"40 a half-synced child looks Healthy, from 3.4 on":      {apps: []string{crds("-2"), "0 web\n" + widget}, given: nobodyElse, noHealth: true, settings: docs, version: "3.4", want: "RETRY", notes: []string{"its health script in argocd-cm calls Healthy an Application that is half synced"}},
		"40 the same script before":                              {apps: []string{crds("-2") + service, "0 web\n" + widget}, given: nobodyElse, noHealth: true, settings: docs, want: "PROVEN", notes: []string{"Application.argoproj.io argocd/crds is Degraded as long as CustomResourceDefinition"}, silent: []string{"half synced", "gates nothing"}},
		"40 before, of nothing but CRDs":                         {apps: []string{crds("-2"), "0 web\n" + widget}, given: nobodyElse, noHealth: true, settings: docs, want: "RETRY", each: []string{"web RETRY"}, notes: []string{"Application.argoproj.io argocd/crds gates nothing before it is synced"}},
		"40 the same script before, with the one for CRDs":       {apps: []string{crds("-2"), "0 web\n" + widget}, given: nobodyElse, settings: docs, want: "PROVEN"},
		"40 our script, from 3.4 on":                             {apps: []string{crds("-2"), "0 web\n" + widget}, given: nobodyElse, version: "3.4", want: "PROVEN"},
		"41 attempts end before what they wait for is there":     {apps: []string{crds("0"), "0 web noretry\n" + widget}, given: nobodyElse, want: "UNKNOWN", axiom: "attempts web", chain: []string{"web states no retry limit", "kind Widget.example.com"}, cure: "state retry.limit -1 in Application web"},
		"41 without end":                                         {apps: []string{crds("0"), "0 web\n" + widget}, given: nobodyElse, want: "RETRY"},
		"43 an Application of a project that a later one brings": {apps: []string{"0 web project=tenants\n" + workload("web", "0", ""), "1 projects\n" + project}, given: nobodyElse, want: "DEADLOCK", chain: []string{"Application.argoproj.io argocd/web", "belongs to an AppProject", "AppProject.argoproj.io argocd/tenants is in Application projects, in wave 1 of root"}, cure: "move Application projects to wave 0"},
		"43 the project first":                                   {apps: []string{"0 projects\n" + project, "1 web project=tenants\n" + workload("web", "0", "")}, given: nobodyElse, want: "PROVEN"},
		"43 a project that is nowhere":                           {apps: []string{"0 web project=tenants\n" + workload("web", "0", "")}, given: nobodyElse, want: "UNKNOWN", axiom: "AppProject.argoproj.io argocd/tenants"},
		"44 the network needs what only Argo CD brings":          {apps: []string{cni(", {name: s, secret: {secretName: login}}"), "1 secrets\n" + object("Secret", "login", "0", "")}, want: "DEADLOCK", chain: []string{"DaemonSet.apps team/cni must run before Argo CD syncs anything", "Secret team/login is in Application secrets"}},
		"44 the network is applied by hand first":                {apps: []string{cni(""), "1 web\n" + workload("web", "0", "")}, want: "PROVEN"},
		"52 a step of a rolling sync that is never Healthy":      rollingSync("DEADLOCK", object("Service", "web", "0", "spec: {type: LoadBalancer}")),
		"52 a step that is":                                      rollingSync("PROVEN", workload("web", "0", "")),
	}
}

// rollingSync is an ApplicationSet that brings "web" in a first step and "next" in a second one.
func rollingSync(want, first string) scenario {
	return scenario{
		root: "{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: fleet, namespace: argocd}, spec: {strategy: {type: RollingSync, rollingSync: {steps: [" +
			"{matchExpressions: [{key: stage, operator: In, values: [first]}]}, {matchExpressions: [{key: stage, operator: In, values: [second]}]}]}}}}\n---\n",
		apps:  []string{"set:fleet web label=stage:first manual\n" + first, "set:fleet next label=stage:second manual\n" + workload("next", "0", "")},
		given: nobodyElse, want: want,
	}
}
