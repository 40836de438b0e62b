package render

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/bcrypt"
)

// call runs a template with a world's functions.
func call(t *testing.T, w *world, text string) string {
	t.Helper()
	parsed, err := template.New("").Funcs(sprig.TxtFuncMap()).Funcs(w.functions()).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := parsed.Execute(&out, map[string]any{"day": time.Date(2020, 2, 3, 23, 30, 0, 0, time.UTC), "map": map[string]any{"c": 3, "a": 1, "b": 2}}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFunctionsAnswerTheSame(t *testing.T) {
	for name, test := range map[string]struct{ template, want string }{
		"keys":           {`{{ keys .map (dict "z" 1 "y" 2) }}`, "[a b c y z]"},
		"values":         {`{{ values .map }}`, "[1 2 3]"},
		"now":            {`{{ now | date "2006-01-02T15:04Z07:00" }}`, "2024-01-15T10:30Z"},
		"date":           {`{{ .day | date "2006-01-02 15:04" }}`, "2020-02-03 23:30"},
		"date of others": {`{{ "x" | date "2006" }}`, "2024"},
		"date of int":    {`{{ 86400 | date "2006-01-02" }}`, "1970-01-02"},
		"dateInZone":     {`{{ dateInZone "15:04" .day "Asia/Tokyo" }}`, "08:30"},
		"zone Local":     {`{{ dateInZone "15:04" .day "Local" }}`, "23:30"},
		"zone unknown":   {`{{ date_in_zone "15:04" .day "Nowhere" }}`, "23:30"},
		"htmlDate":       {`{{ htmlDate .day }} {{ htmlDateInZone .day "Asia/Tokyo" }}`, "2020-02-03 2020-02-04"},
		"toDate":         {`{{ toDate "2006-01-02 15:04" "2020-07-01 12:00" | unixEpoch }}`, "1593604800"},
		"ago":            {`{{ ago .day }}`, "34595h0m0s"},
		"durationRound":  {`{{ durationRound .day }} {{ durationRound "400h" }}`, "3y 16d"},
		"lookup":         {`{{ lookup "v1" "Secret" "ns" "name" }}`, "map[]"},
		"getHostByName":  {`{{ getHostByName "localhost" }}`, ""},
		"os paths":       {`{{ osBase "/a/b.c" }} {{ osDir "/a/b.c" }} {{ osExt "/a/b.c" }} {{ osClean "/a//b" }} {{ osIsAbs "/a" }}`, "b.c /a .c /a/b true"},
		"randInt":        {`{{ $n := randInt 5 8 }}{{ and (ge $n 5) (lt $n 8) }}`, "true"},
		"no randInt":     {`{{ randAlphaNum 0 }}{{ randNumeric 0 }}`, ""},
		"htpasswd":       {`{{ htpasswd "me" "secret" | trunc 10 }}`, "me:$2a$10$"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, call(t, newWorld("lab", "demo", false), test.template)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// random holds a template for every function that draws lots, makes keys or hashes.
func random() []string {
	return []string{
		`{{ randAlphaNum 12 }}`, `{{ randAlpha 12 }}`, `{{ randNumeric 12 }}`, `{{ randAscii 12 }}`, `{{ randBytes 12 }}`, `{{ randInt 0 100000000 }}`,
		`{{ shuffle "abcdefghijklmnop" }}`, `{{ uuidv4 }}`, `{{ genPrivateKey "rsa" }}`, `{{ (genCA "me" 10).Cert }}`, `{{ (genCA "me" 10).Key }}`,
		`{{ (genSelfSignedCert "a" (list "10.0.0.1") (list "b") 10).Cert }}`, `{{ (genSignedCert "a" nil (list "b") 10 (genCA "me" 10)).Cert }}`,
		`{{ (genCAWithKey "me" 10 (genPrivateKey "ecdsa")).Cert }}`, `{{ bcrypt "x" }}`, `{{ htpasswd "me" "x" }}`, `{{ encryptAES "k" "text" }}`,
	}
}

func TestGeneratedValuesFollowFromTheSeed(t *testing.T) {
	for _, text := range random() {
		first := call(t, newWorld("lab", "demo", false), text)
		if again := call(t, newWorld("lab", "demo", false), text); again != first {
			t.Errorf("%s: the same world answers otherwise (-first +again):\n%s", text, cmp.Diff(first, again))
		}
		for name, other := range map[string]*world{
			"environment": newWorld("prod", "demo", false), "component": newWorld("lab", "other", false), "second run": newWorld("lab", "demo", true),
		} {
			if call(t, other, text) == first {
				t.Errorf("%s: another %s answers the same", text, name)
			}
			if len(other.generated) == 0 {
				t.Errorf("%s: nothing is noted as generated", text)
			}
		}
	}
	for _, text := range []string{`{{ now }}`, `{{ ago .day }}`, `{{ durationRound .day }}`, `{{ date "2006-01-02" "" }}`} {
		if call(t, newWorld("lab", "demo", false), text) == call(t, newWorld("lab", "demo", true), text) {
			t.Errorf("%s: the second run's clock stands still", text)
		}
	}
}

func TestRepeatedCallsDiffer(t *testing.T) {
	parts := strings.Fields(call(t, newWorld("lab", "demo", false), `{{ randAlphaNum 20 }} {{ randAlphaNum 20 }} {{ randAlphaNum 21 }}`))
	if parts[0] == parts[1] || strings.HasPrefix(parts[2], parts[0]) {
		t.Errorf("equal values: %v", parts)
	}
	// A call that is added elsewhere does not change what others get.
	if got := call(t, newWorld("lab", "demo", false), `{{ $x := randNumeric 5 }}{{ randAlphaNum 20 }}`); got != parts[0] {
		t.Errorf("after another function's call: %s, want %s", got, parts[0])
	}
}

func TestCertificatesHold(t *testing.T) {
	w := newWorld("lab", "demo", false)
	ca, err := w.genCA("authority", 365)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := w.genSignedCert("web", []any{"10.0.0.1"}, []any{"web.example.com"}, 30, ca)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(ca.Cert)) {
		t.Fatal("the authority's certificate does not parse")
	}
	block, _ := pem.Decode([]byte(signed.Cert))
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"web.example.com", "10.0.0.1"} {
		if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: firstClock.AddDate(0, 0, 29)}); err != nil {
			t.Errorf("verifying %s: %v", host, err)
		}
	}
	encode := base64.StdEncoding.EncodeToString
	if got, err := buildCustomCert(encode([]byte(signed.Cert)), encode([]byte(signed.Key))); err != nil || got != signed {
		t.Errorf("buildCustomCert: %v, %v", got, err)
	}
	for name, err := range map[string]error{
		"bad base64":    second(buildCustomCert("?", "?")),
		"no PEM":        second(buildCustomCert(encode([]byte("x")), encode([]byte(signed.Key)))),
		"no authority":  second(w.genSignedCert("web", nil, nil, 1, certificate{})),
		"bad key":       second(w.genCAWithKey("x", 1, "key")),
		"bad address":   second(w.genSelfSignedCert("x", []any{"300.0.0.1"}, nil, 1)),
		"bad host":      second(w.genSelfSignedCert("x", nil, []any{1}, 1)),
		"unknown key":   second(w.genPrivateKey("quantum")),
		"colon in user": second(w.htpasswd("a:b", "x")),
		"long password": second(w.bcrypt(strings.Repeat("x", 73))),
		"negative":      second(w.randBytes(-1)),
		"empty range":   second(w.randInt(5, 5)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[V any](_ V, err error) error { return err }

func TestKeysThatTheValuesGive(t *testing.T) {
	ec, ecErr := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rsaKey, rsaErr := rsa.GenerateKey(rand.Reader, 2048)
	ecDER, derErr := x509.MarshalECPrivateKey(ec)
	if err := errors.Join(ecErr, rsaErr, derErr); err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{
		"EC":  string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: ecDER})),
		"RSA": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)})),
	}
	for name, key := range keys {
		one, err := newWorld("lab", "demo", false).genSelfSignedCertWithKey("x", nil, nil, 1, key)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		two, _ := newWorld("lab", "demo", false).genSelfSignedCertWithKey("x", nil, nil, 1, key)
		if one != two || one.Key != key {
			t.Errorf("%s: two certificates of one key differ, or the key was changed", name)
		}
	}
}

func TestHashesAndCiphersHold(t *testing.T) {
	w := newWorld("lab", "demo", false)
	hash, err := w.bcrypt("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if err := bcrypt.CompareHashAndPassword([]byte(hash), []byte("correct horse")); err != nil {
		t.Errorf("bcrypt: %v", err)
	}
	if err := bcrypt.CompareHashAndPassword([]byte(hash), []byte("other")); err == nil {
		t.Error("bcrypt: another password matches")
	}
	cipher, err := w.encryptAES("key", "plain text of more than a block")
	if err != nil {
		t.Fatal(err)
	}
	decrypt := sprig.GenericFuncMap()["decryptAES"].(func(string, string) (string, error))
	if plain, err := decrypt("key", cipher); err != nil || plain != "plain text of more than a block" {
		t.Errorf("decryptAES: %q, %v", plain, err)
	}
}
