package image

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// mistake is what is wrong with a line of a lock, and where in it.
type mistake struct {
	column int
	text   string
}

func (m mistake) Error() string { return m.text }

// mend is what to do about a line that is damaged.
const mend = "restore the line, or delete it and run `gen images lock`"

// ParseLock reads an images.lock; name is used in messages. All mistakes are reported at once. Lines that agree but for their
// platforms are joined, so that a merge by union gives a good lock; lines that disagree about the digest are an error.
func ParseLock(name string, data []byte) (*Lock, error) {
	lock := &Lock{}
	var mistakes []error
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimRight(line, "\r")
		if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		entry, err := parseEntry(line)
		if err == nil {
			err = lock.join(entry)
		}
		if err != nil {
			wrong := mistake{column: 1}
			_ = errors.As(err, &wrong)
			mistakes = append(mistakes, fmt.Errorf("%s:%d:%d: %w", name, i+1, wrong.column, err))
		}
	}
	return lock, errors.Join(mistakes...)
}

// lockFields are the fields of a line, in order.
var lockFields = regexp.MustCompile(`\S+`)

func parseEntry(line string) (Entry, error) {
	at := lockFields.FindAllStringIndex(line, -1)
	fields := strings.Fields(line)
	if marker := strings.Trim(fields[0], "<=>|"); marker == "" {
		return Entry{}, mistake{at[0][0] + 1, "a merge left its conflict here: keep the lines of both sides and delete the markers; lines that disagree are reported then"}
	}
	if len(fields) != 5 || len(at) != 5 {
		return Entry{}, mistake{at[0][0] + 1, fmt.Sprintf("%d fields instead of 5 (source, place, digest, media type, platforms): %s", len(fields), mend)}
	}
	entry := Entry{Place: fields[1], Digest: fields[2], MediaType: fields[3]}
	source, err := Parse(fields[0])
	if err != nil {
		return entry, mistake{at[0][0] + 1, fmt.Sprintf("source: %s: %s", err, mend)}
	}
	if source.String() != fields[0] {
		return entry, mistake{at[0][0] + 1, fmt.Sprintf("source: %q is written %s here: %s", fields[0], source, mend)}
	}
	entry.Source = source
	if !validDigest(fields[2]) {
		return entry, mistake{at[2][0] + 1, fmt.Sprintf("digest: %q is no digest: %s", fields[2], mend)}
	}
	if !isManifest(fields[3]) {
		return entry, mistake{at[3][0] + 1, fmt.Sprintf("media type: %q is none of an image or an index: %s", fields[3], mend)}
	}
	if fields[4] != "-" {
		entry.Platforms = sortedSet(strings.Split(fields[4], ","))
	}
	for _, platform := range entry.Platforms {
		if !validMark(platform) {
			return entry, mistake{at[4][0] + 1, fmt.Sprintf("platforms: %q is no platform (os/arch): %s", platform, mend)}
		}
	}
	return entry, nil
}

// validMark reports whether s may stand among the platforms of an entry.
func validMark(s string) bool {
	name := strings.TrimPrefix(s, absentMark)
	platform, err := v1.ParsePlatform(name)
	return s == signedMark || err == nil && platform.OS != "" && platform.Architecture != "" && platform.String() == name
}

// join adds an entry that was read, and unites its platforms with those of an equal line.
func (l *Lock) join(entry Entry) error {
	old, ok := l.Get(entry.Source, entry.Place)
	if ok && old.Digest != entry.Digest {
		return fmt.Errorf("%s at %s stands here with %s and further up with %s: keep one line, then run `gen images verify`", entry.Source, entry.Place, entry.Digest, old.Digest)
	}
	if ok && old.MediaType != entry.MediaType {
		return fmt.Errorf("%s at %s stands here as %s and further up as %s: keep one line, then run `gen images verify`", entry.Source, entry.Place, entry.MediaType, old.MediaType)
	}
	entry.Platforms = sortedSet(append(slices.Clone(entry.Platforms), old.Platforms...))
	l.Put(entry)
	return nil
}
