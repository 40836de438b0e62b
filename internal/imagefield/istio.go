package imagefield

import (
	"encoding/json"
	"strings"
)

// injected lists the images of Istio's sidecar injector: its ConfigMap holds hub, tag, variant and image names apart, in JSON, and the webhook
// puts them together for every pod (istio: pkg/kube/inject, ProxyImage, AgentgatewayImage). They carry no digest, and one hub serves many images,
// so they are listed and never rewritten here.
func (f *finder) injected(at path, fields map[string]any) {
	data, _ := fields["data"].(map[string]any)
	text, _ := data["values"].(string)
	if f.id.Kind != "ConfigMap" || f.id.Group != "" || !strings.Contains(text, `"hub"`) {
		return
	}
	var values injectorValues
	if json.Unmarshal([]byte(text), &values) != nil || values.Global.Hub == "" {
		return
	}
	names := []string{values.Global.Proxy.Image, values.Global.ProxyInit.Image}
	if templates, _ := data["config"].(string); strings.Contains(templates, "AgentgatewayImage") {
		names = append(names, "agentgateway") // its name is the webhook's own
	}
	at = at.key("data").key("values")
	f.claimed[at.id()] = true
	seen := map[string]bool{}
	for _, name := range names {
		reference := name
		if !strings.Contains(name, "/") {
			reference = values.Global.Hub + "/" + name + ":" + values.tag()
		}
		if name == "" || seen[reference] || !valid(reference) {
			continue
		}
		seen[reference] = true
		f.hits = append(f.hits, Hit{
			Object: f.id, Path: at.String(), Reference: reference, Tier: Registered, at: at.keep(),
			Note: "Istio's webhook puts it together from hub, tag and name: set the chart's values global.hub and global.tag",
		})
	}
}

type injectorValues struct {
	Global struct {
		Hub       string          `json:"hub"`
		Tag       json.RawMessage `json:"tag"` // a number, where somebody did not quote it
		Variant   string          `json:"variant"`
		Proxy     injectedImage   `json:"proxy"`
		ProxyInit injectedImage   `json:"proxy_init"`
	} `json:"global"`
}

type injectedImage struct {
	Image string `json:"image"`
}

// tag is the tag with its variant, which takes the place of one that the tag ends with.
func (v injectorValues) tag() string {
	tag := strings.Trim(string(v.Global.Tag), `"`)
	if v.Global.Variant == "" {
		return tag
	}
	for _, known := range []string{"-distroless", "-debug"} {
		if bare, ok := strings.CutSuffix(tag, known); ok {
			tag = bare
			break
		}
	}
	if v.Global.Variant == "default" {
		return tag
	}
	return tag + "-" + v.Global.Variant
}
