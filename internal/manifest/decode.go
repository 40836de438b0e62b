package manifest

import (
	"bytes"
	"fmt"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Decode reads one YAML or JSON document as Helm, kubectl and Argo CD read it: YAML 1.1, integers kept as int64.
// A document without content gives a zero Object.
func Decode(document []byte) (Object, error) {
	raw, err := yaml.YAMLToJSON(document)
	if err != nil {
		return Object{}, fmt.Errorf("reading YAML: %w", err)
	}
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return Object{}, nil
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return Object{}, fmt.Errorf("reading an object: %w", err)
	}
	return New(fields), nil
}
