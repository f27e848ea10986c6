package pcap

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"path/filepath"
	"slices"
)

// Origin finds the stream of captures: by their names without directories, their sizes, and the times and lengths of
// their first packets, in whatever order they come. What packets hold has no part in it: the stream is shown, and what
// is secret could be guessed from it. The zero Origin is of none.
type Origin struct {
	files [][sha256.Size]byte
}

// Add adds a capture of so many bytes; head is its first HeadBytes, or all.
func (o *Origin) Add(name string, size int64, head []byte) {
	name = filepath.Base(name)
	b := binary.AppendUvarint(nil, uint64(len(name)))
	b = binary.AppendVarint(append(b, name...), size)
	o.files = append(o.files, sha256.Sum256(appendTimes(b, head)))
}

// appendTimes appends the times and lengths of the packets that are whole in head.
func appendTimes(b, head []byte) []byte {
	r := NewReader(bytes.NewReader(head))
	defer r.Close()
	for {
		_, info, err := r.ZeroCopyReadPacketData()
		if err != nil { // most heads end within a packet
			return b
		}
		b = binary.AppendVarint(b, info.Timestamp.UnixNano())
		b = binary.AppendUvarint(b, uint64(info.Length))
	}
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
