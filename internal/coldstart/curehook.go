package coldstart

import (
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// phases returns the ways to bring an object of a later phase to one of an earlier phase that waits for it. A hook is deleted and made
// anew at every sync, so that few kinds may become one (docs/decisions/0037).
func (w *world) phases(late, early *node) []change {
	var list []change
	from, to := late.stage(), early.stage()
	if w.mayHook(late) {
		list = append(list, hooked(late, to.Phase, to.Wave, thatOf(early)), hooked(late, to.Phase, to.Wave-1, ", before "+label(early)))
	}
	if argocd.IsHook(late.task.Object) && to.Phase == argocd.Sync {
		list = append(list, unhooked(late, to.Wave, thatOf(early)), unhooked(late, to.Wave-1, ", before "+label(early)))
	}
	if !argocd.IsHook(early.task.Object) {
		return list
	}
	if runsOnce(early) {
		list = append(list, hooked(early, from.Phase, from.Wave+1, ", after "+label(late)), hooked(early, from.Phase, from.Wave, thatOf(late)))
		if from.Phase == argocd.Sync {
			list = append(list, hooked(early, argocd.PostSync, to.Wave, ", after "+label(late)))
		}
	}
	if from.Phase == argocd.Sync && !guards(early.id) {
		list = append(list, unhooked(early, from.Wave, thatOf(late)), unhooked(early, from.Wave+1, ", after "+label(late)))
	}
	return list
}

// hooked makes an object a hook of a phase, or of another one than it is.
func hooked(n *node, phase argocd.Phase, wave int, why string) change {
	text := "make " + label(n) + " a " + string(phase) + " hook of wave " + strconv.Itoa(wave) + why
	return small(text, n.id, func(o manifest.Object) manifest.Object {
		return withWave(wave)(o.Set(string(phase), "metadata", "annotations", argocd.HookAnnotation))
	})
}

// unhooked makes a hook an ordinary object.
func unhooked(n *node, wave int, why string) change {
	text := "drop the hook annotation of " + label(n) + ", and put it into wave " + strconv.Itoa(wave) + why
	return small(text, n.id, func(o manifest.Object) manifest.Object {
		plain := o.Edit(func(fields map[string]any) {
			annotations := manifest.New(fields).Map("metadata", "annotations")
			for _, key := range []string{argocd.HookAnnotation, argocd.HookDeleteAnnotation, argocd.HelmHookAnnotation, argocd.HelmDeleteAnnotation} {
				delete(annotations, key)
			}
		})
		if argocd.Wave(plain) == wave {
			return plain
		}
		return withWave(wave)(plain)
	})
}

// runsOnce reports whether an object is one that runs and ends.
func runsOnce(n *node) bool {
	return n.id.Group == "batch" && n.id.Kind == "Job" || n.id.Group == "" && n.id.Kind == "Pod"
}

// mayHook reports whether an object bears being deleted and made anew at every sync, and is needed by nothing that would miss it
// meanwhile: what runs and ends, and what only hooks of the same Application read. All else keeps data, serves others, or gives rights to
// what runs on (docs/decisions/0037).
func (w *world) mayHook(n *node) bool {
	o := n.task.Object
	switch dotted(n.id) {
	case "Job.batch":
		return true
	case "Pod":
		return !claims(o)
	case "ConfigMap":
		return (o.Get("data") != nil || o.Get("binaryData") != nil) && w.hooksAlone(n)
	case "Secret":
		return (o.Get("data") != nil || o.Get("stringData") != nil) && !strings.HasPrefix(o.String("type"), "kubernetes.io/service-account") && w.hooksAlone(n)
	case "ServiceAccount":
		return w.hooksAlone(n)
	}
	return false
}

// claims reports whether a pod mounts what outlives it.
func claims(o manifest.Object) bool {
	for _, volume := range listOf(needs.PodSpec(o), "volumes") {
		if valueAt(volume, "persistentVolumeClaim") != nil || valueAt(volume, "ephemeral") != nil {
			return true
		}
	}
	return false
}

// hooksAlone reports whether nothing but hooks of its own Application speak of an object.
func (w *world) hooksAlone(n *node) bool {
	for _, x := range w.all {
		if x == n || x.app.on != n.app.on || x.id.Same(n.id) || x.app == n.app && argocd.IsHook(x.task.Object) {
			continue
		}
		if speaksOf(x.task.Object, n.id) {
			return false
		}
	}
	return true
}

// speaksOf reports whether an object names another one, in whatever field. Of a ServiceAccount only fields that are about one count.
func speaksOf(o manifest.Object, id manifest.ID) bool {
	counted := id.Kind != "ServiceAccount"
	for key, item := range o.Fields() {
		if key != "metadata" && key != "kind" && key != "apiVersion" && names(item, key, id, counted) {
			return true
		}
	}
	return names(o.Map("metadata", "annotations"), "annotations", id, counted)
}

// names reports whether a value names an object, once counted says that texts in it count. Labels, images, and the names of containers are no
// such texts.
func names(at any, key string, id manifest.ID, counted bool) bool {
	counted = counted || key == "subjects" || strings.Contains(strings.ToLower(strings.ReplaceAll(key, "-", "")), "serviceaccount")
	switch v := at.(type) {
	case string:
		return counted && hasWord(v, id.Name)
	case []any:
		for _, item := range v {
			if names(item, key, id, counted) {
				return true
			}
		}
	case map[string]any:
		for k, item := range v {
			if k == "labels" || k == "matchLabels" || k == "selector" || k == "image" || k == "name" && v["image"] != nil {
				continue
			}
			if names(item, k, id, counted) {
				return true
			}
		}
	}
	return false
}

// hasWord reports whether a text has a name in it that is not a part of a longer one.
func hasWord(text, name string) bool {
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(name)
		if (start == 0 || !inName(text[start-1])) && (end == len(text) || !inName(text[end])) {
			return true
		}
		from = start + 1
	}
	return false
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}
