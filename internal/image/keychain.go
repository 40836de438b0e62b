package image

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/docker-credential-helpers/client"
	"github.com/docker/docker-credential-helpers/credentials"
	"github.com/google/go-containerregistry/pkg/authn"
)

// Keychain gives the credential for a repository ("ghcr.io/org/app"). Its zero answer is anonymous.
type Keychain interface {
	Credential(ctx context.Context, repository string) (Credential, error)
}

// Credential is what to log in with, and where that stands, for messages. Its zero value is anonymous.
type Credential struct {
	Config authn.AuthConfig
	From   string // "/home/me/.docker/config.json, entry ghcr.io/org"; never a secret
}

// DockerKeychain reads what docker and podman store. Of several entries for a repository the longest path wins, as the kubelet has it;
// docker's own library takes one at random. A helper program is run once a host.
type DockerKeychain struct {
	file    string
	entries []keychainEntry // longest prefix first
	helpers map[string]string
	store   string

	mu    sync.Mutex
	asked map[string]*helperAnswer
}

type keychainEntry struct {
	prefix string // host or host/path
	key    string // as written
	config authn.AuthConfig
}

type helperAnswer struct {
	once       sync.Once
	credential Credential
	err        error
}

// LoadKeychain reads the first of $DOCKER_CONFIG/config.json or ~/.docker/config.json, $REGISTRY_AUTH_FILE and podman's auth.json that is there;
// where none is, everything is anonymous. getenv is os.Getenv.
func LoadKeychain(getenv func(string) string) (*DockerKeychain, error) {
	home := getenv("HOME")
	files := []string{filepath.Join(cmp.Or(getenv("DOCKER_CONFIG"), filepath.Join(home, ".docker")), "config.json")}
	if file := getenv("REGISTRY_AUTH_FILE"); file != "" {
		files = append(files, file)
	}
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" {
		files = append(files, filepath.Join(dir, "containers", "auth.json"))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading credentials: %w", err)
		}
		return ParseKeychain(file, data)
	}
	return &DockerKeychain{}, nil
}

// ParseKeychain reads a docker config; file is its name in messages, which never hold what stands in it.
func ParseKeychain(file string, data []byte) (*DockerKeychain, error) {
	config := configfile.New(file)
	if err := config.LoadFromReader(bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("reading credentials: %s: it is no docker config, or an entry of its auths is not base64 of user:password", file)
	}
	chain := &DockerKeychain{file: file, store: config.CredentialsStore, helpers: map[string]string{}, asked: map[string]*helperAnswer{}}
	for host, helper := range config.CredentialHelpers {
		chain.helpers[credentialPrefix(host)] = helper
	}
	for key, auth := range config.AuthConfigs {
		if auth.Username == "" && auth.Password == "" && auth.IdentityToken == "" && auth.RegistryToken == "" {
			continue // docker leaves an empty entry where a helper holds the credential
		}
		chain.entries = append(chain.entries, keychainEntry{credentialPrefix(key), key, authn.AuthConfig{
			Username: auth.Username, Password: auth.Password, IdentityToken: auth.IdentityToken, RegistryToken: auth.RegistryToken,
		}})
	}
	slices.SortFunc(chain.entries, func(a, b keychainEntry) int {
		return cmp.Or(cmp.Compare(len(b.prefix), len(a.prefix)), cmp.Compare(a.prefix, b.prefix), cmp.Compare(a.key, b.key))
	})
	return chain, nil
}

// credentialPrefix turns a key of a docker config into host or host/path: "https://index.docker.io/v1/" is docker.io.
func credentialPrefix(key string) string {
	if _, rest, ok := strings.Cut(key, "://"); ok {
		key = rest
	}
	key = strings.TrimRight(key, "/")
	key = strings.TrimSuffix(strings.TrimSuffix(key, "/v1"), "/v2")
	return canonicalPrefix(key)
}

// Credential returns what to log in with for repository, host/path. A helper that cannot be run is an error.
func (k *DockerKeychain) Credential(_ context.Context, repository string) (Credential, error) {
	host, _, _ := strings.Cut(repository, "/")
	host = canonicalHost(host)
	if helper, ok := k.helpers[host]; ok {
		return k.help(helper, host)
	}
	for _, entry := range k.entries {
		if under(canonicalPrefix(repository), entry.prefix) {
			return Credential{Config: entry.config, From: k.file + ", entry " + entry.key}, nil
		}
	}
	if k.store != "" {
		return k.help(k.store, host)
	}
	return Credential{}, nil
}

// help runs a helper once a host, different hosts at the same time.
func (k *DockerKeychain) help(helper, host string) (Credential, error) {
	k.mu.Lock()
	answer, ok := k.asked[host]
	if !ok {
		answer = &helperAnswer{}
		k.asked[host] = answer
	}
	k.mu.Unlock()
	answer.once.Do(func() { answer.credential, answer.err = runHelper(helper, host) })
	return answer.credential, answer.err
}

// runHelper asks docker-credential-helper. What it prints is not repeated: it may be a secret.
func runHelper(helper, host string) (Credential, error) {
	program := "docker-credential-" + helper
	if _, err := exec.LookPath(program); err != nil {
		return Credential{}, fmt.Errorf("asking %s about %s: the program is not in PATH", program, host)
	}
	server := host
	if host == DockerHub {
		server = authn.DefaultAuthKey
	}
	answer, err := client.Get(client.NewShellProgramFunc(program), server)
	if credentials.IsErrCredentialsNotFound(err) {
		return Credential{}, nil
	}
	if err != nil {
		return Credential{}, fmt.Errorf("asking %s about %s: it ended with an error; run it by hand to see which", program, host)
	}
	credential := Credential{From: program}
	if answer.Username == "<token>" {
		credential.Config.IdentityToken = answer.Secret
	} else {
		credential.Config.Username, credential.Config.Password = answer.Username, answer.Secret
	}
	return credential, nil
}
