{{- define "cert-manager.namespace" -}}
{{ .Values.namespace | default .Release.Namespace }}
{{- end }}

{{- /* root, values, part: an image, whose tag is the chart's own version where none is given */}}
{{- define "cert-manager.image" -}}
{{- $image := .values.image }}
{{- include "demo.image" (dict "repository" $image.repository "tag" ($image.tag | default .root.Chart.AppVersion) "digest" $image.digest) }}
{{- end }}

{{- /* root, name, component: labels, with the product's own "app" */}}
{{- define "cert-manager.labels" -}}
app: {{ .name }}
{{ include "demo.labels" . }}
{{- end }}

{{- define "cert-manager.controllerRoles" -}}
issuers:
  - cert-manager.io issuers,issuers/status update,patch
  - cert-manager.io issuers read
  - core secrets read,create,update,delete
clusterissuers:
  - cert-manager.io clusterissuers,clusterissuers/status update,patch
  - cert-manager.io clusterissuers read
  - core secrets read,create,update,delete
certificates:
  - cert-manager.io certificates,certificates/status,certificaterequests,certificaterequests/status update,patch
  - cert-manager.io certificates,certificaterequests,clusterissuers,issuers read
  - cert-manager.io certificates/finalizers,certificaterequests/finalizers update
  - acme.cert-manager.io orders create,delete,read
  - core secrets read,create,update,delete,patch
orders:
  - acme.cert-manager.io orders,orders/status update,patch
  - acme.cert-manager.io orders,challenges read
  - cert-manager.io clusterissuers,issuers read
  - acme.cert-manager.io challenges create,delete
  - acme.cert-manager.io orders/finalizers update
  - core secrets read
challenges:
  - acme.cert-manager.io challenges,challenges/status update,patch
  - acme.cert-manager.io challenges read
  - acme.cert-manager.io challenges/finalizers update
  - cert-manager.io issuers,clusterissuers read
  - core pods,services read,create,delete
  - networking.k8s.io ingresses read,create,delete,update
  - gateway.networking.k8s.io httproutes read,create,delete,update
  - core secrets read
ingress-shim:
  - cert-manager.io certificates,certificaterequests create,update,delete
  - cert-manager.io certificates,certificaterequests,issuers,clusterissuers read
  - networking.k8s.io ingresses read
  - networking.k8s.io ingresses/finalizers update
  - gateway.networking.k8s.io gateways,httproutes read
{{- end }}
