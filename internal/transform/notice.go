package transform

import (
	"cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Notice is one thing that a person should know about a filter that did its work.
type Notice struct {
	Component string
	Object    manifest.ID // the object that it is about; zero where there is none
	Message   string      // one sentence, with what to do where something can be done
	Minor     bool        // for those who ask for it: there is nothing to do about it
}

// String returns the notice on one line.
func (n Notice) String() string {
	place := n.Component
	if n.Object != (manifest.ID{}) {
		place += ": " + n.Object.String()
	}
	return place + ": " + n.Message
}

func compareNotices(a, b Notice) int {
	return cmp.Or(cmp.Compare(a.Component, b.Component), a.Object.Compare(b.Object), cmp.Compare(a.Message, b.Message))
}
