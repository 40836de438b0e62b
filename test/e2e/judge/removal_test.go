package judge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

const removalModel = `
-- fleet.yaml --
apiVersion: gen/v1
kind: Fleet
git: {url: "$REPO", branch: main, path: "output/{env}"}
argocd: {in: cluster}
components:
  base: {manifests: base, namespace: base}
  pets: {manifests: pets, namespace: pets}
  visitor: {manifests: visitor, namespace: pets}
  zoo: {manifests: zoo, namespace: zoo}
  before: {manifests: renamed, namespace: named}
-- base/objects.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: stays}, data: {a: b}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: moves}, data: {a: b}}
-- visitor/objects.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: visitor}, data: {a: b}}
-- pets/objects.yaml --
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: dogs.example.com}, spec: {group: example.com, scope: Namespaced,
  names: {kind: Dog, plural: dogs, singular: dog, listKind: DogList},
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}
---
{apiVersion: example.com/v1, kind: Dog, metadata: {name: rex}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: page}, data: {a: b}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: pets}, value: 5}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: pets}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],
  hostPath: {path: /pets}, claimRef: {namespace: pets, name: data}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: "",
  volumeName: pets, resources: {requests: {storage: 1Gi}}}}
-- zoo/objects.yaml --
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: cats.example.com}, spec: {group: example.com, scope: Namespaced,
  names: {kind: Cat, plural: cats, singular: cat, listKind: CatList},
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}
---
{apiVersion: example.com/v1, kind: Cat, metadata: {name: tom}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: zoo}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],
  hostPath: {path: /zoo}, claimRef: {namespace: zoo, name: data}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: "",
  volumeName: zoo, resources: {requests: {storage: 1Gi}}}}
`

// labWith is lab's own file, with what it says of its components.
func labWith(components string) string {
	return "-- lab.yaml --\napiVersion: gen/v1\nkind: Environment\nname: lab\nversions: {kubernetes: 1.36.2, argocd: $ARGO}\n" + components
}

// TestRemovalAndMove takes components out by the two steps of gen remove, renames one, and moves an object between two. What
// stays in the cluster is found by Argo CD's own mark.
func TestRemovalAndMove(t *testing.T) {
	f := newFleet(t, removalModel+plain("renamed/web.yaml", "1", "ClusterIP")+labWith(""))
	f.start("")
	all := []string{"base", "before", "pets", "visitor", "zoo"}
	f.await("everything is there", 2*time.Minute, settledAt(f.git("rev-parse", "HEAD"), all...))

	f.remove("pets", "objects", "PersistentVolume pets", "PersistentVolumeClaim pets/data")
	if mark := f.tracked("visitor"); !slices.Contains(mark, "Namespace pets") {
		t.Errorf("nobody took over the shared namespace: the visitor has %q", mark)
	}
	if f.object("v1", "ConfigMap", "pets", "visitor") == nil {
		t.Error("the shared namespace was not kept: the visitor's object is gone")
	}
	f.remove("zoo", "everything")
	for _, crd := range []string{"dogs.example.com", "cats.example.com"} {
		// Argo CD marks no CRD as its own.
		if f.object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", crd) == nil {
			t.Errorf("%s was deleted: gen says that Argo CD keeps it", crd)
		}
	}
	for _, namespace := range []string{"pets", "zoo"} {
		if there := f.object("v1", "Namespace", "", namespace) != nil; there != (namespace == "pets") {
			t.Errorf("Namespace %s is there: %t", namespace, there)
		}
	}

	t.Run("renamed", func(t *testing.T) { f.with(t).renames() })
	t.Run("moved", func(t *testing.T) { f.with(t).moves() })
}

// with is the same fleet in a part of the test.
func (f *fleet) with(t *testing.T) *fleet {
	t.Helper()
	g := *f
	g.t = t
	return &g
}

// gone are the lines of components that were taken out.
const gone = "  pets: {enabled: false}\n  zoo: {enabled: false}\n"

// remove walks the two steps which gen remove prints, and wants nothing left of the component but what is named.
func (f *fleet) remove(component, removal string, stays ...string) {
	f.t.Helper()
	before := "components:\n"
	if component == "zoo" {
		before += "  pets: {enabled: false}\n"
	}
	f.t.Log(f.run("remove", "lab", component))
	commit := f.push(labWith(before + "  " + component + ": {removal: " + removal + "}\n"))
	f.pushed(commit)
	f.await("the finalizer is there, and the marks of what stays are as asked", time.Minute, func(apps map[string]Application) bool {
		o := f.object("argoproj.io/v1alpha1", "Application", "argocd", component)
		return settledAt(commit, component)(apps) && o != nil && slices.Contains(o.GetFinalizers(), "resources-finalizer.argocd.argoproj.io")
	})
	f.t.Log(f.run("remove", "lab", component))
	commit = f.push(labWith(before+"  "+component+": {enabled: false}\n"), "--allow-deletions", "20")
	f.pushed(commit)
	f.await(component+" is gone, by "+removal, 2*time.Minute, func(apps map[string]Application) bool {
		_, there := apps[component]
		return !there && settledAt(commit, "visitor")(apps)
	})
	if left := f.tracked(component); !slices.Equal(left, stays) {
		f.t.Errorf("removal: %s: left of %s: %q, want %q", removal, component, left, stays)
	}
}

// pushed lets Argo CD look at a commit, and waits until the root has it.
func (f *fleet) pushed(commit string) {
	f.t.Helper()
	f.must(f.Refresh(f.ctx, "root"))
	f.await("the root has the commit", time.Minute, func(apps map[string]Application) bool {
		return apps["root"].Revision == commit && apps["root"].settled()
	})
}

// tracked lists all objects of the cluster that bear the mark of an Application, but for those that Kubernetes makes and deletes for them.
func (f *fleet) tracked(application string) []string {
	f.t.Helper()
	kubectl := f.Stack.Kubectl + " --kubeconfig " + f.Stack.Kubeconfig
	out := f.command("sh", "-c", kubectl+" get -A -o json --ignore-not-found $("+kubectl+" api-resources --verbs=list -o name | sort -u | paste -sd, -) 2>/dev/null")
	var list struct {
		Items []map[string]any `json:"items"`
	}
	f.must(json.Unmarshal([]byte(out), &list))
	var names []string
	for _, item := range list.Items {
		o := &kube.Object{Object: item}
		if name := kube.Name(o); f.bears(o, application) && len(o.GetOwnerReferences()) == 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// bears reports whether an object bears the mark of an Application: an annotation, a label before 3.0. Kubernetes copies labels of a
// Service to its Endpoints.
func (f *fleet) bears(o *kube.Object, application string) bool {
	if f.Argo == stack.Argo2 {
		return o.GetLabels()["app.kubernetes.io/instance"] == application && o.GetKind() != "Endpoints"
	}
	return strings.HasPrefix(o.GetAnnotations()["argocd.argoproj.io/tracking-id"], application+":")
}

// renames gives a component another name: the same objects, with the same uid, belong to the new one.
func (f *fleet) renames() {
	uid := f.uid("apps/v1", "Deployment", "named", "web")
	f.edit(labWith("components:\n" + gone))
	commit := f.push(strings.Replace(removalModel, "  before: {", "  after: {", 1), "--allow-deletions", "20")
	f.must(f.Refresh(f.ctx, "root"))
	f.await("the component has its new name", 2*time.Minute, func(apps map[string]Application) bool {
		_, old := apps["before"]
		return !old && settledAt(commit, "after")(apps)
	})
	f.same(uid, "apps/v1", "Deployment", "named", "web")
	if left := f.tracked("before"); len(left) > 0 {
		f.t.Errorf("left of the old name: %q", left)
	}
	if got, want := f.tracked("after"), []string{"Deployment named/web", "Namespace named", "Service named/web"}; !slices.Equal(got, want) {
		f.t.Errorf("under the new name: %q, want %q", got, want)
	}
}

// moves gives an object of base to a component that is new and of a later wave, so that base is synced first, and does before what
// gen diff prints.
func (f *fleet) moves() {
	uid := f.uid("v1", "ConfigMap", "base", "moves")
	released := `  base:
    patches:
      - target: {kind: ConfigMap, name: moves}
        merge: {metadata: {annotations: {argocd.argoproj.io/sync-options: Prune=false, argocd.argoproj.io/compare-options: IgnoreExtraneous}}}
`
	taken := `  base: {remove: [{kind: ConfigMap, name: moves}]}
  next:
    namespace: base
    needs: [base]
    objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: moves}, data: {a: b}}]
`
	f.edit(labWith("components:\n" + gone + taken))
	advice := f.run("diff", "--summary")
	f.t.Log(advice)
	for _, word := range []string{"Prune=false", "IgnoreExtraneous"} {
		if !strings.Contains(advice, word) {
			f.t.Errorf("gen diff does not advise %s", word)
		}
	}
	f.pushed(f.push(labWith("components:\n" + gone + released)))
	f.await("it is released", time.Minute, func(map[string]Application) bool {
		o := f.object("v1", "ConfigMap", "base", "moves")
		return o != nil && strings.Contains(o.GetAnnotations()["argocd.argoproj.io/sync-options"], "Prune=false")
	})
	f.edit(labWith("components:\n" + gone + taken))
	f.t.Log(f.run("diff", "--summary"))
	commit := f.push("")
	f.must(f.Refresh(f.ctx, "root"))
	f.await("the object has moved", 2*time.Minute, settledAt(commit, "base", "next"))
	f.same(uid, "v1", "ConfigMap", "base", "moves")
	if got, want := f.tracked("next"), []string{"ConfigMap base/moves"}; !slices.Equal(got, want) {
		f.t.Errorf("moved: %q, want %q", got, want)
	}
}

func (f *fleet) uid(apiVersion, kind, namespace, name string) string {
	f.t.Helper()
	o := f.object(apiVersion, kind, namespace, name)
	if o == nil {
		f.t.Fatalf("%s %s/%s is not there", kind, namespace, name)
	}
	return string(o.GetUID())
}

func (f *fleet) same(uid, apiVersion, kind, namespace, name string) {
	f.t.Helper()
	if now := f.uid(apiVersion, kind, namespace, name); now != uid {
		f.t.Errorf("%s %s/%s was deleted and made anew", kind, namespace, name)
	}
}
