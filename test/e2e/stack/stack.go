package stack

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Options of a stack.
type Options struct {
	Argo  string               // version of Argo CD: Argo3 or Argo2
	Peers Peers                // what the API server reaches inside the cluster
	Log   func(string, ...any) // progress
	Nodes []string             // names of the nodes; three if empty

	// APIServers is how many API servers the one that runs is told of; one if 0. Of more it waits 5 s between accepting a CRD's names
	// and establishing it (apiextensions-apiserver pkg/apiserver/customresource_handler.go).
	APIServers int
}

// Stack is a running control plane, and Argo CD once StartArgo was called.
type Stack struct {
	Dir        string // everything of this run, removed by Stop
	Kubeconfig string
	Kubectl    string // the program
	URL        string

	opts  Options
	paths map[string]string
	procs *family
	redis *miniredis.Miniredis
	peers *peerServer
}

const startLimit = 2 * time.Minute

// Start builds what is missing and brings up etcd, the API server, the controllers, the scheduler and KWOK with its nodes.
// On an error nothing is left running.
func Start(ctx context.Context, opts Options) (_ *Stack, err error) {
	paths, err := Binaries(ctx, opts.Argo, opts.Log)
	if err != nil {
		return nil, err
	}
	dir, err := newRunDir()
	if err != nil {
		return nil, err
	}
	s := &Stack{Dir: dir, Kubeconfig: filepath.Join(dir, "kubeconfig"), Kubectl: paths["kubectl"], opts: opts, paths: paths, procs: newFamily(dir)}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if s.redis, err = miniredis.Run(); err != nil {
		return nil, fmt.Errorf("starting redis: %w", err)
	}
	if s.peers, err = servePeers(filepath.Join(dir, "peers.sock"), opts.Peers); err != nil {
		return nil, err
	}
	return s, s.startControlPlane(ctx)
}

// Stop ends every process and removes the folder. It may be called twice.
func (s *Stack) Stop() {
	s.procs.stop()
	if s.peers != nil {
		s.peers.close()
	}
	if s.redis != nil {
		s.redis.Close()
	}
	_ = os.RemoveAll(s.Dir)
}

// Logs shows the end of each part's log, for a failure.
func (s *Stack) Logs() string {
	out := ""
	for _, m := range s.procs.members {
		out += "== " + m.name + "\n" + s.procs.tail(m.name) + "\n"
	}
	return out
}

// Log is the path of one part's log.
func (s *Stack) Log(part string) string { return s.procs.log(part) }

// freePorts asks the kernel for ports that nobody listens on. Another program may take one before ours does; the start
// then fails with its log.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}

func (s *Stack) write(name, content string) (string, error) {
	path := filepath.Join(s.Dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return "", fmt.Errorf("writing %s: %w", name, err)
	}
	return path, nil
}
