package fuzz

import (
	"bytes"
	"context"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// takesAll is a reader that accepts every packet.
type takesAll struct{}

func (takesAll) Send([]byte, decode.Direction) (Reply, error) {
	return Reply{Outcome: Accepted, Bits: -1}, nil
}
func (takesAll) Close() error { return nil }

// A packet that is made simple is still wrong in the one way that its finding is about, even of a reader that accepts all.
func TestMinimiseStaysTheSame(t *testing.T) {
	for _, row := range []struct {
		name, body string
		valid      []byte // with which the row is about what it says
		packet     []byte
		kind       reject.Kind
		want       []byte
	}{
		{"out of range, not cut in front of the field", "x uint8 in 0..100\ny uint8",
			[]byte{20, 9}, []byte{200, 9}, reject.OutOfRange, []byte{200}},
		{"cut in the field, not out of range", "y uint8\nx uint16 in 0..100",
			[]byte{9, 20, 0}, []byte{9, 200}, reject.PastEnd, []byte{0}},
		{"a checksum wrong in the same bits", "c crc32(over rest)\nx uint8\ny uint8",
			[]byte{0, 0, 0, 0, 7, 9}, []byte{0, 0x10, 0, 0, 7, 9}, reject.CRCMismatch, []byte{0, 0x10, 0, 0, 0, 0}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, diags := schema.Load("m.pks", []byte("protocol m\norder lsb\npacket {\n"+row.body+"\n}\n"), nil)
			if s == nil {
				t.Fatal(diags)
			}
			p, diags := plan.Compile(s)
			if p == nil {
				t.Fatal(diags)
			}
			d := decode.New(p)
			// The rows' checksums are given as the bits that are wrong.
			if row.kind == reject.CRCMismatch {
				for _, data := range [][]byte{row.valid, row.packet, row.want} {
					wrong := bytes.Clone(data[:4])
					findChecksum(p).repair(p, data)
					for i := range wrong {
						data[i] ^= wrong[i]
					}
				}
			}
			var tr decode.Trace
			if err := d.Decode(row.valid, decode.FromUnknown, &tr); err != nil {
				t.Fatal(err)
			}
			campaign := &Campaign{Decoder: d, NewTarget: func(context.Context) (Target, error) { return takesAll{}, nil }}
			z := newMinimiser(t.Context(), campaign, NewMutator(d))
			defer z.close()
			found := z.judge.Judge(&Mutation{Data: row.packet, Node: plan.NoNode}, decode.FromUnknown, takesAll{}, Reply{Outcome: Accepted, Bits: -1})
			if len(found) != 1 || found[0].Reject != row.kind {
				t.Fatalf("found %+v, want one of %s", found, row.kind)
			}
			f := found[0]
			f.Packet, f.node = row.packet, plan.NoNode
			least, err := z.minimise(&f)
			if err != nil || !bytes.Equal(least.Packet, row.want) || least.Reject != row.kind {
				t.Errorf("%x, %s, %v; want %x, %s", least.Packet, least.Reject, err, row.want, row.kind)
			}
		})
	}
}
