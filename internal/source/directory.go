package source

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// manifestFile is what the directory source takes for a manifest (argo-cd reposerver/repository/repository.go, manifestFile).
var manifestFile = regexp.MustCompile(`^.*\.(yaml|yml|json|jsonnet)$`)

func isManifest(name string) bool { return manifestFile.MatchString(path.Base(name)) }

// skipMark in a file keeps Argo CD from applying it (repository.go, skipFileRenderingMarker).
const skipMark = "+argocd:skip-file-rendering"

// directory is how one source reads its folder.
type directory struct {
	recurse          bool
	include, exclude string
}

func newDirectory(spec manifest.Object) directory {
	return directory{
		recurse: spec.Get("directory", "recurse") == true,
		include: spec.String("directory", "include"),
		exclude: spec.String("directory", "exclude"),
	}
}

// objects returns what a sync of the folder would be given.
func (d directory) objects(fsys fs.FS, dir string) (objects []manifest.Object, unknown []string, err error) {
	err = fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if name != dir && !d.recurse {
				return fs.SkipDir
			}
			return nil
		case !isManifest(name) || !d.wants(strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")):
			return nil
		case strings.HasSuffix(name, ".jsonnet"):
			unknown = append(unknown, name+" is jsonnet, which is not rendered here")
			return nil
		}
		list, err := file(fsys, name)
		objects = append(objects, list...)
		return err
	})
	return objects, unknown, err
}

// wants reports whether include and exclude let a file through: an empty include takes everything.
func (d directory) wants(name string) bool {
	return (d.include == "" || glob(d.include, name)) && (d.exclude == "" || !glob(d.exclude, name))
}

// plain is a folder of plain manifests, and how it is read.
type plain struct {
	dir string
	directory
}

// holds reports whether a file is among those that are applied from the folder.
func (p plain) holds(file string) bool {
	rest, below := strings.CutPrefix(file, p.dir+"/")
	if p.dir == "." {
		rest, below = file, true
	}
	return below && (p.recurse || !strings.Contains(rest, "/")) && p.wants(rest)
}

// glob matches one pattern, or one of those in braces, as the directory source does: * stops at no slash.
func glob(pattern, name string) bool {
	if inner, ok := strings.CutPrefix(pattern, "{"); ok && strings.HasSuffix(inner, "}") {
		for part := range strings.SplitSeq(strings.TrimSuffix(inner, "}"), ",") {
			if glob(part, name) {
				return true
			}
		}
		return false
	}
	expression := regexp.QuoteMeta(pattern)
	expression = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(expression)
	ok, err := regexp.MatchString("^"+expression+"$", name)
	return err == nil && ok
}

func file(fsys fs.FS, name string) ([]manifest.Object, error) {
	data, err := readFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(data, []byte(skipMark)) {
		return nil, nil
	}
	objects, err := decode(data)
	if err != nil {
		if len(objects) == 0 && !strings.HasSuffix(name, ".json") && !looksApplied(data) {
			return nil, nil
		}
		return nil, fmt.Errorf("reading %s: %w", manifest.Visible(name), err)
	}
	return objects, nil
}

// looksApplied reports whether a file that cannot be read as objects was meant to be: others are passed over, as Argo CD does
// (reposerver/repository/repository.go, getObjsFromYAMLOrJson).
func looksApplied(data []byte) bool {
	return bytes.Contains(data, []byte("apiVersion:")) && bytes.Contains(data, []byte("kind:")) && bytes.Contains(data, []byte("metadata:"))
}

// decode reads all documents of a file, and with an error those before it. A document without kind is one, as it is to Argo CD.
func decode(data []byte) ([]manifest.Object, error) {
	var objects []manifest.Object
	for _, d := range cut(data) {
		list, _, err := manifest.Decode(d.text)
		if err != nil {
			return objects, unreadable{d.line, err}
		}
		for _, o := range list {
			if o.ID().Kind == "" {
				return objects, unreadable{d.line, errNoKind}
			}
			objects = append(objects, o)
		}
	}
	return objects, nil
}

// errNoKind says that a document is no object.
var errNoKind = errors.New("an object without kind")

// unreadable is a document that is no object, and the line that it begins on.
type unreadable struct {
	line int
	err  error
}

// ownLine finds the line in an error of the YAML library, which gives it in no other way.
var ownLine = regexp.MustCompile(`yaml: line (\d+): `)

// Error counts lines from the beginning of the file.
func (u unreadable) Error() string {
	text := u.err.Error()
	if found := ownLine.FindStringSubmatch(text); found != nil {
		line, err := strconv.Atoi(found[1])
		if err == nil {
			return strings.Replace(text, found[0], "yaml: line "+strconv.Itoa(u.line+line-1)+": ", 1)
		}
	}
	if u.line == 1 {
		return text
	}
	return "in the document that begins on line " + strconv.Itoa(u.line) + ": " + text
}

func (u unreadable) Unwrap() error { return u.err }

// Objects reads all objects of a file as Argo CD does.
func Objects(data []byte) ([]manifest.Object, error) { return decode(data) }

// document is one document of a file, and the line that it begins on.
type document struct {
	text []byte
	line int
}

// cut cuts a stream where a line begins with "---", with nothing, a comment (even without a space, as some charts print) or
// content behind it (apimachinery pkg/util/yaml, YAMLReader).
func cut(data []byte) []document {
	var list []document
	current, line := document{line: 1}, 0
	for text := range bytes.Lines(data) {
		line++
		if rest, ok := bytes.CutPrefix(text, []byte("---")); ok && (len(bytes.TrimSpace(rest)) == 0 || bytes.ContainsAny(rest[:1], " \t#")) {
			list = append(list, current)
			current = document{append([]byte(nil), rest...), line}
			if bytes.HasPrefix(bytes.TrimSpace(rest), []byte("#")) || len(bytes.TrimSpace(rest)) == 0 {
				current = document{line: line + 1}
			}
			continue
		}
		current.text = append(current.text, text...)
	}
	return append(list, current)
}
