package imagefield

import (
	"encoding/json"
	"strings"
)

// injected lists the images of Istio's sidecar injector: its ConfigMap holds hub, tag and image names apart, in JSON, and the webhook
// puts them together for every pod. They carry no digest, and one hub serves many images, so they are listed and never rewritten here.
func (f *finder) injected(at path, fields map[string]any) {
	data, _ := fields["data"].(map[string]any)
	text, _ := data["values"].(string)
	if f.id.Kind != "ConfigMap" || f.id.Group != "" || !strings.Contains(text, `"hub"`) {
		return
	}
	var values struct {
		Global struct {
			Hub       string          `json:"hub"`
			Tag       json.RawMessage `json:"tag"`
			Proxy     imageName       `json:"proxy"`
			ProxyInit imageName       `json:"proxy_init"`
		} `json:"global"`
	}
	if json.Unmarshal([]byte(text), &values) != nil || values.Global.Hub == "" {
		return
	}
	at = at.key("data").key("values")
	f.claimed[at.id()] = true
	seen := map[string]bool{}
	for _, name := range []string{values.Global.Proxy.Image, values.Global.ProxyInit.Image} {
		reference := name
		if !strings.Contains(name, "/") {
			reference = values.Global.Hub + "/" + name + ":" + strings.Trim(string(values.Global.Tag), `"`)
		}
		if name == "" || seen[reference] || !valid(reference) {
			continue
		}
		seen[reference] = true
		f.hits = append(f.hits, Hit{
			Object: f.id, Path: at.String(), Reference: reference, Tier: Registered, at: at,
			Note: "Istio's webhook puts it together from hub, tag and name: set the chart's values global.hub and global.tag",
		})
	}
}

type imageName struct {
	Image string `json:"image"`
}
