package argocd

import "github.com/coldstart-gitops/gen/internal/manifest"

// Invalid says why Argo CD begins no sync of an Application that the API server has stored: its spec names nothing to read, or no
// place (condition InvalidSpecError; v3.2.11 util/argo/argo.go, ValidatePermissions, validateSourcePermissions, GetDestinationCluster;
// v2.14.21 the same). Seen on 3.2.11 and 2.14.21. A project that is "" is the project default.
func Invalid(application manifest.Object) string {
	if why := sourceless(application); why != "" {
		return why
	}
	switch name, server := application.String("spec", "destination", "name"), application.String("spec", "destination", "server"); {
	case name != "" && server != "":
		return "its destination has both a name and a server: leave one of them out"
	case name == "" && server == "":
		return "its destination has neither a name nor a server: name in-cluster is where Argo CD runs"
	}
	return ""
}

// sourceless says what the sources of an Application lack. A hydrator's are checked by the API server.
func sourceless(application manifest.Object) string {
	if application.Get("spec", "sourceHydrator") != nil {
		return ""
	}
	sources := application.List("spec", "sources")
	several := len(sources) > 0
	if !several {
		sources = []any{application.Get("spec", "source")}
	}
	for _, item := range sources {
		fields, _ := item.(map[string]any)
		source := manifest.New(fields)
		switch {
		case fields == nil:
			return "it has no source"
		case source.String("repoURL") == "":
			return "a source of it has no repoURL"
		case source.String("path") == "" && source.String("chart") == "" && (!several || source.String("ref") == ""):
			return "a source of it has neither path nor chart"
		case source.String("chart") != "" && source.String("targetRevision") == "":
			return "a source of it is a chart without targetRevision"
		}
	}
	return ""
}
