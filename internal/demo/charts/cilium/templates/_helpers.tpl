{{- define "cilium.labels" -}}
app.kubernetes.io/part-of: cilium
{{- end }}

{{- define "cilium.envoy" -}}
{{ ternary "true" "" (ne (toString .Values.envoy.enabled) "false") }}
{{- end }}

{{- define "cilium.mesh" -}}
{{- $spire := .Values.authentication.mutual.spire }}
{{- ternary "true" "" (and .Values.authentication.enabled $spire.enabled $spire.install.enabled) }}
{{- end }}

{{- /* Which way hubble's certificates are made: helm, cronJob, certmanager, or none. */}}
{{- define "cilium.certs" -}}
{{- $tls := .Values.hubble.tls }}
{{- ternary $tls.auto.method "none" (and .Values.hubble.enabled $tls.enabled $tls.auto.enabled) }}
{{- end }}

{{- define "cilium.apiEnv" -}}
- {name: K8S_NODE_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: spec.nodeName}}}
- {name: CILIUM_K8S_NAMESPACE, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}}}
{{- with .Values.k8sServiceHost }}
- {name: KUBERNETES_SERVICE_HOST, value: {{ quote . }}}
{{- end }}
{{- with .Values.k8sServicePort }}
- {name: KUBERNETES_SERVICE_PORT, value: {{ quote . }}}
{{- end }}
{{- end }}

{{- /* root, add: a security context with the capabilities of a part, or a privileged one where the values say so */}}
{{- define "cilium.security" -}}
{{- if .root.Values.securityContext.privileged -}}
{privileged: true}
{{- else -}}
{seLinuxOptions: {level: s0, type: spc_t}, capabilities: {add: {{ toJson .add }}, drop: [ALL]}}
{{- end }}
{{- end }}

{{- /* Kinds that cilium-operator and the agent register while they run: none of them is in the chart. */}}
{{- define "cilium.kinds" -}}
ciliumloadbalancerippools,ciliumbgpclusterconfigs,ciliumbgppeerconfigs,ciliumbgpadvertisements,ciliumbgpnodeconfigs,ciliumbgpnodeconfigoverrides,ciliumclusterwideenvoyconfigs,ciliumclusterwidenetworkpolicies,ciliumegressgatewaypolicies,ciliumendpoints,ciliumendpointslices,ciliumenvoyconfigs,ciliumidentities,ciliumlocalredirectpolicies,ciliumnetworkpolicies,ciliumnodes,ciliumnodeconfigs,ciliumcidrgroups,ciliuml2announcementpolicies,ciliumpodippools,ciliumgatewayclassconfigs
{{- end }}
