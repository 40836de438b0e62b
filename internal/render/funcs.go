package render

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"path"
	"slices"
	"text/template"
	"time"
)

// world is what replaced template functions see instead of the clock, of randomness and of a cluster: everything that they
// answer follows from the seed, the function, its arguments and how often it was called with these.
// One world serves one run of a chart's templates.
type world struct {
	seed  string // environment, component, and which of the two runs it is
	now   time.Time
	calls map[string]int

	generated map[string]bool // functions called whose answers would change from render to render
	asked     map[string]bool // questions to a cluster or to the network, which got an empty answer
}

// The clocks of the two runs. Nothing may depend on the day of a render; 400 days shift year, month and day.
var (
	firstClock  = time.Date(2024, time.January, 15, 10, 30, 0, 0, time.UTC)
	secondClock = firstClock.AddDate(0, 0, 400)
)

// newWorld returns the world of a component's first run, or of the second, in which everything that is generated is otherwise.
func newWorld(environment, component string, second bool) *world {
	w := &world{
		seed: fmt.Sprintf("%q %q", environment, component), now: firstClock,
		calls: map[string]int{}, generated: map[string]bool{}, asked: map[string]bool{},
	}
	if second {
		w.seed, w.now = w.seed+" second", secondClock
	}
	return w
}

// functions returns the replacements for the engine's functions that would answer differently on another day, machine or run.
// A test classifies every function of the engine.
func (w *world) functions() template.FuncMap {
	all := template.FuncMap{
		"keys": sortedKeys, "values": sortedValues,
		"lookup": w.lookup, "getHostByName": w.hostByName,
		// These depend on the operating system that gen runs on.
		"osBase": path.Base, "osClean": path.Clean, "osDir": path.Dir, "osExt": path.Ext, "osIsAbs": path.IsAbs,
	}
	maps.Copy(all, w.clockFunctions())
	maps.Copy(all, w.randomFunctions())
	maps.Copy(all, w.cryptoFunctions())
	return all
}

// stream returns an endless row of bytes for one call of a function, and notes that something was generated.
func (w *world) stream(function string, arguments ...any) *stream {
	w.generated[function] = true
	call := fmt.Sprintf("%s %q", function, fmt.Sprint(arguments...))
	w.calls[call]++
	return &stream{key: sha256.Sum256(fmt.Appendf(nil, "%s %s %d", w.seed, call, w.calls[call]))}
}

// stream is an io.Reader of bytes that follow from its key.
type stream struct {
	key   [sha256.Size]byte
	block uint64
	rest  []byte
}

// Read fills p. It never fails.
func (s *stream) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		if len(s.rest) == 0 {
			block := sha256.Sum256(binary.BigEndian.AppendUint64(s.key[:], s.block))
			s.rest = block[:]
			s.block++
		}
		copied := copy(p[n:], s.rest)
		s.rest = s.rest[copied:]
		n += copied
	}
	return len(p), nil
}

// below returns a number from 0 to n-1, evenly enough for names.
func (s *stream) below(n int) int {
	var number [8]byte
	_, _ = s.Read(number[:])
	return int(binary.BigEndian.Uint64(number[:]) % uint64(n))
}

// sortedKeys is `keys`, which gives the keys of maps in Go's random order.
func sortedKeys(dicts ...map[string]any) []string {
	all := []string{}
	for _, dict := range dicts {
		all = append(all, slices.Sorted(maps.Keys(dict))...)
	}
	return all
}

// sortedValues is `values`, in the order of the keys.
func sortedValues(dict map[string]any) []any {
	all := []any{}
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		all = append(all, dict[key])
	}
	return all
}

// lookup answers as `helm template` does: with nothing.
func (w *world) lookup(apiVersion, kind, namespace, name string) (map[string]any, error) {
	w.asked[fmt.Sprintf("lookup %q %q %q %q", apiVersion, kind, namespace, name)] = true
	return map[string]any{}, nil
}

func (w *world) hostByName(name string) string {
	w.asked[fmt.Sprintf("getHostByName %q", name)] = true
	return ""
}
