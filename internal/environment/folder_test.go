package environment

import (
	"errors"
	"testing"
	"testing/fstest"
)

// Messages name files as they are named from the root, where people and terminals open them; what is read is below the folder.
func TestMessagesNameTheFolder(t *testing.T) {
	_, err := Load(fstest.MapFS{
		"fleet.yaml": {Data: []byte("apiVersion: gen/v1\nkind: Fleet\nunknown: x\n")},
		"lab.yml":    {Data: []byte("x")},
	}, Options{Folder: "environments"})
	var mistakes Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) < 2 {
		t.Fatalf("got %v", err)
	}
	for _, m := range mistakes {
		if want := "environments/fleet.yaml"; m.Origin.File != want && m.Origin.File != "environments/lab.yml" {
			t.Errorf("%s: named %s, want it below environments/", m.Message, m.Origin.File)
		}
	}
}
