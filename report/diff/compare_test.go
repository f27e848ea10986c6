package diff

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
)

func compiled(src string) *plan.Plan {
	s, _ := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		return nil
	}
	p, _ := plan.Compile(s)
	return p
}

func decoded(p *plan.Plan, data []byte) *decode.Trace {
	t := &decode.Trace{}
	_ = decode.New(p).Decode(data, decode.FromUnknown, t) // the trace has its error
	return t
}

// fields is the naive view of a packet: what each path holds, of what is neither a secret nor an item without a name.
func fields(t *decode.Trace) map[string]string {
	m := map[string]string{}
	for ev := range t.Walk() {
		n := &t.Plan.Nodes[ev.Node]
		if n.Secret || ev.Kind == decode.Open || ev.Kind == decode.Close || ev.Kind == decode.Item && !n.Named || n.Leaf >= 0 && t.Plan.Info[n.Leaf].Let != nil {
			continue
		}
		m[string(t.AppendEventPath(nil, ev))] += fmt.Sprintf("%d %x %d ", ev.Raw, ev.Data, ev.Width)
	}
	return m
}

// hold compares two packets both ways, and with the naive view of them.
func hold(a, b *decode.Trace) error {
	got := map[string]string{}
	last := -1
	r := Compare(a, b, false, false, func(d *Difference) bool {
		ev, t := d.A, a
		if ev == nil {
			ev, t = d.B, b
		}
		if n := &t.Plan.Nodes[ev.Node]; !d.Secret && !(ev.Kind == decode.Item && !n.Named) {
			got[string(t.AppendEventPath(nil, ev))] = ""
		}
		if d.A != nil {
			bit, _ := d.A.Extent()
			if bit < last {
				last = math.MaxInt
			}
			last = max(last, bit)
		}
		return true
	})
	if last == math.MaxInt {
		return fmt.Errorf("not in the order of the wire")
	}
	_, parts := First(a, b, false, false)
	if parts == bytes.Equal(a.Payload, b.Payload) {
		return fmt.Errorf("they part: %v", parts)
	}
	if !parts && (r.Fields != 0 || len(got) != 0) {
		return fmt.Errorf("a packet differs from itself: %v", got)
	}
	x, y := fields(a), fields(b)
	want := map[string]string{}
	for path, v := range x {
		if w, ok := y[path]; !ok || w != v {
			want[path] = ""
		}
	}
	for path := range y {
		if _, ok := x[path]; !ok {
			want[path] = ""
		}
	}
	for _, t := range []*decode.Trace{a, b} { // a secret in one packet, and not in the other
		for ev := range t.Show {
			if ev.Kind == decode.Masked {
				path := string(t.AppendEventPath(nil, ev))
				if delete(want, path); x[path] != y[path] { // that there is one is no secret
					delete(got, path)
				}
			}
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			return fmt.Errorf("%s is said to differ: %q and %q", path, x[path], y[path])
		}
	}
	if !a.Rejected() && !b.Rejected() && !maps.Equal(got, want) {
		return fmt.Errorf("want %v, got %v", want, got)
	}
	return nil
}

func TestCompareBuiltins(t *testing.T) {
	for _, name := range corpus.Protocols() {
		src, _ := protocols.Source(name)
		p := compiled(string(src))
		seeds := corpus.Seeds(name)
		for i := range seeds {
			a := decoded(p, seeds[i].Data)
			for _, j := range []int{i, (i + 1) % len(seeds), (i * 7) % len(seeds)} {
				if err := hold(a, decoded(p, seeds[j].Data)); err != nil {
					t.Fatalf("%s: %s and %s: %v", name, seeds[i].Name, seeds[j].Name, err)
				}
			}
			for n := 0; n < len(seeds[i].Data); n += 1 + n/8 {
				if err := hold(a, decoded(p, seeds[i].Data[:n])); err != nil {
					t.Fatalf("%s: %s and its first %d bytes: %v", name, seeds[i].Name, n, err)
				}
			}
		}
	}
}

// The same under schemas that are drawn.
func TestCompareAnySchema(t *testing.T) {
	pairs := 0
	for seed := range need.Rounds[uint64](150, 40) {
		src := anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%30)
		p := compiled(src)
		if p == nil {
			continue
		}
		random := rand.New(rand.NewPCG(seed, 3))
		g := fuzz.NewGenerator(decode.New(p))
		var packets [][]byte
		for n := range uint64(4) {
			if pkt, err := g.Random(seed, n); err == nil && len(pkt.Data) < 1000 {
				data := bytes.Clone(pkt.Data)
				packets = append(packets, data)
				if len(data) > 0 {
					bent := bytes.Clone(data)
					bent[random.IntN(len(bent))] ^= 1 << random.IntN(8)
					packets = append(packets, bent, data[:random.IntN(len(data))])
				}
			}
		}
		for i, x := range packets {
			for _, y := range packets[i:] {
				pairs++
				if err := hold(decoded(p, x), decoded(p, y)); err != nil {
					t.Fatalf("seed %d: %x and %x: %v\n%s", seed, x, y, err, src)
				}
			}
		}
	}
	if pairs < 500 {
		t.Errorf("only %d pairs", pairs)
	}
}

func TestFirst(t *testing.T) {
	const zoo = `protocol t
order lsb
packet { a bits(3), align, n uint8 in 0..4, key bytes(2) @secret, reserved(4) any, m bits(4), list [n]uint8, check "x" }
`
	p := compiled(zoo)
	base := "\x01\x02\xaa\xbb\x30\x07\x08" + "\xb2\xbe\xff\x47"
	s := decoded(p, []byte(base)) // its check is wrong: refused there
	for _, row := range []struct {
		name, other string
		want        Parting
	}{
		{"a field", "\x03\x02\xaa\xbb\x30\x07\x08", Parting{Bit: 1, Path: "a"}},
		{"padding", "\x11\x02\xaa\xbb\x30\x07\x08", Parting{Bit: 4, Place: InPadding}},
		{"a secret, from its beginning", "\x01\x02\xaa\xb9\x30\x07\x08", Parting{Bit: 16, Path: "key", Secret: true}},
		{"reserved", "\x01\x02\xaa\xbb\x31\x07\x08", Parting{Bit: 32, Place: InReserved}},
		{"a nibble", "\x01\x02\xaa\xbb\x20\x07\x08", Parting{Bit: 36, Path: "m"}},
		{"an element", "\x01\x02\xaa\xbb\x30\x07\x09", Parting{Bit: 48, Path: "list[1]"}},
		{"the end", "\x01\x02\xaa\xbb\x30\x07", Parting{Bit: 48, Place: EndSecond}},
	} {
		other := decoded(p, []byte(row.other))
		got, ok := First(s, other, false, false)
		if !ok || got != row.want {
			t.Errorf("%s: want %+v, got %+v (%v)", row.name, row.want, got, s.Reject())
		}
	}
	if got, ok := First(s, decoded(p, []byte(base[:5])), false, true); ok {
		t.Errorf("what a capture cut away is no difference: %+v", got)
	}
	if got, _ := First(decoded(p, []byte(base[:6])), s, false, false); got.Place != EndFirst {
		t.Errorf("%+v", got)
	}
	refused := decoded(p, []byte("\x01\x09\xaa\xbb\x30"))
	if got, _ := First(refused, decoded(p, []byte("\x01\x09\xaa\xbc\x30")), false, false); got.Bit > 16 || !got.Secret {
		t.Errorf("what may be a secret: %+v", got)
	}
}

// A secret is one thing, whatever is in it.
func TestCompareSecret(t *testing.T) {
	p := compiled("protocol t\norder msb\npacket { vault { pin uint8, more [..3]uint8 } @secret, last uint8 }\n")
	a, b := decoded(p, []byte("\x01\x40\x80\x80\x00")), decoded(p, []byte("\x01\x80\x80\x80\x80\x00"))
	n := 0
	Compare(a, b, false, false, func(d *Difference) bool {
		if n++; d.Secret && string(a.AppendEventPath(nil, d.A)) != "vault" {
			t.Errorf("%s", a.AppendEventPath(nil, d.A))
		}
		return true
	})
	if n == 0 {
		t.Error("nothing differs")
	}
}
