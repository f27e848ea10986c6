package budget

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// sent is a number that a sender sends at a time, in ms.
type sent struct {
	port  uint16
	ms    int64
	value int
}

// from is n packets of a sender, one each 50 ms.
func from(port uint16, start int64, n int, value func(i int) int) (out []sent) {
	for i := range n {
		out = append(out, sent{port, start + 50*int64(i), value(i)})
	}
	return out
}

func counter(i int) int { return i }

// numbers is them as packets of a uint16, in the order of time.
func numbers(list []sent) (out []captured) {
	slices.SortStableFunc(list, func(a, b sent) int { return int(a.ms - b.ms) })
	to := netip.MustParseAddrPort("10.0.0.2:40000")
	for i, s := range list {
		src := netip.AddrPortFrom(netip.MustParseAddr("10.0.0.1"), s.port)
		out = append(out, captured{payload: []byte{byte(s.value >> 8), byte(s.value)}, Envelope: decode.Envelope{N: int64(i + 1), File: "a.pcap", Time: s.ms * 1e6, Src: src, Dst: to}})
	}
	return out
}

// sessions are what counters, and what only looks like them, send.
var sessions = []struct {
	name string
	why  string // of the advice; "" where the number is narrowed
	sent func(r *rand.Rand) []sent
}{
	{"a counter", "rose all along", func(*rand.Rand) []sent { return from(1, 0, 400, counter) }},
	{"a counter that did not begin at 0", "rose all along", func(*rand.Rand) []sent { return from(1, 0, 400, func(i int) int { return 9000 + i }) }},
	{"a counter with loss and reordering", "rose all along", func(r *rand.Rand) (out []sent) {
		for _, s := range from(1, 0, 600, counter) {
			if s.ms += r.Int64N(300); r.IntN(5) > 0 {
				out = append(out, s)
			}
		}
		return out
	}},
	{"a counter of frames", "rose all along", func(*rand.Rand) []sent { return from(1, 0, 400, func(i int) int { return 7 * i / 3 }) }},
	{"a sender begins again", "rose all along", func(*rand.Rand) []sent { return from(1, 0, 400, func(i int) int { return i % 250 }) }},
	{"a sender begins again and again", "rose all along", func(r *rand.Rand) (out []sent) {
		for range 12 {
			out = append(out, from(1, 50*int64(len(out)), 20+r.IntN(100), counter)...)
		}
		return out
	}},
	{"three senders", "rose", func(*rand.Rand) []sent {
		return slices.Concat(from(1, 0, 300, counter), from(2, 4000, 300, counter), from(3, 9000, 300, counter))
	}},
	{"senders that come and go", "rose with each sender", func(*rand.Rand) (out []sent) {
		for k := range 60 {
			out = append(out, from(uint16(100+k), 1700*int64(k), 40, counter)...)
		}
		return out
	}},
	{"senders with a few packets each", "rose with each sender", func(*rand.Rand) (out []sent) {
		for k := range 300 {
			out = append(out, from(uint16(100+k), 170*int64(k), 6, counter)...)
		}
		return out
	}},
	{"two captures, a week apart", "rose", func(*rand.Rand) []sent {
		return slices.Concat(from(1, 0, 200, counter), from(2, 7*86_400_000, 200, counter))
	}},
	{"a counter beside one value for all others", "rose all along", func(*rand.Rand) []sent {
		return from(1, 0, 400, func(i int) int { return i * (i % 2) })
	}},
	{"a score", "the first half had at most 1", func(*rand.Rand) []sent { return from(1, 0, 400, func(i int) int { return i / 120 }) }},
	{"large at the end", "the first half had at most 19", func(*rand.Rand) []sent {
		return from(1, 0, 400, func(i int) int { return i%20 + i/350*100 })
	}},
	{"all at one time", "1 moments are too few", func(*rand.Rand) (out []sent) {
		for i := range 400 {
			out = append(out, sent{1, 5, i})
		}
		return out
	}},
	{"what only falls", "fell all along", func(*rand.Rand) []sent { return from(1, 0, 400, func(i int) int { return 9000 - i }) }},
	{"what falls with each sender", "fell with each sender", func(*rand.Rand) (out []sent) {
		for k := range 60 {
			out = append(out, from(uint16(100+k), 1700*int64(k), 40, func(i int) int { return 300 - i })...)
		}
		return out
	}},
	{"what is filled up again and again", "", func(r *rand.Rand) (out []sent) {
		for range 12 {
			out = append(out, from(1, 50*int64(len(out)), 20+r.IntN(80), func(i int) int { return 120 - i })...)
		}
		return out
	}},
	{"a constant", "it had only 1 value", func(*rand.Rand) []sent { return from(1, 0, 400, func(int) int { return 7 }) }},
	{"at random", "", func(r *rand.Rand) []sent { return from(1, 0, 400, func(int) int { return r.IntN(300) }) }},
	{"at random, of many senders", "", func(r *rand.Rand) (out []sent) {
		for k := range 60 {
			out = append(out, from(uint16(100+k), 1700*int64(k), 40, func(int) int { return r.IntN(300) })...)
		}
		return out
	}},
	{"seconds of a clock on the wall", "", func(*rand.Rand) []sent { return from(1, 0, 12_000, func(i int) int { return i / 20 % 60 }) }},
	{"the index of a ring", "", func(*rand.Rand) []sent { return from(1, 0, 8000, func(i int) int { return 7 * i % 1024 }) }},
	{"0 1 2 3, three times", "it had only 4 values", func(*rand.Rand) []sent { return from(1, 0, 1200, func(i int) int { return i / 100 % 4 }) }},
	{"0 to 31, three times", "", func(*rand.Rand) []sent { return from(1, 0, 960, func(i int) int { return i / 10 % 32 }) }},
	{"31 to 0, three times", "", func(*rand.Rand) []sent { return from(1, 0, 960, func(i int) int { return 31 - i/10%32 }) }},
	{"the index of a ring, five times around", "", func(*rand.Rand) []sent { return from(1, 0, 640, func(i int) int { return i % 128 }) }},
	{"the index of a ring, and a sender that begins again", "", func(*rand.Rand) []sent {
		return slices.Concat(from(1, 0, 700, func(i int) int { return i % 128 }), from(1, 35_000, 700, func(i int) int { return i % 128 }))
	}},
	{"up and down", "", func(*rand.Rand) []sent {
		return from(1, 0, 2000, func(i int) int { return max(i%400, 399-i%400) })
	}},
}

// The range of what grows says how long the capture is: it is advice, with the reason, in no sum, and not applied.
func TestWhatGrowsIsAdvice(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    x uint16\n}\n")
	for _, row := range sessions {
		t.Run(row.name, func(t *testing.T) {
			packets := numbers(row.sent(rand.New(rand.NewPCG(1, 2))))
			b := counted(p, packets, 0)
			list := b.Suggestions()
			if len(list) != 1 {
				t.Fatalf("%d suggestions, want 1", len(list))
			}
			s := list[0]
			text, _, err := b.Apply(list)
			if err != nil {
				t.Fatal(err)
			}
			applied := !bytes.Equal(text, p.Schema.File.Src)
			if advised := row.why != ""; s.Advice != advised || (Saved(list) == 0) != advised || applied == advised {
				t.Errorf("%s: %s; advice %v, %d bits in the sum, applied %v", s.Declaration(), s.Why, s.Advice, Saved(list), applied)
			}
			if _, why, _ := strings.Cut(s.Why, ", but "); !strings.Contains(why, row.why) || row.why == "" && why != "" {
				t.Errorf("why: %q, want …%s…", s.Why, row.why)
			}
			halves := counted(p, packets[:len(packets)*3/5], 0)
			if err := halves.Merge(counted(p, packets[len(packets)*2/5:], 0)); err != nil {
				t.Fatal(err)
			}
			if list := halves.Suggestions(); len(list) != 1 || list[0].Why != s.Why || list[0].Advice != s.Advice {
				t.Errorf("overlapping halves: got %+v, want %q", list, s.Why)
			}
		})
	}
}

// A varint of what grows gets longer too, and so does a number below zero, and an id.
func TestWhatGrowsInOtherForms(t *testing.T) {
	late := func(i int) uint32 { return uint32(i + i/390*1_000_000) }
	for _, row := range []struct {
		field string
		value func(i int) uint32
		want  string
	}{
		{"x uint32", func(i int) uint32 { return uint32(25 * i) }, "int(0..32767)"},
		{"x uint32", late, "varint(32)"},
		{"x_id uint32", late, "varint(32)"},
		{"x int32", func(i int) uint32 { return uint32(-25 * i) }, "sbits(16)"},
		{"x int(0..4294967295)", func(i int) uint32 { return uint32(25 * i) }, "int(0..32767)"},
	} {
		p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    "+row.field+"\n}\n")
		packets := numbers(from(1, 0, 400, counter))
		for i := range packets {
			packets[i].payload = binary.BigEndian.AppendUint32(nil, row.value(i))
		}
		list := counted(p, packets, 0).Suggestions()
		if len(list) != 1 || !list[0].Advice || list[0].Text != row.want || !strings.Contains(list[0].Why, " all along") {
			t.Errorf("%s: got %+v, want %s", row.field, list, row.want)
		}
	}
}

// A number with a sign says which way it went, through zero and below it, also out of saved results; what goes up and
// down is narrowed.
func TestWhatGrowsBelowZero(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    x int16\n}\n")
	for _, row := range []struct {
		name  string
		value func(i int) int
		why   string
	}{
		{"through zero", func(i int) int { return i - 300 }, "it rose all along: longer sessions may have more"},
		{"below zero", func(i int) int { return i - 900 }, "it rose all along: longer sessions may have more"},
		{"down through zero", func(i int) int { return 300 - i }, "it fell all along: longer sessions may have more"},
		{"down from zero", func(i int) int { return -i }, "it fell all along: longer sessions may have more"},
		{"down, beside a zero for all others", func(i int) int { return -i * (i % 2) }, "its distance from 0 rose all along: longer sessions may have more"},
		{"late", func(i int) int { return i%20 - 10 - i/350*100 }, "the first half had at most ±9"},
		{"an angle", func(i int) int { return 7*i%360 - 180 }, ""},
		{"an angle the other way", func(i int) int { return 180 - 7*i%360 }, ""},
		{"up and down", func(i int) int { return max(i%100, 99-i%100) - 75 }, ""},
	} {
		packets := numbers(from(1, 0, 500, row.value))
		whole := counted(p, packets, 0)
		parts := counted(p, packets[:300], 0)
		list, err := Read(bytes.NewReader(counted(p, packets[200:], 0).AppendJSON(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := parts.Merge(list[0]); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string]*Budget{"whole": whole, "overlapping halves": parts} {
			list := b.Suggestions()
			if len(list) != 1 || list[0].Advice != (row.why != "") {
				t.Errorf("%s, %s: got %+v", row.name, name, list)
				continue
			}
			if _, why, _ := strings.Cut(list[0].Why, ", but "); why != row.why {
				t.Errorf("%s, %s: why %q, want %q", row.name, name, list[0].Why, row.why)
			}
		}
	}
}

// Parts of before have no directions of signed numbers: what varies in them is advice, merged with others too.
func TestPartsWithoutDirections(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    x int16\n}\n")
	counts := func() *Budget {
		r := rand.New(rand.NewPCG(7, 8))
		return counted(p, numbers(from(1, 0, 400, func(int) int { return r.IntN(600) - 300 })), 0)
	}
	list, err := Read(strings.NewReader(broken(t, counts().AppendJSON(nil), func(p *part) { p.Directions = "" })))
	if err != nil {
		t.Fatal(err)
	}
	b := list[0]
	for range 2 {
		if list := b.Suggestions(); len(list) != 1 || !list[0].Advice || !strings.HasSuffix(list[0].Why, "but the saved results do not say when") {
			t.Errorf("got %+v", list)
		}
		if err := b.Merge(counts()); err != nil {
			t.Fatal(err)
		}
	}
	if list := counts().Suggestions(); len(list) != 1 || list[0].Advice {
		t.Errorf("with directions: got %+v", list)
	}
}

// Packets in any order, in any parts, saved or not, are one budget: which moments and senders are kept depends on the
// set of packets alone.
func TestMomentsMergeInAnyOrder(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    x uint16\n}\n")
	r := rand.New(rand.NewPCG(3, 4))
	for _, row := range sessions {
		packets := numbers(row.sent(r))
		whole := counted(p, packets, 0).AppendJSON(nil)
		r.Shuffle(len(packets), func(i, j int) { packets[i], packets[j] = packets[j], packets[i] })
		parts := make([]*Budget, 5)
		for i := range parts {
			part := counted(p, packets[i*len(packets)/len(parts):(i+1)*len(packets)/len(parts)], 0)
			list, err := Read(bytes.NewReader(part.AppendJSON(nil)))
			if err != nil {
				t.Fatal(err)
			}
			parts[i] = list[0]
		}
		for len(parts) > 1 { // any two
			i := r.IntN(len(parts) - 1)
			if err := parts[i].Merge(parts[i+1]); err != nil {
				t.Fatal(err)
			}
			parts = slices.Delete(parts, i+1, i+2)
		}
		if got := parts[0].AppendJSON(nil); !bytes.Equal(got, whole) {
			t.Errorf("%s: merged\n%.600s\nwhole\n%.600s", row.name, got, whole)
		}
	}
}

// A part of before has no moments: what varies in it is advice, also where another part has them.
func TestPartsWithoutMoments(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    x uint16\n}\n")
	random := func(most int) func(int) int { return func(i int) int { return i * 7919 % most } }
	old := func(b *Budget) *Budget {
		list, err := Read(strings.NewReader(broken(t, b.AppendJSON(nil), func(p *part) { p.Moments = "" })))
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	b := old(counted(p, numbers(from(1, 0, 400, random(601))), 0))
	for range 2 {
		if list := b.Suggestions(); len(list) != 1 || !list[0].Advice || !strings.HasSuffix(list[0].Why, "but the saved results do not say when") {
			t.Errorf("got %+v", list)
		}
		if err := b.Merge(counted(p, numbers(from(1, 0, 400, random(307))), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if list := old(counted(p, numbers(from(1, 0, 400, func(int) int { return 7 })), 0)).Suggestions(); len(list) != 1 || !strings.HasSuffix(list[0].Why, "but it had only 1 value") {
		t.Errorf("a constant: got %+v", list)
	}
}

// Times and senders are a stranger's: whatever they are, so many moments of so many senders are kept.
func TestMomentsAreBounded(t *testing.T) {
	m := newMoments(columns{magnitudes: 2})
	r := rand.New(rand.NewPCG(5, 6))
	to := netip.MustParseAddrPort("[::1]:1")
	for range 20_000 {
		src := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(r.Uint32()), byte(r.Uint32()), 1}), uint16(r.Uint32()))
		m.begin(&decode.Envelope{Time: int64(r.Uint64()) >> r.IntN(64), Src: src, Dst: to})
		m.see(0, r.Uint64()>>r.IntN(64))
		m.see(1, ^uint64(0))
	}
	if len(m.flows) != mostFlows || !slices.IsSortedFunc(m.flows, func(a, b flow) int { return cmp.Compare(a.key, b.key) }) {
		t.Errorf("%d flows", len(m.flows))
	}
	for _, tr := range []*track{&m.all, &m.flows[0].track} {
		if len(tr.slots) > mostMoments || len(tr.rows) > mostMoments || !slices.IsSorted(tr.slots) {
			t.Errorf("%d moments in %d rows: %v", len(tr.slots), len(tr.rows), tr.slots)
		}
	}
	for _, n := range []int{0, 1, 1000, 65_536} {
		m := newMoments(columns{n - n/2, n / 2})
		if cells := n * m.all.limit * (m.most + 1); cells > maxCells || m.all.limit < fewMoments {
			t.Errorf("%d columns: %d cells, %d moments", n, cells, m.all.limit)
		}
	}
}

// Moments in a part are a stranger's too.
func TestReadMoments(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    x uint16\n}\n")
	b := counted(p, numbers(slices.Concat(from(1, -700, 30, counter), from(2, 0, 30, counter))), 0)
	raw := b.moments.append(nil)
	read := func(data []byte) (*moments, string) {
		m, r := newMoments(columns{magnitudes: 1}), stateReader{data: data}
		if m.read(&r); r.wrong == "" && len(r.data) > 0 {
			r.wrong = "bytes after"
		}
		return &m, r.wrong
	}
	if m, wrong := read(raw); wrong != "" || !bytes.Equal(m.append(nil), raw) {
		t.Fatalf("%s: another", wrong)
	}
	for n := range raw {
		if _, wrong := read(raw[:n]); wrong == "" {
			t.Errorf("%d of %d bytes were taken for moments", n, len(raw))
		}
	}
	for name, data := range map[string][]byte{
		"a level that is too high": {64, 0, 0},
		"too many moments":         {0, 0x81, 1, 0},
		"moments twice":            {0, 2, 2, 1, 2, 1, 0},
		"a time that is none":      {9, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 0},
		"too many senders":         {0, 0, 9},
		"a sender twice":           {0, 0, 2, 5, 0, 0, 5, 0, 0},
		"senders backwards":        {0, 0, 2, 5, 0, 0, 4, 0, 0},
	} {
		if _, wrong := read(data); wrong == "" {
			t.Errorf("%s: taken", name)
		}
	}
	for i := range 8 * len(raw) {
		data := bytes.Clone(raw)
		data[i/8] ^= 1 << (i % 8)
		if m, wrong := read(data); wrong == "" {
			m.merge(m)
			m.growth(&leaf{column: 0, order: -1}, 3)
		}
	}
	var part part
	if err := json.Unmarshal(b.AppendJSON(nil), &part); err != nil {
		t.Fatal(err)
	}
	part.Moments = "!"
	if _, err := part.open(); err == nil || err.Error() != "moments: no base64" {
		t.Errorf("got %v", err)
	}
	part.Moments = "QAAA" // a level of 64
	if _, err := part.open(); err == nil || err.Error() != "moments: a level that is too high" {
		t.Errorf("got %v", err)
	}
}
