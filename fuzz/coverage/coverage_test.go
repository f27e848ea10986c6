package coverage_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

func builtin(t testing.TB, name string) *decode.Decoder {
	t.Helper()
	d, err := protocols.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// covering adds packets to a Coverage and looks at what every one of them must keep to.
type covering struct {
	t testing.TB
	d *decode.Decoder
	c *coverage.Set
	// failed: one complaint per protocol is enough.
	failed bool
	trace  decode.Trace
}

func (c *covering) add(packet []byte, from decode.Direction) {
	c.trace.RecordPath()
	err := c.d.Decode(packet, from, &c.trace)
	if c.failed {
		return
	}
	if !c.c.Fits(&c.trace) {
		c.failed = true
		c.t.Errorf("packet %x: the trace does not fit its plan (%v)", packet, err)
		return
	}
	if at, ok := c.misplaced(); ok {
		c.failed = true
		c.t.Errorf("packet %x: point %d lies where its room is not", packet, at)
	}
	before := len(c.c.Disproved())
	c.c.Add(&c.trace)
	if wrong := c.c.Disproved(); len(wrong) > before {
		c.failed = true
		c.t.Errorf("packet %x (%v) reached what was proved out of reach: %q", packet, err, wrong)
	}
	if i := c.c.RejectPointOf(&c.trace); err != nil && i < 0 {
		c.failed = true
		c.t.Errorf("packet %x: no refusal for %v", packet, err)
	} else if err != nil && !c.c.Rules()[i].Reached {
		c.t.Errorf("packet %x: %v did not reach %v", packet, err, c.c.Rules()[i].RejectPoint)
	}
}

// misplaced finds a record that does not lie in the room of its step.
func (c *covering) misplaced() (at plan.Point, ok bool) {
	for i := range c.trace.Records {
		span := &c.trace.Records[i]
		s := c.d.Plan().StepAt(span.Point)
		b := s.At()
		if b.Point != span.Point {
			continue // a flag of a bitmap
		}
		places := b.Room
		if blob, ok := s.(*plan.Blob); ok && !blob.Packed {
			places = places.Align(8)
		}
		if places>>(span.Bit%64)&1 == 0 {
			return span.Point, true
		}
	}
	return 0, false
}

// mutations adds the packet, and all its mutations, or those up to a number.
func (c *covering) mutations(m *fuzz.Mutator, packet []byte, from decode.Direction, most int) {
	packet = bytes.Clone(packet)
	c.add(packet, from)
	for mutation := range m.Mutations(packet, from) {
		c.add(mutation.Data, from)
		if most--; most == 0 {
			return
		}
	}
}

// The generator's packets and their mutations reach every refusal of the built-ins but those proved out of reach, and
// nearly everything else.

func TestCoverageOfBuiltins(t *testing.T) {
	for i, name := range corpus.Protocols() {
		t.Run(name, func(t *testing.T) {
			if !need.OneIn(i, 4) {
				t.Skip("-short covers one in four")
			}
			d := builtin(t, name)
			c := &covering{t: t, d: d, c: coverage.New(d.Plan())}
			g, m := fuzz.NewGenerator(d), fuzz.NewMutator(d)
			for n := range need.Rounds[uint64](150, 15) {
				p, err := g.Random(1, n)
				if err != nil {
					t.Fatal(err)
				}
				c.mutations(m, p.Data, p.From, 20000)
			}
			for n := range uint64(1000) {
				if p, err := g.Random(2, n); err == nil {
					c.add(p.Data, p.From)
				}
			}
			for p := range g.Boundaries(1, nil) {
				c.mutations(m, p.Data, p.From, 300)
			}
			for _, seed := range corpus.Seeds(name) {
				c.mutations(m, seed.Data, fuzz.Sender(seed.From), 3000)
			}
			c.add(make([]byte, d.Plan().Schema.MaxDatagram+1), decode.Client)
			var missing []string
			for _, r := range c.c.Rules() {
				switch {
				case r.Unreachable != "":
					t.Logf("out of reach: %v: %s", &r.RejectPoint, r.Unreachable)
				case !r.Reached:
					missing = append(missing, r.String())
				}
			}
			reached, of := c.c.Count()
			t.Logf("%d of %d reached, %.1f %%", reached, of, c.c.Percent())
			if len(missing) > 0 || c.c.Percent() < 85 {
				t.Errorf("refusals not reached: %q", missing)
			}
			for _, u := range c.c.Unreached() {
				t.Logf("not reached: %s", u)
			}
		})
	}
}

// Packets of random schemas, whole, cut, with bits flipped and mutated: no trace is a riddle, and nothing that is said
// to be out of reach is reached.
func TestCoverageOfAnySchema(t *testing.T) {
	drawn, schemas, refusals := need.Rounds[uint64](400, 40), uint64(0), uint64(0)
	for seed := range drawn {
		src := anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%40)
		s, _ := schema.Load("any.pks", []byte(src), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		schemas++
		d := decode.New(p)
		c := &covering{t: t, d: d, c: coverage.New(p)}
		g, m := fuzz.NewGenerator(d), fuzz.NewMutator(d)
		r := rand.New(rand.NewPCG(seed, 1))
		for n := range uint64(4) {
			packet, err := g.Random(seed, n)
			if err != nil {
				break
			}
			c.mutations(m, packet.Data, packet.From, 400)
			data := bytes.Clone(packet.Data)
			for range 100 {
				bad := bytes.Clone(data)
				for range 1 + r.IntN(3) {
					if len(bad) > 0 {
						bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
					}
				}
				bad = bad[:len(bad)-r.IntN(len(bad)+1)*r.IntN(2)]
				p.RepairChecksum(bad)
				c.add(bad, packet.From)
			}
		}
		for _, rule := range c.c.Rules() {
			if rule.Reached {
				refusals++
			}
		}
		if c.failed {
			t.Fatalf("seed %d:\n%s", seed, src)
		}
	}
	if schemas < drawn*3/4 || refusals < 5*drawn {
		t.Errorf("%d schemas, %d refusals reached", schemas, refusals)
	}
}

func TestCoverageMergeAndSave(t *testing.T) {
	d := builtin(t, "rtype")
	a := coverage.New(d.Plan())
	b := a.Empty()
	var trace decode.Trace
	trace.RecordPath()
	seeds := corpus.Seeds("rtype")
	for i, seed := range seeds {
		c := a
		if i%2 == 0 {
			c = b
		}
		_ = d.Decode(seed.Data, fuzz.Sender(seed.From), &trace)
		if c.Add(&trace); c.Add(&trace) != 0 {
			t.Errorf("%s: twice, and still something new", seed.Name)
		}
	}
	if reached, _ := a.Count(); reached == 0 {
		t.Fatal("nothing reached")
	}
	saved, err := b.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again := coverage.New(d.Plan())
	if err := again.UnmarshalBinary(saved); err != nil {
		t.Fatal(err)
	}
	if n := again.Merge(b); n != 0 {
		t.Errorf("what was saved lacks %d points", n)
	}
	x, _ := a.Count()
	was := a.Empty()
	was.Merge(a)
	if fresh := a.Merge(b); fresh == 0 || a.Merge(b) != 0 {
		t.Errorf("merged: %d new", fresh)
	}
	if n := a.Merge(was); n != 0 {
		t.Errorf("merged: %d points that it had are lost", n)
	}
	if y, _ := a.Count(); y <= x {
		t.Errorf("merged: %d points, before %d", y, x)
	}
	a.Reset()
	if a.Percent() != 0 {
		t.Errorf("reset: %v %%", a.Percent())
	}

	other := coverage.New(builtin(t, "packets").Plan())
	for _, unlike := range [][2]*coverage.Set{{other, b}, {b, other}} { // the one with more points, and the one with fewer
		func() {
			defer func() {
				if r := recover(); r != "pktscope: internal error: coverages of two plans" {
					t.Errorf("coverages of two plans: got %v", r)
				}
			}()
			unlike[0].Merge(unlike[1])
		}()
	}
	for _, row := range []struct {
		data []byte
		want string
	}{
		{nil, "coverage: want a saved coverage, got something else"},
		{[]byte(strings.Repeat("x", 40)), "coverage: want a saved coverage, got something else"},
		{saved[:len(saved)-1], "coverage: want "},
		{append(slices.Clone(saved), 0), "coverage: want "},
	} {
		if err := again.UnmarshalBinary(row.data); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%d bytes: want %q, got %v", len(row.data), row.want, err)
		}
	}
	if err := other.UnmarshalBinary(saved); err == nil || err.Error() != "coverage: it is of another protocol, or of another version of it" {
		t.Errorf("another protocol: got %v", err)
	}
}

func TestCoverageAllocates(t *testing.T) {
	for _, name := range corpus.Protocols() {
		d := builtin(t, name)
		c := coverage.New(d.Plan())
		for _, seed := range corpus.Seeds(name) {
			for _, data := range [][]byte{seed.Data, seed.Data[:len(seed.Data)/2]} {
				var trace decode.Trace
				trace.RecordPath()
				_ = d.Decode(data, fuzz.Sender(seed.From), &trace)
				if n := testing.AllocsPerRun(3, func() { c.Add(&trace) }); n != 0 {
					t.Errorf("%s: %v allocations", seed.Name, n)
				}
			}
		}
	}
}

// notDisproved looks at random among packets for one that is refused as was proved out of reach.
func notDisproved(t *testing.T, d *decode.Decoder) {
	c := &covering{t: t, d: d, c: coverage.New(d.Plan())}
	g, m := fuzz.NewGenerator(d), fuzz.NewMutator(d)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range need.Rounds[uint64](40, 3) {
		if p, err := g.Random(1, n); err == nil {
			c.mutations(m, p.Data, p.From, 1000)
		}
		for range 300 { // small numbers go far
			data := make([]byte, r.IntN(24))
			for i := range data {
				data[i] = byte(r.IntN(256) >> r.IntN(9))
			}
			c.add(data, decode.FromUnknown)
		}
	}
}

// One refusal of every kind, in small schemas, and what is proved out of reach in each.
func TestRefusals(t *testing.T) {
	rows := []struct{ name, items, want string }{
		{"what is whole bytes can be cut", "a uint16, b uint8", "a: past-end; b: past-end; packet: trailing-bytes"},
		{"what lies in a byte that has begun cannot", "a bits(3), b bits(5), c bits(8)", "a: past-end; c: past-end; packet: trailing-bytes"},
		{"nothing behind the rest", "a bytes(rest, max 65507)", ""},
		{"a bounded rest", "a bytes(rest, max 4)", "a: out-of-range"},
		{"a range of all codes", "a int(0..255), b int(0..200)", "a: past-end; b: past-end; b: out-of-range; packet: trailing-bytes"},
		{"behind rest", "if rest >= 4 { a uint32 } ", "packet: trailing-bytes"},
		{"behind a little rest", "if rest >= 3 { a uint32 } ", "a: past-end; packet: trailing-bytes"},
		{"a window of a known size", "within(4) { a uint16, b bits(13) }", "within#1: past-end; within#1: nonzero-padding; packet: trailing-bytes"},
		{"a list of bytes to the end", "a [rest, max 9]uint8", "a: out-of-range"},
		{"a list of bits to the end of a window", "n uint8, within(n bits) { a [rest, max 9]bool }", "n: past-end; within#1: past-end; a: out-of-range; packet: trailing-bytes"},
		{"a list of threes of bits to the end of a window", "n uint8, within(n bits) { a [rest, max 9]bits(3) }", "n: past-end; within#1: past-end; a: out-of-range; a[]: past-end; packet: trailing-bytes"},
		{"a list of pairs of bytes to the end", "a [rest, max 9]uint16", "a: out-of-range; a[]: past-end"},
		{"alignment", "a bits(3), align(8), b uint8", "a: past-end; align#1: nonzero-padding; b: past-end; packet: trailing-bytes"},
		{"alignment of what is aligned", "a uint8, align(16), b uint8", "a: past-end; align#1: past-end; align#1: nonzero-padding; b: past-end; packet: trailing-bytes"},
		{"text", "a string(2), b char(1), c char(2)", "a.length: past-end; a: nonzero-padding; a: past-end; a: bad-string; b: past-end; c: past-end; c: bad-string; packet: trailing-bytes"},
		{"varint", "a varint(7), b varint(32)", "a: past-end; a: out-of-range; b: past-end; b: non-canonical; b: out-of-range; packet: trailing-bytes"},
		{"a rule inside a type that is full", "a bits(1), b int(0..a) in {1}", "a: past-end; b: out-of-range; packet: trailing-bytes"},
		{"floats", "a float32 finite, b float32", "a: past-end; a: not-finite; b: past-end; packet: trailing-bytes"},
		{"reserved and any", "a uint8, reserved(8), reserved(8) any", "a: past-end; reserved#1: past-end; reserved#1: reserved-nonzero; reserved#2: past-end; packet: trailing-bytes"},
		{"a window that is filled takes no more than an array", "n uint8 in 1..3, within(n * 4 zeros) { a uint16, b [3]{ c bits(4), d bits(12) }, e bits(32) }", "n: past-end; n: out-of-range; within#1: past-end; packet: trailing-bytes"},
		{"a relation with a look", "n uint8 in {2, 4, 6}, require !(10 <= tail(3) + n), x bits(n * 6)", "n: past-end; n: out-of-range; require@3: rule-broken; x: past-end; packet: trailing-bytes"},
		{"a window of whole words", "n uint8, reserved(24) any, require n % 4 == 0 && n > 0, within(n) { all [rest, max 64]{ a uint16, b uint16 } }", "n: past-end; reserved#1: past-end; require@3: rule-broken; within#1: past-end; packet: trailing-bytes"},
		{"whole words and text", "n uint8, reserved(24) any, require n % 4 == 0, within(n) { all [rest, max 60]{ m uint8, within(m) { b bytes(rest, max 255) }, align(32) any } }", "n: past-end; reserved#1: past-end; require@3: rule-broken; within#1: past-end; all: out-of-range; all[].within#1: past-end; packet: trailing-bytes"},
		{"words of a window that begins between words", "n uint8, require n % 4 == 0, within(n) { a uint8, align(32) any }", "n: past-end; require@3: rule-broken; within#1: past-end; a: past-end; within#1: trailing-bytes"},
		{"as many words as counted", "n uint8, reserved(24) any, within(n * 4) { all [rest, max 512]{ a uint16, b uint16 } }", "n: past-end; reserved#1: past-end; within#1: past-end; packet: trailing-bytes"},
		{"half words", "n uint8, reserved(24) any, require n % 2 == 0, within(n) { all [rest, max 64]{ a uint16, b uint16 } }", "n: past-end; reserved#1: past-end; require@3: rule-broken; within#1: past-end; all[].b: past-end; packet: trailing-bytes"},
		{"not of a word", "n uint8, reserved(24) any, require n % 6 == 0, within(n) { all [rest, max 64]{ a uint16, b uint16 } }", "n: past-end; reserved#1: past-end; require@3: rule-broken; within#1: past-end; all[].b: past-end; packet: trailing-bytes"},
		{"a multiple and one", "n uint8, reserved(24) any, require n % 4 == 0, within(n + 1) { all [rest, max 64]{ a uint16, b uint16 } }", "n: past-end; reserved#1: past-end; require@3: rule-broken; within#1: past-end; all[].a: past-end"},
		{"not a multiple", "n uint8, reserved(24) any, require n % 4 != 0, within(n) { all [rest, max 65]{ a uint16, b uint16 } }", "n: past-end; reserved#1: past-end; require@3: rule-broken; within#1: past-end; all[].a: past-end; all[].b: past-end; packet: trailing-bytes"},
		{"a multiple or something else", "n uint8, reserved(24) any, require n % 4 == 0 || n == 5, within(n) { all [rest, max 65]{ a uint16, b uint16 } }", "n: past-end; reserved#1: past-end; require@3: rule-broken; within#1: past-end; all[].a: past-end; all[].b: past-end; packet: trailing-bytes"},
		{"a multiple on one way", "n uint8, k uint8, reserved(16) any, if k == 1 { require n % 4 == 0 }, within(n) { all [rest, max 65]{ a uint16, b uint16 } }", "n: past-end; k: past-end; reserved#1: past-end; require@3: rule-broken; within#1: past-end; all[].a: past-end; all[].b: past-end; packet: trailing-bytes"},
		{"a multiple on the other way", "n uint8, k uint8, reserved(16) any, if k == 1 { a uint32 } else { require n % 4 == 0 }, within(n) { all [rest, max 65]{ b uint16, c uint16 } }", "n: past-end; k: past-end; reserved#1: past-end; a: past-end; require@3: rule-broken; within#1: past-end; all[].b: past-end; all[].c: past-end; packet: trailing-bytes"},
		{"a multiple on the same way", "n uint8, k uint8, reserved(16) any, if k == 1 { require n % 4 == 0, within(n) { all [rest, max 65]{ a uint16, b uint16 } } }", "n: past-end; k: past-end; reserved#1: past-end; require@3: rule-broken; within#1: past-end; packet: trailing-bytes"},
		{"a multiple too late", "n uint8, reserved(24) any, within(n) { all [rest, max 65]{ a uint16, b uint16 } }, require n % 4 == 0", "n: past-end; reserved#1: past-end; within#1: past-end; all[].a: past-end; all[].b: past-end; require@3: rule-broken; packet: trailing-bytes"},
		{"a multiple of another element", "last [2]{ n uint8, reserved(24) any, if n < 9 { require n % 4 == 0 }, within(n) { all [rest, max 65]{ a uint16, b uint16 } } }", "last[].n: past-end; last[].reserved#1: past-end; last[].require@3: rule-broken; last[].within#1: past-end; last[].all[].a: past-end; last[].all[].b: past-end; packet: trailing-bytes"},
		{"numbers beyond those that are counted", "n uint64 in 5122500956423891119..18446744073709551615, if !(n in {5122500956423891169, 5122500956423891183}) { a uint8 }", "n: past-end; n: out-of-range; a: past-end; packet: trailing-bytes"},
		{"an argument that is a number", "a S(4), b S(0) }\nstruct S(n in 0..8) { x bits(n * 8), y bits(8) ", "a.x: past-end; a.y: past-end; b.y: past-end; packet: trailing-bytes"},
		{"an argument that is a field", "n uint8 in 0..8, a S(n), b S(1) }\nstruct S(n in 0..8) { x bits(n * 8), y bits(8) ", "n: past-end; n: out-of-range; a.x: past-end; a.y: past-end; b.x: past-end; b.y: past-end; packet: trailing-bytes"},
		{"an argument of an argument", "a S(1) }\nstruct S(n in 0..4) { b T(n * 2) }\nstruct T(m in 0..8) { require m == 2, x bits(m * 4), y bits(8) ", "a.b.x: past-end; a.b.y: past-end; packet: trailing-bytes"},
		{"a relation of an argument", "t uint16, a S(t) }\nstruct S(t in 0..0xFFFF) { require t * t % 4 != 2", "t: past-end; packet: trailing-bytes"},
		{"a relation of an argument that may be wrong", "t uint16, a S(t) }\nstruct S(t in 0..0xFFFF) { require t * t % 4 != 1", "t: past-end; a.require@4: rule-broken; packet: trailing-bytes"},
	}
	for _, row := range rows {
		src := "protocol x\norder lsb\npacket { " + row.items + "\n}\n"
		s, diags := schema.Load("x.pks", []byte(src), nil)
		if s == nil {
			t.Errorf("%s: %s", row.name, diags[0].AppendText(nil, "x.pks", []byte(src)))
			continue
		}
		p, _ := plan.Compile(s)
		notDisproved(t, decode.New(p))
		var names []string
		for _, o := range coverage.RejectPoints(p) {
			if o.Unreachable == "" && o.Kind != reject.DatagramSize && o.Kind != reject.TrailingBytes || o.Unreachable == "" && o.At != plan.NoPoint {
				names = append(names, o.String())
			}
		}
		if o := coverage.RejectPoints(p)[1]; o.Unreachable == "" {
			names = append(names, o.String())
		}
		if got := strings.Join(names, "; "); got != row.want {
			t.Errorf("%s:\nwant %s\n got %s", row.name, row.want, got)
		}
	}
}

func BenchmarkCoverage(b *testing.B) {
	for _, name := range corpus.Protocols() {
		d := builtin(b, name)
		var trace decode.Trace
		trace.RecordPath()
		most, leaves := -1, 0
		seeds := corpus.Seeds(name)
		for i, seed := range seeds {
			if d.Decode(seed.Data, fuzz.Sender(seed.From), &trace) == nil && len(trace.Raw) > leaves {
				most, leaves = i, len(trace.Raw)
			}
		}
		b.Run(name, func(b *testing.B) {
			seed := seeds[most]
			_ = d.Decode(seed.Data, fuzz.Sender(seed.From), &trace)
			c := coverage.New(d.Plan())
			b.ReportAllocs()
			b.SetBytes(int64(len(seed.Data)))
			for b.Loop() {
				c.Add(&trace)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(leaves), "ns/leaf")
		})
	}
}
