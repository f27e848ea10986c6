package stats

import (
	"cmp"
	"errors"
	"fmt"

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
