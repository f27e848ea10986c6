package decode

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Registers that steer: numbers of earlier packets by which a packet is read (`state { … once }`). A Decoder keeps nothing:
// a packet is read with the Held of its flow, and what an accepted one keeps is put there by
// Commit. A packet that was refused after it had named a register says nothing about its sender, since what the flow
// holds can be missing or old: see Trace.NeedsContext.

// number is what a register of one side holds.
type number struct {
	value  uint64 // of a register below 0 its two's complement
	record int64  // that set it
	set    bool
}

// Kept is what an accepted packet keeps: Value, of a register below 0 its two's complement.
type Kept struct {
	*schema.Keep
	Value uint64
}

// number is the place of a register; nil where nothing is held at all.
func (h *Held) number(r *schema.Register, side schema.Side, sender Direction) *number {
	if h == nil || h.numbers == nil {
		return nil
	}
	return &h.numbers[numberIndex(r, side.Of(sender))]
}

func numberIndex(r *schema.Register, side Direction) int {
	i := 2 * r.Index
	if r.Each && side == schema.Server {
		i++
	}
	return i
}

// Commit keeps what an accepted packet, or a message of one, says of registers that steer, in the order of the wire: a
// register that is set stays as it is until all are emptied. sender sent it, and is not FromUnknown; record is the number
// of the capture's record. conflicts is how many of them hold another value than the packet would have given them.
func (h *Held) Commit(t *Trace, sender Direction, record int64) (conflicts int) {
	if t.refused {
		return 0
	}
	for _, k := range t.Kept {
		if k.Register == nil {
			h.Forget()
			continue
		}
		if h.numbers == nil {
			h.numbers = make([]number, 2*len(t.Plan.Schema.State))
		}
		switch n := h.number(k.Register, k.Side, sender); {
		case !n.set:
			*n = number{k.Value, record, true}
		case n.value != k.Value:
			conflicts++
		}
	}
	return conflicts
}

// hold puts what a flow holds where the plan's steps find it.
func (t *Trace) hold(p *plan.Plan, h *Held, sender Direction) {
	t.held, t.sender = t.held[:0], sender
	for i := range p.State {
		s := &p.State[i]
		var n number
		if at := h.number(s.Schema, s.Side, sender); at != nil {
			n = *at
		}
		t.registers[s.Value], t.registers[s.Known] = n.value, truth(n.set)
		t.held = append(t.held, n)
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Held is a copy of what the packet's flow held of the registers that steps name, and who sent the packet, so that
// Decoder.ReadHeld reads the packet again as it was read; nil where no register steers.
func (t *Trace) Held() (*Held, Direction) {
	if len(t.held) == 0 {
		return nil, t.sender
	}
	h := &Held{numbers: make([]number, 2*len(t.Plan.Schema.State))}
	for i := range t.held {
		s := &t.Plan.State[i]
		*h.number(s.Schema, s.Side, t.sender) = t.held[i]
	}
	return h, t.sender
}

// ContextValue is a register that a packet had named.
type ContextValue struct {
	State string // as the schema names it, without `state.`: `cid_len`, `cid_len.peer`
	Set   bool
	N     int64 // the record that set it; valid iff Set
	Value int64 // valid iff Set; of a register above int64 a uint64's bits
}

// NeedsContext reports whether the packet was refused after it had named a register: with another value, or with one
// where none is held, it may be read otherwise.
func (t *Trace) NeedsContext() bool { return t.refused && t.context != 0 }

// Context lists the registers that a packet had named which NeedsContext.
func (t *Trace) Context() []ContextValue {
	var list []ContextValue
	for i := range t.held {
		if n := &t.held[i]; t.context>>i&1 != 0 {
			list = append(list, ContextValue{t.Plan.State[i].Name(), n.set, n.record, int64(n.value)})
		}
	}
	return list
}

// TrustContext takes what the flow held for right: a packet that was refused is.
func (t *Trace) TrustContext() { t.context = 0 }

// AppendContext appends why the packet needs context, as people read it: `state.cid_len of record 17`, `state.key is not
// set`.
func (t *Trace) AppendContext(b []byte) []byte {
	for i, c := range t.Context() {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(append(b, "state."...), c.State...)
		if c.Set {
			b = appendInt(append(b, " of record "...), uint64(c.N), true)
		} else {
			b = append(b, " is not set"...)
		}
	}
	return b
}

// Steers reports whether packets, or their messages, are read by what earlier ones have set.
func (d *Decoder) Steers() bool {
	for _, p := range append([]*plan.Plan{d.plan}, d.plan.Sections...) {
		if len(p.State) > 0 {
			return true
		}
	}
	return false
}

// WithState is the Decoder for packets of flows that hold such values, by the names of registers (`cid_len`, and of an
// `each` also `cid_len.client` and `cid_len.server`: without a side it is both); all others are not set. It reads each
// packet alone, and what it refuses is refused. A packet whose sender is not known is taken for the client's.
func (d *Decoder) WithState(values ...Param) (*Decoder, error) {
	context, err := d.given(values)
	if err != nil {
		return nil, err
	}
	return remade(d.Schema(), context)
}

// Hold is what a flow holds that has such values, as WithState has them, set by a record.
func (d *Decoder) Hold(record int64, values ...Param) (*Held, error) {
	context, err := d.given(values)
	h := &Held{numbers: make([]number, 2*len(d.Schema().State))}
	for key, v := range context {
		h.numbers[numberIndex(key.Register, key.Side)] = number{plan.Low64(v), record, true}
	}
	return h, err
}

// given finds the registers of values.
func (d *Decoder) given(values []Param) (plan.Context, error) {
	s := d.Schema()
	context := plan.Context{}
	for _, v := range values {
		name, side, sided := strings.Cut(v.Name, ".")
		i := slices.IndexFunc(s.State, func(r *schema.Register) bool { return r.Name == name && r.Steers() })
		if i < 0 {
			return nil, fmt.Errorf("%s: the schema has no such register%s", v.Name, registerNames(s))
		}
		r := s.State[i]
		if v.Value.Cmp(r.Lo) < 0 || v.Value.Cmp(r.Hi) > 0 {
			return nil, fmt.Errorf("%s: want %s..%s, got %s", v.Name, r.Lo, r.Hi, v.Value)
		}
		sides := []Direction{Client, Server}
		switch {
		case !r.Each && sided, sided && side != Client.String() && side != Server.String():
			return nil, fmt.Errorf("%s: the register is `%s`", v.Name, r.Name)
		case !r.Each || side == Client.String():
			sides = sides[:1]
		case sided:
			sides = sides[1:]
		}
		for _, at := range sides {
			context[plan.ContextKey{Register: r, Side: at}] = v.Value
		}
	}
	return context, nil
}

// registerNames are the registers that steer, as the end of an error.
func registerNames(s *schema.Schema) string {
	var names []string
	for _, r := range s.State {
		if r.Steers() {
			names = append(names, r.Name)
		}
	}
	if names == nil {
		return ""
	}
	return ": there are " + strings.Join(names, ", ")
}

// SteeredAt is the first place where a register is named, and how: `quic.pks:24:9`, `state.cid_len`. The Decoder Steers.
func (d *Decoder) SteeredAt() (place, name string) {
	for _, p := range append([]*plan.Plan{d.plan}, d.plan.Sections...) {
		for i := range p.Requires {
			if q := &p.Requires[i]; q.State != 0 {
				file := p.Schema.Origin(q.Item.Pos)
				if file == "" {
					file = p.Schema.File.Name
				}
				return fmt.Sprintf("%s:%d:%d", file, q.Item.Pos.Line, q.Item.Pos.Col), "state." + p.State[bits.TrailingZeros64(q.State)].Name()
			}
		}
	}
	return "", ""
}
