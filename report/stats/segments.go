package stats

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/report/saved"
)

// MaxSegments is how many pieces that do not touch Segments have at most.
const MaxSegments = saved.MaxPieces

// Segments are the statistics of one protocol's packets with what they were counted of, so that they add up in any
// order: Union is associative and commutative, refuses what is counted twice, and makes one of pieces that touch.
//
// Invariants: list is sorted by piece, no two pieces overlap or touch, and the pieces of a stream have one plan. It is
// never empty.
type Segments struct {
	list []segment
	gaps saved.Gaps
	all  *Stats // what fold gave; nil when list changed
}

type segment struct {
	saved.Piece
	*Stats
}

// NewSegments makes Segments of what was counted of a piece. s is not to be used any more.
func NewSegments(p saved.Piece, s *Stats) *Segments {
	if p = p.Uncut(); !p.Valid() {
		panic("stats: a piece that is none")
	}
	return &Segments{list: []segment{{p, s}}}
}

// Protocol is the name of the protocol.
func (s *Segments) Protocol() string { return s.list[0].Protocol() }

// Schema is the schema of the packets, nil where a saved part does not say.
func (s *Segments) Schema() *saved.SchemaRef { return s.list[0].schema }

// Incomplete returns what s does not cover, a line each, such as a capture that was cut. The caller escapes the lines.
// Pieces that are missing are not among them: see Missing.
func (s *Segments) Incomplete() []string { return s.gaps }

// AddIncomplete adds lines to those of Incomplete.
func (s *Segments) AddIncomplete(lines ...string) { s.gaps.Add(lines...) }

// Packets is how many packets were counted.
func (s *Segments) Packets() (n uint64) {
	for i := range s.list {
		n += s.list[i].Packets()
	}
	return n
}

// First is the least time, ns since the Unix epoch; 0 where no packet had one.
func (s *Segments) First() int64 { return firstOf(s.list) }

// Twice says what s and o have both counted, nil if it is nothing.
func (s *Segments) Twice(o *Segments) error { return piecesOf(s.list).Twice(piecesOf(o.list)) }

func piecesOf(lists ...[]segment) (pieces saved.Pieces) {
	for _, list := range lists {
		pieces = slices.Grow(pieces, len(list))
		for _, one := range list {
			pieces = append(pieces, one.Piece)
		}
	}
	return pieces
}

// Fits says why o is not of the same protocol and schema, nil when it is.
func (s *Segments) Fits(o *Segments) error { return s.list[0].fits(o.list[0].Stats) }

// Union adds what o has, which is not to be used any more. The error is that they do not fit or have counted something
// twice, then s is as it was; or that there are more than MaxSegments, then it has a part of o.
func (s *Segments) Union(o *Segments) error {
	if err := cmp.Or(s.Fits(o), s.Twice(o)); err != nil {
		return err
	}
	s.all = nil
	s.gaps.Add(o.gaps...)
	if s.Schema() == nil || o.Schema() == nil {
		for i := range s.list {
			s.list[i].schema = nil // of all of it nobody knows
		}
	}
	for _, one := range o.list {
		at, _ := slices.BinarySearchFunc(s.list, one.Piece, func(one segment, p saved.Piece) int { return one.Compare(p) })
		s.list = slices.Insert(s.list, at, one)
		if err := cmp.Or(s.touch(at), s.touch(at-1)); err != nil {
			return err
		}
		if len(s.list) > MaxSegments {
			return saved.ErrTooManyGaps
		}
	}
	return nil
}

// touch makes one of segments at and at+1 if there are two and they touch.
func (s *Segments) touch(at int) error {
	if at < 0 || at+1 >= len(s.list) {
		return nil
	}
	a, b := &s.list[at], &s.list[at+1]
	joined, ok := a.Join(b.Piece)
	if !ok {
		return nil
	}
	if err := a.Merge(b.Stats); err != nil {
		return err
	}
	a.Piece = joined
	s.list = slices.Delete(s.list, at+1, at+2)
	return nil
}

// streams are the segments of each stream, in the order of their first times.
func (s *Segments) streams() (list [][]segment) {
	for rest := s.list; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Stream == rest[0].Stream {
			n++
		}
		list, rest = append(list, rest[:n]), rest[n:]
	}
	slices.SortStableFunc(list, func(a, b []segment) int { return cmp.Compare(firstOf(a), firstOf(b)) })
	return list
}

func firstOf(list []segment) int64 {
	first, timed := int64(0), false
	for _, one := range list {
		if one.timed && (!timed || one.first < first) {
			first, timed = one.first, true
		}
	}
	return first
}

// fold makes one Stats of all segments, which is read only: streams in the order of time as if they were one capture
// in pieces, and nothing is judged across pieces that are missing.
func (s *Segments) fold() *Stats {
	if len(s.list) == 1 {
		return s.list[0].Stats
	}
	if s.all != nil {
		return s.all
	}
	s.all = s.list[0].empty()
	whole := true
	for _, stream := range s.streams() {
		one := stream[0].Stats
		if len(stream) > 1 {
			one = one.empty()
			for _, segment := range stream {
				must(one.merge(segment.Stats, false))
			}
		}
		before := whole
		whole = stream[0].Of == 1
		must(s.all.merge(one, before && whole))
	}
	return s.all
}

// must panics for segments that do not fit: none enters that does not.
func must(err error) {
	if err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
}

// Missing is what saved.Pieces.Missing is, with the streams in the order of their first times.
func (s *Segments) Missing() (list []string, missing, of uint64) {
	return piecesOf(s.streams()...).Missing()
}

// Fill takes pieces that are missing for ones without a packet: for statistics of some packets alone, such as those of
// a peer, of which a piece without any has no part.
func (s *Segments) Fill() {
	for _, gap := range slices.Collect(piecesOf(s.list).Absent) {
		must(s.Union(NewSegments(gap, s.list[0].empty())))
	}
}

// Complete reports whether nothing is missing.
func (s *Segments) Complete() bool {
	_, missing, _ := s.Missing()
	return missing == 0
}

// Summary sums up what was counted.
func (s *Segments) Summary() *Summary {
	sum := s.fold().Summary()
	sum.Incomplete = s.gaps
	sum.Missing, sum.MissingPieces, sum.Pieces = s.Missing()
	return sum
}

func (s *Segments) code(c *coder) {
	n := c.length(len(s.list), MaxSegments, 8)
	c.check(n > 0, "the saved part is of nothing")
	if c.version >= partFiles {
		c.names(s.files())
	}
	if !c.writing {
		s.list = make([]segment, n)
	}
	for i := range s.list {
		one := &s.list[i]
		c.uint(&one.Stream, ^uint64(0))
		c.uint(&one.Plan, ^uint64(0))
		c.uint(&one.From, saved.MaxCount)
		c.uint(&one.To, saved.MaxCount)
		c.uint(&one.Of, saved.MaxCount)
		if !c.writing {
			one.Stats = new(Stats)
		}
		one.Stats.code(c)
		if i == 0 || c.writing || c.err != nil {
			continue
		}
		c.check(s.list[i-1].fits(one.Stats) == nil, "the saved part has pieces of two protocols")
	}
	if !c.writing && c.err == nil {
		if err := piecesOf(s.list).Check(); err != nil {
			c.fail(fmt.Errorf("the saved part has %w", err))
		}
	}
}

// leaveOut leaves out peers until the saved part has over bytes less, those with the fewest packets first.
func (s *Segments) leaveOut(over int) {
	type sized struct {
		*peer
		of      *Stats
		packets uint64
		bytes   int
	}
	var list []sized
	files := s.files()
	for _, one := range s.list {
		for _, p := range one.peers.inOrder() {
			c := coder{writing: true, version: partVersion, files: files, timed: one.peers.timeline != nil}
			p.code(&c, &one.shape)
			list = append(list, sized{p, one.Stats, p.halves[0].tally.Packets() + p.halves[1].tally.Packets(), len(c.b)})
		}
	}
	slices.SortStableFunc(list, func(a, b sized) int { return cmp.Compare(a.packets, b.packets) })
	over += restGrows
	for _, p := range list {
		if over <= 0 {
			break
		}
		over -= p.bytes
		p.of.peers.leaveOut(p.peer, &p.of.shape)
	}
	s.all = nil
}

// restGrows is more than the sums of peers that are left out take.
const restGrows = 1 << 20
