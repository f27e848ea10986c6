package budget

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// What budget writes at the most it reads: as many values of as many fields as are kept, of as many senders at as many
// moments. A part of before has twice the values.
func TestLargestPart(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of megabytes")
	}
	const fields = 4096
	var src strings.Builder
	src.WriteString("protocol a\norder msb\nmax datagram 65507\npacket {\n")
	for i := range fields {
		fmt.Fprintf(&src, "    a_field_with_a_long_name_%d int64\n", i)
	}
	src.WriteString("}\n")
	p := compile(t, "a.pks", src.String())
	r := rand.New(rand.NewPCG(1, 2))
	b := New(p, 0)
	limit := b.values[0].sample.limit
	if limit*fields != maxValues {
		t.Fatalf("%d values of %d fields: want %d in all", limit, fields, maxValues)
	}
	fill := func(b *Budget, most int) {
		for i := range b.values {
			v := &b.values[i]
			v.sample.limit = most
			for range most {
				code := r.Uint64() | 1<<63
				v.see(code)
				v.sample.addMany(code, 1<<14)
			}
		}
		for m := range 2 * mostMoments {
			for k := range 2 * mostFlows {
				from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(k)}), 1)
				b.moments.begin(&decode.Envelope{Time: int64(m) << 40, Src: from, Dst: from})
				for c := range b.shape.columns.all() {
					b.moments.see(int32(c), r.Uint64()|1<<63)
				}
			}
		}
		b.all.packets, b.all.bytes = uint64(most)<<14, uint64(most)<<14*8*fields
	}
	fill(b, limit)
	text := b.AppendJSON(nil)
	list, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%d bytes were written: %v", len(text), err)
	}
	if got := list[0].values[fields-1].sample.used; got != limit {
		t.Errorf("%d values of %d were read", got, limit)
	}
	if err := list[0].Merge(b); err != nil {
		t.Fatal(err)
	}
	if n := len(list[0].appendState(nil)); n > len(text)/4*3 {
		t.Errorf("the state of both has %d bytes", n)
	}

	old := New(p, 0)
	old.values[0].sample.limit = 2 * limit
	for range 2 * limit {
		code := r.Uint64()
		old.values[0].see(code)
		old.values[0].sample.add(code)
	}
	state := stateReader{data: old.appendState(nil)}
	again := New(p, 0)
	if again.readState(&state); state.wrong != "" {
		t.Fatal(state.wrong)
	}
	if s := &again.values[0].sample; s.used > limit || s.used < limit/2 || s.level != old.values[0].sample.level+1 {
		t.Errorf("%d values are kept at level %d", s.used, s.level)
	}
}
