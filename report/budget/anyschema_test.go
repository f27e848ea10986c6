package budget

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
)

// holdAnyBudget holds a budget under a schema that was drawn: every bit is somebody's, slices merge to the whole, what
// is saved is read again, and a tightened schema saves what was promised. It says how many packets were counted, and
// whether the tightened schema was tried.
func holdAnyBudget(t *testing.T, src string, seed uint64) (packets int, tightened bool) {
	t.Helper()
	checked, _ := schema.Load("any.pks", []byte(src), nil)
	if checked == nil {
		return 0, false
	}
	p, _ := plan.Compile(checked)
	if p == nil {
		return 0, false
	}
	var list []captured
	g := fuzz.NewGenerator(decode.New(p))
	for n := range uint64(120) {
		packet, err := g.Random(seed, n)
		if err != nil {
			break
		}
		list = append(list, captured{bytes.Clone(packet.Data), packet.From, decode.Envelope{N: int64(n), File: "any", Time: int64(n) * 1e6}})
	}
	b := counted(p, list, 20)
	sum := uint64(0)
	for _, f := range b.Fields() {
		sum += f.Bits
	}
	if total := b.Total(); sum != 8*total.Bytes {
		t.Fatalf("%d bits in fields, %d in packets\n%s", sum, 8*total.Bytes, src)
	}
	merged := counted(p, list[:len(list)/3], 20)
	if err := merged.Merge(counted(p, list[len(list)/3:], 20)); err != nil {
		t.Fatal(err)
	}
	saved := b.AppendJSON(nil)
	if got := merged.AppendJSON(nil); !bytes.Equal(got, saved) {
		t.Fatalf("merged\n%s\nwhole\n%s\n%s", got, saved, src)
	}
	settled(t, merged)
	return int(b.Packets()), holdAnySuggestions(t, b, list, src)
}

// widthsByRest says whether the width of a number may follow from how much of the packet is left.
func widthsByRest(p *plan.Plan) bool {
	return p.ReadsAhead() && slices.ContainsFunc(p.Numbers, func(n *plan.Number) bool {
		return n.Kind == plan.NumberSized || n.Kind == plan.NumberRanged
	})
}

func holdAnySuggestions(t *testing.T, b *Budget, list []captured, src string) bool {
	t.Helper()
	suggestions := b.Suggestions()
	if Saved(suggestions) == 0 {
		return false
	}
	text, tight, err := b.Apply(suggestions)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	r, d := NewRewriter(b.Plan(), tight), decode.New(b.Plan())
	var trace decode.Trace
	var again []captured
	for _, c := range list {
		if d.Decode(c.payload, c.from, &trace) != nil {
			continue
		}
		payload, err := r.Append(nil, &trace)
		if err != nil {
			return false // what asks for `rest` or for lengths has other packets when they are shorter
		}
		sameValues(t, &trace, r.Written())
		c.payload = payload
		again = append(again, c)
	}
	after := counted(tight, again, 20)
	if after.Packets() != b.Packets() {
		t.Fatalf("%d packets became %d\n%s\n%s", b.Packets(), after.Packets(), src, text)
	}
	if widthsByRest(b.Plan()) {
		return true // a shorter packet has other widths
	}
	if got := fieldBits(b) - fieldBits(after); got != Saved(suggestions) {
		t.Fatalf("saved %d bits, promised %d\n%s\n%s", got, Saved(suggestions), src, text)
	}
	return true
}

func TestAnySchema(t *testing.T) {
	packets, tightened := 0, 0
	for seed := range need.Rounds[uint64](200, 40) {
		n, tried := holdAnyBudget(t, anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%30), seed)
		packets += n
		if tried {
			tightened++
		}
	}
	if packets < need.Rounds(5000, 500) || tightened < need.Rounds(20, 3) {
		t.Errorf("%d packets were counted, %d schemas tightened: too few to say anything", packets, tightened)
	}
	t.Logf("%d packets, %d schemas tightened", packets, tightened)
}

func FuzzAnyBudget(f *testing.F) {
	f.Add([]byte("\x40\x80\xc0\x20\x60\xa0\xe0\x10\x30\x50\x70\x90\xb0\xd0\xf0"), uint64(1))
	f.Fuzz(func(t *testing.T, choices []byte, seed uint64) {
		holdAnyBudget(t, anyschema.Source(bytes.NewReader(choices), 30), seed)
	})
}
