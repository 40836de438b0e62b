package chart

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// A digest says what it was made of: "sha256:" of the bytes of an archive, "tree-sha256:" of a folder's files.
//
// The tree hash is the SHA-256 of one line a file, sorted by path: the file's own SHA-256 in hex, two spaces, its path, a
// newline; files that .helmignore drops are left out. In a folder without such files, coreutils make the same number:
//
//	LC_ALL=C find . -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum
const (
	archivePrefix = "sha256:"
	treePrefix    = "tree-sha256:"
)

var digestForm = regexp.MustCompile(`^(tree-)?sha256:[0-9a-f]{64}$`)

// archiveDigest is the digest of an archive's bytes.
func archiveDigest(archive []byte) string {
	return fmt.Sprintf("%s%x", archivePrefix, sha256.Sum256(archive))
}

// treeDigest is the digest of a folder's files.
func treeDigest(f *files) string {
	sum := sha256.New()
	for _, name := range f.names {
		fmt.Fprintf(sum, "%x  %s\n", sha256.Sum256(f.data[name]), name)
	}
	return treePrefix + hex.EncodeToString(sum.Sum(nil))
}

// isTree says whether a digest stands for files and not for the bytes of an archive.
func isTree(digest string) bool { return strings.HasPrefix(digest, treePrefix) }

// digestHex is the digest without its kind.
func digestHex(digest string) string { return digest[strings.LastIndex(digest, ":")+1:] }

// contentOf unpacks an archive and returns its files if they, or the archive's bytes, have the digest.
func contentOf(archive []byte, digest string) (*files, error) {
	if !isTree(digest) {
		if got := archiveDigest(archive); got != digest {
			return nil, &mismatchError{want: digest, got: got}
		}
		return unpack(archive)
	}
	f, err := unpack(archive)
	if err != nil {
		return nil, err
	}
	if got := treeDigest(f); got != digest {
		return nil, &mismatchError{want: digest, got: got}
	}
	return f, nil
}

// mismatchError says that content is not what was asked for.
type mismatchError struct{ want, got string }

func (e *mismatchError) Error() string {
	return fmt.Sprintf("the content is %s, not %s", e.got, e.want)
}
