package environment

import "net/netip"

// Facts are claims about surroundings: never defaulted, inherited or copied. A nil pointer or empty list is a fact nobody
// stated. Where a struct is there, the fields that carry a `decides` tag are stated, and all are checked.
type Facts struct {
	Domain       string        `json:"domain,omitempty" doc:"The DNS domain under which this cluster's names are, for example lab.example.com."`
	Network      *Network      `json:"network,omitempty" doc:"Subnets and resolvers."`
	ControlPlane *ControlPlane `json:"controlPlane,omitempty" doc:"Where the API server answers."`
	Nodes        []Node        `json:"nodes,omitempty" doc:"The machines."`
	LoadBalancer *LoadBalancer `json:"loadBalancer,omitempty" doc:"The addresses for Services of type LoadBalancer, and how they are announced."`
	FrontProxy   *FrontProxy   `json:"frontProxy,omitempty" doc:"The machine before the load balancer, or none."` // a bare scalar is its protocol
	Mirrors      []Mirror      `json:"mirrors,omitempty" doc:"Registry mirrors that this cluster reaches."`
	NTP          []string      `json:"ntp,omitempty" doc:"Time servers, as host names or addresses."`
	Vault        *Vault        `json:"vault,omitempty" doc:"Where secrets come from."`
	ACME         *ACME         `json:"acme,omitempty" doc:"Who issues certificates."`
	// Own holds facts of the fleet's own naming, for ${facts.own.…}.
	Own map[string]any `json:"own,omitempty" doc:"Facts of your own naming, read by ${facts.own.…} references."`
}

// Network holds the subnets and resolvers.
type Network struct {
	Nodes    netip.Prefix `json:"nodes,omitzero" doc:"The nodes' subnet." decides:"which node addresses are right, and what the nodes' subnet is to Talos and Cilium"`
	Gateway  netip.Addr   `json:"gateway,omitzero" doc:"The nodes' default gateway." decides:"the nodes' default route"`
	Pods     netip.Prefix `json:"pods,omitzero" doc:"The pods' subnet." decides:"the addresses of pods, and what is not masqueraded"`
	Services netip.Prefix `json:"services,omitzero" doc:"The Services' subnet." decides:"the addresses of Services, the cluster's DNS among them"`
	DNS      []netip.Addr `json:"dns,omitempty" doc:"The resolvers that the nodes ask." decides:"whom nodes ask for names before the cluster has a DNS of its own"`
}

// ControlPlane says where the API server answers.
type ControlPlane struct {
	Endpoint string     `json:"endpoint,omitempty" doc:"The API server's address for clients, https://host:port." decides:"where nodes and people reach the API server"`
	VIP      netip.Addr `json:"vip,omitzero" doc:"The address that the control plane nodes share; leave it out where a balancer stands before them."`
}

// Node is one machine.
type Node struct {
	Name    string       `json:"name" doc:"The host name."`
	Role    string       `json:"role" doc:"What the node is." enum:"controlplane|worker"`
	Address netip.Prefix `json:"address" doc:"The node's address with the subnet's prefix length."`
	Link    string       `json:"link" doc:"The network link that carries the address, for example ens18."`
	Disk    string       `json:"disk" doc:"The disk that the system is installed on, for example /dev/sda."`
	Arch    string       `json:"arch,omitempty" doc:"The processor; amd64 where it says nothing." enum:"amd64|arm64"`
}

// LoadBalancer is the pool for Services of type LoadBalancer and how it is announced.
type LoadBalancer struct {
	Addresses []netip.Prefix `json:"addresses,omitempty" doc:"The pool." decides:"which addresses Services of type LoadBalancer get"`
	Announce  Announce       `json:"announce,omitzero" doc:"How the network learns of the addresses." decides:"how the network finds the addresses"`
}

// Announce holds exactly one way.
type Announce struct {
	L2  *L2  `json:"l2,omitempty" doc:"By ARP and neighbour discovery."`
	BGP *BGP `json:"bgp,omitempty" doc:"By BGP."`
}

// L2 announces by ARP and NDP on links whose names match one of the regular expressions.
type L2 struct {
	Links []string `json:"links" doc:"Regular expressions for the names of the links."`
}

// BGP announces to the peers.
type BGP struct {
	ASN   int64  `json:"asn" doc:"This cluster's AS number."`
	Peers []Peer `json:"peers" doc:"The neighbours."`
}

// Peer is a BGP neighbour.
type Peer struct {
	Address netip.Addr `json:"address" doc:"The neighbour's address."`
	ASN     int64      `json:"asn" doc:"The neighbour's AS number."`
}

// FrontProxy is the machine before the load balancer, or the claim that there is none.
type FrontProxy struct {
	Protocol string         `json:"protocol" doc:"What it speaks: none claims that no proxy stands there, plain that one stands there and adds no header." enum:"none|plain|proxy-v1|proxy-v2"`
	From     []netip.Prefix `json:"from,omitempty" doc:"Whom the PROXY header is believed."`
}

func (FrontProxy) scalarField() string { return "protocol" }

// Mirror is one entry of the mirror map; `mirrors.yaml` of the image filter is a list of these.
type Mirror struct {
	Source       string `json:"source" doc:"The registry that is mirrored, or a registry and the beginning of a repository: docker.io, ghcr.io/org."`
	Endpoint     string `json:"endpoint" doc:"The mirror, https://registry.example.internal."`
	Path         string `json:"path,omitempty" doc:"What stands before the repository at the endpoint."`
	Kind         string `json:"kind" doc:"transparent: the node redirects; explicit: the name in manifests is rewritten." enum:"transparent|explicit"`
	OverridePath bool   `json:"overridePath,omitempty" doc:"Transparent only: no /v2 is added to the endpoint's path."`
	Tags         *bool  `json:"tags,omitempty" doc:"Whether the mirror resolves tags; true where it says nothing. With false, the digest is written behind the tag: nodes would ask the source for it."`
	Insecure     bool   `json:"insecure,omitempty" doc:"Plain http is meant."`
	CA           string `json:"ca,omitempty" doc:"The certificate authority of the endpoint, PEM, where this machine does not know it."`
	Accept       string `json:"accept,omitempty" doc:"platform-only: an image of the nodes' one platform counts, where the source has an index; its own digest is written." enum:"platform-only"`

	RequireSignatures bool `json:"requireSignatures,omitempty" doc:"An image counts only if the mirror has every signature and attestation of it that the source has (cosign, sigstore bundles, Notary)."`
}

// Vault says where secrets come from.
type Vault struct {
	Address string `json:"address,omitempty" doc:"Vault's address, https://vault.example.internal." decides:"where secrets are read"`
	Mount   string `json:"mount,omitempty" doc:"This cluster's own auth mount." decides:"which cluster Vault takes this one for; two clusters with one mount cut each other off"`
	Role    string `json:"role,omitempty" doc:"This cluster's own role; <environment>-external-secrets where it says nothing."`
	Path    string `json:"path,omitempty" doc:"The KV mount of the secrets." decides:"below which path secrets are looked for"`
}

// ACME says who issues certificates and how it looks at the domain.
type ACME struct {
	Server string `json:"server,omitempty" doc:"The directory URL of the issuer." decides:"who issues certificates, and whether they are trusted outside of a test"`
	Email  string `json:"email,omitempty" doc:"Whom the issuer writes to." decides:"whom the issuer tells of trouble"`
	Solver string `json:"solver,omitempty" doc:"How the issuer looks at the domain." enum:"http01|dns01" decides:"how the issuer looks at the domain"`
	// DNS01 is the solver's body as cert-manager has it, for dns01.
	DNS01 map[string]any `json:"dns01,omitempty" doc:"The dns01 solver as cert-manager has it."`
}
