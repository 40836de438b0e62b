package argocd

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version is a release line of Argo CD; behaviour is told apart by line, not by patch.
type Version struct{ Major, Minor int }

// ParseVersion reads "3.2", "v3.2.11" or an image tag such as "v3.2.11-rc1".
func ParseVersion(text string) (Version, error) {
	trimmed := strings.TrimPrefix(text, "v")
	parts := strings.SplitN(trimmed, ".", 3)
	if len(parts) < 2 {
		return Version{}, fmt.Errorf("reading Argo CD's version %q: it must look like 3.2 or v3.2.11", text)
	}
	major, majorErr := strconv.ParseUint(parts[0], 10, 16)
	minor, minorErr := strconv.ParseUint(parts[1], 10, 16)
	if majorErr != nil || minorErr != nil {
		return Version{}, fmt.Errorf("reading Argo CD's version %q: it must look like 3.2 or v3.2.11", text)
	}
	return Version{int(major), int(minor)}, nil
}

// String returns "3.2".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Compare orders versions by age.
func (v Version) Compare(other Version) int {
	return cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Minor, other.Minor))
}

// Difference is one behaviour that not all release lines have.
type Difference struct {
	Feature Feature
	Since   Version // the line that brought it
	Says    string
	Source  string // who says so
}

// Differences returns what tells two release lines apart, in the order of the features.
func Differences(a, b Version) []Difference {
	var list []Difference
	for f := PostDeleteHooks; int(f) < len(features); f++ {
		if a.Has(f) != b.Has(f) {
			list = append(list, features[f])
		}
	}
	return list
}

// Feature is a behaviour that came with some release line.
type Feature int

// The features on which output or proof depend.
const (
	PostDeleteHooks      Feature = iota // hooks that run when the Application is deleted
	AnnotationTracking                  // objects are tracked by annotation unless told otherwise
	ExclusionsShipped                   // some kinds are dropped from every sync as shipped (see DefaultExclusions)
	CRDHealth                           // a CRD has health: Established
	SkipDryRunOnApp                     // SkipDryRunOnMissingResource=true works on the Application
	NamespaceBeforeRun                  // CreateNamespace acts before the dry run
	AutomatedEnabled                    // syncPolicy.automated.enabled
	RetryRefresh                        // syncPolicy.retry.refresh
	CronJobHealth                       // a CronJob has health: its status exists
	PreDeleteHooks                      // hooks that run before the Application's objects are deleted
	HookFinalizer                       // a hook stays until Argo CD has seen how it ended
	AndOperator                         // a sync window with andOperator is about what all of its lists name
	ClusterResourceNames                // an AppProject may allow objects of a cluster-scoped kind by name
	MissingNotInHealth                  // objects that are missing no longer count in an Application's health
	MissingCRDsIgnored                  // a CRD that is missing does not count in an Application's health
	CRDInstallingHealthy                // a CRD that is being installed is Progressing, not Degraded
)

// features is the one table of differences between release lines.
var features = map[Feature]Difference{
	PostDeleteHooks:      {PostDeleteHooks, Version{2, 10}, "hooks that run when the Application is deleted", "docs/user-guide/resource_hooks.md"},
	AnnotationTracking:   {AnnotationTracking, Version{3, 0}, "objects are tracked by annotation unless told otherwise", "docs/operator-manual/upgrading/2.14-3.0.md"},
	ExclusionsShipped:    {ExclusionsShipped, Version{3, 0}, "some kinds are dropped from every sync as shipped (see DefaultExclusions)", "docs/operator-manual/upgrading/2.14-3.0.md"},
	CRDHealth:            {CRDHealth, Version{3, 0}, "a CRD has health: Established", "resource_customizations/apiextensions.k8s.io/CustomResourceDefinition"},
	SkipDryRunOnApp:      {SkipDryRunOnApp, Version{3, 1}, "SkipDryRunOnMissingResource=true works on the Application", "argo-cd#15095, gitops-engine d65e9d9"},
	NamespaceBeforeRun:   {NamespaceBeforeRun, Version{3, 1}, "CreateNamespace acts before the dry run", "gitops-engine pkg/sync/sync_context.go, Sync"},
	AutomatedEnabled:     {AutomatedEnabled, Version{3, 1}, "syncPolicy.automated.enabled", "application_types.go"},
	RetryRefresh:         {RetryRefresh, Version{3, 2}, "syncPolicy.retry.refresh", "application_types.go; seen on a real 3.2.11"},
	CronJobHealth:        {CronJobHealth, Version{3, 2}, "a CronJob has health: its status exists", "resource_customizations/batch/CronJob"},
	PreDeleteHooks:       {PreDeleteHooks, Version{3, 3}, "hooks that run before the Application's objects are deleted", "docs/user-guide/resource_hooks.md"},
	HookFinalizer:        {HookFinalizer, Version{3, 0}, "a hook stays until Argo CD has seen how it ended", "gitops-engine pkg/sync/hook, argo-cd#18884, argo-cd#21055"},
	AndOperator:          {AndOperator, Version{3, 0}, "a sync window with andOperator is about what all of its lists name", "application_types.go, SyncWindow"},
	ClusterResourceNames: {ClusterResourceNames, Version{3, 3}, "an AppProject may allow objects of a cluster-scoped kind by name", "app_project_types.go, IsGroupKindNamePermitted"},
	MissingNotInHealth:   {MissingNotInHealth, Version{3, 4}, "objects that are missing no longer count in an Application's health", "argo-cd#25962, regression argo-cd#27917"},
	MissingCRDsIgnored:   {MissingCRDsIgnored, Version{3, 0}, "a CRD that is missing does not count in an Application's health", "util/settings/settings.go, GetResourceOverrides: ignoreResourceStatusField is all as shipped; seen on a real 2.14.21 and 3.2.11"},
	CRDInstallingHealthy: {CRDInstallingHealthy, Version{3, 5}, "a CRD that is being installed is Progressing, not Degraded", "argo-cd#26126"},
}

// Has reports whether the release line has the feature.
func (v Version) Has(f Feature) bool { return v.Compare(features[f].Since) >= 0 }

// Retries returns the retry policy for a release line.
//
// From 3.2 on an operation retries for ever and takes up new commits at the next attempt but one (seen on 3.2.11), so attempts
// follow each other closely: a cure waits two minutes at most. Before it, an operation that retries for ever would ignore the
// commit which cures it, so the limit is finite: 15 attempts take about half an hour, after which the operation ends and the next
// commit is synced at once. How long all attempts may take is another limit: SyncTimeoutKey.
func Retries(v Version) *Retry {
	retry := &Retry{Limit: 15, Duration: "5s", Factor: 2, MaxDuration: "3m"}
	if v.Has(RetryRefresh) {
		retry.Limit, retry.Refresh, retry.MaxDuration = -1, true, "1m"
	}
	return retry
}
