package demo

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"time"
)

// file is one member of an archive.
type file struct {
	name string
	data []byte
}

// published is the time of everything in the world.
func published() time.Time { return time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC) }

// pack returns the files, which are sorted by name, as a gzipped tar that is the same for ever.
func pack(files []file) ([]byte, error) {
	plain, err := tarball(files)
	return stored(plain), err
}

// tarball returns files as a tar of the oldest format, which has no room for what differs between machines.
func tarball(files []file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		head := tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.data)), ModTime: published(), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&head); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.name, err)
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	return out.Bytes(), nil
}

// storedBlock is the most that one stored block of DEFLATE holds (RFC 1951, 3.2.4).
const storedBlock = 65535

// stored wraps data as gzip (RFC 1952) without compressing it: what a compressor writes may change with the next release of
// Go, and every digest in the sample's locks with it.
func stored(data []byte) []byte {
	out := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff} // DEFLATE, no flags, no time, unknown system
	rest := data
	for last := false; !last; {
		block := rest[:min(len(rest), storedBlock)]
		rest = rest[len(block):]
		last = len(rest) == 0
		final := byte(0)
		if last {
			final = 1
		}
		size := uint16(len(block)) // at most storedBlock
		out = append(out, final)
		out = binary.LittleEndian.AppendUint16(out, size)
		out = binary.LittleEndian.AppendUint16(out, ^size)
		out = append(out, block...)
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(out, uint32(len(data))) // RFC 1952 wants the length modulo 2^32
}

// digest returns the SHA-256 of data in hexadecimal.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
