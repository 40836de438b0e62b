package generators

import (
	"bytes"
	"cmp"
	_ "embed" // the functions of the script
	"fmt"
	"strings"
	"time"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
)

//go:embed bootstrap/functions.sh
var bootstrapFunctions string

//go:embed bootstrap/page.md
var bootstrapIntro string

//go:embed bootstrap/operations.md
var bootstrapOperations string

// bootstrapScript writes the steps as a POSIX shell script.
func bootstrapScript(in component.Finished, steps []step) []byte {
	var b bytes.Buffer
	b.WriteString("#!/bin/sh\n# The first steps of environment " + in.Environment.Name + ". Written by gen from the rendered objects; README.md says the same as a page.\nset -eu\n\n")
	namespace := cmp.Or(in.Environment.ArgoCD.Namespace, "argocd")
	fmt.Fprintf(&b, "argocd=%s # the namespace of Argo CD\n\n", quote(namespace))
	b.WriteString(bootstrapFunctions)
	b.WriteString("\n# secret prints the commands that make the credential; the values are yours.\nsecret() {\n  cat <<'END'\n" + secretCommands(in, namespace) + "END\n}\n")
	for _, s := range steps {
		fmt.Fprintf(&b, "\nstep %s\n", quote(s.title))
		for _, a := range s.actions {
			b.WriteString(scriptAction(a))
		}
	}
	b.WriteString("\nsay 'Done.'\n")
	return b.Bytes()
}

func scriptAction(a action) string {
	var b strings.Builder
	b.WriteString("because")
	for _, cause := range a.causes {
		b.WriteString(" \\\n  " + quote(cause))
	}
	b.WriteString("\n" + a.call[0])
	for _, arg := range a.call[1:] {
		b.WriteString(" " + quote(arg))
	}
	return b.String() + "\n"
}

// quote makes one shell word of any text. What BOOTSTRAP_ENDPOINT may replace stays open, its default quoted by itself.
func quote(text string) string {
	if fallback, ok := strings.CutPrefix(text, "${BOOTSTRAP_ENDPOINT:-"); ok {
		fallback = strings.TrimSuffix(fallback, "}")
		if fallback == "" {
			return `"${BOOTSTRAP_ENDPOINT:-}"`
		}
		return `"${BOOTSTRAP_ENDPOINT:-` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "}", `\}`).Replace(fallback) + `}"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func secretCommands(in component.Finished, namespace string) string {
	url := in.Environment.Git.URL
	name := in.Environment.Name + "-repository"
	value := "--from-file=sshPrivateKey=FILE"
	if len(credentialKeys(url)) == 4 {
		value = "--from-literal=username=NAME --from-file=password=FILE"
	}
	return fmt.Sprintf("  kubectl -n %s create secret generic %s --from-literal=type=git --from-literal=url=%s %s\n"+
		"  kubectl -n %s label secret %s argocd.argoproj.io/secret-type=repository\n", namespace, name, url, value, namespace, name)
}

// bootstrapPage writes the steps as a page.
func bootstrapPage(in component.Finished, steps []step) []byte {
	var b bytes.Buffer
	namespace := cmp.Or(in.Environment.ArgoCD.Namespace, "argocd")
	fmt.Fprintf(&b, "# First steps of %s\n\n", in.Environment.Name)
	operations := ""
	if in.Environment.ArgoCD.In != "none" {
		operations = strings.NewReplacer("{namespace}", namespace, "{root}", in.Root.Name, "{limit}", limitText(in)).Replace(bootstrapOperations)
	}
	b.WriteString(strings.NewReplacer("{operations}", operations, "{secret}", secretCommands(in, namespace)).Replace(bootstrapIntro))
	for i, s := range steps {
		fmt.Fprintf(&b, "\n## %d. %s\n\n", i+1, s.title)
		for _, a := range s.actions {
			b.WriteString("- " + a.does)
			if a.limit != "" {
				fmt.Fprintf(&b, " At most `$%s`.", a.limit)
			}
			b.WriteString("\n")
			for _, cause := range a.causes {
				b.WriteString("  - if not: " + cause + "\n")
			}
		}
	}
	return b.Bytes()
}

// limitText says when Argo CD ends an operation by itself, as the rendered settings have it.
func limitText(in component.Finished) string {
	limit, stated := time.Duration(0), false
	for _, b := range in.Bundles {
		if found, ok := argocd.SyncTimeout(cmp.Or(in.Environment.ArgoCD.Namespace, "argocd"), b.Objects); ok {
			limit, stated = found, true
		}
	}
	total := time.Duration(len(in.Applications)+1) * argocd.ApplicationWait
	switch {
	case !stated:
		return "Whether Argo CD ends an operation by itself, `" + argocd.SyncTimeoutKey + "` of its argocd-cmd-params-cm says; as shipped it never does."
	case limit == 0:
		return "Argo CD never ends an operation by itself (`argocd.syncTimeout: none`)."
	}
	text := fmt.Sprintf("Argo CD ends an operation by itself that has taken %s, all its attempts counted (`argocd.syncTimeout`). That of `%s` lasts as long as the\n"+
		"bring-up; the waits for Applications below end after %s in all.", hours(limit), in.Root.Name, hours(total))
	if retry := in.Root.Retry; retry != nil && !retry.Refresh { // before 3.2: decision 0024
		text += " An operation that reached the limit is tried again for\nhalf an hour, at its old commit and in vain: end it, and begin it anew if no commit does."
	}
	return text
}

// hours writes a time without the parts that are nothing.
func hours(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
