package render

import (
	"cmp"
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Level says who wants to read a notice.
type Level int

// The levels: a Warning is printed always, a Note only to those who ask for it.
const (
	Warning Level = iota
	Note
)

// String returns "warning" or "note".
func (l Level) String() string {
	if l == Note {
		return "note"
	}
	return "warning"
}

// Topic says what a notice is about; it is stable, so that reports can group by it.
type Topic string

// The topics of notices.
const (
	TopicDependency Topic = "dependency" // a declared dependency of a chart that is absent or switched off
	TopicValues     Topic = "values"     // values that Helm ignores or cannot check
	TopicHook       Topic = "hook"       // a Helm hook that Argo CD treats otherwise than Helm does
	TopicDropped    Topic = "dropped"    // NOTES, test hooks and hooks that the model drops
	TopicLookup     Topic = "lookup"     // a template asked the cluster or the network
	TopicGenerated  Topic = "generated"  // a value made by a random, clock or key function, kept because it is no secret
	TopicAPI        Topic = "api"        // a template asked for an API that the model does not declare
	TopicSecret     Topic = "secret"     // an allowance for a plain Secret that nothing uses
	TopicYAML       Topic = "yaml"       // a document that readers of YAML may take otherwise
)

// Notice is one thing that a person should know about a render that went well.
type Notice struct {
	Level   Level
	Topic   Topic
	Source  string      // the template, chart or place in the model that it is about
	Object  manifest.ID // the object that it is about; zero where there is none
	Message string      // one sentence, with what to do where something can be done
}

// String returns the notice on one line.
func (n Notice) String() string {
	place := n.Source
	if n.Object != (manifest.ID{}) {
		if place != "" {
			place += ": "
		}
		place += n.Object.String()
	}
	if place == "" {
		return n.Message
	}
	return place + ": " + n.Message
}

func (r *run) notice(n Notice) { r.notices = append(r.notices, n) }

// sortedNotices returns each notice once, most urgent first.
func (r *run) sortedNotices() []Notice {
	slices.SortFunc(r.notices, func(a, b Notice) int {
		return cmp.Or(
			cmp.Compare(a.Level, b.Level),
			cmp.Compare(a.Topic, b.Topic),
			cmp.Compare(a.Source, b.Source),
			a.Object.Compare(b.Object),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(r.notices)
}
