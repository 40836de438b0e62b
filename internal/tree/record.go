package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// record is what one owner owns. As text it is one file an owner, one line a path, sorted, so that two branches which
// change two components merge without a conflict; and `sha256sum -c` understands it.
type record struct {
	input   string            // hash of what the content was made from
	writing bool              // a run began to write and did not end
	sums    map[string]string // path, relative to the environment's folder, to the SHA-256 of its content
}

const (
	recordHeader  = "# Written by gen, which owns the files below: change environments/ and run `gen render`.\n"
	inputPrefix   = "# input "
	writingLine   = "# writing: interrupted, run `gen render` again"
	conflictStart = "<<<<<<<"
)

// maxInput bounds the input hash, which callers choose.
var plainInput = regexp.MustCompile(`^[A-Za-z0-9:+/=._-]{0,200}$`)

// recordLine splits "<sha256>  <path>", as sha256sum writes it.
func recordLine(line string) (sum, path string, ok bool) {
	if len(line) <= hex.EncodedLen(sha256.Size)+2 {
		return "", "", false
	}
	sum, path = line[:hex.EncodedLen(sha256.Size)], line[hex.EncodedLen(sha256.Size)+2:]
	between := line[len(sum) : len(sum)+2]
	return sum, path, strings.Trim(sum, "0123456789abcdef") == "" && (between == "  " || between == " *")
}

func (r record) encode() []byte {
	var out bytes.Buffer
	out.WriteString(recordHeader)
	if r.writing {
		out.WriteString(writingLine + "\n")
	}
	if r.input != "" {
		out.WriteString(inputPrefix + r.input + "\n")
	}
	for _, path := range slices.Sorted(maps.Keys(r.sums)) {
		out.WriteString(r.sums[path] + "  " + path + "\n")
	}
	return out.Bytes()
}

// parseRecord reads a record. Conflict markers of a merge are understood: the owner then owns what either side owned and
// counts as interrupted, so that the next run mends it. Errors begin with the line.
func parseRecord(text []byte) (record, error) {
	r := record{sums: map[string]string{}}
	for i, line := range strings.Split(string(text), "\n") {
		if err := r.parseLine(strings.TrimSuffix(line, "\r")); err != nil {
			return record{}, fmt.Errorf("%d:1: %w", i+1, err)
		}
	}
	return r, nil
}

func (r *record) parseLine(line string) error {
	switch {
	case line == writingLine, strings.HasPrefix(line, conflictStart):
		r.writing = true
	case strings.HasPrefix(line, inputPrefix):
		r.input = strings.TrimPrefix(line, inputPrefix)
	case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "======="), strings.HasPrefix(line, ">>>>>>>"), strings.HasPrefix(line, "|||||||"):
	default:
		return r.parsePath(line)
	}
	return nil
}

func (r *record) parsePath(line string) error {
	sum, path, ok := recordLine(line)
	if !ok {
		return fmt.Errorf("%.80q is no line of an ownership record (hash, two spaces, path)", line)
	}
	if err := checkPath(path); err != nil {
		return fmt.Errorf("path %q %w", path, err)
	}
	r.sums[path] = sum
	return nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
