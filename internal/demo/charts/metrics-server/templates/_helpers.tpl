{{- define "metrics-server.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "metrics-server.fullname" -}}
{{- $name := include "metrics-server.name" . }}
{{- .Values.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "metrics-server.account" -}}
{{ .Values.serviceAccount.name | default (ternary (include "metrics-server.fullname" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{- define "metrics-server.selector" -}}
app.kubernetes.io/name: {{ include "metrics-server.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "metrics-server.labels" -}}
{{ include "metrics-server.selector" . }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
