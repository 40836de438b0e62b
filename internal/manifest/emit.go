package manifest

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// Emit returns the object as canonical YAML: sorted keys, two spaces, no folding, a final newline.
func Emit(o Object) ([]byte, error) {
	out, err := yaml.Marshal(o.fields)
	if err != nil {
		return nil, fmt.Errorf("emitting %s: %w", o.ID(), err)
	}
	return out, nil
}
