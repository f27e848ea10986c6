package stats

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Piece is what of which captures was counted. From < To ≤ Of.
type Piece struct {
	Stream   uint64 // the captures: see Origin
	Plan     uint64 // how they were cut; 0 of what was not
	From, To uint64 // pieces From to To-1, of Of
	Of       uint64
}

// Whole is all of a stream that was not cut.
func Whole(stream uint64) Piece { return Piece{Stream: stream, To: 1, Of: 1} }

func (p Piece) valid() bool { return p.From < p.To && p.To <= p.Of }

// uncut is p, or Whole if it is all pieces: then it does not matter how the captures were cut.
func (p Piece) uncut() Piece {
	if p.From == 0 && p.To == p.Of {
		return Whole(p.Stream)
	}
	return p
}

// compare orders pieces by stream, then by where they begin.
func (p Piece) compare(o Piece) int {
	return cmp.Or(cmp.Compare(p.Stream, o.Stream), cmp.Compare(p.From, o.From))
}

// twice says what both pieces have, nil if it is nothing.
func (p Piece) twice(o Piece) error {
	switch from, to := max(p.From, o.From), min(p.To, o.To); {
	case p.Stream != o.Stream:
		return nil
	case p.Of == 1 && o.Of == 1:
		return errors.New("the same captures are counted twice")
	case p.Of == 1 || o.Of == 1:
		return errors.New("pieces are counted twice: with the captures that they are of")
	case p.Of != o.Of || p.Plan != o.Plan:
		return errors.New("pieces of one capture that two plans cut: some are counted twice")
	case from >= to:
		return nil
	case from+1 == to:
		return fmt.Errorf("piece %s of %d is counted twice", piecesName(from, to), p.Of)
	default:
		return fmt.Errorf("pieces %s of %d are counted twice", piecesName(from, to), p.Of)
	}
}

// piecesName is what pieces from to to-1 are called.
func piecesName(from, to uint64) string {
	if from+1 == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d..%d", from, to-1)
}

// Origin finds the stream of captures: by their names without directories, their sizes and first bytes, in whatever
// order they come. The zero Origin is of none.
type Origin struct {
	files [][sha256.Size]byte
}

// Add adds a capture of so many bytes; head is its first pcap.HeadBytes, or all.
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
