#!/bin/sh
# The first steps of environment prod. Written by gen from the rendered objects; README.md says the same as a page.
set -eu

argocd='argocd' # the namespace of Argo CD

# How long each wait may last; every one can be set in the environment.
NODE_TIMEOUT=${NODE_TIMEOUT:-300s}
CRD_TIMEOUT=${CRD_TIMEOUT:-180s}
WORKLOAD_TIMEOUT=${WORKLOAD_TIMEOUT:-300s}
JOB_TIMEOUT=${JOB_TIMEOUT:-300s}
ADDRESS_TIMEOUT=${ADDRESS_TIMEOUT:-150s}
APPLICATION_TIMEOUT=${APPLICATION_TIMEOUT:-1200s}

usage() {
  cat <<'END'
usage: sh bootstrap.sh [-n]
  -n  list the steps and their commands, and touch nothing
Exit codes: 0 done, 1 a step failed, 2 wrong usage, 3 not this cluster, 4 no credential for the repository.
END
}

dry=''
while getopts nh option; do
  case $option in
  n) dry=yes ;;
  h)
    usage
    exit 0
    ;;
  *)
    usage >&2
    exit 2
    ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -gt 0 ]; then
  usage >&2
  exit 2
fi
cd -- "$(dirname -- "$0")"

number=0
title=''
causes=''
context=''

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }

# step opens the next step; its number is that of the page README.md.
step() {
  number=$((number + 1))
  title=$1
  say "== $number. $title"
}

# because notes what the next wait usually fails of.
because() {
  causes=''
  for cause; do causes="$causes  - $cause
"; done
}

# k runs kubectl in the context that was checked, or prints the command.
k() {
  if [ -z "$dry" ]; then
    kubectl --context "$context" "$@"
    return
  fi
  printf '   kubectl'
  for word; do
    case $word in
    *[!A-Za-z0-9_./:=,@-]*) printf " '%s'" "$word" ;;
    *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
}

# look shows what the cluster says about a thing that did not come.
look() {
  warn "\$ kubectl $*"
  kubectl --context "$context" "$@" >&2 || true
}

# events shows the last events of a namespace.
events() {
  warn "\$ kubectl -n $1 get events --sort-by=.lastTimestamp | tail -n 20"
  { kubectl --context "$context" -n "$1" get events --sort-by=.lastTimestamp || true; } 2>&1 | tail -n 20 >&2
}

# fail ends the run: what did not happen, and what it usually is.
fail() {
  warn "bootstrap.sh: step $number ($title): $*"
  if [ -n "$causes" ]; then
    warn 'Likely causes:'
    printf '%s' "$causes" >&2
  fi
  warn 'Once it is cured, run the script again: what is done already stays as it is.'
  exit 1
}

# cluster refuses every cluster but the one that is meant, and holds on to its context.
cluster() {
  endpoint=$1
  not=$2
  if [ -n "$dry" ]; then
    say "   the context's server must be ${endpoint:-what BOOTSTRAP_ENDPOINT says}"
    return 0
  fi
  if [ -z "$endpoint" ]; then
    warn 'bootstrap.sh: which cluster is meant is not known: set BOOTSTRAP_ENDPOINT to the address of its API server'
    exit 3
  fi
  context=$(kubectl config current-context) || {
    warn 'bootstrap.sh: kubectl has no current context: kubectl config use-context NAME'
    exit 3
  }
  server=$(kubectl config view --minify --context "$context" -o 'jsonpath={.clusters[0].cluster.server}') || {
    warn "bootstrap.sh: the kubeconfig does not say where context $context leads"
    exit 3
  }
  if [ "${server%/}" != "${endpoint%/}" ] || [ "${server%/}" = "${not%/}" ]; then
    warn "bootstrap.sh: context $context leads to $server, but this is for ${endpoint%/}: nothing was touched."
    warn 'Choose the right context; if the same cluster has another address, say so: BOOTSTRAP_ENDPOINT=https://HOST:PORT'
    exit 3
  fi
  say "   context $context, $server"
}

# apply sends a folder, or some files of it, as Argo CD will: same bytes, same field manager.
apply() {
  folder=$1
  shift
  if [ $# -eq 0 ]; then
    set -- -f "$folder"
  else
    for file; do
      set -- "$@" -f "$folder/$file"
      shift
    done
  fi
  k apply --server-side --force-conflicts --field-manager=argocd-controller "$@" || fail "applying $folder"
}

# settings adds to the argocd-cm of an Argo CD that is installed elsewhere, under a field manager of its own.
settings() {
  k apply --server-side --force-conflicts --field-manager=gen -f "$1" || fail "applying $1"
}

# created waits for a CRD that an operator makes at run time, and then until it is served.
created() {
  k wait "crd/$1" --for=create --timeout="$CRD_TIMEOUT" || {
    look get crd
    fail "nobody made crd/$1 within $CRD_TIMEOUT"
  }
  established "$1"
}

established() {
  k wait "crd/$1" --for=condition=Established --timeout="$CRD_TIMEOUT" || {
    look describe crd "$1"
    fail "crd/$1 is not served after $CRD_TIMEOUT"
  }
}

# workload shows a workload that is not ready, its pods and the events around it.
workload() {
  look -n "$1" describe "$2"
  look -n "$1" get pods -l "$3" -o wide
  look -n "$1" describe pods -l "$3"
  events "$1"
}

rollout() {
  k -n "$1" rollout status "$2" --timeout="$WORKLOAD_TIMEOUT" || {
    workload "$@"
    fail "$2 in $1 is not ready after $WORKLOAD_TIMEOUT"
  }
}

# pods waits for the pods of a workload that kubectl rollout does not follow (updateStrategy OnDelete).
pods() {
  k -n "$1" wait pods -l "$3" --for=condition=Ready --timeout="$WORKLOAD_TIMEOUT" || {
    workload "$@"
    fail "the pods of $2 in $1 are not ready after $WORKLOAD_TIMEOUT"
  }
}

# job waits for a Job; one with a time to live may be gone by now, which says that it ended.
job() {
  if k -n "$1" wait "$2" --for=condition=Complete --timeout="$JOB_TIMEOUT"; then return 0; fi
  left=$(k -n "$1" get "$2" --ignore-not-found -o name) || fail "asking for $2 in $1"
  if [ -z "$left" ] && [ -n "$4" ]; then
    say "   $2 has ended and was removed $4 s later"
    return 0
  fi
  workload "$@"
  fail "$2 in $1 is not complete after $JOB_TIMEOUT"
}

nodes() {
  k wait node --all --for=condition=Ready --timeout="$NODE_TIMEOUT" || {
    look get nodes -o wide
    look describe nodes
    fail "not every node is Ready after $NODE_TIMEOUT"
  }
}

dns() {
  k -n kube-system wait pods -l k8s-app=kube-dns --for=condition=Ready --timeout="$WORKLOAD_TIMEOUT" || {
    look -n kube-system describe pods -l k8s-app=kube-dns
    events kube-system
    fail "the cluster's DNS is not ready after $WORKLOAD_TIMEOUT"
  }
}

address() {
  k -n "$1" wait "service/$2" '--for=jsonpath={.status.loadBalancer.ingress[0]}' --timeout="$ADDRESS_TIMEOUT" || {
    look -n "$1" get "service/$2" -o 'jsonpath={range .status.conditions[*]}{.type}={.status} {.reason}: {.message}{"\n"}{end}'
    look -n "$1" describe "service/$2"
    fail "service/$2 in $1 has no address after $ADDRESS_TIMEOUT"
  }
}

# registered asks whether Argo CD of the hub knows the cluster by its name.
registered() {
  set -- "$1" -n "$argocd" get secret -l argocd.argoproj.io/secret-type=cluster -o 'go-template={{range .items}}{{if .data.name}}{{.data.name | base64decode}}{{"\n"}}{{end}}{{end}}'
  name=$1
  shift
  if [ -n "$dry" ]; then
    k "$@"
    return 0
  fi
  names=$(k "$@") || fail 'asking for registered clusters'
  printf '%s\n' "$names" | grep -Fqx -- "$name" || fail "the hub knows no cluster $name: argocd cluster add CONTEXT --name $name"
}

# credential asks whether Argo CD may read the repository. Its value never passes through here.
credential() {
  set -- "$1" -n "$argocd" get secret -l 'argocd.argoproj.io/secret-type in (repository,repo-creds)' -o 'go-template={{range .items}}{{if .data.url}}{{.data.url | base64decode}}{{"\n"}}{{end}}{{end}}'
  url=$1
  shift
  if [ -n "$dry" ]; then
    k "$@"
    return 0
  fi
  known=$(k "$@") || fail 'asking for repository credentials'
  for each in $known; do
    case ${url%.git} in
    "${each%.git}"*)
      say "   there is one for $each"
      return 0
      ;;
    esac
  done
  if [ "${REPOSITORY_PUBLIC:-}" = yes ]; then
    say "   none, and REPOSITORY_PUBLIC=yes says that none is needed"
    return 0
  fi
  warn "bootstrap.sh: step $number ($title): Argo CD has no credential for $url. Make it and run the script again:"
  secret >&2
  warn 'If everyone may read the repository, say so: REPOSITORY_PUBLIC=yes'
  exit 4
}

# phase is how the last operation of an Application stands; nothing where there was none.
phase() {
  k -n "$argocd" get "applications.argoproj.io/$1" --ignore-not-found -o 'jsonpath={.status.operationState.phase}'
}

# resume begins an operation anew that ended without success: Argo CD does not try the same commit again. One that runs is left
# alone: whether it hangs or waits for something that comes, a person knows.
resume() {
  if [ -n "$dry" ]; then
    phase "$1"
    return 0
  fi
  ended=$(phase "$1") || fail "asking for Application $1"
  case $ended in
  Failed | Error)
    say "   the last operation of $1 ended $ended: it is begun anew"
    k -n "$argocd" patch "applications.argoproj.io/$1" --type merge -p "$anew" || fail "beginning the operation of $1 anew"
    ;;
  esac
}

anew='{"metadata":{"annotations":{"argocd.argoproj.io/refresh":"normal"}},"status":{"operationState":null}}'
end='{"status":{"operationState":{"phase":"Terminating"}}}'

# left is what remains of a limit such as 1200s, 20m or 2h since a moment, for waits that share it; one written otherwise stays whole.
left() {
  amount=${1%?}
  case $amount in '' | 0* | *[!0-9]*) amount='' ;; esac
  case $amount$1 in
  *[0-9]s) unit=1 ;;
  *[0-9]m) unit=60 ;;
  *[0-9]h) unit=3600 ;;
  *) amount='' ;;
  esac
  spent=$(($(date +%s) - $2))
  if [ -z "$amount" ] || [ "$spent" -lt 5 ]; then
    printf '%s' "$1"
  elif [ "$((amount * unit))" -gt "$spent" ]; then
    printf '%ss' "$((amount * unit - spent))"
  else
    printf '1s'
  fi
}

# application waits for one Application: made, Synced, Healthy, in one limit.
application() {
  resume "$1"
  since=$(date +%s)
  if k -n "$argocd" wait "applications.argoproj.io/$1" --for=create --timeout="$APPLICATION_TIMEOUT" &&
    k -n "$argocd" wait "applications.argoproj.io/$1" '--for=jsonpath={.status.sync.status}=Synced' --timeout="$(left "$APPLICATION_TIMEOUT" "$since")" &&
    k -n "$argocd" wait "applications.argoproj.io/$1" '--for=jsonpath={.status.health.status}=Healthy' --timeout="$(left "$APPLICATION_TIMEOUT" "$since")"; then
    return 0
  fi
  look -n "$argocd" get "applications.argoproj.io/$1" -o 'jsonpath={.status.operationState.phase}: {.status.operationState.message}{"\n"}{range .status.conditions[*]}{.type}: {.message}{"\n"}{end}'
  look -n "$argocd" get "applications.argoproj.io/$1" -o 'go-template={{range .status.resources}}{{if or (ne .status "Synced") (and .health (ne .health.status "Healthy"))}}{{.kind}} {{.namespace}}/{{.name}}: {{.status}}{{if .health}}, {{.health.status}} {{.health.message}}{{end}}{{"\n"}}{{end}}{{end}}'
  look -n "$argocd" describe "applications.argoproj.io/$1"
  advise "$1"
  fail "Application $1 is not Synced and Healthy after $APPLICATION_TIMEOUT"
}

# advise says what must be done beside the cure, for an operation that stands in its way.
advise() {
  case $(phase "$1") in
  Running)
    warn 'Its operation runs. If it hangs and a commit cures it: it ignores the commit until it is ended; then it takes it by itself:'
    warn "  kubectl -n $argocd patch applications.argoproj.io $1 --type merge -p '$end'"
    ;;
  Failed | Error)
    warn 'Its operation ended. A commit that cures it is taken by itself. If it is cured otherwise, Argo CD does not try the same commit again'
    warn 'until this script runs again, or this begins it anew:'
    warn "  kubectl -n $argocd patch applications.argoproj.io $1 --type merge -p '$anew'"
    ;;
  esac
}

# secret prints the commands that make the credential; the values are yours.
secret() {
  cat <<'END'
  kubectl -n argocd create secret generic prod-repository --from-literal=type=git --from-literal=url=https://git.example.internal/platform/fleet.git --from-literal=username=NAME --from-file=password=FILE
  kubectl -n argocd label secret prod-repository argocd.argoproj.io/secret-type=repository
END
}

step 'The right cluster'
because
cluster "${BOOTSTRAP_ENDPOINT:-https://10.20.0.10:6443}" ''

step 'Component cilium'
because
apply '../components/cilium' 'namespace_cilium-secrets.yaml'
because
apply '../components/cilium'
because \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so' \
  'the node does not reach the API server at localhost:7445'
rollout 'kube-system' 'daemonset/cilium' 'k8s-app=cilium'
because \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so' \
  'the node does not reach the API server at localhost:7445'
rollout 'kube-system' 'daemonset/cilium-envoy' 'k8s-app=cilium-envoy'
because \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so'
job 'kube-system' 'job/hubble-generate-certs-ad96720cf3' 'batch.kubernetes.io/job-name=hubble-generate-certs-ad96720cf3' ''
because \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so' \
  'the node does not reach the API server at localhost:7445'
rollout 'kube-system' 'deployment/cilium-operator' 'io.cilium/app=operator,name=cilium-operator'
because \
  'Secret kube-system/hubble-relay-client-certs is not there: it is in no file, so something makes it at run time' \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so'
rollout 'kube-system' 'deployment/hubble-relay' 'k8s-app=hubble-relay'
because \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so'
rollout 'kube-system' 'deployment/hubble-ui' 'k8s-app=hubble-ui'

step 'Every node is Ready'
because \
  'the network runs on some nodes only: see the pods of the step before on the node that is not Ready' \
  'the node'\''s own condition, which its description shows'
nodes

step 'Component cilium-config'
because \
  'the operator that makes it does not run, or its settings switch the feature off: read its log'
created 'ciliuml2announcementpolicies.cilium.io'
because \
  'the operator that makes it does not run, or its settings switch the feature off: read its log'
created 'ciliumloadbalancerippools.cilium.io'
because
apply '../components/cilium-config'

step 'Addresses of cilium, cilium-config'
because \
  'no address pool is there, or none of its addresses is free or fits: the conditions of the Service say which'
address 'kube-system' 'cilium-ingress'

step 'The cluster'\''s DNS'
because \
  'the pods have no network: see the steps before' \
  'the DNS of this cluster has no pods labelled k8s-app=kube-dns in kube-system'
dns

step 'Component argo-cd'
because
apply '../components/argo-cd' 'namespace_argocd.yaml' 'customresourcedefinition_applications.argoproj.io.yaml' 'customresourcedefinition_applicationsets.argoproj.io.yaml' 'customresourcedefinition_appprojects.argoproj.io.yaml'
because \
  'its conditions name a conflict with another CRD, or a schema that the API server does not accept'
established 'applications.argoproj.io'
because \
  'its conditions name a conflict with another CRD, or a schema that the API server does not accept'
established 'applicationsets.argoproj.io'
because \
  'its conditions name a conflict with another CRD, or a schema that the API server does not accept'
established 'appprojects.argoproj.io'
because
apply '../components/argo-cd'
because \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so'
job 'argocd' 'job/argocd-redis-secret-init' 'batch.kubernetes.io/job-name=argocd-redis-secret-init' '60'
because \
  'Secret argocd/argocd-redis is not there: it is in no file, so something makes it at run time' \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so'
rollout 'argocd' 'statefulset/argocd-application-controller' 'app.kubernetes.io/instance=argo-cd,app.kubernetes.io/name=argocd-application-controller'
because \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so'
rollout 'argocd' 'deployment/argocd-applicationset-controller' 'app.kubernetes.io/instance=argo-cd,app.kubernetes.io/name=argocd-applicationset-controller'
because \
  'Secret argocd/argocd-redis is not there: it is in no file, so something makes it at run time' \
  'an image is not pulled: the node must reach ghcr.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so'
rollout 'argocd' 'deployment/argocd-redis' 'app.kubernetes.io/instance=argo-cd,app.kubernetes.io/name=argocd-redis'
because \
  'Secret argocd/argocd-redis is not there: it is in no file, so something makes it at run time' \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so'
rollout 'argocd' 'deployment/argocd-repo-server' 'app.kubernetes.io/instance=argo-cd,app.kubernetes.io/name=argocd-repo-server'
because \
  'Secret argocd/argocd-redis is not there: it is in no file, so something makes it at run time' \
  'an image is not pulled: the node must reach registry.example.internal' \
  'pods are refused by Pod Security or a webhook: the events of the workload say so'
rollout 'argocd' 'deployment/argocd-server' 'app.kubernetes.io/instance=argo-cd,app.kubernetes.io/name=argocd-server'

step 'The repository'\''s credential'
because
credential 'https://git.example.internal/platform/fleet.git'

step 'The root Application'
because
apply '..' 'root.yaml'
because
resume 'root'

step 'Wave 0'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: Service kube-system/cilium-ingress, DaemonSet.apps kube-system/cilium, DaemonSet.apps kube-system/cilium-envoy, Deployment.apps kube-system/cilium-operator, Deployment.apps kube-system/hubble-relay, Deployment.apps kube-system/hubble-ui, Job.batch kube-system/hubble-generate-certs-ad96720cf3'
application 'cilium'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: CiliumL2AnnouncementPolicy.cilium.io default, CiliumLoadBalancerIPPool.cilium.io default-pool'
application 'cilium-config'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: Deployment.apps status-page/status-page'
application 'status-page'

step 'Wave 1'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: Deployment.apps argocd/argocd-applicationset-controller, Deployment.apps argocd/argocd-redis, Deployment.apps argocd/argocd-repo-server, Deployment.apps argocd/argocd-server, StatefulSet.apps argocd/argocd-application-controller, Job.batch argocd/argocd-redis-secret-init, Ingress.networking.k8s.io argocd/argocd-server'
application 'argo-cd'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: Deployment.apps external-secrets/external-secrets, Deployment.apps external-secrets/external-secrets-cert-controller, Deployment.apps external-secrets/external-secrets-webhook'
application 'external-secrets'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: APIService.apiregistration.k8s.io v1beta1.metrics.k8s.io, Deployment.apps kube-system/metrics-server'
application 'metrics-server'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: Deployment.apps kube-system/sealed-secrets-controller'
application 'sealed-secrets'

step 'Wave 2'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: ClusterSecretStore.external-secrets.io vault'
application 'external-secrets-config'

step 'Wave 3'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: Deployment.apps cert-manager/cert-manager, Deployment.apps cert-manager/cert-manager-cainjector, Deployment.apps cert-manager/cert-manager-webhook, ExternalSecret.external-secrets.io cert-manager/dns-tsig'
application 'cert-manager'

step 'Wave 4'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: Certificate.cert-manager.io cert-manager/wildcard, ClusterIssuer.cert-manager.io acme'
application 'cert-manager-config'

step 'Wave 5'
because \
  'Argo CD cannot read https://git.example.internal/platform/fleet.git at main' \
  'a wave before is not Healthy any more, so that the Application is not made' \
  'one of these is not healthy: Deployment.apps podinfo/podinfo, HorizontalPodAutoscaler.autoscaling podinfo/podinfo, Ingress.networking.k8s.io podinfo/podinfo'
application 'podinfo'

step 'Everything'
because \
  'one of the Applications above is not Healthy any more: kubectl -n argocd get applications.argoproj.io'
application 'root'

say 'Done.'
