package render

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/Masterminds/sprig/v3"
)

// pureFunctions answer from their arguments alone.
const pureFunctions = `
	abbrev abbrevboth add add1 add1f addf adler32sum all any append atoi b32dec b32enc b64dec b64enc base biggest camelcase cat ceil
	chunk clean coalesce compact concat contains dateModify date_modify decryptAES deepCopy deepEqual default derivePassword dict dig
	dir div divf duration empty ext fail first float64 floor fromJson fromJsonArray fromToml fromYaml fromYamlArray get has hasKey
	hasPrefix hasSuffix hello include indent initial initials int int64 isAbs join kebabcase kindIs kindOf last list lower max maxf
	merge mergeOverwrite min minf mod mul mulf mustAppend mustChunk mustCompact mustDateModify mustDeepCopy mustFirst mustFromJson
	mustHas mustInitial mustLast mustMerge mustMergeOverwrite mustPrepend mustPush mustRegexFind mustRegexFindAll mustRegexMatch
	mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit mustRest mustReverse mustSlice mustToJson mustToPrettyJson
	mustToRawJson mustToToml mustToYaml mustUniq mustWithout must_date_modify nindent nospace omit pick pluck plural prepend push
	quote regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll regexReplaceAllLiteral regexSplit repeat replace required
	rest reverse round semver semverCompare seq set sha1sum sha256sum sha512sum slice snakecase sortAlpha split splitList splitn
	squote sub subf substr swapcase ternary title toDecimal toJson toPrettyJson toRawJson toString toStrings toToml toYaml
	toYamlPretty tpl trim trimAll trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf uniq unixEpoch unset until
	untilStep untitle upper urlJoin urlParse without wrap wrapWith`

// TestEveryFunctionIsClassified reads the names of the engine's functions from Helm's source: whoever raises Helm's version
// decides on new ones here.
func TestEveryFunctionIsClassified(t *testing.T) {
	replaced := newWorld("lab", "demo", false).functions()
	for _, name := range engineFunctions(t) {
		_, isReplaced := replaced[name]
		isPure := slices.Contains(strings.Fields(pureFunctions), name)
		if isReplaced == isPure {
			t.Errorf("function %s: replaced %t, pure %t: decide whether its answers follow from its arguments alone", name, isReplaced, isPure)
		}
	}
	known := engineFunctions(t)
	for _, name := range append(slices.Collect(maps.Keys(replaced)), strings.Fields(pureFunctions)...) {
		if !slices.Contains(known, name) {
			t.Errorf("function %s: the engine has none of this name", name)
		}
	}
}

// engineFunctions returns the names in the engine's map of functions, which is private: sprig's, less what Helm deletes, and
// what Helm adds in two places.
func engineFunctions(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "helm.sh/helm/v4").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Collect(maps.Keys(sprig.TxtFuncMap()))
	for _, file := range []string{"funcs.go", "engine.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), "pkg/engine", file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			added, deleted := functionNames(node)
			names = append(names, added...)
			names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(deleted, name) })
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// functionNames returns the names that `template.FuncMap{"name": …}`, `funcMap["name"] = …` and `delete(f, "name")` hold.
func functionNames(node ast.Node) (added, deleted []string) {
	text := func(e ast.Expr) []string {
		literal, ok := e.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return nil
		}
		name, _ := strconv.Unquote(literal.Value)
		return []string{name}
	}
	switch n := node.(type) {
	case *ast.CompositeLit:
		if selector, ok := n.Type.(*ast.SelectorExpr); ok && selector.Sel.Name == "FuncMap" {
			for _, element := range n.Elts {
				added = append(added, text(element.(*ast.KeyValueExpr).Key)...)
			}
		}
	case *ast.AssignStmt:
		if index, ok := n.Lhs[0].(*ast.IndexExpr); ok {
			if table, ok := index.X.(*ast.Ident); ok && table.Name == "funcMap" {
				added = text(index.Index)
			}
		}
	case *ast.CallExpr:
		if function, ok := n.Fun.(*ast.Ident); ok && function.Name == "delete" {
			deleted = text(n.Args[1])
		}
	}
	return added, deleted
}
