package demo

import "slices"

// stocked is one image and where it stands.
type stocked struct {
	host, repository, tag string
	at                    At
}

// stock lists every image of the world: first what the sample fleet and the stand-in charts name, with the paths and tags of
// the real ones, then what is wrong on purpose and used by nothing.
func stock() []stocked {
	return slices.Concat(
		at(HostQuay, Same,
			"argoproj/argocd", "v3.2.6",
			"cilium/certgen", "v0.4.6",
			"cilium/cilium", "v1.19.4",
			"cilium/cilium-envoy", "v1.36.9-1782267392-edeb3f2af56c37c407efa1f63f0b32f595399bbc",
			"cilium/clustermesh-apiserver", "v1.19.4",
			"cilium/hubble-relay", "v1.19.4",
			"cilium/hubble-ui", "v0.13.5",
			"cilium/hubble-ui-backend", "v0.13.5",
			"cilium/operator-generic", "v1.19.4",
			"cilium/startup-script", "1763560095-8f36c34",
			"jetstack/cert-manager-acmesolver", "v1.17.2",
			"jetstack/cert-manager-cainjector", "v1.17.2",
			"jetstack/cert-manager-controller", "v1.17.2",
			"jetstack/cert-manager-startupapicheck", "v1.17.2",
			"jetstack/cert-manager-webhook", "v1.17.2",
			"platform/web", "2.0.1",
		),
		at(HostGHCR, Same,
			"bitnami/sealed-secrets-controller", "0.28.0",
			"curl/curl-container/curl", "8.11.1",
			"dexidp/dex", "v2.44.0",
			"docker/library/redis", "8.2.2-alpine",
			"external-secrets/external-secrets", "v0.14.3",
			"library/busybox", "1.37.0",
			"metrics-server/metrics-server", "v0.8.1",
			"spiffe/spire-agent", "1.9.6",
			"spiffe/spire-server", "1.9.6",
			"stefanprodan/podinfo", "6.9.0",
			"tools/echo", "1.2.0",
		),
		at(HostAlias, Uncovered, "external-secrets/external-secrets", "v0.14.3"),

		at(HostQuay, Missing, "demo/missing", "v1"),
		at(HostQuay, Different, "demo/different", "v1"),
		at(HostGHCR, Equivalent, "demo/equivalent", "v1"),
		at(HostGHCR, Sparse, "demo/sparse", "v1"),
	)
}

// at pairs repositories with tags.
func at(host string, how At, repositoriesAndTags ...string) []stocked {
	var all []stocked
	for pair := range slices.Chunk(repositoriesAndTags, 2) {
		all = append(all, stocked{host: host, repository: pair[0], tag: pair[1], at: how})
	}
	return all
}
