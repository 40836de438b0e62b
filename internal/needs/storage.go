package needs

import "github.com/coldstart-gitops/gen/internal/manifest"

func storageClass(o manifest.Object) []Fact {
	id := o.ID()
	switch {
	case id.Group == "" && id.Kind == "PersistentVolumeClaim":
		return claimFacts(o.Map("spec"))
	case id.Group == "apps" && id.Kind == "StatefulSet":
		var facts []Fact
		for _, template := range o.List("spec", "volumeClaimTemplates") {
			facts = append(facts, claimFacts(child(template, "spec"))...)
		}
		return facts
	}
	return nil
}

// claimFacts returns what a claim's spec waits for. An empty class name asks for a volume made by hand, a bound name for that one.
func claimFacts(spec map[string]any) []Fact {
	if str(spec, "volumeName") != "" {
		return []Fact{{Type: Exists, Kind: "PersistentVolume", Name: str(spec, "volumeName")}}
	}
	class, stated := spec["storageClassName"].(string)
	switch {
	case !stated:
		return []Fact{{Type: Ability, Name: DefaultStorage}}
	case class == "":
		return nil
	}
	return []Fact{{Type: Exists, Group: "storage.k8s.io", Kind: "StorageClass", Name: class}}
}
