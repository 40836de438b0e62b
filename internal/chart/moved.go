package chart

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// move is a repository that went elsewhere without leaving a redirect.
type move struct{ from, to, source string }

// moves are the known ones, each with where it is said.
var moves = []move{
	{"https://bitnami-labs.github.io/sealed-secrets", "https://bitnami.github.io/sealed-secrets", "https://github.com/bitnami/sealed-secrets/issues/1982"},
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

// withMove adds the new address to the error of a repository that is gone.
func withMove(repo string, err error) error {
	var status *statusError
	if !errors.As(err, &status) || status.code != http.StatusNotFound && status.code != http.StatusGone {
		return err
	}
	if m := movedTo(repo); m.to != "" {
		return fmt.Errorf("%w; the repository moved to %s (%s): change the model and run `%s`", err, m.to, m.source, LockCommand)
	}
	return fmt.Errorf("%w; if the repository moved, change its address in the model; `gen charts vendor` keeps a copy in your own repository", err)
}
