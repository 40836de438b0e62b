// Package argocd holds Argo CD's words as plain structs and constants, free of Argo CD's own packages.
package argocd

// ResourcesFinalizer makes Argo CD delete an Application's objects before the Application itself is gone. Without it they stay,
// and nobody looks after them.
const ResourcesFinalizer = "resources-finalizer.argocd.argoproj.io"

// HomeServer is the address under which Argo CD knows the cluster that it runs in, and HomeName the name that it gives it
// (util/db/cluster.go).
const (
	HomeServer = "https://kubernetes.default.svc"
	HomeName   = "in-cluster"
)

// Application is one Argo CD Application, as far as this project writes or reads it.
type Application struct {
	Name, Namespace   string
	Project           string
	Annotations       map[string]string
	Labels            map[string]string
	Finalizers        []string // ResourcesFinalizer, or none
	Wave              int
	Source            Source
	Destination       Destination
	Automated         *Automated
	SyncOptions       []string // sorted, "ServerSideApply=true"
	Retry             *Retry
	IgnoreDifferences []IgnoreDifference
	RevisionHistory   *int64
	Extra             map[string]any // the model's `application`, merged over the encoded object last
}

// Source is where an Application's objects come from.
type Source struct {
	RepoURL, TargetRevision, Path string
	Recurse                       bool // directory.recurse
}

// Destination is the cluster and namespace that an Application writes to: Server or Name, never both.
type Destination struct {
	Server, Name, Namespace string
}

// Automated is syncPolicy.automated.
type Automated struct {
	Prune, SelfHeal, AllowEmpty bool
}

// Retry is syncPolicy.retry; Limit -1 retries for ever. Refresh (Argo CD 3.2 and later) takes up new commits at the next attempt.
type Retry struct {
	Limit       int64
	Duration    string
	Factor      int64
	MaxDuration string
	Refresh     bool
}

// IgnoreDifference names fields that others write.
type IgnoreDifference struct {
	Group                 string   `json:"group,omitempty"`
	Kind                  string   `json:"kind"`
	Name                  string   `json:"name,omitempty"`
	Namespace             string   `json:"namespace,omitempty"`
	JSONPointers          []string `json:"jsonPointers,omitempty"`
	JQPathExpressions     []string `json:"jqPathExpressions,omitempty"`
	ManagedFieldsManagers []string `json:"managedFieldsManagers,omitempty"`
}

// Project is one AppProject.
type Project struct {
	Name, Namespace  string
	Description      string
	Annotations      map[string]string
	SourceRepos      []string
	Destinations     []Destination
	ClusterKinds     []GroupKind // allowed cluster-scoped kinds
	NamespacedKinds  []GroupKind // nil allows all
	SourceNamespaces []string
	Wave             int
}

// GroupKind names a kind; "*" stands for all.
type GroupKind struct{ Group, Kind string }

// Annotation keys and values that Argo CD reads.
const (
	WaveAnnotation          = "argocd.argoproj.io/sync-wave"
	HookAnnotation          = "argocd.argoproj.io/hook"
	HookDeleteAnnotation    = "argocd.argoproj.io/hook-delete-policy"
	SyncOptionsAnnotation   = "argocd.argoproj.io/sync-options"
	CompareAnnotation       = "argocd.argoproj.io/compare-options"
	SkipReconcileAnnotation = "argocd.argoproj.io/skip-reconcile"
	HelmHookAnnotation      = "helm.sh/hook"
	HelmWeightAnnotation    = "helm.sh/hook-weight"
	HelmDeleteAnnotation    = "helm.sh/hook-delete-policy"

	SkipDryRun  = "SkipDryRunOnMissingResource=true"
	ServerSide  = "ServerSideApply=true"
	PruneFalse  = "Prune=false"
	DeleteFalse = "Delete=false"

	RespectIgnored = "RespectIgnoreDifferences=true"

	IgnoreExtraneous = "IgnoreExtraneous" // a compare option: the object's being extra is no difference
)
