package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/render"
)

// cache keeps what components rendered to, on this machine's disk, by everything that rendering depends on: the build of the tool,
// the component, its chart's digest or its folder's content, and the API versions. It never decides what is right: an entry that
// cannot be read, or whose bytes are not those that were written, counts as absent. See decision 10.
type cache struct {
	dir   string // none: nothing is kept
	build string

	mu     sync.Mutex
	shared map[[sha256.Size]byte]manifest.Object // large objects (CRDs), decoded once a run however many environments hold them
}

func newCache(s Setup) *cache {
	c := &cache{build: s.Build, shared: map[[sha256.Size]byte]manifest.Object{}}
	if s.Cache != "" && s.Build != "" {
		c.dir = filepath.Join(s.Cache, "rendered")
	}
	return c
}

// key hashes what the component's objects depend on. It is "" where nothing is kept.
func (c *cache) key(in render.Input) (string, error) {
	if c.dir == "" {
		return "", nil
	}
	content, err := folderHash(in.Files, in.Component.Source)
	if err != nil {
		return "", err
	}
	comp := in.Component
	own, objects := fields(comp.Own), fields(comp.Objects)
	comp.Own, comp.Objects, comp.Values = nil, nil, nil // Merged says what the layers come to
	data, err := json.Marshal([]any{c.build, comp, own, objects, layerNames(in.Component), in.ChartKey, content, in.APIVersions})
	if err != nil {
		return "", fmt.Errorf("hashing the component: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// layerNames are what messages about values name.
func layerNames(c component.Component) []string {
	names := make([]string, len(c.Values))
	for i, v := range c.Values {
		names[i] = v.Origin.String()
	}
	return names
}

// folderHash hashes the files of a kustomization or of manifests: all of the model's folder for a kustomization, which may read
// outside its own.
func folderHash(files fs.FS, source component.Source) (string, error) {
	root := source.Manifests
	if source.Kustomization != "" {
		root = "."
	}
	if root == "" {
		return "", nil
	}
	sum := sha256.New()
	err := fs.WalkDir(files, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(data))
		sum.Write(data)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", root, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// entry is one cached result. Objects are encoded one by one, so that equal ones can be shared.
type entry struct {
	Name    string
	Objects [][]byte
	Notices []render.Notice
	Absent  []string
}

// get returns the result kept under key.
func (c *cache) get(key string) (render.Result, bool) {
	if key == "" {
		return render.Result{}, false
	}
	data, err := os.ReadFile(c.file(key))
	if err != nil || len(data) < sha256.Size {
		return render.Result{}, false
	}
	if sum := sha256.Sum256(data[sha256.Size:]); !bytes.Equal(sum[:], data[:sha256.Size]) {
		return render.Result{}, false
	}
	var e entry
	if cbor.Unmarshal(data[sha256.Size:], &e) != nil {
		return render.Result{}, false
	}
	result := render.Result{Bundle: manifest.Bundle{Name: e.Name, Objects: make([]manifest.Object, len(e.Objects))}, Notices: e.Notices, AbsentAPIs: e.Absent}
	for i, encoded := range e.Objects {
		if result.Bundle.Objects[i], err = c.object(encoded); err != nil {
			return render.Result{}, false
		}
	}
	return result, true
}

// largeObject is from how many bytes on an object is worth sharing between environments.
const largeObject = 4 << 10

func (c *cache) object(encoded []byte) (manifest.Object, error) {
	if len(encoded) < largeObject {
		return decodeObject(encoded)
	}
	sum := sha256.Sum256(encoded)
	c.mu.Lock()
	o, known := c.shared[sum]
	c.mu.Unlock()
	if known {
		return o, nil
	}
	o, err := decodeObject(encoded)
	if err == nil {
		c.mu.Lock()
		c.shared[sum] = o
		c.mu.Unlock()
	}
	return o, err
}

// put keeps a result. A cache that cannot be written is no error: the next run renders again.
func (c *cache) put(key string, result render.Result) {
	if key == "" {
		return
	}
	e := entry{Name: result.Bundle.Name, Notices: result.Notices, Absent: result.AbsentAPIs, Objects: make([][]byte, len(result.Bundle.Objects))}
	for i, o := range result.Bundle.Objects {
		encoded, err := encodeMode.Marshal(o.Fields())
		if err != nil {
			return
		}
		e.Objects[i] = encoded
	}
	body, err := cbor.Marshal(e)
	if err != nil {
		return
	}
	sum := sha256.Sum256(body)
	_ = replaceFile(c.file(key), append(sum[:], body...))
}

func (c *cache) file(key string) string { return filepath.Join(c.dir, key[:2], key[2:]) }

// replaceFile writes a file in one step, so that processes may share the folder.
func replaceFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Chmod(0o644), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// encodeMode sorts keys: equal objects are equal bytes, which is what sharing them between environments goes by.
var encodeMode = must(cbor.EncOptions{Sort: cbor.SortBytewiseLexical}.EncMode())

func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}

func decodeObject(encoded []byte) (manifest.Object, error) {
	fields, err := decodeFields(string(encoded))
	return manifest.New(fields), err
}
