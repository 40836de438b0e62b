package judge

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// Application is what Argo CD says of one.
type Application struct {
	Name, Sync, Health, Phase, Message string
	Started                            string // when its last operation did
	Retries                            int64
	Failed                             bool     // an operation of it was seen to fail
	Blamed                             []string // kind and name of every object that it named when an attempt had failed
	Broken                             string   // why Argo CD cannot compare it: a source or a project that is not right
	Revision                           string
	Troubles                           []Trouble
	Made, Settled                      time.Duration // since the watch began: first seen, and Synced and Healthy for good
	Lost                               int           // how often it was Synced and Healthy and then was not
	LastFailed                         time.Duration // since the watch began: when an attempt was last seen to have failed; 0 if never
	MadeAt, WellAt                     int           // the number of the look that first showed it, and that first showed it Synced and Healthy
}

// Trouble is an object of which Argo CD says that it was not applied, is waited for, or is not healthy.
type Trouble struct{ Kind, Namespace, Name, Why string }

func (a Application) settled() bool {
	return a.Sync == "Synced" && a.Health == "Healthy" && (a.Phase == "" || a.Phase == "Succeeded")
}

// fights reports whether it is Synced and Healthy again and again, and never stays so: another one takes an object from it.
func (a Application) fights() bool { return a.Lost >= 3 }

// failing reports whether the last attempt failed, be it that another is under way already.
func (a Application) failing() bool {
	return a.Phase == "Failed" || a.Phase == "Error" || a.Phase == "Running" && strings.Contains(a.Message, "Retrying attempt")
}

func read(o *kube.Object) Application {
	retries, _, _ := unstructured.NestedInt64(o.Object, "status", "operationState", "retryCount")
	a := Application{
		Name: o.GetName(), Sync: kube.Field(o, "status", "sync", "status"), Health: kube.Field(o, "status", "health", "status"),
		Phase: kube.Field(o, "status", "operationState", "phase"), Message: kube.Field(o, "status", "operationState", "message"),
		Started: kube.Field(o, "status", "operationState", "startedAt"), Retries: retries, Revision: kube.Field(o, "status", "sync", "revision"),
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok && strings.Contains(fmt.Sprint(m["type"]), "Error") {
			a.Broken = fmt.Sprint(m["type"])
			a.Message += fmt.Sprintf(" [%v: %v]", m["type"], m["message"])
		}
	}
	a.Troubles = troubles(o)
	return a
}

// troubles reads the results of the last attempt, then the health of the resources.
func troubles(o *kube.Object) []Trouble {
	var out []Trouble
	results, _, _ := unstructured.NestedSlice(o.Object, "status", "operationState", "syncResult", "resources")
	for _, r := range results {
		m, _ := r.(map[string]any)
		phase := fmt.Sprint(m["hookPhase"])
		if m["status"] == "SyncFailed" || phase == "Running" || phase == "Failed" || phase == "Error" {
			out = append(out, trouble(m, fmt.Sprintf("%v %v %v", m["status"], phase, m["message"])))
		}
	}
	resources, _, _ := unstructured.NestedSlice(o.Object, "status", "resources")
	for _, r := range resources {
		m, _ := r.(map[string]any)
		health, found, _ := unstructured.NestedString(m, "health", "status")
		if found && health != "Healthy" || m["status"] == "OutOfSync" {
			out = append(out, trouble(m, fmt.Sprintf("%v %s", m["status"], health)))
		}
	}
	return out
}

func trouble(m map[string]any, why string) Trouble {
	text := func(key string) string { s, _ := m[key].(string); return s }
	return Trouble{text("kind"), text("namespace"), text("name"), why}
}
