{{- define "argo-cd.namespace" -}}
{{ .Values.namespaceOverride | default .Release.Namespace }}
{{- end }}

{{- define "argo-cd.image" -}}
{{ .Values.global.image.repository }}:{{ .Values.global.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* root, part: the labels of a part, and those that select its pods */}}
{{- define "argo-cd.labels" -}}
{{ include "demo.labels" (dict "root" .root "name" (printf "argocd-%s" .part) "component" .part) }}
app.kubernetes.io/part-of: argocd
{{- end }}

{{- define "argo-cd.selector" -}}
{{ include "demo.selector" (dict "root" .root "name" (printf "argocd-%s" .part)) }}
{{- end }}

{{- /* The parts that run, by name: what is theirs alone. */}}
{{- define "argo-cd.parts" -}}
application-controller:
  values: controller
  kind: StatefulSet
  container: application-controller
  args: [/usr/local/bin/argocd-application-controller, --metrics-port=8082]
  ports: [metrics 8082]
  redis: true
  files: {argocd-repo-server-tls: /app/config/controller/tls, argocd-cmd-params-cm: /home/argocd/params}
  scratch: {argocd-home: /home/argocd, argocd-application-controller-tmp: /tmp}
  rules:
    - core secrets,configmaps read
    - argoproj.io applications,applicationsets,appprojects create,read,update,patch,delete
    - core events create,list
    - apps deployments read
  clusterRules: ["* * *", "url * *"]
  open: [metrics]
applicationset-controller:
  values: applicationSet
  container: applicationset-controller
  args: [/usr/local/bin/argocd-applicationset-controller, "--metrics-addr=:8080", "--probe-addr=:8081", "--webhook-addr=:7000"]
  ports: [metrics 8080, probe 8081, webhook 7000]
  files: {argocd-ssh-known-hosts-cm: /app/config/ssh, argocd-tls-certs-cm: /app/config/tls, argocd-repo-server-tls: /app/config/reposerver/tls, argocd-cmd-params-cm: /home/argocd/params}
  scratch: {tmp: /tmp}
  service: [http-webhook 7000 webhook]
  rules:
    - argoproj.io applications,applicationsets,applicationsets/finalizers create,read,update,patch,delete
    - argoproj.io applicationsets/status get,patch,update
    - argoproj.io appprojects read
    - core events create,read,patch
    - core configmaps,secrets read
    - apps,extensions deployments read
    - coordination.k8s.io leases create
    - coordination.k8s.io leases get,update,create 58ac56fa.applicationsets.argoproj.io
repo-server:
  values: repoServer
  container: repo-server
  args: [/usr/local/bin/argocd-repo-server, --port=8081, --metrics-port=8084]
  ports: [repo-server 8081, metrics 8084]
  redis: true
  probe: {path: "/healthz?full=true", port: metrics}
  files: {argocd-ssh-known-hosts-cm: /app/config/ssh, argocd-tls-certs-cm: /app/config/tls, argocd-repo-server-tls: /app/config/reposerver/tls}
  scratch: {helm-working-dir: /helm-working-dir, plugins: /home/argocd/cmp-server/plugins, var-files: /var/run/argocd, tmp: /tmp}
  copy: /var/run/argocd
  service: [tcp-repo-server 8081 repo-server]
  rules: []
  open: [metrics]
  from: {repo-server: [server, application-controller, notifications-controller, applicationset-controller]}
server:
  values: server
  container: server
  args: [/usr/local/bin/argocd-server, --port=8080, --metrics-port=8083]
  ports: [server 8080, metrics 8083]
  redis: true
  probe: {path: "/healthz?full=true", port: server}
  files: {argocd-ssh-known-hosts-cm: /app/config/ssh, argocd-tls-certs-cm: /app/config/tls, argocd-repo-server-tls: /app/config/server/tls, argocd-cmd-params-cm: /home/argocd/params}
  scratch: {plugins-home: /home/argocd, tmp: /tmp}
  service: [http 80 8080, https 443 8080]
  rules:
    - core secrets,configmaps create,read,update,patch,delete
    - argoproj.io applications,applicationsets,appprojects create,read,update,patch,delete
    - core events create,list
  clusterRules:
    - "* * delete,get,patch"
    - core events list,create
    - core pods,pods/log get
    - argoproj.io applications,applicationsets read,update
    - batch jobs create
{{- if .Values.notifications.enabled }}
notifications-controller:
  values: notifications
  container: notifications-controller
  args: [/usr/local/bin/argocd-notifications, --metrics-port=9001, --secret-name=argocd-notifications-secret]
  ports: [metrics 9001]
  files: {argocd-tls-certs-cm: /app/config/tls, argocd-repo-server-tls: /app/config/reposerver/tls}
  rules: &notifications
    - argoproj.io applications,appprojects read,update,patch
    - core configmaps,secrets list,watch
    - core configmaps get argocd-notifications-cm
    - core secrets get argocd-notifications-secret
  clusterRules: *notifications
  open: [metrics]
{{- end }}
{{- if .Values.dex.enabled }}
dex-server:
  values: dex
  container: dex-server
  image: {{ include "demo.image" .Values.dex.image }}
  command: [/shared/argocd-dex]
  args: [rundex]
  ports: [http 5556, grpc 5557, metrics 5558]
  files: {argocd-dex-server-tls: /tls}
  scratch: {static-files: /shared, dexconfig: /tmp}
  copy: /shared/argocd-dex
  service: [http 5556 http, grpc 5557 grpc]
  rules: ["core secrets,configmaps read"]
  open: [metrics]
  from: {http: [server], grpc: [server]}
{{- end }}
{{- if and .Values.redis.enabled (not (index .Values "redis-ha").enabled) }}
redis:
  values: redis
  container: redis
  image: {{ include "demo.image" .Values.redis.image }}
  args: [--save, "", --appendonly, "no", --requirepass $(REDIS_PASSWORD)]
  ports: [redis 6379]
  redis: true
  files: {{ dict (printf "%s-redis-health-configmap" (include "demo.fullname" .)) "/health" | toJson }}
  service: [redis 6379 redis]
  from: {redis: [server, repo-server, application-controller]}
{{- end }}
{{- end }}
