package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The limits of an archive. Helm has the same two on what is unpacked (helm.sh/helm/v4/pkg/chart/loader/archive), so no chart
// that Helm renders is refused for them.
const (
	maxArchive  = 64 << 20  // bytes as served
	maxUnpacked = 100 << 20 // bytes of all files
	maxFile     = 5 << 20   // bytes of one file
	maxCount    = 20_000    // files
	// A chart is text and shrinks to a tenth or a twentieth; gzip can at most do 1:1032. What grows more than this is no chart.
	maxRatio     = 250
	ratioApplies = 4 << 20 // below, a ratio says nothing
)

var driveForm = regexp.MustCompile(`^[a-zA-Z]:`)

// unpack reads a chart archive: gzip, tar, one folder that holds Chart.yaml. Names are refused that leave the folder, and entries that are
// neither file nor folder.
func unpack(archive []byte) (*files, error) {
	if len(archive) > maxArchive {
		return nil, fmt.Errorf("reading chart archive: it is larger than %d MiB", maxArchive>>20)
	}
	u := &unpacker{compressed: bytes.NewReader(archive), size: int64(len(archive)), data: map[string][]byte{}}
	zipped, err := gzip.NewReader(u.compressed)
	if err != nil {
		return nil, fmt.Errorf("reading chart archive: it is no gzip: %w", err)
	}
	if err := u.read(&members{zipped: zipped, rest: u.compressed}); err != nil {
		return nil, fmt.Errorf("reading chart archive: %w", err)
	}
	if _, ok := u.data[chartFile]; !ok {
		return nil, fmt.Errorf("reading chart archive: its folder %s holds no %s", u.folder, chartFile)
	}
	return newFiles(u.data)
}

// chartFile is the file that makes a folder a chart.
const chartFile = "Chart.yaml"

// unpacker is the state of reading one archive.
type unpacker struct {
	compressed *bytes.Reader
	size       int64
	folder     string // the one folder at the top
	data       map[string][]byte
	unpacked   int64
}

// read takes the entries, then makes sure that the archive ends where they end.
func (u *unpacker) read(unzipped io.Reader) error {
	reader := tar.NewReader(unzipped)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return cutOff(err)
		}
		if err := u.entry(header, reader); err != nil {
			return fmt.Errorf("%q: %w", header.Name, err)
		}
	}
	if len(u.data) == 0 {
		return errors.New("it holds no files")
	}
	return end(unzipped)
}

// errFollows refuses what other tools might not see, or see instead.
var errFollows = errors.New("something follows the archive's end; it was put together wrongly, or tampered with")

// end reads the padding, which is zeros, and the checksum, and refuses anything that follows.
func end(unzipped io.Reader) error {
	padding, err := io.ReadAll(io.LimitReader(unzipped, maxFile))
	if err != nil {
		return cutOff(err)
	}
	if len(padding) == maxFile || len(bytes.Trim(padding, "\x00")) > 0 {
		return errFollows
	}
	return nil
}

// members reads gzip that was written in several pieces, as parallel compressors do, one piece after the other.
type members struct {
	zipped *gzip.Reader
	rest   *bytes.Reader
	err    error // stays, once something follows
}

// Read reads on. gzip.Reader would do the same, but could not tell garbage that follows from a piece that is cut off.
func (m *members) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	m.zipped.Multistream(false)
	n, err := m.zipped.Read(p)
	if !errors.Is(err, io.EOF) || m.rest.Len() == 0 {
		return n, err
	}
	if m.zipped.Reset(m.rest) != nil {
		m.err = errFollows
	}
	return n, m.err
}

// cutOff explains an archive that ends too early.
func cutOff(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it is cut off: %w", err)
	}
	return err
}

// entry takes one entry.
func (u *unpacker) entry(header *tar.Header, reader io.Reader) error {
	switch header.Typeflag {
	case tar.TypeXGlobalHeader, tar.TypeXHeader:
		return nil
	case tar.TypeReg, tar.TypeDir:
	case tar.TypeSymlink, tar.TypeLink:
		return errors.New("it is a link; pack the file itself (helm package does)")
	default:
		return fmt.Errorf("it is neither a file nor a folder (type %q)", header.Typeflag)
	}
	name, err := u.place(header)
	if err != nil || header.Typeflag == tar.TypeDir {
		return err
	}
	if _, ok := u.data[name]; ok {
		return errors.New("it occurs twice")
	}
	if len(u.data) == maxCount {
		return fmt.Errorf("it is file %d; no chart has as many", maxCount+1)
	}
	data, err := u.content(header, reader)
	if err != nil {
		return err
	}
	u.data[name] = data
	return nil
}

// place returns an entry's path inside the one folder at the top.
func (u *unpacker) place(header *tar.Header) (string, error) {
	full := header.Name
	if header.Typeflag == tar.TypeDir {
		full = strings.TrimSuffix(full, "/")
	}
	switch {
	case strings.Contains(full, `\`):
		return "", errors.New("its name holds a backslash, which is a folder on one system and a letter on another")
	case strings.HasPrefix(full, "/"), driveForm.MatchString(full):
		return "", errors.New("its name is absolute")
	case slices.Contains(strings.Split(full, "/"), ".."):
		return "", errors.New("its name leaves the archive's folder")
	}
	if full = path.Clean(full); full == "." || !fs.ValidPath(full) {
		if header.Typeflag == tar.TypeDir {
			return "", nil
		}
		return "", errors.New("it has no name that a file can have")
	}
	folder, name, nested := strings.Cut(full, "/")
	if !nested && header.Typeflag != tar.TypeDir {
		return "", errors.New("it lies outside the chart's folder")
	}
	if u.folder != "" && folder != u.folder {
		return "", fmt.Errorf("it lies in a second folder; the archive's folder is %s", u.folder)
	}
	u.folder = folder
	if driveForm.MatchString(name) {
		return "", errors.New("its name is absolute")
	}
	return name, nil
}

// content reads one file within the limits. They count what is read, not what the header claims.
func (u *unpacker) content(header *tar.Header, reader io.Reader) ([]byte, error) {
	if header.Size > maxFile {
		return nil, fmt.Errorf("it is larger than %d MiB, which Helm refuses too", maxFile>>20)
	}
	data, err := io.ReadAll(io.LimitReader(reader, maxFile))
	if err != nil {
		return nil, cutOff(err)
	}
	u.unpacked += int64(len(data))
	read := u.size - int64(u.compressed.Len())
	switch {
	case u.unpacked > maxUnpacked:
		return nil, fmt.Errorf("the files up to here are larger than %d MiB, which Helm refuses too", maxUnpacked>>20)
	case u.unpacked > ratioApplies && u.unpacked > maxRatio*read:
		return nil, fmt.Errorf("%d bytes were packed into %d; that is no chart", u.unpacked, read)
	}
	return data, nil
}
