package generators

// What TestParts wants, with the quotes that the emitter sets left out.
const (
	ciliumLab = `values:
  bgpControlPlane:
    enabled: false
  cgroup:
    autoMount:
      enabled: false
    hostRoot: /sys/fs/cgroup
  hubble:
    tls:
      auto:
        method: cronJob
  ingressController:
    defaultSecretName: wildcard-tls
    defaultSecretNamespace: cert-manager
    enableProxyProtocol: false
    enabled: true
    loadbalancerMode: shared
    service:
      type: LoadBalancer
  ipam:
    mode: kubernetes
  k8sServiceHost: localhost
  k8sServicePort: 7445
  kubeProxyReplacement: true
  l2announcements:
    enabled: true
  securityContext:
    capabilities:
      ciliumAgent:
      - CHOWN
      - KILL
      - NET_ADMIN
      - NET_RAW
      - IPC_LOCK
      - SYS_ADMIN
      - SYS_RESOURCE
      - DAC_OVERRIDE
      - FOWNER
      - SETGID
      - SETUID
      cleanCiliumState:
      - NET_ADMIN
      - SYS_ADMIN
      - SYS_RESOURCE
needs: []
---
apiVersion: cilium.io/v2
kind: CiliumLoadBalancerIPPool
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default-pool
spec:
  blocks:
  - cidr: 10.10.0.30/32
---
apiVersion: cilium.io/v2alpha1
kind: CiliumL2AnnouncementPolicy
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default
spec:
  interfaces:
  - ^ens
  loadBalancerIPs: true
  nodeSelector:
    matchExpressions:
    - key: node-role.kubernetes.io/control-plane
      operator: DoesNotExist
`

	ciliumProd = `values:
  bgpControlPlane:
    enabled: false
  cgroup:
    autoMount:
      enabled: false
    hostRoot: /sys/fs/cgroup
  hubble:
    tls:
      auto:
        method: cronJob
  ingressController:
    defaultSecretName: wildcard-tls
    defaultSecretNamespace: cert-manager
    enableProxyProtocol: true
    enabled: true
    loadbalancerMode: shared
    service:
      type: LoadBalancer
  ipam:
    mode: kubernetes
  k8sServiceHost: localhost
  k8sServicePort: 7445
  kubeProxyReplacement: true
  l2announcements:
    enabled: true
  securityContext:
    capabilities:
      ciliumAgent:
      - CHOWN
      - KILL
      - NET_ADMIN
      - NET_RAW
      - IPC_LOCK
      - SYS_ADMIN
      - SYS_RESOURCE
      - DAC_OVERRIDE
      - FOWNER
      - SETGID
      - SETUID
      cleanCiliumState:
      - NET_ADMIN
      - SYS_ADMIN
      - SYS_RESOURCE
needs: []
---
apiVersion: cilium.io/v2
kind: CiliumLoadBalancerIPPool
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default-pool
spec:
  blocks:
  - cidr: 10.20.0.30/32
---
apiVersion: cilium.io/v2alpha1
kind: CiliumL2AnnouncementPolicy
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default
spec:
  interfaces:
  - ^ens
  loadBalancerIPs: true
  nodeSelector:
    matchExpressions:
    - key: node-role.kubernetes.io/control-plane
      operator: DoesNotExist
`

	ciliumBare = `values:
  bgpControlPlane:
    enabled: false
  cgroup:
    autoMount:
      enabled: false
    hostRoot: /sys/fs/cgroup
  hubble:
    tls:
      auto:
        method: cronJob
  ingressController:
    enabled: false
  ipam:
    mode: kubernetes
  k8sServiceHost: localhost
  k8sServicePort: 7445
  kubeProxyReplacement: true
  l2announcements:
    enabled: false
  securityContext:
    capabilities:
      ciliumAgent:
      - CHOWN
      - KILL
      - NET_ADMIN
      - NET_RAW
      - IPC_LOCK
      - SYS_ADMIN
      - SYS_RESOURCE
      - DAC_OVERRIDE
      - FOWNER
      - SETGID
      - SETUID
      cleanCiliumState:
      - NET_ADMIN
      - SYS_ADMIN
      - SYS_RESOURCE
needs: []
`

	ciliumIngressOff = `values:
  bgpControlPlane:
    enabled: false
  bpf:
    hostLegacyRouting: true
  cgroup:
    autoMount:
      enabled: false
    hostRoot: /sys/fs/cgroup
  gatewayAPI:
    enableProxyProtocol: true
  hubble:
    tls:
      auto:
        method: cronJob
  ingressController:
    enabled: false
  ipam:
    mode: kubernetes
  k8sServiceHost: localhost
  k8sServicePort: 7445
  kubeProxyReplacement: true
  l2announcements:
    enabled: true
  securityContext:
    capabilities:
      ciliumAgent:
      - CHOWN
      - KILL
      - NET_ADMIN
      - NET_RAW
      - IPC_LOCK
      - SYS_ADMIN
      - SYS_RESOURCE
      - DAC_OVERRIDE
      - FOWNER
      - SETGID
      - SETUID
      cleanCiliumState:
      - NET_ADMIN
      - SYS_ADMIN
      - SYS_RESOURCE
needs: []
---
apiVersion: cilium.io/v2
kind: CiliumLoadBalancerIPPool
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default-pool
spec:
  blocks:
  - cidr: 10.20.0.30/32
---
apiVersion: cilium.io/v2alpha1
kind: CiliumL2AnnouncementPolicy
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default
spec:
  interfaces:
  - ^ens
  loadBalancerIPs: true
  nodeSelector:
    matchExpressions:
    - key: node-role.kubernetes.io/control-plane
      operator: DoesNotExist
`

	ciliumOneNode = `values:
  bgpControlPlane:
    enabled: false
  cgroup:
    autoMount:
      enabled: false
    hostRoot: /sys/fs/cgroup
  hubble:
    tls:
      auto:
        method: cronJob
  ingressController:
    enableProxyProtocol: false
    enabled: true
    loadbalancerMode: shared
    service:
      type: LoadBalancer
  ipam:
    mode: kubernetes
  k8sServiceHost: localhost
  k8sServicePort: 7445
  kubeProxyReplacement: true
  l2announcements:
    enabled: true
  operator:
    replicas: 1
  securityContext:
    capabilities:
      ciliumAgent:
      - CHOWN
      - KILL
      - NET_ADMIN
      - NET_RAW
      - IPC_LOCK
      - SYS_ADMIN
      - SYS_RESOURCE
      - DAC_OVERRIDE
      - FOWNER
      - SETGID
      - SETUID
      cleanCiliumState:
      - NET_ADMIN
      - SYS_ADMIN
      - SYS_RESOURCE
needs: []
---
apiVersion: cilium.io/v2alpha1
kind: CiliumLoadBalancerIPPool
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default-pool
spec:
  blocks:
  - cidr: 10.10.0.30/32
---
apiVersion: cilium.io/v2alpha1
kind: CiliumL2AnnouncementPolicy
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default
spec:
  interfaces:
  - ^ens
  loadBalancerIPs: true
`

	ciliumBGP = `values:
  bgpControlPlane:
    enabled: true
  cgroup:
    autoMount:
      enabled: false
    hostRoot: /sys/fs/cgroup
  hubble:
    tls:
      auto:
        method: cronJob
  ingressController:
    defaultSecretName: wildcard-tls
    defaultSecretNamespace: cert-manager
    enableProxyProtocol: false
    enabled: true
    loadbalancerMode: shared
    service:
      type: LoadBalancer
  ipam:
    mode: kubernetes
  k8sServiceHost: localhost
  k8sServicePort: 7445
  kubeProxyReplacement: true
  l2announcements:
    enabled: false
  securityContext:
    capabilities:
      ciliumAgent:
      - CHOWN
      - KILL
      - NET_ADMIN
      - NET_RAW
      - IPC_LOCK
      - SYS_ADMIN
      - SYS_RESOURCE
      - DAC_OVERRIDE
      - FOWNER
      - SETGID
      - SETUID
      cleanCiliumState:
      - NET_ADMIN
      - SYS_ADMIN
      - SYS_RESOURCE
needs: []
---
apiVersion: cilium.io/v2
kind: CiliumLoadBalancerIPPool
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default-pool
spec:
  blocks:
  - cidr: 10.10.0.30/32
  - cidr: fd00:0:0:30::/64
---
apiVersion: cilium.io/v2
kind: CiliumBGPClusterConfig
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default
spec:
  bgpInstances:
  - localASN: 64512
    name: default
    peers:
    - name: peer-10-10-0-1
      peerASN: 64513
      peerAddress: 10.10.0.1
      peerConfigRef:
        name: default
    - name: peer-fd00-0000-0000-0000-0000-0000-0000-0001
      peerASN: 64513
      peerAddress: fd00::1
      peerConfigRef:
        name: default
  nodeSelector:
    matchExpressions:
    - key: node-role.kubernetes.io/control-plane
      operator: DoesNotExist
---
apiVersion: cilium.io/v2
kind: CiliumBGPPeerConfig
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  name: default
spec:
  families:
  - advertisements:
      matchLabels:
        advertise: load-balancer
    afi: ipv4
    safi: unicast
  - advertisements:
      matchLabels:
        advertise: load-balancer
    afi: ipv6
    safi: unicast
---
apiVersion: cilium.io/v2
kind: CiliumBGPAdvertisement
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
  labels:
    advertise: load-balancer
  name: default
spec:
  advertisements:
  - advertisementType: Service
    selector:
      matchExpressions:
      - key: no-service-has-this-label
        operator: DoesNotExist
    service:
      addresses:
      - LoadBalancerIP
`

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
      controller.sync.timeout.seconds: 1800
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
      controller.sync.timeout.seconds: 1800
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
      controller.sync.timeout.seconds: 1800
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
      controller.sync.timeout.seconds: 1800
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
