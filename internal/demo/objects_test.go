package demo_test

import (
	"regexp"
	"strings"
)

// A Job of cilium bears a hash of its own content in its name.
var jobHash = regexp.MustCompile(`-[0-9a-f]{10}$`)

var imageInFlag = regexp.MustCompile(`^(--[a-z0-9-]+)=\S+/\S+:v?[0-9]\S*$`)

// podContainers returns the containers or initContainers of an object's pods.
func podContainers(o object, list string) []map[string]any {
	var found []map[string]any
	for _, prefix := range [][]string{{"spec"}, {"spec", "template", "spec"}, {"spec", "jobTemplate", "spec", "template", "spec"}} {
		containers, _ := o.at(append(prefix, list)...).([]any)
		for _, c := range containers {
			if container, ok := c.(map[string]any); ok && container["image"] != nil {
				found = append(found, container)
			}
		}
	}
	return found
}

// flagsWithImages returns the flags of a container whose value is an image reference.
func flagsWithImages(container map[string]any) []string {
	var flags []string
	args, _ := container["args"].([]any)
	for _, arg := range args {
		text, _ := arg.(string)
		if m := imageInFlag.FindStringSubmatch(text); m != nil && !strings.Contains(text, "://") {
			flags = append(flags, m[1])
		}
	}
	return flags
}
