package flow

import (
	"bytes"
	"slices"

	"github.com/pktscope/pktscope/decode/chain"
)

// slotKey is which message a piece is of. What the piece says of the message's size belongs to it: a forged size has a
// slot of its own and blocks nobody.
type slotKey struct {
	id      uint64
	of      uint32 // 0 unless counted
	section uint16
	bytes   bool
	counted bool
}

func (p *Piece) key() slotKey {
	k := slotKey{id: p.ID, section: uint16(p.Section), bytes: p.Bytes, counted: p.Counted}
	if p.Counted {
		k.of = uint32(p.Of)
	}
	return k
}

// span is the place of a piece in its message: from its index or offset to after it.
func (p *Piece) span() (from, to uint64) {
	if p.Bytes {
		return p.At, p.At + uint64(len(p.Data))
	}
	return p.At, p.At + 1
}

// fits reports whether the piece agrees with itself and is within the bounds.
func (p *Piece) fits() bool {
	most := uint64(maxPieces)
	if p.Bytes {
		most = maxMessage
	}
	if p.At > most {
		return false
	}
	if p.Counted {
		most = min(most, p.Of)
	}
	_, to := p.span()
	return to <= most
}

// alone reports whether the piece is all of its message.
func (p *Piece) alone() bool {
	from, to := p.span()
	return from == 0 && (p.Counted && to == p.Of || !p.Counted && p.Last)
}

// slot is a message of which pieces are missing.
//
// Invariants: pieces are in the order of the message, do not overlap, and refer to data; held is what cost says.
type slot struct {
	chain.Links[slot] // among those of its shard, in the order of opening

	key       slotKey
	flow      *flow
	half      uint8
	opened    int64
	pieces    []piece
	data      []byte // of all pieces, in the order in which they came
	covered   int    // of data
	end       uint32 // where the message ends; valid iff ended
	ended     bool
	asked     bool // see Table.Ask
	unordered bool // data is not in the order of the message
	held      int
}

// piece is a piece that came.
type piece struct {
	at     uint32 // index or offset
	start  uint32 // of its bytes in data
	n      uint32
	record int64
}

// cost is what the slot is counted with.
func (s *slot) cost() int { return slotCost + cap(s.data) + pieceCost*cap(s.pieces) }

// to is where a piece ends, in the unit of at.
func (s *slot) to(p *piece) uint32 {
	if s.key.bytes {
		return p.at + p.n
	}
	return p.at + 1
}

func (s *slot) bytes(p *piece) []byte { return s.data[p.start : p.start+p.n] }

// reached is where the pieces that came end.
func (s *slot) reached() uint32 {
	if len(s.pieces) == 0 {
		return 0
	}
	return s.to(&s.pieces[len(s.pieces)-1])
}

// add keeps what the piece brings that is new. The piece fits.
func (s *slot) add(p *Piece) Odd {
	f, t := p.span()
	from, to := uint32(f), uint32(t)
	if s.ended && to > s.end {
		return ConflictingFragment
	}
	if p.Last && !s.key.counted {
		if s.ended && to != s.end || to < s.reached() {
			return ConflictingFragment
		}
		s.ended, s.end = true, to
	}
	if from >= s.reached() { // the next one, or the first after a gap
		if to > from {
			s.keep(len(s.pieces), p, 0, len(p.Data))
		}
		return 0
	}
	i, found := slices.BinarySearchFunc(s.pieces, from, func(one piece, at uint32) int { return int(one.at) - int(at) })
	if !s.key.bytes {
		if !found {
			s.keep(i, p, 0, len(p.Data))
			return 0
		}
		if bytes.Equal(s.bytes(&s.pieces[i]), p.Data) {
			return DuplicateFragment
		}
		return ConflictingFragment
	}
	return s.fill(i, p, from, to)
}

// fill keeps those bytes of a piece that no other has brought. i is the first piece that does not begin before it.
func (s *slot) fill(i int, p *Piece, from, to uint32) (odd Odd) {
	if i > 0 && s.to(&s.pieces[i-1]) > from {
		i--
	}
	for at := from; at < to; i++ {
		gap := to
		if i < len(s.pieces) {
			gap = min(to, max(at, s.pieces[i].at))
		}
		if gap > at {
			s.keep(i, p, int(at-from), int(gap-from))
			at = gap
			continue
		}
		old := &s.pieces[i]
		end := min(to, s.to(old))
		if bytes.Equal(p.Data[at-from:end-from], s.bytes(old)[at-old.at:end-old.at]) {
			odd |= DuplicateFragment
		} else {
			odd |= ConflictingFragment
		}
		at = end
	}
	if odd&ConflictingFragment != 0 {
		return ConflictingFragment
	}
	return odd
}

// keep puts bytes of a piece before the one with number i.
func (s *slot) keep(i int, p *Piece, from, to int) {
	at := uint32(p.At)
	if s.key.bytes {
		at += uint32(from)
	}
	one := piece{at: at, start: uint32(len(s.data)), n: uint32(to - from), record: p.Record}
	s.data = append(s.data, p.Data[from:to]...)
	s.covered += to - from
	if i == len(s.pieces) {
		s.pieces = append(s.pieces, one)
	} else {
		s.pieces, s.unordered = slices.Insert(s.pieces, i, one), true
	}
}

// have is how much came: pieces, or bytes.
func (s *slot) have() int {
	if s.key.bytes {
		return s.covered
	}
	return len(s.pieces)
}

// want is how much there is; -1 if no piece said.
func (s *slot) want() int {
	switch {
	case s.key.counted:
		return int(s.key.of)
	case s.ended:
		return int(s.end)
	}
	return -1
}
