package pcap

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"path/filepath"
	"slices"
)

// Origin finds the stream of captures: by their names without directories, their sizes and first bytes, in whatever
// order they come. The zero Origin is of none.
type Origin struct {
	files [][sha256.Size]byte
}

// Add adds a capture of so many bytes; head is its first HeadBytes, or all.
func (o *Origin) Add(name string, size int64, head []byte) {
	name = filepath.Base(name)
	b := binary.AppendUvarint(nil, uint64(len(name)))
	b = binary.AppendVarint(append(b, name...), size)
	o.files = append(o.files, sha256.Sum256(append(b, head...)))
}

// Stream is the number of all captures together.
func (o *Origin) Stream() uint64 {
	slices.SortFunc(o.files, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for i := range o.files {
		h.Write(o.files[i][:])
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}
