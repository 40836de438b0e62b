package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

const (
	// maxBase bounds a file's name without its extension: far below the 255 bytes of most file systems and the 143 of
	// encrypted ones, so that output/<env>/components/<component>/ before it still fits into the 260 of Windows.
	maxBase = 120
	// hashLength is how much of the hash a shortened name carries: 64 bits.
	hashLength = 16
	// maxSegment and maxPath bound what Add accepts from anyone who does not name files by FileName.
	maxSegment = 143
	maxPath    = 240
)

// FileName returns the file name of an object: kind, group unless the kind is built in, namespace, name, as in
// "deployment_kube-system_coredns.yaml" or "certificate.cert-manager.io_web_tls.yaml".
//
// The name is a function of the identity alone (never of neighbours, nor of the version), and two identities that differ
// other than in the case of their kind have two names, on file systems that fold case as well. Bytes outside [a-z0-9.-]
// become "=" and two hex digits ("system:node" is "system=3anode"), so the separator "_" and the "~" before the hash of a
// shortened name occur in no part. Names that Windows reserves get their first letter encoded.
func FileName(id manifest.ID, builtin bool) string {
	parts := []string{encode(strings.ToLower(id.Kind))}
	if id.Group != "" && !builtin {
		parts[0] += "." + encode(id.Group)
	}
	if id.Namespace != "" {
		parts = append(parts, encode(id.Namespace))
	}
	base := strings.Join(append(parts, encode(id.Name)), "_")
	if reserved(base) || strings.IndexAny(base, ".-") == 0 {
		base = fmt.Sprintf("=%02x%s", base[0], base[1:])
	}
	return shorten(base) + ".yaml"
}

func encode(s string) string {
	var out strings.Builder
	for i := range len(s) {
		if c := s[i]; 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-' {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "=%02x", c)
		}
	}
	return out.String()
}

func shorten(base string) string {
	if len(base) <= maxBase {
		return base
	}
	sum := sha256.Sum256([]byte(base))
	return base[:maxBase-hashLength-1] + "~" + hex.EncodeToString(sum[:])[:hashLength]
}

// reserved reports whether a segment is one of the device names that Windows reserves, whatever extension follows.
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
func reserved(segment string) bool {
	stem, _, _ := strings.Cut(segment, ".")
	switch len(stem) {
	case 3:
		return slices.ContainsFunc([]string{"con", "prn", "aux", "nul"}, func(device string) bool { return strings.EqualFold(stem, device) })
	case 4:
		port := strings.EqualFold(stem[:3], "com") || strings.EqualFold(stem[:3], "lpt")
		return port && stem[3] >= '0' && stem[3] <= '9'
	}
	return strings.EqualFold(stem, "conin$") || strings.EqualFold(stem, "conout$")
}

// plainSegment reports whether a segment holds letters, digits and . _ = ~ @ + - alone. Every path of every record is read in every
// run: regular expressions took a third of a run that has nothing to do.
func plainSegment(segment string) bool {
	for i := range len(segment) {
		c := segment[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("._=~@+-", c) < 0 {
			return false
		}
	}
	return segment != ""
}

var plainName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// checkPath says why a path, relative to its environment's folder, cannot be written on every file system.
func checkPath(path string) error {
	if !fs.ValidPath(path) || path == "." {
		return errors.New("is not a clean relative path")
	}
	if len(path) > maxPath {
		return fmt.Errorf("is longer than %d bytes", maxPath)
	}
	segments := strings.Split(path, "/")
	if segments[0] == recordFolder {
		return fmt.Errorf("lies in %s, which holds ownership records", recordFolder)
	}
	for _, segment := range segments {
		if err := checkSegment(segment); err != nil {
			return err
		}
	}
	return nil
}

func checkSegment(segment string) error {
	switch {
	case !plainSegment(segment):
		return fmt.Errorf("%q holds more than letters, digits and . _ = ~ @ + -", segment)
	case len(segment) > maxSegment:
		return fmt.Errorf("%q is longer than %d bytes", segment, maxSegment)
	case strings.HasSuffix(segment, "."):
		return fmt.Errorf("%q ends in a dot, which Windows drops", segment)
	case reserved(segment):
		return fmt.Errorf("%q is a name that Windows reserves", segment)
	case strings.HasPrefix(segment, tempPrefix), strings.EqualFold(segment, ".git"):
		return fmt.Errorf("%q is a name with a meaning of its own", segment)
	}
	return nil
}
