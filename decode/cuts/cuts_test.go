package cuts_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/cuts"
)

func load(t testing.TB, src string) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("p.pks", []byte("protocol p\norder lsb\n"+src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return d
}

// packets are datagrams of these bytes.
func packets(list ...[]byte) iter.Seq[decode.Packet] {
	return func(yield func(decode.Packet) bool) {
		for _, data := range list {
			if !yield(decode.Packet{Data: data, Size: len(data)}) {
				return
			}
		}
	}
}

func Example() {
	truth, _ := decode.Load("truth.pks", []byte("protocol p\norder lsb\npacket {\n id uint8, x bits(12), y bits(12)\n}\n"))
	guess, _ := decode.Load("guess.pks", []byte("protocol p\norder lsb\npacket {\n id uint8, x bits(12), y uint8, z bits(4) in 0..7\n}\n"))
	s := cuts.Compare(packets([]byte{1, 2, 3, 4}, []byte{5, 6, 7, 8}, []byte{9, 10, 11, 0x80}), truth, guess)
	fmt.Printf("precision %.2f, recall %.2f, F1 %.2f, exact %.2f\n", s.Precision, s.Recall, s.F1, s.Exact)
	fmt.Printf("accepted %v, first on packet %d: %s\n", s.Accepted, s.First.N, s.First.Why[1])
	// Output:
	// precision 0.67, recall 1.00, F1 0.80, exact 0.67
	// accepted [3 2], first on packet 3: z: out-of-range at bit 28
}

// What counts as a boundary, as a field, as a type: packets of one schema under another, with the sums by hand.
func TestCounts(t *testing.T) {
	three := [][]byte{{1, 2, 3, 4}, {2, 2, 3, 4}, {3, 2, 3, 4}}
	for _, one := range []struct {
		name, a, b   string
		list         [][]byte
		boundaries   [2]uint64
		common       uint64
		fields, same uint64
		accepted     [2]int64
	}{
		{"the same", "packet { a uint8, b uint8, c uint16 }", "packet { a uint8, b uint8, c uint16 }", three, [2]uint64{6, 6}, 6, 9, 9, [2]int64{3, 3}},
		{"the first bit is none", "packet { a uint32 }", "packet { a uint32 }", three, [2]uint64{0, 0}, 0, 3, 3, [2]int64{3, 3}},
		{"a later end", "packet { a uint8, b uint8, c uint16 }", "packet { a uint8, b uint24 }", three, [2]uint64{6, 3}, 3, 9, 3, [2]int64{3, 3}},
		{"a struct is none", "packet { s { a uint8, b uint24 } }", "packet { a uint8, b uint24 }", three, [2]uint64{3, 3}, 3, 6, 6, [2]int64{3, 3}},
		{"elements", "packet { l [4]uint8 }", "packet { l [2]uint16 }", three, [2]uint64{9, 3}, 3, 12, 0, [2]int64{3, 3}},
		{"reserved bits", "packet { a uint8, reserved(24) any }", "packet { a uint8, b uint24 }", three, [2]uint64{3, 3}, 3, 6, 6, [2]int64{3, 3}},
		{"nothing of no bits", "packet { a uint8, b bytes(0), c uint24, l [0]uint8 }", "packet { a uint8, c uint24 }", three, [2]uint64{3, 3}, 3, 6, 6, [2]int64{3, 3}},
		{"what B refuses", "packet { a uint8, b uint8, c uint16 }", "packet { a uint8, b uint8 == 3, c uint16 }", three, [2]uint64{6, 3}, 3, 9, 6, [2]int64{3, 0}},
		{"what A refuses", "packet { a uint8 in 1..2, b uint24 }", "packet { a uint8, b uint24 }", three, [2]uint64{2, 2}, 2, 4, 4, [2]int64{2, 3}},
		{"beyond the end", "packet { a uint8 }", "packet { a uint8, b uint8 }", [][]byte{{1}, {2}, {3}}, [2]uint64{0, 0}, 0, 3, 3, [2]int64{3, 0}},
		{"secrets", "packet { a uint8, s { x uint8, y uint16 } @secret }", "packet { a uint8, x uint8, y uint16 }", three, [2]uint64{3, 6}, 3, 6, 3, [2]int64{3, 3}},
	} {
		a := strings.ReplaceAll(one.a, "uint24", "bits(24)")
		b := strings.ReplaceAll(one.b, "uint24", "bits(24)")
		s := cuts.Compare(packets(one.list...), load(t, a), load(t, b))
		if s.Accepted != one.accepted || len(s.Types) != 1 {
			t.Errorf("%s: %+v", one.name, s)
			continue
		}
		x := s.Types[0]
		if x.Boundaries != one.boundaries || x.Common != one.common || x.Fields != one.fields || x.Same != one.same {
			t.Errorf("%s: %+v", one.name, x)
		}
	}
}

// Types of too few packets do not count, and neither does a capture without any.
func TestScored(t *testing.T) {
	a := load(t, "packet { t uint8\n b switch t { 0: uint8, default: uint16 } }")
	b := load(t, "packet { t uint8\n b switch t { 0: bits(8), default: { x uint8, y uint8 } } }")
	many := func(n int, rare byte, times int) (list [][]byte) {
		for range n {
			list = append(list, []byte{0, 1})
		}
		for range times {
			list = append(list, []byte{rare, 1, 1})
		}
		return list
	}
	for _, one := range []struct {
		zeros, rare int
		scored      int
		exact       float64
	}{{0, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 1, 1}, {10, 2, 1, 1}, {10, 3, 2, 0.75}, {995, 5, 2, 0.75}, {996, 4, 1, 1}} {
		s := cuts.Compare(packets(many(one.zeros, 7, one.rare)...), a, b)
		if s.Scored != one.scored || s.Exact != one.exact {
			t.Errorf("%+v: %+v", one, s)
		}
	}
}

// A sender may choose tags: types are bounded, and the packets of the others are all counted.
func TestManyTypes(t *testing.T) {
	a := load(t, "packet { t uint16\n b switch t { 0: uint8, default: uint16 } }")
	var list [][]byte
	for n := range 3000 {
		size := 4
		if n == 0 {
			size = 3
		}
		list = append(list, []byte{byte(n), byte(n >> 8), 1, 1}[:size])
	}
	s := cuts.Compare(packets(list...), a, a)
	var sum int64
	for i := range s.Types {
		sum += s.Types[i].Packets
	}
	if last := s.Types[len(s.Types)-1]; len(s.Types) != cuts.MaxTypes+1 || last.Name != cuts.Others || last.Packets != 2000 || sum != 3000 {
		t.Errorf("%d types, %d packets, the last %+v", len(s.Types), sum, last)
	}
}

// Any two schemas over any packets: the counts are those of sets of places, made without this package.
func TestRandomPairs(t *testing.T) {
	seeds, compared := uint64(need.Rounds(60, 24)), uint64(0)
	for seed := range seeds {
		var both [2]*decode.Decoder
		for i := range both {
			d, err := decode.Load("p.pks", []byte(anyschema.Source(anyschema.Seeded(2*seed+uint64(i)), 12)))
			if err != nil {
				break
			}
			both[i] = d
		}
		if both[0] == nil || both[1] == nil || both[0].Plan().HasSecret() || both[1].Plan().HasSecret() {
			continue
		}
		if seed%3 == 0 {
			both[1] = both[0]
		}
		r := rand.New(rand.NewPCG(seed, 5))
		var list [][]byte
		for range 40 {
			data := make([]byte, r.IntN(60))
			for i := range data {
				if data[i] = byte(r.Uint32()); r.IntN(2) == 0 {
					data[i] = 0
				}
			}
			list = append(list, data)
		}
		s := cuts.Compare(packets(list...), both[0], both[1])
		var want, got [5]uint64
		var x, y decode.Trace
		for _, data := range list {
			if both[0].Decode(data, decode.FromUnknown, &x) != nil {
				continue
			}
			_ = both[1].Decode(data, decode.FromUnknown, &y)
			a, b := places(&x), places(&y)
			starts := [2]map[int]bool{{}, {}}
			for i, set := range []map[[2]int]bool{a, b} {
				for place := range set {
					if place[0] > 0 && place[0] < 8*len(data) {
						starts[i][place[0]] = true
					}
				}
				want[i] += uint64(len(starts[i]))
			}
			for bit := range starts[0] {
				if starts[1][bit] {
					want[2]++
				}
			}
			want[3] += uint64(len(a))
			for place := range a {
				if b[place] {
					want[4]++
				}
			}
		}
		for _, one := range s.Types {
			for i, n := range []uint64{one.Boundaries[0], one.Boundaries[1], one.Common, one.Fields, one.Same} {
				got[i] += n
			}
		}
		if got != want || both[0] == both[1] && (!s.Alike() || s.Differ != 0) {
			t.Fatalf("seed %d: want %v, got %v", seed, want, got)
		}
		compared += want[3]
	}
	if compared < 200 {
		t.Errorf("only %d fields compared", compared)
	}
}

// places are the bits that a packet's records take, without the walk that shows them.
func places(t *decode.Trace) map[[2]int]bool {
	set := map[[2]int]bool{}
	kinds := []decode.EventKind{decode.Leaf, decode.Blob, decode.Item}
	for ev := range t.Walk() {
		if slices.Contains(kinds, ev.Kind) && ev.Width > 0 {
			set[[2]int{ev.Bit, ev.Width}] = true
		}
	}
	if r := t.Reject(); r != nil && r.Width > 0 {
		set[[2]int{r.Bit, r.Width}] = true
	}
	return set
}

// A packet that is added costs no memory, once the first of its type was.
func TestNoAllocation(t *testing.T) {
	d := load(t, "packet { t uint8\n l [160]bits(3) }")
	var x, y decode.Trace
	data := make([]byte, 60)
	_, _ = d.Decode(data, decode.FromUnknown, &x), d.Decode(data, decode.FromUnknown, &y)
	c, e := cuts.New(), decode.Envelope{N: 1}
	if n := testing.AllocsPerRun(100, func() { c.Add(&e, &x, &y) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
