package environment

// The types of this file are the files of a model as they are written; the schema is made from them.

// header opens every file of a model.
type header struct {
	APIVersion string `json:"apiVersion" doc:"The version of the model's format." enum:"gen/v1"`
	Kind       string `json:"kind" doc:"What the file holds." enum:"Fleet|Group|Site|Environment"`
}

// fleetFile is fleet.yaml.
type fleetFile struct {
	header
	Gen         toolFile                 `json:"gen,omitempty" doc:"The tool that may render this fleet."`
	Git         Git                      `json:"git" doc:"Where output is committed, and thus what Argo CD reads."`
	ArgoCD      ArgoCD                   `json:"argocd,omitempty" doc:"Which Argo CD serves the environments, where they do not say otherwise."`
	Rollout     string                   `json:"rollout,omitempty" doc:"tracked: Applications follow the branch. ordered: gen release writes one commit for the whole environment. tracked where it says nothing." enum:"tracked|ordered"`
	ImageFields []ImageFields            `json:"imageFields,omitempty" doc:"Where objects of your own kinds name images, beside the kinds that gen knows."`
	Components  map[string]componentFile `json:"components,omitempty" doc:"The components of every environment, by name."`
}

// toolFile says which versions of this tool may render the fleet.
type toolFile struct {
	Version string `json:"version,omitempty" doc:"A version of gen, or a range such as >=0.3, <0.5; any other version refuses to work."`
}

// groupFile is groups/<name>.yaml.
type groupFile struct {
	header
	Name       string                   `json:"name,omitempty" doc:"The group's name; it is the file's name."`
	Versions   Versions                 `json:"versions,omitempty" doc:"Exact versions outside charts."`
	ArgoCD     ArgoCD                   `json:"argocd,omitempty" doc:"Which Argo CD serves the group's environments."`
	Rollout    string                   `json:"rollout,omitempty" doc:"How changes reach the clusters." enum:"tracked|ordered"`
	Rebuilt    string                   `json:"rebuilt,omitempty" doc:"How often the clusters are built anew: often allows staging certificates and a looser deletion budget." enum:"often|seldom"`
	Components map[string]componentFile `json:"components,omitempty" doc:"What the group changes of components, or adds."`
}

// siteFile is sites/<name>.yaml.
type siteFile struct {
	header
	Name  string `json:"name,omitempty" doc:"The site's name; it is the file's name."`
	Facts Facts  `json:"facts" doc:"Facts of the place, for every cluster that names it."`
}

// environmentFile is <name>.yaml.
type environmentFile struct {
	header
	Name       string                   `json:"name" doc:"The environment's name; it is the file's name."`
	Groups     []string                 `json:"groups,omitempty" doc:"The groups that it belongs to; later ones win."`
	Site       string                   `json:"site,omitempty" doc:"The place that it stands in."`
	Rebuilt    string                   `json:"rebuilt,omitempty" doc:"How often the cluster is built anew; seldom where nobody says anything." enum:"often|seldom"`
	Versions   Versions                 `json:"versions,omitempty" doc:"Exact versions outside charts."`
	ArgoCD     ArgoCD                   `json:"argocd,omitempty" doc:"Which Argo CD serves this cluster."`
	Rollout    string                   `json:"rollout,omitempty" doc:"How changes reach the cluster." enum:"tracked|ordered"`
	Facts      Facts                    `json:"facts,omitempty" doc:"Claims about this cluster's surroundings."`
	Given      []Given                  `json:"given,omitempty" doc:"What the cold-start proof takes for granted: facts that hold before the start; gen prove --write-given drafts them."`
	Components map[string]componentFile `json:"components,omitempty" doc:"What this environment changes of components, or adds."`
}

// componentFile is one component in one layer. Maps merge over the layers; lists and scalars replace what lower layers say,
// but the ways out (valuesFiles, values, patches, objects, remove, ignoreDifferences, allowSecrets) add up.
type componentFile struct {
	Enabled           *bool             `json:"enabled,omitempty" doc:"false takes the component out, true takes it back in."`
	Chart             *Chart            `json:"chart,omitempty" doc:"The chart that it comes from."`
	Kustomization     string            `json:"kustomization,omitempty" doc:"A folder with a kustomization.yaml, in the model's folder."`
	Manifests         string            `json:"manifests,omitempty" doc:"A folder or file of plain manifests, in the model's folder."`
	Namespace         string            `json:"namespace,omitempty" doc:"The namespace; the component's own, or its name, where it says nothing."`
	Release           string            `json:"release,omitempty" doc:"Helm's release name; the component's name where it says nothing."`
	Needs             []string          `json:"needs,omitempty" doc:"Components that must run before this one."`
	APIVersions       []string          `json:"apiVersions,omitempty" doc:"API versions that the chart may take for present: group/version or group/version/Kind."`
	Hooks             string            `json:"hooks,omitempty" doc:"What becomes of Helm hooks; keep where it says nothing." enum:"keep|drop"`
	AllowEmpty        *bool             `json:"allowEmpty,omitempty" doc:"The component may come out without objects."`
	Removal           string            `json:"removal,omitempty" doc:"The component is about to be taken out, and its Application will take its objects along. objects: all but CRDs, Namespaces, claims and volumes. everything: those too, but for CRDs, which Argo CD never deletes. See gen remove." enum:"objects|everything"`
	Split             string            `json:"split,omitempty" doc:"needed: objects that need the component itself running, or that would close a circle of components, become the component NAME-config. never: all stay together, and what must wait gets an inner wave. needed where it says nothing." enum:"needed|never"`
	Wave              *int              `json:"wave,omitempty" doc:"A sync wave set by hand: a constraint that the computed waves must meet."`
	Values            map[string]any    `json:"values,omitempty" doc:"Values for the chart."`
	ValuesFiles       []string          `json:"valuesFiles,omitempty" doc:"Files of values in the model's folder; values win over them."`
	Patches           []patchFile       `json:"patches,omitempty" doc:"Changes to rendered objects; each must match one."`
	Objects           []map[string]any  `json:"objects,omitempty" doc:"Kubernetes objects to add."`
	Remove            []selectorFile    `json:"remove,omitempty" doc:"Rendered objects to leave out; each must match one."`
	IgnoreDifferences []ignoreFile      `json:"ignoreDifferences,omitempty" doc:"Fields that others write, for Argo CD to leave alone."`
	Application       map[string]any    `json:"application,omitempty" doc:"Merged into the Argo CD Application."`
	AllowSecrets      []allowSecretFile `json:"allowSecrets,omitempty" doc:"Plain Secrets that may stand in the output."`
	Scopes            map[string]string `json:"scopes,omitempty" doc:"The scope of kinds (Kind.group) whose CRD is not rendered: Cluster or Namespaced." enum:"Cluster|Namespaced"`
}

// patchFile changes objects.
type patchFile struct {
	Target selectorFile   `json:"target" doc:"The objects to change."`
	Merge  map[string]any `json:"merge,omitempty" doc:"A strategic merge patch."`
	JSON   []any          `json:"json,omitempty" doc:"JSON6902 operations."`
}

// selectorFile names objects; what is left out matches all.
type selectorFile struct {
	Group     string `json:"group,omitempty" doc:"The API group; nothing matches all, the core group's kinds too."`
	Version   string `json:"version,omitempty" doc:"The API version without its group."`
	Kind      string `json:"kind,omitempty" doc:"The kind."`
	Name      string `json:"name,omitempty" doc:"The name; * stands for any text."`
	Namespace string `json:"namespace,omitempty" doc:"The namespace; * stands for any text."`
}

// ignoreFile is one entry of ignoreDifferences.
type ignoreFile struct {
	Group                 string   `json:"group,omitempty" doc:"The API group; nothing is the core group."`
	Kind                  string   `json:"kind" doc:"The kind."`
	Name                  string   `json:"name,omitempty" doc:"The name; nothing matches all."`
	Namespace             string   `json:"namespace,omitempty" doc:"The namespace; nothing matches all."`
	JSONPointers          []string `json:"jsonPointers,omitempty" doc:"Fields as JSON pointers: /spec/replicas."`
	JQPathExpressions     []string `json:"jqPathExpressions,omitempty" doc:"Fields as jq paths: .spec.replicas."`
	ManagedFieldsManagers []string `json:"managedFieldsManagers,omitempty" doc:"Field managers whose fields are left alone."`
}

// allowSecretFile lets one plain Secret into the output.
type allowSecretFile struct {
	Namespace string `json:"namespace" doc:"The Secret's namespace."`
	Name      string `json:"name" doc:"The Secret's name."`
	Reason    string `json:"reason" doc:"Why it holds nothing that must stay secret."`
}
