package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

// printed says what each command prints with -o json, and what a reader should know of it.
var printed = []struct {
	command string
	value   any
	note    string
}{
	{"gen init", map[string][]string{"written": nil}, "The files, as they are opened from where the command ran."},
	{"gen list", []listed{}, ""},
	{"gen explain", []explained{}, "`place` is file:line:column. The row that `wins` gives the value."},
	{"gen charts lock", []lockedRow{}, "What changed in the lock; `action` is added, changed or removed."},
	{"gen charts verify", []checked{}, "`state` is empty where it could not be told: `detail` says why."},
	{"gen charts vendor", vendored{}, ""},
	{"gen charts outdated", []outdated{}, "`patch` and `minor` are the newest of their line, `latest` the newest of all."},
	{"gen images list", report.ImageList{}, ""},
	{"gen images lock", []report.ImageCheck{}, ""},
	{"gen images verify", []report.ImageCheck{}, ""},
	{"gen images suggest", []pipeline.Suggested{}, ""},
	{"gen render", report.Run{}, "With `--stage`: a list of Kubernetes objects instead."},
	{"gen graph", []edge{}, "`from` starts in `wave` because of `to`."},
	{"gen prove", report.Proof{}, "Of several environments: a list of them."},
	{"gen check", []checkedFile{}, "`kind` is missing, differs, left over or foreign."},
	{"gen diff", report.Summary{}, "A file that is not there has no `before`, or no `after`."},
	{"gen push", []pushedRow{}, ""},
	{"gen release", []pushedRow{}, ""},
	{"gen remove", removalRow{}, ""},
	{"gen demo", demoResult{}, ""},
	{"gen version", map[string]string{"version": ""}, ""},
}

// unprinted are the commands without a result of their own in JSON, and why.
var unprinted = map[string]string{
	"gen schema":         "is JSON as it is",
	"gen images rewrite": "is a filter of YAML",
}

const shapesFile = "../../docs/json.md"

// TestJSONShapes keeps docs/json.md true; -update mends it. What commands really print is held against it by the script command `json`.
func TestJSONShapes(t *testing.T) {
	data, err := os.ReadFile(shapesFile)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, found := strings.Cut(string(data), "\n### ")
	if !found && !*update {
		t.Fatal("docs/json.md has no section")
	}
	var out strings.Builder
	out.WriteString(strings.TrimRight(prose, "\n") + "\n")
	described := map[string]bool{}
	for _, p := range printed {
		described[p.command] = true
		fmt.Fprintf(&out, "\n### `%s`\n", p.command)
		if p.note != "" {
			fmt.Fprintf(&out, "\n%s\n", p.note)
		}
		fmt.Fprintf(&out, "\n```json\n%s\n```\n", shapeOf(reflect.ValueOf(p.value), ""))
	}
	if *update {
		if err := os.WriteFile(shapesFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if out.String() != string(data) {
		t.Error("docs/json.md is not what the commands print: go test ./cmd/gen -run TestJSONShapes -update")
	}
	for _, path := range runnable(newRoot(streams{})) {
		if !described[path] && unprinted[path] == "" {
			t.Errorf("%s: what it prints with -o json is not described", path)
		}
	}
}

// runnable are the paths of the commands that do something by themselves.
func runnable(cmd *cobra.Command) []string {
	if !cmd.HasSubCommands() {
		return []string{cmd.CommandPath()}
	}
	var paths []string
	for _, sub := range cmd.Commands() {
		paths = append(paths, runnable(sub)...)
	}
	return paths
}

// shapeOf writes a type as a sample: "text", 0, true, lists of one; a "?" behind a name that may be left out, "|null" behind one whose
// value may be null.
func shapeOf(v reflect.Value, indent string) string {
	t := v.Type()
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(reflect.Zero(t.Elem()), indent)
	case reflect.String:
		return `"text"`
	case reflect.Int:
		return "0"
	case reflect.Bool:
		return "true"
	case reflect.Interface:
		return `"any"`
	case reflect.Slice:
		return "[" + shapeOf(reflect.Zero(t.Elem()), indent) + "]"
	case reflect.Map:
		var fields []string
		for _, key := range v.MapKeys() {
			fields = append(fields, fmt.Sprintf("%q: %s", key.String(), shapeOf(reflect.Zero(t.Elem()), indent+"  ")))
		}
		slices.Sort(fields)
		return braced(fields, indent)
	}
	if t == reflect.TypeFor[report.Difference]() { // it writes itself
		return braced([]string{`"environments": ["text"]`, `"path": "text"`, `"kind": "text"`, `"object?": "text"`, `"before?": "text"`, `"after?": "text"`}, indent)
	}
	return braced(fieldsOf(t, indent+"  "), indent)
}

func fieldsOf(t reflect.Type, indent string) []string {
	var fields []string
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			fields = append(fields, fieldsOf(field.Type, indent)...)
			continue
		case name == "-":
			continue
		case options == "omitempty":
			name += "?"
		case field.Type.Kind() == reflect.Pointer:
			name += "|null"
		}
		fields = append(fields, fmt.Sprintf("%q: %s", name, shapeOf(reflect.Zero(field.Type), indent)))
	}
	return fields
}

// braced puts fields on one line where they fit.
func braced(fields []string, indent string) string {
	line := "{" + strings.Join(fields, ", ") + "}"
	if len(indent)+len(line) <= 100 && !strings.Contains(line, "\n") {
		return line
	}
	return "{\n" + indent + "  " + strings.Join(fields, ",\n"+indent+"  ") + "\n" + indent + "}"
}

// cmdJSON is the script command `json COMMAND…`: what the last program printed must be one value of JSON, as docs/json.md has it for the
// command.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: json COMMAND…")
	}
	data, err := os.ReadFile(ts.Getenv("SHAPES"))
	ts.Check(err)
	_, section, found := strings.Cut(string(data), "\n### `gen "+strings.Join(args, " ")+"`\n")
	if !found {
		ts.Fatalf("docs/json.md does not describe gen %s", strings.Join(args, " "))
	}
	_, section, _ = strings.Cut(section, "```json\n")
	section, _, _ = strings.Cut(section, "\n```")
	var shape, value any
	ts.Check(json.Unmarshal([]byte(section), &shape))
	text := ts.ReadFile("stdout")
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		ts.Fatalf("stdout is no JSON: %v\n%s", err, text)
	}
	if _, several := value.([]any); several && args[0] == "prove" {
		shape = []any{shape}
	}
	if wrong := strange(value, shape, "$"); wrong != "" {
		ts.Fatalf("%s\n%s", wrong, text)
	}
}

// strange says where a value is not of its shape, or nothing.
func strange(value, shape any, at string) string {
	switch s := shape.(type) {
	case []any:
		list, ok := value.([]any)
		if !ok {
			return fmt.Sprintf("%s is %T, and no list", at, value)
		}
		for _, item := range list {
			if wrong := strange(item, s[0], at+"[]"); wrong != "" {
				return wrong
			}
		}
	case map[string]any:
		object, ok := value.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %T, and no object", at, value)
		}
		return strangeFields(object, s, at)
	default:
		if shape != "any" && reflect.TypeOf(value) != reflect.TypeOf(shape) {
			return fmt.Sprintf("%s is %v (%T), and should be like %v", at, value, value, shape)
		}
	}
	return ""
}

func strangeFields(object, shape map[string]any, at string) string {
	known := map[string]bool{}
	for key, s := range shape {
		name, optional := strings.CutSuffix(key, "?")
		name, nullable := strings.CutSuffix(name, "|null")
		known[name] = true
		value, there := object[name]
		if !there && !optional {
			return at + "." + name + " is not there"
		}
		if there && (value != nil || !nullable) {
			if wrong := strange(value, s, at+"."+name); wrong != "" {
				return wrong
			}
		}
	}
	for name := range object {
		if !known[name] {
			return at + "." + name + " is not described"
		}
	}
	return ""
}
