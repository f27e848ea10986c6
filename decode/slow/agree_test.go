package slow_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz"
)

// oracle compares decoder and reference under one row's schema.
func oracle(tb testing.TB, r row, order wire.Order) *fuzz.Oracle {
	tb.Helper()
	return newOracle(tb, load(tb, r.source(order)))
}

func newOracle(tb testing.TB, s *schema.Schema) *fuzz.Oracle {
	tb.Helper()
	return fuzz.NewOracle(decoder(tb, s))
}

func decoder(tb testing.TB, s *schema.Schema) *decode.Decoder {
	tb.Helper()
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatalf("%v", diags)
	}
	return decode.New(p)
}

// agree holds the decoder against the reference for one packet, whose own values the caller compares with the reference.
func agree(t *testing.T, name string, s *schema.Schema, payload []byte) {
	t.Helper()
	if _, err := newOracle(t, s).Decode(payload, schema.SideNone); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// The decoder agrees with the reference on every row of the tables, every truncation and every flip of one bit: verdict,
// kind, path, bit and width, fields, notes, and bits consumed.
func TestDecoderAgrees(t *testing.T) {
	for _, r := range everyRow() {
		for _, order := range r.in() {
			t.Run(r.name+"/"+order.String(), func(t *testing.T) {
				o := oracle(t, r, order)
				packet := pack(t, order, r.packet)
				try := func(what string, n int, data []byte) {
					if _, err := o.Decode(data, schema.Side(r.from)); err != nil {
						t.Errorf("%s %d: %x: %v\n%s", what, n, data, err, r.source(order))
					}
				}
				try("whole", 0, packet)
				for n := range packet {
					try("cut at byte", n, packet[:n:n])
				}
				for bit := range 8 * len(packet) {
					packet[bit/8] ^= 1 << (bit % 8)
					try("flipped bit", bit, packet)
					packet[bit/8] ^= 1 << (bit % 8)
				}
			})
		}
	}
}

func everyRow() []row {
	var all []row
	for _, r := range append(accepts, variableAccepts...) {
		all = append(all, r.row)
	}
	for _, r := range append(rejects, variableRejects...) {
		all = append(all, r.row)
	}
	return all
}

// FuzzAgree holds the decoder against the reference on any bytes, under the schemas of the tables.
func FuzzAgree(f *testing.F) {
	var oracles []*fuzz.Oracle
	for _, r := range everyRow() {
		for _, order := range r.in() {
			f.Add(uint16(len(oracles)), uint8(r.from), pack(f, order, r.packet))
			oracles = append(oracles, oracle(f, r, order))
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, from uint8, payload []byte) {
		if _, err := oracles[int(which)%len(oracles)].Decode(payload, schema.Side(from%3)); err != nil {
			t.Fatal(err)
		}
	})
}
