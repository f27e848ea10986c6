package selffuzz

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
)

// steered is a decoder whose packets are read by what their flow holds, and what one flow holds.
type steered struct {
	decoder *decode.Decoder // which is told with each packet
	fixed   *decode.Decoder // which was told before
	held    *decode.Held
	one     decode.Trace
	other   decode.Trace
}

// steer makes flows of a decoder hold what is drawn: of some registers a value, of others none.
func steer(d *decode.Decoder, draw func() byte) (*steered, error) {
	var given []decode.Param
	for _, r := range d.Schema().State {
		names := []string{r.Name}
		if r.Each {
			names = []string{r.Name + ".client", r.Name + ".server"}
		}
		for _, name := range names {
			if v := int64(draw()); r.Steers() && v < 230 {
				width := new(big.Int).Sub(r.Hi, r.Lo)
				v := new(big.Int).Rem(big.NewInt(v), width.Add(width, big.NewInt(1)))
				given = append(given, decode.Param{Name: name, Value: v.Add(v, r.Lo)})
			}
		}
	}
	s := &steered{decoder: d}
	var err error
	if s.fixed, err = d.WithState(given...); err != nil {
		return nil, err
	}
	s.held, err = d.Hold(7, given...)
	return s, err
}

// section is the same of a message.
func (s *steered) section(i int) *steered {
	return &steered{decoder: s.decoder.Sections()[i], fixed: s.fixed.Sections()[i], held: s.held}
}

// hold holds a packet: the decoder reads it as the one that was told before, and what it keeps and names is what the
// reference says.
func (s *steered) hold(packet []byte, from decode.Direction) error {
	a, b := &s.one, &s.other
	s.decoder.ReadHeld(&decode.Packet{Data: packet, From: from}, s.held, max(from, decode.Client), a)
	_ = s.fixed.Decode(packet, from, b)
	if a.Rejected() != b.Rejected() || a.Bits != b.Bits || !slices.Equal(a.Raw, b.Raw) {
		return fmt.Errorf("told with the packet: %v at bit %d, %d codes; told before: %v at bit %d, %d codes", a.Reject(), a.Bits, len(a.Raw), b.Reject(), b.Bits, len(b.Raw))
	}
	if x, y := a.Reject(), b.Reject(); x != nil && (x.Kind != y.Kind || x.Bit != y.Bit || x.Width != y.Width || x.Path() != y.Path()) {
		return fmt.Errorf("told with the packet: %v; told before: %v", x, y)
	}
	held := func(r *schema.Register, side schema.Side) *big.Int { return s.fixed.Plan().Context.Of(r, side, from) }
	want := slow.DecodeHeld(s.decoder.Schema(), packet, from, held)
	if named := want.Reject != nil && len(want.Named) > 0; named != a.NeedsContext() {
		return fmt.Errorf("needs context: %t, reference: %t, %+v", a.NeedsContext(), named, want.Reject)
	}
	same := func(k decode.Kept, w slow.Kept) bool {
		return k.Register == w.Register && k.Side == w.Side && k.Value == plan.Low64(w.Value)
	}
	if !a.Rejected() && !slices.EqualFunc(a.Kept, want.Kept, same) {
		return fmt.Errorf("keeps %v, reference %v", a.Kept, want.Kept)
	}
	return nil
}
