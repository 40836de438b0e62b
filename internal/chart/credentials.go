package chart

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Login is a name and password for one host. It prints as dots, so that no log can hold it.
type Login struct{ User, Password string }

// String hides the login.
func (Login) String() string { return "•••" }

// GoString hides the login.
func (Login) GoString() string { return "chart.Login{•••}" }

// Credentials returns the login for the host of a URL. It is asked for every request anew, also after a redirect, so a login
// never reaches another host than the one that it was stated for.
type Credentials func(*url.URL) (Login, bool)

// Netrc reads logins in the form of a netrc file (machine HOST login USER password PASSWORD). A machine may carry a port. The entry
// `default` is refused: it would hand its password to any host that an index names. Errors name a line, never a word of it.
func Netrc(data []byte, name string) (Credentials, error) {
	logins := map[string]Login{}
	var host, key string
	for number, line := range strings.Split(string(data), "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.Fields(line) {
			switch {
			case key == "" && word == "default":
				return nil, fmt.Errorf("%s:%d: reading logins: a default login would go to any host; write a machine for each host", name, number+1)
			case key == "" && (word == "machine" || word == "login" || word == "password" || word == "account"):
				key = word
				continue
			case key == "":
				return nil, fmt.Errorf("%s:%d: reading logins: expected machine, login or password", name, number+1)
			case key != "machine" && host == "":
				return nil, fmt.Errorf("%s:%d: reading logins: %s stands before any machine", name, number+1, key)
			}
			login := logins[host]
			switch key {
			case "machine":
				host, login = word, Login{}
			case "login":
				login.User = word
			case "password":
				login.Password = word
			}
			logins[host] = login
			key = ""
		}
	}
	if key != "" {
		return nil, fmt.Errorf("%s: reading logins: the file ends after %s", name, key)
	}
	return func(u *url.URL) (Login, bool) {
		if login, ok := logins[u.Host]; ok {
			return login, true
		}
		login, ok := logins[u.Hostname()]
		return login, ok && u.Port() == ""
	}, nil
}

// loginTransport adds the login of a request's own host. It works below redirects, on a copy of each request, so that
// http.Client has nothing to carry over to another host.
type loginTransport struct {
	base        http.RoundTripper
	credentials Credentials
}

// RoundTrip sends the request with the login of its host, if there is one.
func (t loginTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	login, ok := Login{}, false
	if t.credentials != nil {
		login, ok = t.credentials(request.URL)
	}
	if !ok {
		return t.base.RoundTrip(request)
	}
	request = request.Clone(request.Context())
	request.SetBasicAuth(login.User, login.Password)
	return t.base.RoundTrip(request)
}
