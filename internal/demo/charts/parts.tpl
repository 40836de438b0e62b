{{- /*
What the stand-ins have in common. It is packed into each of them as templates/_parts.tpl.
Rules are written "GROUPS RESOURCES VERBS [NAMES]", where core is the group "", read is get,list,watch and url is nonResourceURLs.
*/}}
{{- define "demo.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name }}
{{- .Values.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* root, name, component: the labels that select pods */}}
{{- define "demo.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "demo.labels" -}}
{{ include "demo.selector" . }}
{{ include "demo.chartLabels" .root }}
{{- end }}

{{- define "demo.chartLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* repository, tag, digest, useDigest: an image reference */}}
{{- define "demo.image" -}}
{{ .repository }}:{{ .tag }}{{ if and .digest (ne (toString .useDigest) "false") }}@{{ .digest }}{{ end }}
{{- end }}

{{- define "demo.restricted" -}}
{allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}, readOnlyRootFilesystem: true, runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
{{- end }}

{{- define "demo.rules" -}}
{{- range . }}
{{- $f := splitList " " . }}
{{- if eq (first $f) "url" }}
- nonResourceURLs: {{ index $f 1 | splitList "," | toJson }}
{{- else }}
- apiGroups: {{ regexReplaceAll "\\bcore\\b" (first $f) "" | splitList "," | toJson }}
  resources: {{ index $f 1 | splitList "," | toJson }}
{{- end }}
  verbs: {{ regexReplaceAll "\\bread\\b" (index $f 2) "get,list,watch" | splitList "," | toJson }}
  {{- if gt (len $f) 3 }}
  resourceNames: {{ index $f 3 | splitList "," | toJson }}
  {{- end }}
{{- end }}
{{- end }}

{{- /*
roles, labels, namespace: each role, and its binding where the role names an account or subjects. A role with a namespace is a
Role, one without a ClusterRole; without rules only the binding is made, to the role that ref (and refKind) names.
*/}}
{{- define "demo.rbac" -}}
{{- $top := . }}
{{- range $r := .roles }}
{{- $kind := ternary "Role" "ClusterRole" (hasKey $r "namespace") }}
{{- $meta := merge (dict "labels" (merge (dict) (default dict $r.labels) $top.labels)) (pick $r "name" "namespace" "annotations") }}
{{- if hasKey $r "rules" }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata: {{ toJson $meta }}
rules: {{- include "demo.rules" $r.rules | default "[]" | nindent 2 }}
{{- end }}
{{- if or $r.account $r.subjects }}
{{- $account := dict "kind" "ServiceAccount" "name" $r.account "namespace" ($r.accountNamespace | default $top.namespace) }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata: {{ merge (dict "name" ($r.binding | default $r.name)) $meta | toJson }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: {{ $r.refKind | default $kind }}, name: {{ $r.ref | default $r.name | quote }}}
subjects: {{ $r.subjects | default (list $account) | toJson }}
{{- end }}
{{- end }}
{{- end }}

{{- /* name, namespace, labels, annotations: the metadata of an object, without what is empty */}}
{{- define "demo.meta" -}}
{{- $meta := dict }}
{{- range $key, $value := pick . "name" "namespace" "labels" "annotations" }}
{{- if $value }}
{{- $_ := set $meta $key $value }}
{{- end }}
{{- end }}
{{- toJson $meta }}
{{- end }}

{{- /* name, namespace, labels, annotations: a service account */}}
{{- define "demo.account" -}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{ include "demo.meta" . }}
automountServiceAccountToken: {{ ne (toString .mount) "false" }}
{{- end }}

{{- /* name, namespace, labels, annotations, selector, ports ("NAME PORT TARGET"), spec: a service */}}
{{- define "demo.service" -}}
---
apiVersion: v1
kind: Service
metadata: {{ include "demo.meta" . }}
spec:
  {{- with .spec }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with .selector }}
  selector: {{ toJson . }}
  {{- end }}
  ports:
    {{- range .ports }}
    {{- $f := splitList " " . }}
    - {name: {{ first $f }}, port: {{ index $f 1 }}, protocol: TCP{{ if gt (len $f) 2 }}, targetPort: {{ index $f 2 }}{{ end }}}
    {{- end }}
{{- end }}

{{- /*
crds, labels, annotations, conversion: definitions, each "PLURAL.GROUP KIND SCOPE VERSIONS [SHORT]", where a version with * is
stored, one with - is no longer served, and one with ! has no status of its own.
*/}}
{{- define "demo.crds" -}}
{{- $top := . }}
{{- range .crds }}
{{- $f := splitList " " . }}
{{- $name := first $f }}
{{- $plural := first (splitList "." $name) }}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {{ $name }}
  labels: {{ $top.labels | toJson }}
  {{- with $top.annotations }}
  annotations: {{ toJson . }}
  {{- end }}
spec:
  group: {{ trimPrefix (printf "%s." $plural) $name }}
  scope: {{ index $f 2 }}
  names:
    kind: {{ index $f 1 }}
    listKind: {{ index $f 1 }}List
    plural: {{ $plural }}
    singular: {{ index $f 1 | lower }}
    {{- if gt (len $f) 4 }}
    shortNames: {{ index $f 4 | splitList "," | toJson }}
    {{- end }}
  {{- with $top.conversion }}
  conversion: {{- toYaml . | nindent 4 }}
  {{- end }}
  versions:
    {{- range index $f 3 | splitList "," }}
    - name: {{ regexReplaceAll "[^a-z0-9]" . "" }}
      served: {{ not (contains "-" .) }}
      storage: {{ contains "*" . }}
      {{- if not (contains "!" .) }}
      subresources: {status: {}}
      {{- end }}
      schema:
        openAPIV3Schema:
          type: object
          x-kubernetes-preserve-unknown-fields: true
          properties:
            apiVersion: {type: string}
            kind: {type: string}
            metadata: {type: object}
            spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
            status: {type: object, x-kubernetes-preserve-unknown-fields: true}
    {{- end }}
{{- end }}
{{- end }}
