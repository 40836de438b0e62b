package chart

import (
	"bufio"
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// ignoreFile says which files of a folder are no part of the chart. It counts in the chart's own folder only, and never in archives:
// whoever packed those has applied it.
const ignoreFile = ".helmignore"

// ignoreRules are the patterns of an ignoreFile, with the meaning that Helm gives them (helm.sh/helm/v4/pkg/ignore), which is not git's: a
// negated pattern ignores all that it does not match.
type ignoreRules []ignoreRule

// ignoreRule is one pattern.
type ignoreRule struct {
	pattern    string
	negated    bool
	folderOnly bool
	whole      bool // match the whole path, not its last part
}

// readIgnore reads the patterns and adds Helm's own: hidden files in templates/.
func readIgnore(data []byte) (ignoreRules, error) {
	var rules ignoreRules
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, byteOrderMark)))
	for number := 1; lines.Scan(); number++ {
		rule, err := readIgnoreLine(strings.TrimSpace(lines.Text()))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", ignoreFile, number, err)
		}
		if rule != nil {
			rules = append(rules, *rule)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", ignoreFile, err)
	}
	return append(rules, ignoreRule{pattern: "templates/.?*", whole: true}), nil
}

// readIgnoreLine reads one line; nil where it holds no pattern.
func readIgnoreLine(line string) (*ignoreRule, error) {
	if line == "" || strings.HasPrefix(line, "#") {
		return nil, nil
	}
	if strings.Contains(line, "**") {
		return nil, fmt.Errorf("pattern %q: Helm knows no double star; write one pattern for each depth", line)
	}
	if _, err := filepath.Match(line, "abc"); err != nil {
		return nil, fmt.Errorf("pattern %q: %w", line, err)
	}
	rule := ignoreRule{pattern: line}
	rule.pattern, rule.negated = strings.CutPrefix(rule.pattern, "!")
	rule.pattern, rule.folderOnly = strings.CutSuffix(rule.pattern, "/")
	rule.pattern, rule.whole = strings.CutPrefix(rule.pattern, "/")
	rule.whole = rule.whole || strings.Contains(rule.pattern, "/")
	return &rule, nil
}

// match says whether the pattern matches a path; filepath.Match, for path.Match refuses a few patterns that Helm takes.
func (r ignoreRule) match(name string) bool {
	if !r.whole {
		name = path.Base(name)
	}
	ok, err := filepath.Match(r.pattern, name)
	return err == nil && ok
}

// ignores says whether a file or folder is no part of the chart. The first rule that decides, decides.
func (rules ignoreRules) ignores(name string, folder bool) bool {
	for _, rule := range rules {
		applies := folder || !rule.folderOnly
		if rule.negated != (applies && rule.match(name)) {
			return true
		}
	}
	return false
}
