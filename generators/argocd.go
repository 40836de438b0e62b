package generators

import (
	"cmp"
	"errors"
	"strconv"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
)

// argoCD applies what gen renders, itself included.
func argoCD() component.Definition {
	return component.Definition{
		Name:      "argo-cd",
		Doc:       "Argo CD of this cluster; derives its host name and Ingress from domain and loadBalancer.",
		Repo:      "https://argoproj.github.io/argo-helm",
		Namespace: "argocd",
		Build:     buildArgoCD,
	}
}

func buildArgoCD(env *environment.Environment) (component.Parts, error) {
	if err := checkArgoCD(env); err != nil {
		return component.Parts{}, err
	}
	host := "argocd." + env.Facts.Domain
	// An operation that hangs ignores the commit that would cure it until it ends; but one that is ended is not tried again at its
	// commit: decision 0024. It is text, as argocd-cmd-params-cm holds text; 0 is never.
	params := map[string]any{argocd.SyncTimeoutKey: strconv.Itoa(int(env.ArgoCD.SyncLimit().Seconds()))}
	configs := map[string]any{"params": params}
	values := map[string]any{
		"fullnameOverride": "argocd", // argocd-server and so on, as its documentation calls them, whatever the release is called
		"global":           map[string]any{"domain": host},
		"crds":             map[string]any{"install": true, "keep": true}, // with the CRDs would go every Application
		"configs":          configs,
	}
	parts := component.Parts{Values: values, Needs: []string{"cilium"}, DecidedBy: map[string]string{"global.domain": "facts.domain"}}
	if ciliumIngress(env) {
		// Cilium's chart holds an EndpointSlice of its own, which Argo CD 3 leaves out by default: argoproj/argo-cd#24030.
		parts.DecidedBy["configs.cm"] = "facts.loadBalancer"
		configs["cm"] = map[string]any{"resource.exclusions": exclusions}
		parts.Needs = append(parts.Needs, "cilium"+component.ConfigSuffix) // an Ingress is healthy only with an address
	}
	if ingress, ok := argoIngress(env, host); ok {
		values["server"] = map[string]any{"ingress": ingress}
		parts.DecidedBy["server"], parts.DecidedBy[`configs.params["server.insecure"]`] = "facts.loadBalancer", "facts.loadBalancer"
		if ingress["extraTls"] != nil {
			parts.DecidedBy["server.ingress.extraTls"] = "facts.domain"
		}
		params["server.insecure"] = true // the ingress ends TLS and speaks plain HTTP to the server; TLS there would be redirected for ever
	}
	return parts, nil
}

// checkArgoCD returns what is missing, and what contradicts where Argo CD runs.
func checkArgoCD(env *environment.Environment) error {
	c, _ := find(env, "argo-cd")
	var errs []error
	if env.Facts.Domain == "" {
		errs = append(errs, env.Missing("facts.domain", "the name under which Argo CD of this cluster is reached"))
	}
	if env.ArgoCD.In == "hub" {
		errs = append(errs, mistake(c.Origin, "components.argo-cd", "environment %s is served by a hub (argocd.in), so this one would serve nothing; "+
			"switch the component off there, or state argocd: {in: cluster}", env.Name))
	}
	if want := cmp.Or(env.ArgoCD.Namespace, argoCD().Namespace); env.ArgoCD.In == "cluster" && namespaceOf(env, argoCD()) != want {
		errs = append(errs, mistake(c.Origin, "components.argo-cd.namespace", "is %s, but Applications are written to %s, where this Argo CD would not look for them; "+
			"state argocd.namespace and this one alike", namespaceOf(env, argoCD()), want))
	}
	if c.Hooks == "drop" && isOn(env, "argo-cd", true, "redisSecretInit", "enabled") {
		errs = append(errs, mistake(c.Origin, "components.argo-cd.hooks", "drop would take away the job that makes Secret argocd-redis, without which no pod of "+
			"Argo CD starts; keep the hooks, or set redisSecretInit.enabled: false and bring the Secret yourself"))
	}
	return errors.Join(errs...)
}

// argoIngress returns the values of the server's Ingress. There is one only where something answers for it and somebody signs
// its certificate: Argo CD is never served in the clear.
func argoIngress(env *environment.Environment, host string) (map[string]any, bool) {
	if !ciliumIngress(env) {
		return nil, false
	}
	ingress := map[string]any{"enabled": true, "ingressClassName": "cilium"}
	if _, _, ok := wildcardSecret(env); ok {
		ingress["extraTls"] = []any{map[string]any{"hosts": list(host)}} // no secretName: Cilium takes the wildcard certificate
		return ingress, true
	}
	if has(env, "cert-manager") && env.Facts.ACME != nil {
		ingress["annotations"] = map[string]any{"cert-manager.io/cluster-issuer": issuer}
		ingress["tls"] = true
		return ingress, true
	}
	return nil, false
}

// exclusions are Argo CD 3's own, without EndpointSlice.
const exclusions = `- apiGroups: [""]
  kinds: [Endpoints]
- apiGroups: [coordination.k8s.io]
  kinds: [Lease]
- apiGroups: [authentication.k8s.io, authorization.k8s.io]
  kinds: [SelfSubjectReview, TokenReview, LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview]
- apiGroups: [certificates.k8s.io]
  kinds: [CertificateSigningRequest]
- apiGroups: [cert-manager.io]
  kinds: [CertificateRequest]
- apiGroups: [cilium.io]
  kinds: [CiliumIdentity, CiliumEndpoint, CiliumEndpointSlice]
- apiGroups: [kyverno.io, reports.kyverno.io, wgpolicyk8s.io]
  kinds: [PolicyReport, ClusterPolicyReport, EphemeralReport, ClusterEphemeralReport, AdmissionReport, ClusterAdmissionReport, BackgroundScanReport, ClusterBackgroundScanReport, UpdateRequest]
`
