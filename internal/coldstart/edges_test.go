package coldstart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestAnyOf: an entry is a regular expression only between two slashes, and a glob in any case.
func TestAnyOf(t *testing.T) {
	for _, tt := range []struct {
		entry, text string
		want        bool
	}{
		{"/^ab+$/", "abb", true},
		{"/^ab+$/", "ac", false},
		{"/b/", "abc", true},
		{"/b", "abc", false},
		{"b/", "abc", false},
		{"/b", "/b", true},
		{"b/", "b/", true},
		{"/", "/", true},
		{"/", "abc", false},
		{"//", "abc", true},
		{"/(/", "abc", false},
		{"a*", "abc", true},
		{"a*", "cab", false},
		{"[", "[", false},
	} {
		if got := anyOf([]string{"other", tt.entry}, tt.text); got != tt.want {
			t.Errorf("%q for %q: %v", tt.entry, tt.text, got)
		}
	}
}

// TestAllows states when windows that are active always, at times or never let a sync through together.
func TestAllows(t *testing.T) {
	const always, times, never = openAlways, openAtTimes, openNever
	allow := func(active open) window { return window{active: active} }
	deny := func(active open) window { return window{active: active, denies: true} }
	byHand := window{active: always, denies: true, manual: true}
	for name, tt := range map[string]struct {
		windows []window
		hand    bool
		want    open
	}{
		"none":                               {nil, false, always},
		"allowed always":                     {[]window{allow(always)}, false, always},
		"allowed at times":                   {[]window{allow(times)}, false, times},
		"allowed never":                      {[]window{allow(never)}, false, never},
		"twice never":                        {[]window{allow(never), allow(never)}, false, never},
		"at times, the other never":          {[]window{allow(times), allow(never)}, false, times},
		"never, the other at times":          {[]window{allow(never), allow(times)}, false, times},
		"always, the other never":            {[]window{allow(always), allow(never)}, false, always},
		"never, the other always":            {[]window{allow(never), allow(always)}, false, always},
		"denied always":                      {[]window{deny(always)}, false, never},
		"denied at times":                    {[]window{deny(times)}, false, times},
		"denied never":                       {[]window{deny(never)}, false, always},
		"denied always, and then at times":   {[]window{deny(always), deny(times)}, false, never},
		"denied at times, allowed always":    {[]window{deny(times), allow(always)}, false, times},
		"denied never, allowed at times":     {[]window{deny(never), allow(times)}, false, times},
		"denied at times, allowed never":     {[]window{deny(times), allow(never)}, false, never},
		"a denial that leaves hands free":    {[]window{byHand}, true, always},
		"and holds who syncs by itself":      {[]window{byHand}, false, never},
		"a schedule that nobody understands": {[]window{allow(always), {fault: "x"}}, false, never},
	} {
		if got := allows(tt.windows, tt.hand); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestBestEffort: a pod asks for something as soon as one of its containers states one of four fields.
func TestBestEffort(t *testing.T) {
	for fields, want := range map[string]bool{
		"containers: [{name: c}]":                                                           true,
		"containers: [{resources: {requests: {cpu: 1}}}]":                                   false,
		"containers: [{resources: {requests: {memory: 1}}}]":                                false,
		"containers: [{resources: {limits: {cpu: 1}}}]":                                     false,
		"containers: [{resources: {limits: {memory: 1}}}]":                                  false,
		"containers: [{resources: {limits: {ephemeral-storage: 1}}}]":                       true,
		"containers: [{name: c}], initContainers: [{resources: {requests: {cpu: 1}}}]":      false,
		"containers: [{name: c}, {resources: {requests: {cpu: 1}}}, {resources: {}}]":       false,
		"containers: [{name: c}], ephemeralContainers: [{resources: {requests: {cpu: 1}}}]": true,
	} {
		pod := objects(t, "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {"+fields+"}}")[0]
		if got := bestEffort(pod.Map("spec")); got != want {
			t.Errorf("%s: %v, want %v", fields, got, want)
		}
	}
}

// TestUnserved states every version that Kubernetes has dropped and what stands in its place (Kubernetes' deprecation guide).
func TestUnserved(t *testing.T) {
	for of, want := range map[string]string{
		"extensions/v1beta1 DaemonSet": "1.16: write apps/v1", "extensions/v1beta1 Deployment": "1.16: write apps/v1", "extensions/v1beta1 ReplicaSet": "1.16: write apps/v1",
		"extensions/v1beta1 NetworkPolicy": "1.16: write networking.k8s.io/v1", "extensions/v1beta1 Ingress": "1.22: write networking.k8s.io/v1",
		"extensions/v1beta1 Other": "",
		"apps/v1beta1 Deployment":  "1.16: write apps/v1", "apps/v1beta2 StatefulSet": "1.16: write apps/v1", "apps/v1 Deployment": "",
		"admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration":   "1.22: write admissionregistration.k8s.io/v1",
		"admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration": "1.22: write admissionregistration.k8s.io/v1",
		"admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy":      "",
		"apiextensions.k8s.io/v1beta1 CustomResourceDefinition":               "1.22: write apiextensions.k8s.io/v1",
		"apiregistration.k8s.io/v1beta1 APIService":                           "1.22: write apiregistration.k8s.io/v1",
		"certificates.k8s.io/v1beta1 CertificateSigningRequest":               "1.22: write certificates.k8s.io/v1",
		"coordination.k8s.io/v1beta1 Lease":                                   "1.22: write coordination.k8s.io/v1",
		"networking.k8s.io/v1beta1 Ingress":                                   "1.22: write networking.k8s.io/v1",
		"networking.k8s.io/v1beta1 IngressClass":                              "1.22: write networking.k8s.io/v1",
		"networking.k8s.io/v1beta1 IPAddress":                                 "",
		"rbac.authorization.k8s.io/v1beta1 Role":                              "1.22: write rbac.authorization.k8s.io/v1",
		"scheduling.k8s.io/v1beta1 PriorityClass":                             "1.22: write scheduling.k8s.io/v1",
		"storage.k8s.io/v1beta1 CSIDriver":                                    "1.27: write storage.k8s.io/v1",
		"storage.k8s.io/v1beta1 StorageClass":                                 "1.27: write storage.k8s.io/v1",
		"storage.k8s.io/v1beta1 CSINode":                                      "1.27: write storage.k8s.io/v1",
		"storage.k8s.io/v1beta1 VolumeAttachment":                             "1.27: write storage.k8s.io/v1",
		"storage.k8s.io/v1beta1 CSIStorageCapacity":                           "1.27: write storage.k8s.io/v1",
		"batch/v1beta1 CronJob":                                               "1.25: write batch/v1",
		"discovery.k8s.io/v1beta1 EndpointSlice":                              "1.25: write discovery.k8s.io/v1",
		"events.k8s.io/v1beta1 Event":                                         "1.25: write events.k8s.io/v1",
		"node.k8s.io/v1beta1 RuntimeClass":                                    "1.25: write node.k8s.io/v1",
		"policy/v1beta1 PodDisruptionBudget":                                  "1.25: write policy/v1",
		"autoscaling/v2beta1 HorizontalPodAutoscaler":                         "1.25: write autoscaling/v2",
		"autoscaling/v2beta2 HorizontalPodAutoscaler":                         "1.26: write autoscaling/v2",
		"flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema":                     "1.26: write flowcontrol.apiserver.k8s.io/v1",
		"flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema":                     "1.29: write flowcontrol.apiserver.k8s.io/v1",
		"flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema":                     "1.32: write flowcontrol.apiserver.k8s.io/v1",
	} {
		api, kind, _ := strings.Cut(of, " ")
		if got := unserved(plain(api, kind, "", "x", nil)); (got == "") != (want == "") || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", of, got, want)
		}
	}
}

// TestServers: who could serve a class that no IngressClass here has.
func TestServers(t *testing.T) {
	for class, want := range map[string]string{
		"alb": "AWS Load Balancer", "cilium": "Cilium", "contour": "Contour", "haproxy": "HAProxy", "istio": "Istio", "kong": "Kong",
		"nginx": "ingress-nginx", "tailscale": "Tailscale", "traefik": "Traefik",
	} {
		w := newWorld(Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments})
		if got := w.unserved("", class); !strings.Contains(got, ", such as ") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", class, got)
		}
	}
}

// TestCircleOfApplications: of Applications that create each other a person applies the one that a file states outside of them all,
// else the first by name.
func TestCircleOfApplications(t *testing.T) {
	for name, tt := range map[string]struct {
		applied string
		want    string
	}{
		"the first by name": {"", "a"}, "the one in a file": {"b", "b"}, "the last": {"c", "c"},
	} {
		in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments}
		for i := range 3 {
			of := func(i int) string { return fmt.Sprintf("%c", 'a'+i%3) }
			in.Applications = append(in.Applications, Application{Object: child(of(i), 0), Applied: of(i) == tt.applied, Objects: []manifest.Object{child(of(i+1), 0)}})
		}
		var begins []string
		for _, a := range newWorld(in).apps {
			if a.parent == nil {
				begins = append(begins, a.name)
			}
		}
		if got := strings.Join(begins, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
