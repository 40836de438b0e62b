{{- define "metrics-server.name" -}}
{{ .Values.nameOverride | default .Chart.Name }}
{{- end }}

{{- define "metrics-server.account" -}}
{{ .Values.serviceAccount.name | default (ternary (include "demo.fullname" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{- define "metrics-server.labels" -}}
{{ include "demo.labels" (dict "root" . "name" (include "metrics-server.name" .)) }}
{{- end }}

{{- define "metrics-server.selector" -}}
{{ include "demo.selector" (dict "root" . "name" (include "metrics-server.name" .)) }}
{{- end }}

{{- define "metrics-server.roles" -}}
{{- $name := include "demo.fullname" . }}
{{- $account := include "metrics-server.account" . }}
- name: system:{{ $name }}
  account: {{ $account }}
  rules: [core nodes/metrics get, "core pods,nodes,namespaces,configmaps read"]
- name: system:{{ $name }}-aggregated-reader
  labels:
    {{- range list "admin" "edit" "view" }}
    rbac.authorization.k8s.io/aggregate-to-{{ . }}: "true"
    {{- end }}
  rules: ["metrics.k8s.io pods,nodes read"]
- name: {{ $name }}:system:auth-delegator
  ref: system:auth-delegator
  account: {{ $account }}
- name: {{ $name }}-auth-reader
  namespace: kube-system
  ref: extension-apiserver-authentication-reader
  account: {{ $account }}
{{- end }}
