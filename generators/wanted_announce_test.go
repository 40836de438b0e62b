package generators

// What TestParts wants of cilium where addresses are announced otherwise, or not at all.
const (
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
)
