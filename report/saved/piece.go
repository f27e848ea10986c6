package saved

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/pcap/shards"
)

// Piece is what of which captures was counted. From < To ≤ Of.
type Piece struct {
	Stream   uint64 // the captures: see pcap.Origin
	Plan     uint64 // how they were cut; 0 of what was not
	From, To uint64 // pieces From to To-1, of Of
	Of       uint64
}

// Whole is all of a stream that was not cut.
func Whole(stream uint64) Piece { return Piece{Stream: stream, To: 1, Of: 1} }

// Shard is shard i of a plan.
func Shard(p *shards.Plan, i int) Piece {
	at := uint64(i)
	return Piece{Stream: p.Stream, Plan: p.Cut, From: at, To: at + 1, Of: uint64(p.N)}
}

// Valid reports whether p is a piece as results keep it: not empty, and Whole if it is all pieces.
func (p Piece) Valid() bool {
	return p.From < p.To && p.To <= p.Of && p.Of <= MaxCount && p == p.Uncut()
}

// Uncut is p, or Whole if it is all pieces: then it does not matter how the captures were cut.
func (p Piece) Uncut() Piece {
	if p.From == 0 && p.To == p.Of {
		return Whole(p.Stream)
	}
	return p
}

// Compare orders pieces by stream, then by where they begin.
func (p Piece) Compare(o Piece) int {
	return cmp.Or(cmp.Compare(p.Stream, o.Stream), cmp.Compare(p.From, o.From))
}

// Join makes one piece of p and of o, which begins where p ends. ok is false of others.
func (p Piece) Join(o Piece) (_ Piece, ok bool) {
	if p.Stream != o.Stream || p.To != o.From {
		return p, false
	}
	p.To = o.To
	return p.Uncut(), true
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

// pieceJSON is the JSON of a Piece. Numbers of 64 bits are hexadecimal, as in a plan.
type pieceJSON struct {
	Stream string `json:"stream"`
	Plan   string `json:"plan,omitempty"`
	From   uint64 `json:"from"`
	To     uint64 `json:"to"`
	Of     uint64 `json:"of"`
}

// MarshalJSON writes an object.
func (p Piece) MarshalJSON() ([]byte, error) {
	out := pieceJSON{Stream: fmt.Sprintf("%016x", p.Stream), From: p.From, To: p.To, Of: p.Of}
	if p.Plan != 0 {
		out.Plan = fmt.Sprintf("%016x", p.Plan)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes. What it read may not be Valid.
func (p *Piece) UnmarshalJSON(b []byte) error {
	var in pieceJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	stream, err := strconv.ParseUint(in.Stream, 16, 64)
	if err != nil {
		return errors.New("a piece without a stream")
	}
	plan := uint64(0)
	if in.Plan != "" {
		if plan, err = strconv.ParseUint(in.Plan, 16, 64); err != nil {
			return errors.New("a piece of a plan that is none")
		}
	}
	*p = Piece{Stream: stream, Plan: plan, From: in.From, To: in.To, Of: in.Of}
	return nil
}

// MaxPieces is how many pieces that do not touch Pieces have at most.
const MaxPieces = 4096

// Pieces are what a result was counted of, with those of a stream one after the other, in their order. No two overlap
// or touch, and those of a stream have one plan. Where they are joined they are sorted. nil is of nobody knows what.
type Pieces []Piece

// Check says what is wrong with pieces that were read, nil for nothing.
func (p Pieces) Check() error {
	if len(p) > MaxPieces {
		return fmt.Errorf("more than %d pieces", MaxPieces)
	}
	for i, one := range p {
		if !one.Valid() {
			return errors.New("a piece that is none")
		}
		if i == 0 {
			continue
		}
		before := p[i-1]
		same := before.Stream == one.Stream
		switch {
		case before.Compare(one) >= 0 || same && before.To >= one.From:
			return errors.New("pieces that overlap, touch or do not ascend")
		case same && (before.Of != one.Of || before.Plan != one.Plan):
			return errors.New("pieces of two plans")
		}
	}
	return nil
}

// Twice says what p and o have both, nil if it is nothing. Both are sorted.
func (p Pieces) Twice(o Pieces) error {
	for _, one := range o {
		at, _ := slices.BinarySearchFunc(p, one, Piece.Compare)
		for _, near := range p[max(at-1, 0):min(at+1, len(p))] {
			if err := near.twice(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// ErrTooManyGaps is why pieces are not kept.
var ErrTooManyGaps = errors.New("too many gaps: merge neighbors first")

// Union is p with o, both of which are sorted and stay as they are. The error is that some are counted twice, or
// ErrTooManyGaps.
func (p Pieces) Union(o Pieces) (Pieces, error) {
	if err := p.Twice(o); err != nil {
		return nil, err
	}
	var out Pieces
	for _, one := range slices.SortedFunc(slices.Values(slices.Concat(p, o)), Piece.Compare) {
		if n := len(out); n > 0 {
			if joined, ok := out[n-1].Join(one); ok {
				out[n-1] = joined
				continue
			}
		}
		out = append(out, one)
	}
	if len(out) > MaxPieces {
		return nil, ErrTooManyGaps
	}
	return out, nil
}

// Absent yields the pieces that are not among p, in streams that have some that are.
func (p Pieces) Absent(yield func(Piece) bool) {
	for i, one := range p {
		gap := one
		if gap.From = 0; i > 0 && p[i-1].Stream == one.Stream {
			gap.From = p[i-1].To
		}
		if gap.To = one.From; gap.From < gap.To && !yield(gap) {
			return
		}
		if i+1 < len(p) && p[i+1].Stream == one.Stream {
			continue
		}
		gap.From, gap.To = one.To, one.Of
		if gap.From < gap.To && !yield(gap) {
			return
		}
	}
}

// Missing lists the pieces that are not among p, "3..4 of 16", at most MaxGaps of them, and says how many of how many
// they are, in streams that have some.
func (p Pieces) Missing() (list []string, missing, of uint64) {
	for gap := range p.Absent {
		missing += gap.To - gap.From
		if len(list) < MaxGaps {
			list = append(list, fmt.Sprintf("%s of %d", piecesName(gap.From, gap.To), gap.Of))
		}
	}
	for i, one := range p {
		if one.Of > 1 && (i == 0 || p[i-1].Stream != one.Stream) { // else it is whole
			of += one.Of
		}
	}
	return list, missing, of
}
