package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// reg is a file's header.
func reg(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644} }

// chartWith is an archive of a good chart and the entries.
func chartWith(t testing.TB, entries ...tar.Header) []byte {
	t.Helper()
	entries = append([]tar.Header{reg("a/Chart.yaml")}, entries...)
	bodies := make([]string, len(entries))
	bodies[0] = chartYAML("a", "1.0.0")
	return packRaw(t, entries, bodies)
}

func TestUnpackRefuses(t *testing.T) {
	good := chartWith(t, reg("a/values.yaml"))
	bomb := strings.Repeat("0", maxFile)
	tests := map[string]struct {
		archive []byte
		want    string
	}{
		"empty":                     {nil, "it is no gzip: EOF"},
		"a web page":                {[]byte("<html>"), "it is no gzip"},
		"a plain tar":               {gunzip(t, good), "it is no gzip"},
		"gzip of no tar":            {zip(t, bytes.Repeat([]byte("text"), 300)), "invalid tar header"},
		"no files":                  {packRaw(t, []tar.Header{{Name: "a/", Typeflag: tar.TypeDir}}, []string{""}), "it holds no files"},
		"no Chart.yaml":             {packRaw(t, []tar.Header{reg("a/values.yaml")}, []string{""}), "its folder a holds no Chart.yaml"},
		"Chart.yaml at the top":     {packRaw(t, []tar.Header{reg("Chart.yaml")}, []string{"x"}), `"Chart.yaml": it lies outside the chart's folder`},
		"climbs out":                {chartWith(t, reg("a/../../etc/passwd")), `"a/../../etc/passwd": its name leaves the archive's folder`},
		"climbs within":             {chartWith(t, reg("a/b/../c")), "its name leaves the archive's folder"},
		"begins with a climb":       {chartWith(t, reg("../a")), "its name leaves the archive's folder"},
		"absolute":                  {chartWith(t, reg("/etc/passwd")), "its name is absolute"},
		"absolute with a drive":     {chartWith(t, reg("c:/a")), "its name is absolute"},
		"a drive in the folder":     {chartWith(t, reg("a/c:/b")), "its name is absolute"},
		"backslashes":               {chartWith(t, reg(`a\..\..\b`)), "its name holds a backslash"},
		"no name":                   {chartWith(t, reg(".")), "it has no name that a file can have"},
		"no UTF-8":                  {chartWith(t, reg("a/\xff")), "it has no name that a file can have"},
		"second folder":             {chartWith(t, reg("b/values.yaml")), "it lies in a second folder; the archive's folder is a"},
		"file beside the folder":    {chartWith(t, reg("README.md")), "it lies outside the chart's folder"},
		"symbolic link":             {chartWith(t, tar.Header{Name: "a/x", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), "it is a link"},
		"hard link":                 {chartWith(t, tar.Header{Name: "a/x", Typeflag: tar.TypeLink, Linkname: "a/Chart.yaml"}), "it is a link"},
		"device":                    {chartWith(t, tar.Header{Name: "a/x", Typeflag: tar.TypeChar}), "it is neither a file nor a folder"},
		"pipe":                      {chartWith(t, tar.Header{Name: "a/x", Typeflag: tar.TypeFifo}), "it is neither a file nor a folder"},
		"twice":                     {chartWith(t, reg("a/x"), reg("a/x")), `"a/x": it occurs twice`},
		"twice, written otherwise":  {chartWith(t, reg("a/x"), reg("./a/x")), `"./a/x": it occurs twice`},
		"file and folder":           {chartWith(t, reg("a/x"), reg("a/x/y")), "a file and also a folder"},
		"cut off":                   {good[:len(good)-30], "it is cut off"},
		"cut off early":             {good[:20], "it is cut off"},
		"cut off before its sum":    {good[:len(good)-4], "it is cut off"},
		"wrong sum":                 {spoil(good, len(good)-8), "invalid checksum"},
		"garbage follows":           {append(bytes.Clone(good), "garbage"...), "something follows the archive's end"},
		"half an archive follows":   {append(bytes.Clone(good), good[:len(good)/2]...), "it is cut off"},
		"another archive follows":   {append(bytes.Clone(good), good...), "something follows the archive's end"},
		"one file too large":        {packRaw(t, []tar.Header{reg("a/Chart.yaml"), reg("a/x")}, []string{"", bomb + "0"}), "it is larger than 5 MiB"},
		"packed too well":           {packRaw(t, []tar.Header{reg("a/Chart.yaml"), reg("a/x")}, []string{"", bomb}), "that is no chart"},
		"too much in all":           {noise(t, 21), "are larger than 100 MiB"},
		"larger than any":           {make([]byte, maxArchive+1), "it is larger than 64 MiB"},
		"zeros after the tar's end": {zip(t, append(gunzip(t, good), make([]byte, maxFile)...)), "something follows the archive's end"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := unpack(test.archive)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v\nwant one with %q", err, test.want)
			}
		})
	}
}

func TestUnpackTakes(t *testing.T) {
	tests := map[string][]byte{
		"folders and a dot":   chartWith(t, tar.Header{Name: "./", Typeflag: tar.TypeDir}, tar.Header{Name: "a/", Typeflag: tar.TypeDir}, tar.Header{Name: "a/templates/", Typeflag: tar.TypeDir}),
		"odd names":           packRaw(t, []tar.Header{reg("./a//./Chart.yaml")}, []string{chartYAML("a", "1.0.0")}),
		"gzip in pieces":      pieces(t, gunzip(t, chartWith(t))),
		"names with a dot":    packRaw(t, []tar.Header{reg("./a/Chart.yaml")}, []string{chartYAML("a", "1.0.0")}),
		"global header":       packRaw(t, []tar.Header{{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "x"}}, reg("a/Chart.yaml")}, []string{"", chartYAML("a", "1.0.0")}),
		"zeros as tar pads":   zip(t, append(gunzip(t, chartWith(t)), make([]byte, 10240)...)),
		"folder of any name":  packRaw(t, []tar.Header{reg("other-1.0.0/Chart.yaml")}, []string{chartYAML("a", "1.0.0")}),
		"an old tar's header": packRaw(t, []tar.Header{{Name: "a/Chart.yaml", Typeflag: tar.TypeReg, Format: tar.FormatGNU}}, []string{chartYAML("a", "1.0.0")}),
	}
	for name, archive := range tests {
		t.Run(name, func(t *testing.T) {
			content, err := unpack(archive)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]string{"Chart.yaml": chartYAML("a", "1.0.0")}, listing(t, content)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// zip compresses.
func zip(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := writer.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pieces compresses in members of 100 bytes, as parallel compressors do.
func pieces(t testing.TB, data []byte) []byte {
	t.Helper()
	var out []byte
	for len(data) > 0 {
		n := min(100, len(data))
		out, data = append(out, zip(t, data[:n])...), data[n:]
	}
	return out
}

// gunzip decompresses.
func gunzip(t testing.TB, data []byte) []byte {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(reader); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// spoil changes one byte.
func spoil(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0xFF
	return data
}

// noise is an archive of files of maxFile each that pack to a twentieth.
func noise(t testing.TB, count int) []byte {
	t.Helper()
	var text strings.Builder
	for i := 0; text.Len() < maxFile-64; i++ {
		text.WriteString(strings.Repeat("a", 40) + string(rune('a'+i*7%26)) + string(rune('a'+i*i%23)))
	}
	entries, bodies := []tar.Header{reg("a/Chart.yaml")}, []string{"x"}
	for i := range count {
		entries, bodies = append(entries, reg("a/"+string(rune('a'+i)))), append(bodies, text.String()[:maxFile-64])
	}
	return packRaw(t, entries, bodies)
}

func FuzzUnpack(f *testing.F) {
	good := packRaw(f, []tar.Header{reg("a/Chart.yaml"), reg("a/values.yaml")}, []string{chartYAML("a", "1.0.0"), "a: 1\n"})
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(chartWith(f, reg("a/../b")))
	f.Add(chartWith(f, tar.Header{Name: "a/x", Typeflag: tar.TypeSymlink, Linkname: "../.."}))
	f.Fuzz(func(t *testing.T, data []byte) {
		content, err := unpack(data)
		if err != nil {
			return
		}
		if err := fstest.TestFS(content, chartFile); err != nil {
			t.Fatal(err)
		}
		packed, err := packFiles(content, "a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := contentOf(packed, treeDigest(content)); err != nil {
			t.Fatal(err)
		}
	})
}
