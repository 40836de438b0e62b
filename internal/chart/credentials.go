package chart

import (
	"errors"
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
	n := netrc{logins: map[string]Login{}}
	for number, line := range strings.Split(string(data), "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.Fields(line) {
			if err := n.word(word); err != nil {
				return nil, fmt.Errorf("%s:%d: reading logins: %w", name, number+1, err)
			}
		}
	}
	if n.key != "" {
		return nil, fmt.Errorf("%s: reading logins: the file ends after %s", name, n.key)
	}
	return n.login, nil
}

// netrc is a netrc file, and while it is read, what was read last.
type netrc struct {
	logins    map[string]Login
	host, key string
}

// word takes the next word: a key, or the value of the key before it.
func (n *netrc) word(word string) error {
	if n.key == "" {
		switch word {
		case "machine", "login", "password", "account":
			n.key = word
			return nil
		case "default":
			return errors.New("a default login would go to any host; write a machine for each host")
		}
		return errors.New("expected machine, login or password")
	}
	login := n.logins[n.host]
	switch {
	case n.key == "machine":
		n.host, login = word, Login{}
	case n.host == "":
		return fmt.Errorf("%s stands before any machine", n.key)
	case n.key == "login":
		login.User = word
	case n.key == "password":
		login.Password = word
	}
	n.logins[n.host], n.key = login, ""
	return nil
}

// login returns the login of a URL's host; one that was stated without a port is for the scheme's own port.
func (n *netrc) login(u *url.URL) (Login, bool) {
	if login, ok := n.logins[u.Host]; ok {
		return login, true
	}
	login, ok := n.logins[u.Hostname()]
	return login, ok && u.Port() == ""
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
