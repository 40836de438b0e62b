package manifest

import (
	"strings"
	"testing"
)

// Names as Kubernetes judges them, by kind.
func TestNameProblems(t *testing.T) {
	long := strings.Repeat("a", 254)
	for name, test := range map[string]struct {
		id     ID
		custom bool
		want   string // part of the one problem; "" for none
	}{
		"plain":                     {id: ID{Kind: "ConfigMap", Name: "kube-root-ca.crt", Namespace: "web"}},
		"253":                       {id: ID{Kind: "Secret", Name: long[:253]}},
		"254":                       {ID{Kind: "Secret", Name: long}, false, "must be no more than 253"},
		"path":                      {ID{Kind: "ConfigMap", Name: "../../etc/passwd"}, false, "RFC 1123 subdomain"},
		"upper case":                {ID{Kind: "ConfigMap", Name: "CON"}, false, "RFC 1123 subdomain"},
		"underscore":                {ID{Group: "apps", Kind: "Deployment", Name: "a_b"}, false, "RFC 1123 subdomain"},
		"colon":                     {ID{Kind: "ConfigMap", Name: "a:b"}, false, "RFC 1123 subdomain"},
		"role":                      {id: ID{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "system:Node_reader"}},
		"role with a slash":         {ID{Group: "rbac.authorization.k8s.io", Kind: "Role", Name: "a/b"}, false, "may not contain '/'"},
		"role of two dots":          {ID{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding", Name: ".."}, false, "may not be '..'"},
		"api service":               {id: ID{Group: "apiregistration.k8s.io", Kind: "APIService", Name: "v1beta1.metrics.k8s.io"}},
		"address":                   {id: ID{Group: "networking.k8s.io", Kind: "IPAddress", Name: "fd00::1"}},
		"ingress":                   {ID{Group: "networking.k8s.io", Kind: "Ingress", Name: "fd00::1"}, false, "RFC 1123 subdomain"},
		"namespace with a dot":      {ID{Kind: "Namespace", Name: "a.b"}, false, "must not contain dots"},
		"service with a dot":        {ID{Kind: "Service", Name: "a.b"}, false, "must not contain dots"},
		"service of 64":             {ID{Kind: "Service", Name: long[:64]}, false, "must be no more than 63"},
		"stateful set with a dot":   {ID{Group: "apps", Kind: "StatefulSet", Name: "a.b"}, false, "must not contain dots"},
		"cron job of 53":            {ID{Group: "batch", Kind: "CronJob", Name: long[:53]}, false, "must be no more than 52"},
		"job of 53":                 {id: ID{Group: "batch", Kind: "Job", Name: long[:53]}},
		"custom":                    {id: ID{Group: "cert-manager.io", Kind: "Issuer", Name: "a.b-c"}, custom: true},
		"custom with a colon":       {ID{Group: "cert-manager.io", Kind: "Issuer", Name: "a:b"}, true, "RFC 1123 subdomain"},
		"custom in rbac's group":    {ID{Group: "policy", Kind: "Own", Name: "a:b"}, true, "RFC 1123 subdomain"},
		"of an API server":          {id: ID{Group: "user.openshift.io", Kind: "User", Name: "system:admin"}},
		"of an API server, a slash": {ID{Group: "user.openshift.io", Kind: "User", Name: "a/b"}, false, "may not contain '/'"},
		"namespace of an object":    {ID{Kind: "ConfigMap", Name: "a", Namespace: "A"}, false, `metadata.namespace: "A"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := NameProblems(test.id, test.custom)
			if test.want == "" && len(got) > 0 || test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
