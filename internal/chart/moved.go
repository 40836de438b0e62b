package chart

import (
	"fmt"
	"strings"
)

// move is a repository that went elsewhere without leaving a redirect.
type move struct{ from, to, source string }

// moves are the known ones, each with where it is said.
var moves = []move{
	{"https://bitnami-labs.github.io/sealed-secrets", "https://bitnami.github.io/sealed-secrets", "https://github.com/bitnami/sealed-secrets/issues/1982"},
	{"https://headlamp-k8s.github.io/headlamp", "https://kubernetes-sigs.github.io/headlamp", "https://github.com/kubernetes-sigs/headlamp/issues/3062"},
	{"https://summerwind.github.io/actions-runner-controller", "https://actions-runner-controller.github.io/actions-runner-controller", "https://github.com/actions/actions-runner-controller/issues/489"},
	{"https://lightbend.github.io/kafka-lag-exporter/repo", "https://seanglover.com/kafka-lag-exporter/repo", "https://github.com/seglo/kafka-lag-exporter/issues/314"},
	{"https://chrisjburns.github.io/pact-broker-chart", "https://pact-foundation.github.io/pact-broker-chart", "https://github.com/pact-foundation/pact-broker-chart/issues/14"},
	{"https://authorizon.github.io/opal-helm-chart", "https://permitio.github.io/opal-helm-chart", "https://github.com/permitio/opal-helm-chart/issues/55"},
	{"https://kubernetes-charts.storage.googleapis.com", "https://charts.helm.sh/stable", "https://helm.sh/blog/new-location-stable-incubator-charts"},
	{"https://kubernetes-charts-incubator.storage.googleapis.com", "https://charts.helm.sh/incubator", "https://helm.sh/blog/new-location-stable-incubator-charts"},
}

// movedTo returns where a repository is known to have gone, or nothing.
func movedTo(repo string) move {
	for _, m := range moves {
		if strings.TrimSuffix(repo, "/") == m.from {
			return m
		}
	}
	return move{}
}

// deadError says that a repository is not there.
type deadError struct {
	cause error
	move  move
}

// Error says where the repository went, or what keeps a rebuild possible.
func (e *deadError) Error() string {
	if e.move.to != "" {
		return fmt.Sprintf("%v; the repository moved to %s (%s): change the model and run `%s`", e.cause, e.move.to, e.move.source, LockCommand)
	}
	return fmt.Sprintf("%v; if the repository moved, change its address in the model; `gen charts vendor` keeps a copy in your own repository", e.cause)
}

// Unwrap returns the server's answer.
func (e *deadError) Unwrap() error { return e.cause }

// whetherDead recognises the answer of a repository that is not there.
func whetherDead(repo string, err error) error {
	if !gone(err) {
		return err
	}
	return &deadError{cause: err, move: movedTo(repo)}
}
