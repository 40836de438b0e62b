package render

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// compiled is a chart's values.schema.json, and what it refers to elsewhere.
type compiled struct {
	schema *jsonschema.Schema
	remote []string // sorted
}

// checkSchemas validates the values of a chart and of its dependencies, where these have a schema. It opens no connection and
// reads no file: a reference that leaves the schema is reported, and what it would check is not checked.
func (r *run) checkSchemas(c *chart.Chart, values map[string]any) error {
	var mistakes []error
	if c.Schema != nil {
		mistakes = append(mistakes, r.checkSchema(c, values))
	}
	for _, dependency := range c.Dependencies() {
		if table, ok := values[dependency.Name()].(map[string]any); ok {
			mistakes = append(mistakes, r.checkSchemas(dependency, table))
		}
	}
	return errors.Join(mistakes...)
}

func (r *run) checkSchema(c *chart.Chart, values map[string]any) error {
	schema, err := r.renderer.schemas.get(sha256.Sum256(c.Schema), len(c.Schema), func() (*compiled, error) { return compileSchema(c.Schema) })
	if err != nil {
		return fmt.Errorf("%s: reading values.schema.json: %w", c.ChartPath(), err)
	}
	for _, reference := range schema.remote {
		r.notice(Notice{Topic: TopicValues, Source: "chart " + c.ChartPath(), Message: fmt.Sprintf("values.schema.json refers to %s, which is not fetched: what it describes is not checked", reference)})
	}
	err = schema.schema.Validate(values)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return fmt.Errorf("%s: checking values against values.schema.json: %w", c.ChartPath(), err)
	}
	printer := message.NewPrinter(language.English)
	var lines []string
	for _, leaf := range schemaLeaves(invalid) {
		lines = append(lines, fmt.Sprintf("%s: values: %s: %s (the chart's values.schema.json)", c.ChartPath(), valuePath(leaf.InstanceLocation), leaf.ErrorKind.LocalizedString(printer)))
	}
	slices.Sort(lines)
	return errors.New(strings.Join(slices.Compact(lines), "\n"))
}

func valuePath(location []string) string {
	if len(location) == 0 {
		return "(all)"
	}
	return strings.Join(location, ".")
}

// schemaLeaves returns the errors that have no errors below them: they name the value that is wrong.
func schemaLeaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var leaves []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		leaves = append(leaves, schemaLeaves(cause)...)
	}
	return leaves
}

const schemaURL = "file:///values.schema.json" // as Helm calls it

func compileSchema(data []byte) (*compiled, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	remote := cutReferences(document)
	slices.Sort(remote)
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // loads nothing
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile(schemaURL)
	return &compiled{schema: schema, remote: slices.Compact(remote)}, err
}

// cutReferences removes from a schema the references that lead out of it, and returns them.
func cutReferences(document any) []string {
	var cut []string
	switch v := document.(type) {
	case map[string]any:
		if reference, ok := v["$ref"].(string); ok && !strings.HasPrefix(reference, "#") && !isMetaSchema(reference) {
			cut = append(cut, reference)
			delete(v, "$ref")
		}
		for _, item := range v {
			cut = append(cut, cutReferences(item)...)
		}
	case []any:
		for _, item := range v {
			cut = append(cut, cutReferences(item)...)
		}
	}
	return cut
}

// isMetaSchema reports whether a reference names one of the schemas of JSON Schema, which the library holds.
func isMetaSchema(reference string) bool {
	_, path, found := strings.Cut(reference, "://")
	return found && strings.HasPrefix(path, "json-schema.org/")
}
