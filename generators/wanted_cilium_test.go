package generators

// What TestParts wants of cilium, with the quotes that the emitter sets left out.
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
)
