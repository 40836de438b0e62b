package source

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// git returns an element for every folder, or every file, that the generator's patterns take, sorted.
func (s *set) git(spec map[string]any) []params {
	var out []params
	if directories, ok := spec["directories"].([]any); ok {
		for _, dir := range s.take(directories, s.loader.folders(), globFolder) {
			if s.many() {
				return out
			}
			p := params{}
			s.place(p, spec, dir, "")
			s.values(spec, p)
			out = append(out, p)
		}
		return out
	}
	files, _ := spec["files"].([]any)
	for _, name := range s.take(files, s.loader.allFiles(), globFile) {
		out = append(out, s.fileParams(spec, name)...)
	}
	return out
}

// fileParams returns an element for each map that a file holds.
func (s *set) fileParams(spec map[string]any, name string) []params {
	data, err := readFile(s.loader.fsys, name)
	if err != nil {
		s.notes = append(s.notes, "reading "+name+": "+err.Error())
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(string(data)), "[") || strings.HasPrefix(strings.TrimSpace(string(data)), "- ") {
		data = []byte("list:\n  " + indent(string(data)))
	}
	objects, _, err := manifest.Decode(data)
	if err != nil || len(objects) != 1 {
		s.notes = append(s.notes, name+" is no YAML map: what it would generate is not looked at")
		return nil
	}
	items := []any{objects[0].Fields()}
	if list := objects[0].List("list"); list != nil && len(objects[0].Fields()) == 1 {
		items = list
	}
	var out []params
	for _, item := range items {
		if s.many() {
			return out
		}
		p := params{}
		for key, value := range mapOf(item) {
			p.enter(key, value, s.goText)
		}
		s.place(p, spec, path.Dir(name), path.Base(name))
		s.values(spec, p)
		out = append(out, p)
	}
	return out
}

// take returns the names that a pattern takes and none excludes.
func (s *set) take(patterns []any, names []string, match func(pattern, name string) bool) []string {
	var out []string
	for _, name := range names {
		taken := false
		for _, item := range patterns {
			pattern := clean(text(mapOf(item)["path"]))
			if !match(pattern, name) && !(s.loader.inside && s.below(pattern, name, match)) {
				continue
			}
			if mapOf(item)["exclude"] == true {
				taken = false
				break
			}
			taken = true
		}
		if taken {
			out = append(out, name)
		}
	}
	return out
}

// below matches a pattern of the repository in a folder that is a part of it.
func (s *set) below(pattern, name string, match func(pattern, name string) bool) bool {
	for {
		_, rest, more := strings.Cut(pattern, "/")
		if !more || rest == "*" || rest == "**" {
			return false
		}
		if match(rest, name) {
			return true
		}
		pattern = rest
	}
}

func globFolder(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// globFile matches as `git ls-files` does, which Argo CD asks: * goes past slashes.
func globFile(pattern, name string) bool {
	expression := strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*\*`, `.*`, `\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
	ok, err := regexp.MatchString("^"+expression+"$", name)
	return err == nil && ok
}

// place enters where an element stands (docs: path, path.basename, path[n] …, and .path for Go templates).
func (s *set) place(p params, spec map[string]any, dir, file string) {
	segments := strings.Split(dir, "/")
	prefix := text(spec["pathParamPrefix"])
	if s.goText {
		of := map[string]any{"path": dir, "basename": path.Base(dir), "basenameNormalized": normalize(path.Base(dir)), "segments": anys(segments)}
		if file != "" {
			of["filename"], of["filenameNormalized"] = file, normalize(file)
		}
		if prefix != "" {
			p[prefix] = map[string]any{"path": of}
			return
		}
		p["path"] = of
		return
	}
	if prefix != "" {
		prefix += "."
	}
	p[prefix+"path"], p[prefix+"path.basename"], p[prefix+"path.basenameNormalized"] = dir, path.Base(dir), normalize(path.Base(dir))
	for i, segment := range segments {
		p[prefix+"path["+scalar(i)+"]"] = segment
	}
	if file != "" {
		p[prefix+"path.filename"], p[prefix+"path.filenameNormalized"] = file, normalize(file)
	}
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, item := range list {
		out[i] = item
	}
	return out
}

// normalize makes a name of a text (argo-cd applicationset/utils, SanitizeName).
func normalize(text string) string {
	text = regexp.MustCompile(`[^-a-z0-9.]+`).ReplaceAllString(strings.ToLower(text), "-")
	return strings.Trim(text[:min(len(text), 253)], "-.")
}

// folders lists every folder but hidden ones (argo-cd applicationset/generators/git.go).
func (l *loader) folders() []string {
	return l.names(func(name string, entry fs.DirEntry) bool {
		return entry.IsDir() && !strings.HasPrefix(name, ".") && !strings.Contains(name, "/.")
	})
}

// allFiles lists every file, hidden ones too.
func (l *loader) allFiles() []string {
	return l.names(func(_ string, entry fs.DirEntry) bool { return !entry.IsDir() })
}

func (l *loader) names(wanted func(string, fs.DirEntry) bool) []string {
	var out []string
	_ = fs.WalkDir(l.fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && name != "." && wanted(name, entry) {
			out = append(out, name)
		}
		if err == nil && entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		return nil
	})
	slices.Sort(out)
	return out
}
