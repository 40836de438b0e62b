package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hook is a document with Helm's annotation.
func hook(kind, name, events, more string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: %s\nmetadata: {name: %s, annotations: {helm.sh/hook: %q%s}}\n", kind, name, events, more)
}

func TestHooks(t *testing.T) {
	template := hook("Job", "both", "pre-install,Pre-Upgrade", "") +
		hook("Job", "install", "post-install", "") +
		hook("PersistentVolumeClaim", "claim", "pre-install", "") +
		hook("ConfigMap", "map", "pre-install", ", helm.sh/hook-delete-policy: 'hook-succeeded, before-hook-creation'") +
		hook("ConfigMap", "kept", "pre-install", ", helm.sh/hook-delete-policy: hook-failed") +
		hook("Job", "argo", "post-install", ", argocd.argoproj.io/hook: PostSync") +
		hook("Job", "back", "pre-rollback, post-rollback", "") +
		hook("Job", "mixed", "pre-install, pre-rollback", "") +
		hook("Job", "gone", "post-delete", "") +
		hook("Pod", "test", "test", "") + hook("Pod", "test2", "test-success,post-install", "") +
		hook("Job", "odd", "crd-install", "") + hook("Job", "none", "", "") +
		"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n"
	for name, test := range map[string]struct {
		keep    bool
		names   string
		notices []string
	}{
		"keep": {
			keep: true, names: "kept map plain argo back both gone install mixed claim",
			notices: []string{
				"warning dropped Job none: left out: Helm does not know all of its hook events ()",
				"warning dropped Job odd: left out: Helm does not know all of its hook events (crd-install)",
				"warning hook ConfigMap map: Helm runs it on installation only (pre-install), Argo CD as PreSync hook in every sync: it is deleted and made again each time, and whoever needs it meanwhile finds nothing",
				"warning hook ConfigMap kept: Helm runs it on installation only (pre-install), Argo CD as PreSync hook in every sync: it is applied again each time, and what was changed in it since is lost",
				"warning hook Job back: Argo CD never applies it: it knows no hook for pre-rollback, post-rollback",
				"warning hook Job install: Helm runs it on installation only (post-install), Argo CD as PostSync hook in every sync: its work is done again each time, which must be safe",
				"warning hook Job mixed: Helm runs it on installation only (pre-install, pre-rollback), Argo CD as PreSync hook in every sync: its work is done again each time, which must be safe",
				"warning hook PersistentVolumeClaim claim: Helm runs it on installation only (pre-install), Argo CD as PreSync hook in every sync: it is deleted and made again each time, and its data with it: drop it as a hook (`hooks: drop`, and add it by `objects`)",
				"note dropped Pod test: left out: a test hook, which only `helm test` runs",
				"note dropped Pod test2: left out: a test hook, which only `helm test` runs",
				"note hook Job gone: Argo CD runs it as PostDelete hook, when the Application is deleted (PreDelete from 3.3 on)",
			},
		},
		"drop": {names: "plain", notices: []string{
			"note dropped Job both: left out: a hook (pre-install, pre-upgrade), and the model says `hooks: drop`",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			in := chartInput(template, "", "templates/NOTES.txt", "Hello {{ .Release.Name }}")
			in.Component.KeepHooks = test.keep
			got, err := New().Render(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			var names, notices []string
			for _, object := range got.Bundle.Objects {
				names = append(names, object.ID().Name)
			}
			if diff := cmp.Diff(test.names, strings.Join(names, " ")); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
			notes := false
			for _, n := range got.Notices {
				notes = notes || n.String() == "demo/templates/NOTES.txt: left out: notes for a person"
				notices = append(notices, fmt.Sprintf("%s %s %s: %s", n.Level, n.Topic, n.Object, n.Message))
			}
			if !notes {
				t.Error("nothing says that NOTES.txt was left out")
			}
			for _, want := range test.notices {
				if !strings.Contains(strings.Join(notices, "\n"), want) {
					t.Errorf("notices lack %s:\n%s", want, strings.Join(notices, "\n"))
				}
			}
			if test.keep && len(notices) != len(test.notices)+1 {
				t.Errorf("%d notices, want %d:\n%s", len(notices), len(test.notices)+1, strings.Join(notices, "\n"))
			}
		})
	}
}
