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
