package generators

// What TestParts wants of the other components, with the quotes that the emitter sets left out.
const (
	certManagerLab = `values:
  crds:
    enabled: true
    keep: true
needs: [cilium]
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata:
  name: acme
spec:
  acme:
    email: platform@example.internal
    privateKeySecretRef:
      name: acme-account
    server: https://acme-staging.example.internal/directory
    solvers:
    - dns01:
        rfc2136:
          nameserver: 10.10.0.2:53
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: wildcard
  namespace: pki
spec:
  dnsNames:
  - lab.example.internal
  - *.lab.example.internal
  issuerRef:
    group: cert-manager.io
    kind: ClusterIssuer
    name: acme
  secretName: wildcard-tls
`

	certManagerProd = `values:
  crds:
    enabled: true
    keep: true
needs: [cilium]
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata:
  name: acme
spec:
  acme:
    email: platform@example.internal
    privateKeySecretRef:
      name: acme-account
    server: https://acme-v02.api.letsencrypt.org/directory
    solvers:
    - dns01:
        rfc2136:
          nameserver: 10.10.0.2:53
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: wildcard
  namespace: cert-manager
spec:
  dnsNames:
  - prod.example.internal
  - *.prod.example.internal
  issuerRef:
    group: cert-manager.io
    kind: ClusterIssuer
    name: acme
  secretName: wildcard-tls
`

	certManagerHTTP = `values:
  crds:
    enabled: true
    keep: true
needs: [cilium cilium-config]
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata:
  name: acme
spec:
  acme:
    email: platform@example.internal
    privateKeySecretRef:
      name: acme-account
    server: https://acme.example.internal/directory
    solvers:
    - http01:
        ingress:
          ingressClassName: cilium
`

	certManagerOwn = `values:
  crds:
    enabled: true
    keep: true
needs: [cilium]
`

	externalSecretsLab = `values:
  installCRDs: true
  serviceAccount:
    create: true
    name: external-secrets
needs: [cilium]
---
apiVersion: external-secrets.io/v1beta1
kind: ClusterSecretStore
metadata:
  name: vault
spec:
  provider:
    vault:
      auth:
        kubernetes:
          mountPath: kubernetes-lab
          role: lab-external-secrets
          serviceAccountRef:
            name: external-secrets
            namespace: external-secrets
      path: secret
      server: https://vault.example.internal
      version: v2
`

	externalSecretsProd = `values:
  installCRDs: true
  serviceAccount:
    create: true
    name: external-secrets
needs: [cilium]
---
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata:
  name: vault
spec:
  provider:
    vault:
      auth:
        kubernetes:
          mountPath: kubernetes-prod
          role: reader
          serviceAccountRef:
            name: external-secrets
            namespace: external-secrets
      path: secret
      server: https://vault.example.internal
      version: v2
`

	argoCDProd = `values:
  configs:
    cm:
      resource.exclusions: |
        - apiGroups: []
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
    params:
      controller.sync.timeout.seconds: "86400"
      server.insecure: true
  crds:
    install: true
    keep: true
  fullnameOverride: argocd
  global:
    domain: argocd.prod.example.internal
  server:
    ingress:
      enabled: true
      extraTls:
      - hosts:
        - argocd.prod.example.internal
      ingressClassName: cilium
needs: [cilium cilium-config]
`

	argoCDHTTP = `values:
  configs:
    cm:
      resource.exclusions: |
        - apiGroups: []
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
    params:
      controller.sync.timeout.seconds: "86400"
      server.insecure: true
  crds:
    install: true
    keep: true
  fullnameOverride: argocd
  global:
    domain: argocd.lab.example.internal
  server:
    ingress:
      annotations:
        cert-manager.io/cluster-issuer: acme
      enabled: true
      ingressClassName: cilium
      tls: true
needs: [cilium cilium-config]
`

	argoCDPlain = `values:
  configs:
    cm:
      resource.exclusions: |
        - apiGroups: []
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
    params:
      controller.sync.timeout.seconds: "86400"
  crds:
    install: true
    keep: true
  fullnameOverride: argocd
  global:
    domain: argocd.lab.example.internal
needs: [cilium cilium-config]
`

	argoCDAlone = `values:
  configs:
    params:
      controller.sync.timeout.seconds: "86400"
  crds:
    install: true
    keep: true
  fullnameOverride: argocd
  global:
    domain: argocd.lab.example.internal
needs: [cilium]
`

	metricsServerLab = `values:
  args:
  - --kubelet-insecure-tls
needs: [cilium]
`

	metricsServerChecked = `values: {}
needs: [cilium kubelet-csr-approver]
`

	sealedSecretsLab = `values:
  fullnameOverride: sealed-secrets-controller
needs: [cilium]
`
)
