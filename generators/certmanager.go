package generators

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

const (
	issuer       = "acme"         // the ClusterIssuer that facts.acme describes
	wildcardName = "wildcard-tls" // the Secret with the certificate of the whole domain
	solverDNS    = "dns01"
	solverHTTP   = "http01"
)

// publicACME are servers whose limits are counted for a registered domain, and so are shared by all clusters below it.
var publicACME = map[string]string{
	"acme-v02.api.letsencrypt.org": "https://acme-staging-v02.api.letsencrypt.org/directory",
	"dv.acme-v02.api.pki.goog":     "https://dv.acme-v02.test-api.pki.goog/directory",
	"api.buypass.com":              "https://api.test4.buypass.no/acme/directory",
	"acme.zerossl.com":             "",
	"acme.ssl.com":                 "",
}

// certManager issues certificates: its issuer and the certificate of the domain need it running.
func certManager() component.Definition {
	return component.Definition{
		Name:      "cert-manager",
		Doc:       "Certificates; derives the ClusterIssuer acme from acme, and with dns01 a certificate of the domain and all names below it.",
		Repo:      "https://charts.jetstack.io",
		Namespace: "cert-manager",
		Build:     buildCertManager,
	}
}

func buildCertManager(env *environment.Environment) (component.Parts, error) {
	parts := component.Parts{
		// CRDs stay when the component goes: with them would go every certificate.
		Values: map[string]any{"crds": map[string]any{"enabled": true, "keep": true}},
		Needs:  []string{"cilium"},
	}
	acme := env.Facts.ACME
	if acme == nil {
		if ownIssuer(env) {
			return parts, nil
		}
		return parts, env.Missing("facts.acme", "who signs this cluster's certificates, and how it sees that the domain is ours (an own Issuer or ClusterIssuer among `objects` says it too)")
	}
	if err := checkACME(env, *acme); err != nil {
		return parts, err
	}
	namespace := namespaceOf(env, certManager())
	parts.Config = []manifest.Object{clusterIssuer(env, *acme)}
	if acme.Solver == solverDNS {
		parts.Config = append(parts.Config, wildcard(env, namespace))
	} else {
		parts.ConfigNeeds = []string{"cilium" + component.ConfigSuffix} // the challenge comes in through the ingress
	}
	return parts, nil
}

// checkACME returns what speaks against the fact in this environment.
func checkACME(env *environment.Environment, acme environment.ACME) error {
	var errs []error
	if env.Facts.Domain == "" {
		errs = append(errs, env.Missing("facts.domain", "which names the certificates are for"))
	}
	if server, err := url.Parse(acme.Server); err == nil && env.Rebuilt == "often" {
		if staging, public := publicACME[server.Hostname()]; public {
			errs = append(errs, wrongFact(env, "facts.acme.server", "%s counts certificates for a registered domain, and an environment that is rebuilt "+
				"often spends what production needs; state %s", acme.Server, orInternal(staging)))
		}
	}
	if acme.Solver == solverDNS && len(acme.DNS01) == 0 {
		errs = append(errs, env.Missing("facts.acme.dns01", "how cert-manager writes the record that proves the domain is ours"))
	}
	if acme.Solver == solverHTTP {
		errs = append(errs, wildcardsBy(env)...)
	}
	return errors.Join(errs...)
}

// orInternal names the server to use instead.
func orInternal(staging string) string {
	if staging == "" {
		return "a staging server or an internal one"
	}
	return staging + ", or an internal server"
}

// wildcardsBy returns an error for each Certificate of the model that asks this issuer for a wildcard: an authority signs one
// only after a look at DNS (Baseline Requirements of the CA/Browser Forum, 3.2.2.4.19).
func wildcardsBy(env *environment.Environment) []error {
	var errs []error
	for _, c := range env.Components {
		for _, added := range c.Objects {
			o := manifest.New(added.Object)
			id := o.ID()
			if id.Kind != "Certificate" || id.Group != "cert-manager.io" || o.String("spec", "issuerRef", "name") != issuer {
				continue
			}
			for _, name := range o.List("spec", "dnsNames") {
				if s, _ := name.(string); strings.HasPrefix(s, "*.") {
					errs = append(errs, mistake(added.Origin, "components."+c.Name+".objects", "Certificate %s asks for %s, which issuer %s cannot have signed: "+
						"facts.acme.solver is http01, and a wildcard is signed by way of DNS only; state dns01, or name each host", id.Name, s, issuer))
				}
			}
		}
	}
	return errs
}

// ownIssuer reports whether the model itself adds an issuer, which says who signs.
func ownIssuer(env *environment.Environment) bool {
	return slices.ContainsFunc(env.Components, func(c environment.Component) bool {
		return slices.ContainsFunc(c.Objects, func(added environment.Added) bool {
			id := manifest.New(added.Object).ID()
			return id.Group == "cert-manager.io" && (id.Kind == "ClusterIssuer" || id.Kind == "Issuer")
		})
	})
}

// clusterIssuer is the authority as cert-manager knows it. Its name is the same in every environment, so that an Ingress
// names it without knowing where it runs.
func clusterIssuer(env *environment.Environment, acme environment.ACME) manifest.Object {
	solver := map[string]any{}
	if acme.Solver == solverDNS {
		solver["dns01"] = manifest.Copy(acme.DNS01)
	} else {
		ingress := map[string]any{}
		if ciliumIngress(env) {
			ingress["ingressClassName"] = "cilium"
		}
		solver["http01"] = map[string]any{"ingress": ingress}
	}
	return object("cert-manager.io/v1", "ClusterIssuer", "", issuer, map[string]any{"acme": map[string]any{
		"server":              acme.Server,
		"email":               acme.Email,
		"privateKeySecretRef": map[string]any{"name": issuer + "-account"},
		"solvers":             []any{solver},
	}})
}

// wildcard is the certificate of the domain and of all names one label below it: a wildcard covers neither the domain itself
// nor two labels.
func wildcard(env *environment.Environment, namespace string) manifest.Object {
	return object("cert-manager.io/v1", "Certificate", namespace, "wildcard", map[string]any{
		"secretName": wildcardName,
		"dnsNames":   list(env.Facts.Domain, "*."+env.Facts.Domain),
		"issuerRef":  map[string]any{"group": "cert-manager.io", "kind": "ClusterIssuer", "name": issuer},
	})
}

// wildcardSecret returns where the certificate of the whole domain lies, where there is one.
func wildcardSecret(env *environment.Environment) (namespace, name string, ok bool) {
	acme := env.Facts.ACME
	if !has(env, "cert-manager") || acme == nil || acme.Solver != solverDNS {
		return "", "", false
	}
	return namespaceOf(env, certManager()), wildcardName, true
}

// ciliumIngress reports whether Cilium's ingress controller runs.
func ciliumIngress(env *environment.Environment) bool {
	return has(env, "cilium") && isOn(env, "cilium", env.Facts.LoadBalancer != nil, "ingressController", "enabled")
}
