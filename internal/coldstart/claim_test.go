package coldstart

import (
	"fmt"
	"strings"
	"testing"
)

// TestVolumes states which claims get one of the volumes that somebody made, each beside one that does not.
func TestVolumes(t *testing.T) {
	const wave = "argocd.argoproj.io/sync-wave"
	pv := func(name, at, spec string) string {
		return fmt.Sprintf("{apiVersion: v1, kind: PersistentVolume, metadata: {name: %s, labels: {disk: %s}, annotations: {%s: '%s'}}, spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce, ReadOnlyMany]%s}}\n---\n", name, name, wave, at, spec)
	}
	pvc := func(name, at, spec string) string {
		return fmt.Sprintf("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s, namespace: default, annotations: {%s: '%s'}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}%s}}\n---\n", name, wave, at, spec)
	}
	sized := func(document, size string) string {
		return strings.Replace(document, "storage: 5Gi", "storage: "+size, 1)
	}
	class := func(mode string) string {
		return "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: " + mode + "}\n---\n"
	}
	usual := "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: std, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: p}\n---\n"
	set := func(replicas int, spec string) string {
		return fmt.Sprintf("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: default}, spec: {replicas: %d, template: {spec: {containers: []}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: {requests: {storage: 1Gi}}%s}}]}}\n---\n", replicas, spec)
	}
	static := "{apiVersion: v1, kind: ServiceAccount, metadata: {name: maker, namespace: default}}\n---\n" +
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: maker}, rules: [{apiGroups: [''], resources: [persistentvolumes], verbs: [create]}]}\n---\n" +
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: maker}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: maker}, subjects: [{kind: ServiceAccount, name: maker, namespace: default}]}\n---\n" +
		"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: maker, namespace: default}, spec: {template: {spec: {serviceAccountName: maker, containers: []}}}}\n---\n"
	const empty, manual, local = `, storageClassName: ""`, ", storageClassName: manual", ", storageClassName: local"
	const given = "volume default/c"
	for name, tt := range map[string]struct {
		objects string
		given   string
		want    Verdict
		text    string // of the chain
	}{
		"the empty class, and no volume":               {pvc("c", "0", empty), "", Deadlock, "claims a volume that somebody made, and there is none"},
		"the empty class, and one is given":            {pvc("c", "0", empty), given, Proven, ""},
		"the empty class and a volume":                 {pvc("c", "0", empty) + pv("a", "0", ""), "", Proven, ""},
		"a volume that comes later":                    {pvc("c", "0", empty) + pv("a", "1", ""), "", Deadlock, "PersistentVolume a is in wave 1"},
		"one of another class":                         {pvc("c", "0", empty) + pv("a", "0", manual), "", Deadlock, `a is of class "manual"`},
		"one that is too small":                        {pvc("c", "0", empty) + sized(pv("a", "0", ""), "1Gi"), "", Deadlock, "a is too small (1Gi)"},
		"one that is larger":                           {sized(pvc("c", "0", empty), "1Gi") + pv("a", "0", ""), "", Proven, ""},
		"one of other access modes":                    {strings.Replace(pvc("c", "0", empty), "ReadWriteOnce", "ReadWriteMany", 1) + pv("a", "0", ""), "", Deadlock, "has not all the accessModes"},
		"one of blocks":                                {pvc("c", "0", empty) + pv("a", "0", ", volumeMode: Block"), "", Deadlock, "of another volumeMode"},
		"a selector for it":                            {pvc("c", "0", empty+", selector: {matchLabels: {disk: a}}") + pv("a", "0", ""), "", Proven, ""},
		"a selector for another":                       {pvc("c", "0", empty+", selector: {matchLabels: {disk: b}}") + pv("a", "0", ""), "", Deadlock, "bears other labels"},
		"a volume that is kept for it, of any class":   {pvc("c", "0", empty) + pv("a", "0", manual+", claimRef: {namespace: default, name: c}"), "", Proven, ""},
		"one that is kept for another":                 {pvc("c", "0", empty) + pv("a", "0", ", claimRef: {namespace: other, name: c}"), "", Deadlock, "is kept for other/c"},
		"one whose claim is no more":                   {pvc("c", "0", empty) + pv("a", "0", ", claimRef: {namespace: default, name: c, uid: x}"), "", Deadlock, "a claim that is no more"},
		"a volume by name":                             {pvc("c", "0", empty+", volumeName: a") + pv("a", "0", ""), "", Proven, ""},
		"a volume by name that is of a class":          {pvc("c", "0", empty+", volumeName: a") + pv("a", "0", manual), "", Deadlock, "claims a volume that somebody made, and none fits (a is of class"},
		"a volume by name that nobody brings":          {pvc("c", "0", empty+", volumeName: a"), "", Deadlock, "PersistentVolume a comes from nobody"},
		"a volume by name, and a default class":        {usual + pvc("c", "0", ", volumeName: a") + pv("a", "0", ""), "", Deadlock, `a is of class ""`},
		"a volume by name, kept for it all the same":   {usual + pvc("c", "0", ", volumeName: a") + pv("a", "0", ", claimRef: {namespace: default, name: c}"), "", Proven, ""},
		"a class that no object need be":               {pvc("c", "0", manual) + pv("a", "0", manual), "", Proven, ""},
		"no class at all, and no default one":          {pvc("c", "0", "") + pv("a", "0", ""), "", Proven, ""},
		"no class at all, and no volume without one":   {pvc("c", "0", "") + pv("a", "0", manual), "", Unknown, "ability default-storage-class comes from nobody"},
		"a default class that is given makes one":      {pvc("c", "0", "") + pv("a", "0", ""), "ability default-storage-class", Unknown, "nobody says which"},
		"a class whose volumes somebody makes":         {class("Immediate") + pvc("c", "0", local), "", Deadlock, "claims a volume that somebody made, and there is none"},
		"one of its volumes":                           {class("Immediate") + pvc("c", "0", local) + pv("a", "0", local), "", Proven, ""},
		"one that a workload may make":                 {static + class("Immediate") + pvc("c", "0", local), "", Unknown, "claims a volume that somebody made"},
		"which makes none for the empty class":         {static + pvc("c", "0", empty), "", Deadlock, "claims a volume that somebody made"},
		"its volume, and no pod":                       {class("WaitForFirstConsumer") + pvc("c", "0", local) + pv("a", "0", local), "", Deadlock, "once a pod mounts it"},
		"its volume is kept for the claim, and no pod": {class("WaitForFirstConsumer") + pvc("c", "0", local) + pv("a", "0", local+", claimRef: {namespace: default, name: c}"), "", Proven, ""},
		"two claims and one volume":                    {pvc("c", "0", empty) + pvc("d", "0", empty) + pv("a", "0", ""), "", Deadlock, "default/d may be given a first: a volume serves one claim"},
		"two claims and two volumes":                   {pvc("c", "0", empty) + pvc("d", "0", empty) + pv("a", "0", "") + pv("b", "0", ""), "", Proven, ""},
		"of which one comes later":                     {pvc("c", "0", empty) + pvc("d", "0", empty) + pv("a", "0", "") + pv("b", "1", ""), "", Deadlock, "PersistentVolume b is in wave 1"},
		"pairs one after the other":                    {pvc("c", "0", empty) + pv("a", "0", "") + pvc("d", "1", empty) + pv("b", "1", ""), "", Proven, ""},
		"two claims, and the volume of one by name":    {pvc("c", "0", empty+", volumeName: a") + pvc("d", "0", empty) + pv("a", "0", "") + pv("b", "0", ""), "", Deadlock, "default/d may be given a first"},
		"which is kept for it":                         {pvc("c", "0", empty+", volumeName: a") + pvc("d", "0", empty) + pv("a", "0", ", claimRef: {namespace: default, name: c}") + pv("b", "0", ""), "", Proven, ""},
		"a small claim is given the small volume":      {sized(pvc("c", "0", empty), "1Gi") + pvc("d", "0", empty) + sized(pv("a", "0", ""), "1Gi") + pv("b", "0", ""), "", Proven, ""},
		"two small claims take the large one, too":     {sized(pvc("c", "0", empty), "1Gi") + sized(pvc("e", "0", empty), "1Gi") + pvc("d", "0", empty) + sized(pv("a", "0", ""), "1Gi") + pv("b", "0", ""), "", Deadlock, "a volume serves one claim"},
		"a set of three with three volumes":            {class("WaitForFirstConsumer") + set(3, local) + pv("a", "0", local) + pv("b", "0", local) + pv("e", "0", local), "", Proven, ""},
		"a set of three with two":                      {class("WaitForFirstConsumer") + set(3, local) + pv("a", "0", local) + pv("b", "0", local), "", Deadlock, "a volume serves one claim"},
		"a set without pods":                           {class("WaitForFirstConsumer") + set(0, local), "", Proven, ""},
		"one that is kept and named may be too small":  {pvc("c", "0", empty+", volumeName: a") + sized(pv("a", "0", ", claimRef: {namespace: default, name: c}"), "1Gi"), "", Proven, ""},
		"one that is merely kept may not":              {pvc("c", "0", empty) + sized(pv("a", "0", ", claimRef: {namespace: default, name: c}"), "1Gi"), "", Deadlock, "a is too small (1Gi)"},
		"a volume by name, and a selector for another": {pvc("c", "0", empty+", volumeName: a, selector: {matchLabels: {disk: b}}") + pv("a", "0", ""), "", Proven, ""},
		"of a volume by name only that is spoken":      {pvc("c", "0", empty+", volumeName: a") + pv("a", "0", manual) + pv("b", "0", manual), "", Deadlock, "none fits (a is of class \"manual\")"},
		"of many volumes three are spoken":             {pvc("c", "0", empty) + pv("a", "0", manual) + pv("b", "0", manual) + pv("d", "0", manual) + pv("e", "0", manual), "", Deadlock, "d is of class \"manual\"; …)"},
		"a class that is not the default":              {class("WaitForFirstConsumer") + pvc("c", "0", "") + pv("a", "0", ""), "", Proven, ""},
		"a class that says that it is not":             {strings.Replace(usual, "'true'", "'false'", 1) + pvc("c", "0", "") + pv("a", "0", ""), "", Proven, ""},
		"a class beside the default one":               {usual + pvc("c", "0", manual) + pv("a", "0", manual), "", Proven, ""},
		"a class among the objects that is given, too": {class("Immediate") + pvc("c", "0", local) + pv("a", "0", local), "StorageClass.storage.k8s.io local", Proven, ""},
		"of volumes of one size either may be given":   {pvc("c", "0", empty+", selector: {matchLabels: {disk: b}}") + pvc("d", "0", empty) + pv("a", "0", "") + pv("b", "0", ""), "", Deadlock, "default/d may be given b first"},
		"but the smaller before the larger":            {pvc("c", "0", empty+", selector: {matchLabels: {disk: b}}") + sized(pvc("d", "0", empty), "1Gi") + sized(pv("a", "0", ""), "1Gi") + pv("b", "0", ""), "", Proven, ""},
		"a set adopts a claim":                         {class("WaitForFirstConsumer") + set(1, local) + pvc("data-db-0", "0", local) + pv("a", "0", local), "", Proven, ""},
		"a claim of that name beside another set":      {class("Immediate") + set(1, local) + strings.Replace(pvc("data-db-0", "0", local), "namespace: default", "namespace: kube-public", 1) + pv("a", "0", local), "", Deadlock, "a volume serves one claim"},
		"a claim for which a set has no pod":           {class("WaitForFirstConsumer") + set(1, local) + pvc("data-db-5", "0", local) + pv("a", "0", local) + pv("b", "0", local), "", Deadlock, "once a pod mounts it"},
		"a claim that is called almost so":             {class("WaitForFirstConsumer") + set(1, local) + pvc("data-db-x", "0", local) + pv("a", "0", local) + pv("b", "0", local), "", Deadlock, "once a pod mounts it"},
		"a claim of that name in another place":        {class("WaitForFirstConsumer") + set(1, local) + strings.Replace(pvc("data-db-0", "0", local), "namespace: default", "namespace: kube-public", 1) + pv("a", "0", local) + pv("b", "0", local), "", Deadlock, "once a pod mounts it"},
		"the default class binds for a pod":            {strings.Replace(usual, "provisioner: p", "provisioner: p, volumeBindingMode: WaitForFirstConsumer", 1) + pvc("c", "0", ""), "", Deadlock, "once a pod mounts it"},
		"a class by annotation":                        {strings.Replace(pvc("c", "0", ""), "annotations: {", "annotations: {volume.beta.kubernetes.io/storage-class: manual, ", 1) + pv("a", "0", manual), "", Proven, ""},
		"the empty class beside a default one":         {usual + pvc("c", "0", empty), "", Deadlock, "claims a volume that somebody made, and there is none"},
		"a set of far too many":                        {set(2000000000, empty) + pv("a", "0", ""), "", Deadlock, "a volume serves one claim"},
		"a set whose class provides":                   {usual + set(3, ", storageClassName: std"), "", Proven, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var facts []string
			if tt.given != "" {
				facts = append(facts, tt.given)
			}
			o := granted(t, tt.objects, facts).Outcomes[0]
			var texts []string
			for _, l := range o.Chain {
				texts = append(texts, l.Object.String()+" "+l.Text)
			}
			if text := strings.Join(texts, "\n"); o.Verdict != tt.want || !strings.Contains(text, tt.text) {
				t.Errorf("%s\n%s\nwant %s %q", o.Verdict, text, tt.want, tt.text)
			}
		})
	}
}
