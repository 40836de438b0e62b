package demo_test

import (
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// ownKinds are groups that Kubernetes' client does not know.
var ownKinds = []string{"cert-manager.io/", "monitoring.coreos.com/", "apiregistration.k8s.io/", "gateway.networking.k8s.io/"}

// What a stand-in renders is what Kubernetes knows: no field that it would drop, no type that it would refuse.
func TestNativeKindsDecodeStrictly(t *testing.T) {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme} {
		if err := add(known); err != nil {
			t.Fatal(err)
		}
	}
	strict := serializer.NewCodecFactory(known, serializer.EnableStrict).UniversalDeserializer()
	w := start(t)
	for name, as := range covered {
		for _, values := range []string{as.values, "{}"} {
			for _, o := range render(t, archiveOf(t, w, name, as.version), name, "demo", values) {
				checkNative(t, strict, o)
			}
		}
	}
}

func checkNative(t *testing.T, strict runtime.Decoder, o object) {
	t.Helper()
	for _, own := range ownKinds {
		if strings.HasPrefix(o.text("apiVersion"), own) {
			return
		}
	}
	data, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := strict.Decode(data, nil, nil); err != nil {
		t.Errorf("%s %s: %v", o.text("kind"), o.text("metadata", "name"), err)
	}
}
