package argoapi

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/argoproj/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// memo remembers what scripts said, by script and by what the script can see of the object: a call takes 0.3 ms, and the objects of a
// fleet that have no status yet look alike to most scripts.
type memo struct {
	mutex sync.Mutex
	seen  map[argocd.HealthScript]sight
	said  map[said]*health.HealthStatus
}

// said is one question to a script.
type said struct {
	script  argocd.HealthScript
	content string
}

// maxSaid bounds the answers that are kept.
const maxSaid = 1 << 16

// ask returns what a script says of an object, from memory where it can. Errors are not remembered.
func (m *memo) ask(script argocd.HealthScript, live *unstructured.Unstructured, call func() (*health.HealthStatus, error)) (*health.HealthStatus, error) {
	content, err := json.Marshal(m.sightOf(script).of(live.Object))
	if err != nil {
		return call()
	}
	question := said{script, string(content)}
	m.mutex.Lock()
	answer, ok := m.said[question]
	m.mutex.Unlock()
	if ok {
		return answer, nil
	}
	if answer, err = call(); err != nil {
		return nil, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.said == nil || len(m.said) >= maxSaid {
		m.said = map[said]*health.HealthStatus{}
	}
	m.said[question] = answer
	return answer, nil
}

func (m *memo) sightOf(script argocd.HealthScript) sight {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	s, ok := m.seen[script]
	if !ok {
		if m.seen == nil {
			m.seen = map[argocd.HealthScript]sight{}
		}
		s = sightOf(script.Lua)
		m.seen[script] = s
	}
	return s
}

// sight is what a script can see of an object: all of it, or some of its fields, and of its metadata all or some.
type sight struct {
	all, allMetadata bool
	fields, metadata []string
}

// mention finds where a script names the object, and the two fields that follow.
var mention = regexp.MustCompile(`\bobj\b(?:\s*(?:\.\s*(\w+)|\[\s*["'](\w+)["']\s*\])(?:\s*(?:\.\s*(\w+)|\[\s*["'](\w+)["']\s*\]))?)?`)

// sightOf reads which fields a script names. One that uses the object without naming a field may see all of it.
func sightOf(lua string) sight {
	var s sight
	for _, found := range mention.FindAllStringSubmatch(lua, -1) {
		field, next := found[1]+found[2], found[3]+found[4]
		switch {
		case field == "" || strings.Contains(lua, "_G") || strings.Contains(lua, "_ENV"):
			return sight{all: true}
		case field != "metadata":
			s.fields = append(s.fields, field)
		case next == "":
			s.allMetadata = true
		default:
			s.metadata = append(s.metadata, next)
		}
	}
	return s
}

// of returns the part of an object that a script can see.
func (s sight) of(object map[string]any) map[string]any {
	if s.all {
		return object
	}
	part := map[string]any{}
	for _, field := range s.fields {
		if value, ok := object[field]; ok {
			part[field] = value
		}
	}
	metadata, _ := object["metadata"].(map[string]any)
	if s.allMetadata {
		part["metadata"] = metadata
		return part
	}
	for _, field := range s.metadata {
		if value, ok := metadata[field]; ok {
			part["metadata."+field] = value
		}
	}
	return part
}
