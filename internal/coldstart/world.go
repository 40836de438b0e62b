package coldstart

import (
	"cmp"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
	"github.com/coldstart-gitops/gen/internal/stored"
)

// node is one task of one Application, and what the simulation knows of it.
type node struct {
	app      *app
	step     int
	task     Task
	id       manifest.ID
	apply    []need
	healthy  []need
	gate     bool    // has a health check that the object does not pass by being there
	blurred  bool    // Argo CD does not see it before it is well
	degrade  bool    // is Degraded, not Progressing, while its needs are not met
	unlike   string  // why it stays OutOfSync for ever; "" if it does not
	rival    *node   // who makes it so, once healthy; nil where nobody must
	unserved string  // why the API server knows no such version of its kind; "" if it does
	banned   string  // why the Application's project does not let it be applied
	passing  *glance // the moment in which it may be Degraded, although all is well; nil if there is none

	hook          bool
	applied, well bool
	early         bool // well before Argo CD starts
	ill           bool // keeps its Application from being well
	lost          bool // was well, and is not any more: another Application has taken an object

	number, slot int      // among all; in its step
	waiting      *await   // what it waits for, the last time that it was looked at
	brings       []*await // what may hold because of it
}

// failure is an attempt that failed, or may fail.
type failure struct {
	node *node
	text string  // what follows the object's name
	seen *glance // the moment that an attempt may fail for; nil of other failures
}

func (f failure) String() string { return f.node.id.String() + f.text }

// provision is one way for a fact to become true.
type provision struct {
	node    *node
	healthy bool // only once the object is healthy
}

type world struct {
	in          Input
	apps        []*app
	all         []*node
	given       map[string]bool
	givenHome   map[string]bool // of the cluster that Argo CD runs in alone
	used        map[string]bool
	provided    map[needs.Fact][]provision
	webhooks    []webhook
	projects    map[string]manifest.Object
	permissions map[string]*permissions // by project, as they are asked for
	clusters    []registered
	where       surroundings
	makesAny    map[string]bool        // what some workload of a cluster makes under names that nobody states: namespace, kind, see node.key
	muted       bool                   // what is collected is of a workload that makes no pods
	would       map[needs.Fact][]*node // who would provide a fact, if it made pods
	never       map[needs.Fact]string  // why what would provide a fact is never applied
	namespace   map[string]manifest.Object
	kindList    []needs.Fact
	children    map[*node]*app
	generated   map[*node][]*app          // by ApplicationSet
	services    map[string][]*node        // by namespace
	mergers     map[needs.Fact][]*node    // ExternalSecrets that add keys to a Secret which is there
	managed     map[string]map[string]any // labels that Applications give to namespaces which they make
	kinship     map[needs.Fact][]*node    // objects by group and kind, and by group, kind and name
	scopes      map[string]manifest.Scope // that definitions state, by "Kind.group"
	schemas     stored.Schemas
	probe       probed
	places      map[mention]*node // once a cure was looked for
	reasons     *reasons          // why what does not happen does not, once the end is known
	takers
	storage
	glimpses
	customers []*customer
	simulation
}

// basics hold on every cluster that this project speaks of: what Kubernetes brings itself.
var basics = []string{
	"namespace kube-system", "namespace default", "namespace kube-public", "namespace kube-node-lease",
}

// basicsHome hold on the cluster that Argo CD runs in.
var basicsHome = []string{"kind Application.argoproj.io", "kind AppProject.argoproj.io", "kind ApplicationSet.argoproj.io", "namespace argocd"}

// emptyWorld knows what holds before the start, and no Application.
func emptyWorld(in Input) *world {
	w := &world{
		in: in, given: map[string]bool{}, givenHome: map[string]bool{}, used: map[string]bool{}, provided: map[needs.Fact][]provision{},
		projects: map[string]manifest.Object{}, namespace: map[string]manifest.Object{},
		children: map[*node]*app{}, generated: map[*node][]*app{}, services: map[string][]*node{}, mergers: map[needs.Fact][]*node{}, takers: newTakers(), glimpses: glimpses{table: glances(), shows: map[*app]*node{}},
		managed: map[string]map[string]any{}, kinship: map[needs.Fact][]*node{},
		makesAny: map[string]bool{}, would: map[needs.Fact][]*node{}, permissions: map[string]*permissions{},
	}
	for _, fact := range basics {
		w.given[fact] = true
	}
	for _, fact := range basicsHome {
		w.givenHome[fact] = true
	}
	for _, g := range in.Given {
		if !expired(g, in.Today) {
			w.given[g.Fact] = true
		}
	}
	for _, p := range in.Projects {
		w.projects[p.ID().Name] = p
	}
	return w
}

func newWorld(in Input) *world {
	w := emptyWorld(in)
	w.clusters = w.registrations()
	w.scopes = w.declaredScopes()
	for _, a := range in.Applications {
		w.apps = append(w.apps, w.newApp(a))
	}
	w.lendTemplates()
	w.never = w.neverApplied()
	w.nameApart()
	slices.SortStableFunc(w.apps, func(a, b *app) int { return cmp.Compare(a.name, b.name) })
	w.adopt()
	w.where = w.surroundings()
	w.roll()
	w.collect()
	w.each(w.judge)
	w.each(w.probeNode)
	for _, a := range w.apps {
		if !a.isSet() {
			a.barred = cmp.Or(a.invalid(), w.unwelcome(a))
			a.closed, a.begin = w.beginning(a)
		}
	}
	w.schemas = stored.Schemas{}
	for _, n := range w.all {
		w.schemas.Add(n.task.Object)
	}
	w.claimAll()
	w.each(func(n *node) { // what may stand before what is known by the gates of all
		w.require(n)
		n.banned = cmp.Or(w.placeless(n), w.forbidden(n), w.unshared(n))
	})
	w.share()
	for _, a := range w.apps {
		w.impersonate(a)
	}
	w.entitle()
	w.number()
	return w
}

// each visits all objects, unless the proof is to end.
func (w *world) each(visit func(*node)) {
	for _, n := range w.all {
		if w.in.brake.pulled() {
			return
		}
		visit(n)
	}
}

// option reports whether the Application has a sync option.
func (a *app) option(option string) bool {
	for _, o := range a.in.Object.List("spec", "syncPolicy", "syncOptions") {
		if o == option {
			return true
		}
	}
	return false
}

// nameApart names Applications of one name by their namespaces, too.
func (w *world) nameApart() {
	count := map[string]int{}
	for _, a := range w.apps {
		count[a.name]++
	}
	for _, a := range w.apps {
		if count[a.name] > 1 {
			a.name = a.in.Object.ID().Namespace + "/" + a.name
		}
	}
}

// adopt ties Applications to the objects that create them. Those that nothing creates are applied by a person.
func (w *world) adopt() {
	byName, bySet := map[string]*app{}, map[manifest.ID][]*app{}
	for _, a := range w.apps {
		set := manifest.ID{Kind: a.in.Generator.Kind, Name: a.in.Generator.Name}
		bySet[set] = append(bySet[set], a)
		if a.isSet() {
			continue
		}
		byName[a.name], byName[a.in.Object.ID().Namespace+"/"+a.name] = a, a
	}
	for _, n := range w.all {
		w.enter(n)
		child := cmp.Or(byName[n.id.Namespace+"/"+n.id.Name], byName[n.id.Name])
		if n.app.on == "" && n.id.Group == "argoproj.io" && n.id.Kind == "Application" && child != nil && child != n.app && child.parent == nil {
			child.parent = n
			w.children[n] = child
		}
		w.adoptGenerated(n, bySet)
		if n.app.on == "" && n.id.Group == "argoproj.io" && n.id.Kind == "AppProject" {
			w.projects[n.id.Name] = n.task.Object
		}
		if n.id.Group == "" && n.id.Kind == "Namespace" && n != n.app.maker {
			w.namespace[n.key(n.id.Name)] = n.task.Object
		}
		if n.id.Group == "" && n.id.Kind == "Service" {
			w.services[n.key(n.id.Namespace)] = append(w.services[n.key(n.id.Namespace)], n)
		}
		w.index(n)
	}
	w.withhold(byName)
	w.breakCircles()
	w.measure()
	for _, a := range w.apps {
		w.manage(a)
		a.active = a.parent == nil
		if home := a.in.Object.ID().Namespace; a.active && home != "" {
			w.givenHome["namespace "+home] = true // Argo CD runs there, or nobody could apply the Application
		}
	}
}

// adoptGenerated ties Applications to the ApplicationSet that makes them. Nobody waits for those: an ApplicationSet is healthy
// once it has made them (resource_customizations/argoproj.io/ApplicationSet).
func (w *world) adoptGenerated(n *node, bySet map[manifest.ID][]*app) {
	if n.app.on != "" || n.id.Group != "argoproj.io" || n.id.Kind != "ApplicationSet" {
		return
	}
	for _, a := range bySet[manifest.ID{Kind: n.id.Kind, Name: n.id.Name}] {
		if a.parent == nil && a != n.app {
			a.parent = n
			w.generated[n] = append(w.generated[n], a)
		}
	}
}

// child returns the Application that an object creates.
func (w *world) child(n *node) *app { return w.children[n] }

// judge asks for the health of an object as it is right after it was applied, and after its controller said no.
func (w *world) judge(n *node) {
	fresh := n.task.Object.Set(int64(1), "metadata", "generation")
	health, err := w.in.Health(fresh)
	n.gate = err != nil || health != nil && health.Status != argocd.Healthy // a script that fails, as many do before there is a status, leaves the wave waiting
	if n.gate && !manifest.Builtin(n.id.Group, n.id.Kind) {
		conditions := refusedConditions(n.id)
		refused := fresh.Set(map[string]any{"conditions": conditions, "parents": []any{map[string]any{"conditions": conditions, "parentRef": map[string]any{"name": "any"}}}}, "status")
		if health, err := w.in.Health(refused); err == nil && health != nil {
			n.degrade = health.Status == argocd.Degraded
		}
	}
	n.passing = w.glimpse(n)
	n.healthy = append(n.healthy, unjudged(n, err)...)
}

// refusedConditions are those of an object whose controller cannot do what it asks for. cert-manager says besides that it tries.
func refusedConditions(id manifest.ID) []any {
	condition := func(name, status string) map[string]any {
		return map[string]any{"type": name, "status": status, "reason": "Error", "message": "no"}
	}
	if id.Group == certManager && id.Kind == "Certificate" {
		return []any{condition("Issuing", "True"), condition("Ready", "False")}
	}
	return []any{condition("Ready", "False"), condition("ResolvedRefs", "False")}
}
