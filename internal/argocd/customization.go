package argocd

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// HealthStatus is Argo CD's verdict on an object.
type HealthStatus string

// The statuses. A wave goes on past Healthy only; Degraded fails the operation, every other one is waited on.
const (
	Healthy     HealthStatus = "Healthy"
	Progressing HealthStatus = "Progressing"
	Degraded    HealthStatus = "Degraded"
	Suspended   HealthStatus = "Suspended"
	Missing     HealthStatus = "Missing"
	Unknown     HealthStatus = "Unknown"
)

// Health is the health of one object. Where Argo CD has no check for a kind there is no Health at all, and a wave goes on at
// once; an empty Status is what a script returned that says nothing, and blocks.
type Health struct {
	Status  HealthStatus
	Message string
}

// HealthScript is a Lua script of argocd-cm.
type HealthScript struct {
	Pattern  string // "group/Kind" or "Kind", with wildcards
	Lua      string
	OpenLibs bool // all of Lua's libraries, not the safe ones only
}

// Unrun is the error of a health check whose script was not run to its end: what it says of any object of the kinds that Pattern
// names is not known.
type Unrun struct{ Pattern, Why string }

func (u Unrun) Error() string { return "its health script in argocd-cm (" + u.Pattern + ") " + u.Why }

// customizations begins every argocd-cm key about kinds; alone it is the old key that holds a map of them.
const customizations = "resource.customizations"

// HealthScripts returns the health scripts that an argocd-cm states, sorted by pattern, as Argo CD reads them
// (util/settings/settings.go, GetResourceOverrides): the old map first, then one key a kind, which wins. Keys that make Argo CD
// refuse its settings are errors.
func HealthScripts(settings manifest.Object) ([]HealthScript, error) {
	scripts, err := readCustomizations(settings)
	if err != nil {
		return nil, err
	}
	var list []HealthScript
	for _, pattern := range slices.Sorted(maps.Keys(scripts)) {
		if scripts[pattern].Lua != "" {
			list = append(list, *scripts[pattern])
		}
	}
	return list, nil
}

// Customized returns the kinds for which an argocd-cm has any entry, as patterns: objects of them count in the health of their
// Application while they are missing (controller/health.go, setApplicationHealth).
func Customized(settings manifest.Object) ([]string, error) {
	scripts, err := readCustomizations(settings)
	return slices.Sorted(maps.Keys(scripts)), err
}

func readCustomizations(settings manifest.Object) (map[string]*HealthScript, error) {
	scripts := map[string]*HealthScript{}
	if err := oldScripts(settings.String("data", customizations), scripts); err != nil {
		return nil, fmt.Errorf("reading %s of %s: %w", customizations, settings.ID(), err)
	}
	data := settings.Map("data")
	for _, key := range slices.Sorted(maps.Keys(data)) {
		value, _ := data[key].(string)
		if err := splitScript(key, value, scripts); err != nil {
			return nil, fmt.Errorf("reading %s of %s: %w", key, settings.ID(), err)
		}
	}
	return scripts, nil
}

// oldScripts reads the map of kinds.
func oldScripts(text string, scripts map[string]*HealthScript) error {
	objects, _, err := manifest.Decode([]byte(text))
	if err != nil || len(objects) == 0 {
		return err
	}
	for pattern, value := range objects[0].Fields() {
		fields, _ := value.(map[string]any)
		lua, _ := fields["health.lua"].(string)
		open, _ := fields["health.lua.useOpenLibs"].(bool)
		scripts[pattern] = &HealthScript{pattern, lua, open}
	}
	return nil
}

// splitScript reads one key of the form resource.customizations.TYPE.GROUP_KIND.
func splitScript(key, value string, scripts map[string]*HealthScript) error {
	parts := strings.SplitN(key, ".", 4)
	if !strings.HasPrefix(key, customizations) || len(parts) < 4 {
		return nil
	}
	pattern, err := overridePattern(parts[3])
	if err != nil {
		return err
	}
	if scripts[pattern] == nil {
		scripts[pattern] = &HealthScript{Pattern: pattern}
	}
	switch parts[2] {
	case "health":
		scripts[pattern].Lua = value
	case "useOpenLibs":
		scripts[pattern].OpenLibs, err = strconv.ParseBool(value)
		return err
	case "actions", "ignoreDifferences", "ignoreResourceUpdates", "knownTypeFields":
	default:
		return fmt.Errorf("Argo CD knows no customization %q and refuses its settings", parts[2])
	}
	return nil
}

// overridePattern turns "group_Kind" into "group/Kind".
func overridePattern(text string) (string, error) {
	if text == "all" {
		return "*/*", nil
	}
	parts := strings.Split(text, "_")
	switch {
	case text == "" || len(parts) > 2:
		return "", fmt.Errorf("%q must be GROUP_KIND or KIND", text)
	case len(parts) == 2:
		return parts[0] + "/" + parts[1], nil
	}
	return text, nil
}
