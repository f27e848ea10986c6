package oracle_test

import (
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// rowOracle compares decoder and reference under one row's schema.
func rowOracle(tb testing.TB, r rows.Row, order wire.Order) *oracle.Oracle {
	tb.Helper()
	return newOracle(tb, rows.Load(tb, r.Source(order)))
}

func newOracle(tb testing.TB, s *schema.Schema) *oracle.Oracle {
	tb.Helper()
	return oracle.NewOracle(decoder(tb, s))
}

func decoder(tb testing.TB, s *schema.Schema) *decode.Decoder {
	tb.Helper()
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatalf("%v", diags)
	}
	return decode.New(p)
}

// What other libraries wrote and refused is read alike, whole and, of the scenes, cut.
func TestVectorsAgree(t *testing.T) {
	for _, order := range []string{"lsb", "bousk"} {
		rows.EachLine(t, order, func(line []byte) {
			var v rows.Vector
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			payload, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := newOracle(t, rows.Load(t, v.Source(order))).Decode(payload, schema.FromUnknown); err != nil {
				t.Errorf("%s: %v", v.ID, err)
			}
		})
	}
	gaffer, _ := protocols.Source("gaffer")
	o := newOracle(t, rows.Load(t, string(gaffer)))
	rows.EachLine(t, "scenes", func(line []byte) {
		var s rows.Scene
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		payload, err := hex.DecodeString(s.Hex)
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(payload) + 1 {
			if n%16 != 0 && n >= 8 && n < len(payload) {
				continue
			}
			if _, err := o.Decode(payload[:n:n], schema.FromUnknown); err != nil {
				t.Errorf("%s: the first %d bytes: %v", s.ID, n, err)
			}
		}
	})
}

// The decoder agrees with the reference on every row of the tables, every truncation and every flip of one bit:
// verdict, kind, path, bit and width, fields, notes, and bits consumed.
func TestDecoderAgrees(t *testing.T) {
	for i, r := range rows.Every() {
		if !need.OneIn(i, 4) {
			continue
		}
		for _, order := range r.In() {
			t.Run(r.Name+"/"+order.String(), func(t *testing.T) {
				o := rowOracle(t, r, order)
				rows.EachSpoilt(rows.Pack(t, order, r.Packet), func(what string, n int, data []byte) {
					if _, err := o.Decode(data, schema.Direction(r.From)); err != nil {
						t.Errorf("%s %d: %x: %v\n%s", what, n, data, err, r.Source(order))
					}
				})
			})
		}
	}
}

// FuzzAgree holds the decoder against the reference on any bytes, under the schemas of the tables.
func FuzzAgree(f *testing.F) {
	var oracles []*oracle.Oracle
	for _, r := range rows.Every() {
		for _, order := range r.In() {
			f.Add(uint16(len(oracles)), uint8(r.From), rows.Pack(f, order, r.Packet))
			oracles = append(oracles, rowOracle(f, r, order))
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, from uint8, payload []byte) {
		if _, err := oracles[int(which)%len(oracles)].Decode(payload, schema.Direction(from%3)); err != nil {
			t.Fatal(err)
		}
	})
}
