package slow_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
)

// FuzzDecode reads hostile bytes under the schemas of the tables: it ends, inside the datagram, with a verdict whose
// parts agree with each other.
func FuzzDecode(f *testing.F) {
	var schemas []*schema.Schema
	var sources []string
	seed := func(r rows.Row) {
		for _, order := range r.In() {
			f.Add(uint16(len(schemas)), uint8(r.From), rows.Pack(f, order, r.Packet))
			schemas = append(schemas, rows.Load(f, r.Source(order)))
			sources = append(sources, r.Source(order))
		}
	}
	for _, r := range rows.Every() {
		seed(r)
	}
	f.Fuzz(func(t *testing.T, which uint16, from uint8, payload []byte) {
		row := int(which) % len(schemas)
		// A ladder's code is its value, which a short step reaches from a large one. In a window less fits, and where it
		// ends in zeros, a field has only the bits before its end as its width.
		ladder, window := strings.Contains(sources[row], "relative"), strings.Contains(sources[row], "within")
		zeros := strings.Contains(sources[row], " zeros)")
		r := slow.Decode(schemas[row], payload, schema.Direction(from%3))
		end := 8 * len(payload)
		bit := 0
		for _, field := range r.Fields {
			if field.Bit < bit || field.Width < 0 || field.Bit+field.Width > end {
				t.Fatalf("field %q at %d+%d: the one before ends at %d, the datagram at %d", field.Path, field.Bit, field.Width, bit, end)
			}
			if !ladder && !zeros && !field.Computed && field.Width < 64 && field.Raw>>field.Width != 0 {
				t.Fatalf("field %q: %d does not fit %d bits", field.Path, field.Raw, field.Width)
			}
			bit = field.Bit + field.Width
		}
		if r.Reject == nil {
			if r.Bits < bit || r.Bits > end || end-r.Bits >= 8 {
				t.Fatalf("accepted %d bits of %d, the last field ends at %d", r.Bits, end, bit)
			}
			return
		}
		if len(r.Notes) > 0 || r.Bits != 0 {
			t.Fatalf("refused with notes or bits: %s", show(r))
		}
		at := r.Reject
		if at.Bit < 0 || at.Bit > end || at.Width < 0 {
			t.Fatalf("refused outside the datagram of %d bits: %s", end, showReject(*at))
		}
		if fits := at.Bit+at.Width <= end; fits == (at.Kind == reject.PastEnd) && !window {
			t.Fatalf("%s in a datagram of %d bits", showReject(*at), end)
		}
	})
}
