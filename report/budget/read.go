package budget

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/bits"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/saved"
)

// A part file is a stranger's as a capture is. It is bounded before it is believed: so many bytes, so many budgets; its
// schema is checked like any other, and its state must be of exactly that schema's shape.

// MaxBudgets is the most budgets of a file, one for each protocol, and of a report.
const MaxBudgets = saved.MaxProtocols

// Read reads the budgets that AppendJSON wrote, one a line. Errors are one line and say which of them is wrong.
func Read(r io.Reader) ([]*Budget, error) {
	limited := &io.LimitedReader{R: r, N: saved.MaxObject + 1}
	d := json.NewDecoder(limited)
	var out []*Budget
	for {
		var p part
		err := d.Decode(&p)
		switch {
		case limited.N <= 0:
			return nil, fmt.Errorf("a part has at most %d MiB", saved.MaxObject>>20)
		case err == io.EOF && len(out) > 0:
			return out, nil
		case err == io.EOF:
			return nil, errors.New("no budget in it")
		case err != nil:
			return nil, fmt.Errorf("budget %d: no budget: %s", len(out)+1, jsonReason(err))
		case len(out) == MaxBudgets:
			return nil, fmt.Errorf("more than %d budgets in one file", MaxBudgets)
		}
		b, err := p.open()
		if err != nil {
			return nil, fmt.Errorf("budget %d: %w", len(out)+1, err)
		}
		out = append(out, b)
	}
}

// jsonReason is an error of encoding/json, without a text of the file in it.
func jsonReason(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("no JSON at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Sprintf("a value of the wrong kind at byte %d", kind.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it is cut"
	}
	return "it cannot be read"
}

func (p *part) open() (*Budget, error) {
	switch {
	case p.Kind != Kind:
		return nil, errors.New("no budget: want kind " + Kind)
	case p.SchemaVersion != saved.Version:
		return nil, fmt.Errorf("version %d: want %d", p.SchemaVersion, saved.Version)
	case p.MaxPacket < 0 || p.MaxPacket > schema.MaxUDPPayload:
		return nil, fmt.Errorf("max_packet %d: want 0..%d", p.MaxPacket, schema.MaxUDPPayload)
	}
	made, err := p.Schema.compile()
	if err != nil {
		return nil, err
	}
	b := New(made, p.MaxPacket)
	b.gaps.Add(p.Incomplete...)
	if err := p.Pieces.Check(); err != nil {
		return nil, fmt.Errorf("pieces: %w", err)
	}
	b.pieces = p.Pieces
	if err := readBase64("state", p.State, b.readState); err != nil {
		return nil, err
	}
	if b.all.refused = b.refused.bytes + b.cut.bytes; len(p.ByCase) > len(b.cases) {
		return nil, errors.New("refused_by_case: more cases than the schema has")
	}
	known := uint64(0)
	for i, n := range p.ByCase {
		b.cases[i].refused = min(n, b.all.refused-known)
		known += b.cases[i].refused
	}
	if b.weight() > saved.MaxCount || b.all.packets == 0 && b.all.bytes > 0 {
		return nil, errors.New("state: counts that do not fit together")
	}
	if p.Moments != "" {
		if err := readBase64("moments", p.Moments, b.moments.read); err != nil {
			return nil, err
		}
	}
	if p.Directions != "" {
		if err := readBase64("directions", p.Directions, b.moments.readOrders); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// readBase64 reads what an append wrote, to its end.
func readBase64(key, text string, read func(*stateReader)) error {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return errors.New(key + ": no base64")
	}
	r := stateReader{data: data}
	read(&r)
	if r.wrong == "" && len(r.data) > 0 {
		r.wrong = "bytes after its end"
	}
	if r.wrong != "" {
		return errors.New(key + ": " + r.wrong)
	}
	return nil
}

func (s *schemaJSON) compile() (*plan.Plan, error) {
	if len(s.Name) > saved.MaxName || len(s.Source) > syntax.MaxSource {
		return nil, errors.New("schema: too long")
	}
	var params []decode.Param
	for name, text := range s.Params {
		v, ok := new(big.Int), false
		if len(text) <= 24 {
			v, ok = v.SetString(text, 10)
		}
		if !ok {
			return nil, errors.New("schema: a param is no number")
		}
		params = append(params, decode.Param{Name: name, Value: v})
	}
	d, err := decode.LoadFS(decode.Texts(s.Imports), s.Name, []byte(s.Source), params...)
	if err != nil {
		return nil, errors.New("schema: it does not check")
	}
	if s.Message != "" {
		if d, err = d.Alone(s.Message); err != nil {
			return nil, errors.New("schema: it has no such message")
		}
	}
	return d.Plan(), nil
}

// stateReader reads the state. After the first thing wrong it gives zeros.
type stateReader struct {
	data  []byte
	wrong string
}

func (s *stateReader) fail(what string) {
	if s.wrong == "" {
		s.wrong = what
	}
	s.data = nil
}

func (s *stateReader) word() uint64 {
	v, n := binary.Uvarint(s.data)
	if n <= 0 {
		s.fail("it is cut")
		return 0
	}
	s.data = s.data[n:]
	return v
}

// count is a number of things.
func (s *stateReader) count() uint64 { return s.upTo(saved.MaxCount, "a count that is too large") }

func (s *stateReader) upTo(most uint64, what string) uint64 {
	v := s.word()
	if v > most {
		s.fail(what)
		return 0
	}
	return v
}

func (s *stateReader) signed() int64 {
	v, n := binary.Varint(s.data)
	if n <= 0 {
		s.fail("it is cut")
		return 0
	}
	s.data = s.data[n:]
	return v
}

func (b *Budget) readState(r *stateReader) {
	for _, n := range []int{len(b.cases), len(b.places), len(b.values), len(b.gates)} {
		if r.word() != uint64(n) {
			r.fail("not of this schema, or saved by another version of pktscope")
			return
		}
	}
	b.refused.packets, b.refused.bytes = r.count(), r.count()
	b.cut.packets, b.cut.bytes = r.count(), r.count()
	b.first, b.last = r.signed(), r.signed()
	if b.last < b.first {
		r.fail("it ends before it begins")
	}
	b.all.read(r)
	for i := range b.cases {
		b.cases[i].read(r)
	}
	b.padding.read(r)
	b.end.read(r)
	b.masked.read(r)
	for i := range b.places {
		b.places[i].read(r)
	}
	for i := range b.values {
		b.values[i].read(r, b, i)
	}
	for i := range b.gates {
		b.gates[i].read(r, len(b.cases))
	}
	for i := range b.shape.records {
		if at := &b.shape.records[i]; at.folded && at.shape != plan.NoShape && b.places[at.place].times > 0 {
			r.fail("counts of what is counted together")
		}
	}
}

func (c *caseStat) read(r *stateReader) {
	c.packets, c.bytes = r.count(), r.count()
	c.size.read(r)
}

func (p *place) read(r *stateReader) {
	p.times, p.weight, p.packets, p.empty = r.count(), r.count(), r.count(), r.count()
	p.spread.read(r)
}

func (s *Spread) read(r *stateReader) {
	largest := r.upTo(largestSize, "a size that is too large")
	r.sparse(mostBuckets, func(bucket int, n uint64) { s.addMany(middle(bucket), n) })
	s.max = largest
}

// sparse reads what appendSparse wrote.
func (s *stateReader) sparse(size int, put func(at int, n uint64)) {
	at := uint64(0)
	for first := true; ; first = false {
		n := s.count()
		if n == 0 {
			return
		}
		step := s.upTo(uint64(size), "a place outside its table")
		if at += step; at >= uint64(size) || step == 0 && !first {
			s.fail("a place outside its table")
			return
		}
		put(int(at), n)
	}
}

func (v *values) read(r *stateReader, b *Budget, i int) {
	v.seen = r.upTo(1, "a flag that is neither 0 nor 1") == 1
	v.least, v.most = r.word(), r.word()
	v.nan, v.digits, v.words, v.groups = r.count(), r.count(), r.count(), r.count()
	if v.least > v.most {
		r.fail("a range that is none")
	}
	if v.direct != nil {
		r.sparse(len(v.direct), func(at int, n uint64) { v.direct[at] = n })
		return
	}
	v.sample.level = uint8(r.upTo(63, "a level that is too high"))
	level := int(v.sample.level)
	used := r.upTo(uint64(2*v.sample.limit), "more values than are kept") // twice: of before, when fields beyond number had more
	if l := &b.shape.leaves[i]; l.mode == opaque && (used > 0 || v.seen) {
		r.fail("values of a field that has none to show")
	}
	mask := b.shape.plan.Leaves[i].Mask
	if b.shape.plan.Leaves[i].Width == 0 {
		mask = ^uint64(0) // the index of a bitmap
	}
	last := uint64(0)
	for n := range used {
		code, count := r.word(), r.count()
		if count == 0 || n > 0 && code <= last || code > mask || bits.LeadingZeros64(mix(code)) < level {
			r.fail("values that were not kept so")
			return
		}
		v.sample.addMany(code, count)
		last = code
	}
}

func (b *breach) read(r *stateReader, cases int) {
	if b.count = r.count(); b.count == 0 {
		return
	}
	b.worst = r.count()
	b.first.which = int(r.upTo(uint64(cases), "a case that is none")) - 1
	b.first.size = r.count()
	b.first.n, b.first.time = r.signed(), r.signed()
	n := r.upTo(saved.MaxName, "a file's name that is too long")
	if n > uint64(len(r.data)) {
		r.fail("it is cut")
		return
	}
	b.first.file = string(r.data[:n])
	r.data = r.data[n:]
}
