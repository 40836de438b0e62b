package transform

import (
	"strings"
	"testing"
)

func TestComparable(t *testing.T) {
	const web = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: a}}`
	const set = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web, namespace: a}}`
	tests := map[string]struct {
		argo, in, kubernetes, object string
		want                         bool
	}{
		"2.14 on 1.35":                   {"v2.14.21", "cluster", "1.35.0", web, true},
		"2.14 on 1.36, from a hub":       {"2.14", "hub", "1.36.2", web, true},
		"before the field":               {"2.14", "cluster", "1.34.9", web, false},
		"an Argo CD that asks":           {"3.0", "cluster", "1.36.2", web, false},
		"nothing that bears the field":   {"2.14", "cluster", "1.36.2", set, false},
		"no Argo CD":                     {"2.14", "none", "1.36.2", web, false},
		"a version that nobody can read": {"2.14", "cluster", "new", web, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			notices := Comparable(Target{In: tt.in, Version: tt.argo}, tt.kubernetes, bundles(t, "x", set, "web", docs(set, tt.object, tt.object)))
			if (len(notices) == 1) != tt.want || len(notices) > 1 {
				t.Fatalf("%v", notices)
			}
			if tt.want && (notices[0].Component != "web" || !strings.Contains(notices[0].Message, "cannot compare it on Kubernetes 1.3")) {
				t.Errorf("%v", notices[0])
			}
		})
	}
}
