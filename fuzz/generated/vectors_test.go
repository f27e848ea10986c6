package generated_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/slow/rows"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What the C++ libraries wrote, hostile variants included, through generated code. Package slow holds the reference
// against each vector under a schema of its own; to compile hundreds of packages would take minutes, so here the
// schemas are arms of switches, some to a package, after two bytes that say which. It still takes eight seconds of a
// processor for all 640 schemas, so only those of every fourth are tried unless DIFFERENTIAL_PACKETS is set (make
// differential).

// driverLines are the lines that the driver may write of an op's value, which lies in leaf.
func driverLines(op *rows.VectorOp, path string, value string, leaf *plan.LeafInfo) ([]string, error) {
	switch op.Op {
	case "float", "double":
		n, err := strconv.ParseUint(value, 0, 64)
		return []string{fmt.Sprintf("%s=f%x", path, n)}, err
	case "cfloat":
		// The field holds the value, or its code where the value does not lead back to it.
		n, err := strconv.ParseUint(value, 0, 32)
		lines := []string{fmt.Sprintf("%s=f%x", path, n)}
		if code := leaf.Quant.Code(math.Float32frombits(uint32(n))); math.Float32bits(leaf.Quant.Value(code)) == uint32(n) {
			lines = append(lines, fmt.Sprintf("%s=%d", path, code))
		}
		return lines, err
	case "wstring":
		var units []uint16
		err := json.Unmarshal(op.V, &units)
		return []string{fmt.Sprintf("%s=%x", path, string(utf16.Decode(units)))}, err
	}
	return []string{path + "=" + value}, nil
}

// holdsVector returns what a vector demands of a generated reader's answer, in which its fields are in arm k and after
// shift bits.
func holdsVector(v *rows.Vector, leaves map[string]*plan.LeafInfo, k, shift int) func(answer oracle.Answer, bits int, dump string) error {
	return func(answer oracle.Answer, bits int, dump string) error {
		if v.Kind == "reject" {
			if at := strings.TrimSuffix(answer.Path, ".length"); answer.Kind == reject.None || at != fmt.Sprintf("body.f%d", v.RejectOp) {
				return fmt.Errorf("%s: want a reject at op %d, got %v", v.ID, v.RejectOp, answer)
			}
			return nil
		}
		// The libraries read values, we packets: whole bytes after the last value are refused.
		if answer.Kind == reject.TrailingBytes && answer.Path == "" {
			if v.Bits != 0 && answer.Bit != v.Bits+shift {
				return fmt.Errorf("%s: want %d bits, got %d", v.ID, v.Bits, answer.Bit-shift)
			}
			return nil
		}
		if answer.Kind != reject.None {
			return fmt.Errorf("%s: want accept, got %v", v.ID, answer)
		}
		if v.Bits != 0 && bits != v.Bits+shift {
			return fmt.Errorf("%s: want %d bits, got %d", v.ID, v.Bits, bits-shift)
		}
		have := map[string]bool{}
		for line := range strings.Lines(dump) {
			have[strings.TrimSuffix(line, "\n")] = true
		}
		for i := range v.Ops {
			op := &v.Ops[i]
			if op.Op == "align" {
				continue
			}
			path := fmt.Sprintf("body<%d>.f%d", k, i)
			want, err := driverLines(op, path, rows.Unquote(op.V), leaves[path])
			if err != nil {
				return fmt.Errorf("%s: op %d: %w", v.ID, i, err)
			}
			if !slices.ContainsFunc(want, func(line string) bool { return have[line] }) {
				return fmt.Errorf("%s: op %d %s: no %q in\n%s", v.ID, i, op.Op, want, cut([]byte(dump)))
			}
		}
		return nil
	}
}

// leavesByName are a plan's leaves by the names of their rules.
func leavesByName(p *plan.Plan) map[string]*plan.LeafInfo {
	leaves := map[string]*plan.LeafInfo{}
	for i := range p.Info {
		leaves[string(p.AppendRule(nil, p.Info[i].Node))] = &p.Info[i]
	}
	return leaves
}

func readVectors(tb testing.TB, order string) (list []rows.Vector) {
	tb.Helper()
	rows.EachLine(tb, order, func(line []byte) {
		var v rows.Vector
		if err := json.Unmarshal(line, &v); err != nil {
			tb.Fatal(err)
		}
		list = append(list, v)
	})
	return list
}

// TestScenesAgree holds the three to the articles' sample packets, which the built-in gaffer describes; what is in them
// is package slow's to hold.
func TestScenesAgree(t *testing.T) {
	p := goldenPlan(t, "gaffer")
	d := decode.New(p)
	target, o := newInProcess("gaffer", holderOf(t, "gaffer", p)), oracle.NewOracle(d)
	var trace decode.Trace
	scenes := readVectors(t, "scenes")
	for _, v := range scenes {
		data, err := hex.DecodeString(v.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if err := target.hold(o, d, &trace, data, decode.FromUnknown); err != nil || target.said != oracle.Accepted {
			t.Errorf("%s: %v, %v", v.ID, target.said, err)
		}
		for n := 0; n < len(data); n += 1 + len(data)/16 {
			if err := target.hold(o, d, &trace, data[:n:n], decode.FromUnknown); err != nil {
				t.Errorf("%s: the first %d bytes: %v", v.ID, n, err)
			}
		}
	}
	if len(scenes) != 48 {
		t.Errorf("want 48 scenes, got %d", len(scenes))
	}
}

// TestVectorsAgree holds interpreter, reference and generated code to each other and to what the libraries said.
func TestVectorsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("TestOpenFormsAgree holds packets that are given, too")
	}
	const perPackage = 32
	every := need.Rounds(4, 40)
	if os.Getenv("DIFFERENTIAL_PACKETS") != "" {
		every = 1
	}
	g := &program{dir: t.TempDir()}
	type where struct{ plan, arm int }
	arms := map[string]where{}
	met := map[string]bool{}
	all := map[string][]rows.Vector{}
	for order, count := range map[string]int{"lsb": 1958, "bousk": 982} {
		all[order] = readVectors(t, order)
		if len(all[order]) != count {
			t.Errorf("%s: want %d vectors, got %d", order, count, len(all[order]))
		}
	}
	for _, order := range []string{"lsb", "bousk"} {
		var body strings.Builder
		n := 0
		flush := func() {
			if n == 0 {
				return
			}
			name := fmt.Sprintf("%s-%d", order, len(g.plans))
			src := fmt.Sprintf("protocol test\norder %s\npacket {\nwhich bits(16)\nbody switch which {\n%s}\n}\n", order, body.String())
			if err := g.add(t, name, compile(t, name, []byte(src))); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			body.Reset()
			n = 0
		}
		for i := range all[order] {
			items := all[order][i].Items()
			if met[order+items] {
				continue
			}
			if met[order+items] = true; len(met)%every != 0 {
				continue
			}
			arms[order+items] = where{len(g.plans), n}
			fmt.Fprintf(&body, "%d: {\n%s}\n", n, items)
			if n++; n == perPackage {
				flush()
			}
		}
		flush()
	}
	g.build(t)
	b := &batch{g: g}
	leaves := make([]map[string]*plan.LeafInfo, len(g.plans))
	for i, p := range g.plans {
		leaves[i] = leavesByName(p)
	}
	vectors := 0
	for order, list := range all {
		for i := range list {
			v := &list[i]
			at, ok := arms[order+v.Items()]
			if !ok {
				continue
			}
			vectors++
			p := g.plans[at.plan]
			payload, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatal(err)
			}
			data := append([]byte{0, 0}, payload...)
			p.Order.Store(data, 0, 16, uint64(at.arm))
			b.addTold(t, at.plan, data, decode.FromUnknown, holdsVector(v, leaves[at.plan], at.arm, 16))
			for n := 2 + len(payload)/2; n < len(data); n += 1 + len(payload)/3 {
				b.add(t, at.plan, data[:n], decode.FromUnknown)
			}
		}
	}
	b.hold(t)
	if every == 1 && vectors != 1958+982 || vectors < 2000/every {
		t.Errorf("only %d vectors", vectors)
	}
	t.Logf("%d vectors, %d packets under %d of %d schemas in %d packages", vectors, b.held, len(arms), len(met), len(g.plans))
}

// A vector is held to its verdict, place, bits and values.
func TestVectorHolds(t *testing.T) {
	good := rows.Vector{ID: "good", Kind: "accept", Bits: 40, Ops: []rows.VectorOp{{Op: "bits", N: 8, V: json.RawMessage(`"7"`)}, {Op: "float", V: json.RawMessage(`"0x3f800000"`)}}}
	bad := rows.Vector{ID: "bad", Kind: "reject", RejectOp: 1, Ops: good.Ops}
	accept, trailing := oracle.Answer{}, oracle.Answer{Kind: reject.TrailingBytes, Bit: 56, Width: 8}
	dump := "body<3>.f0=7\nbody<3>.f1=f3f800000\n"
	for _, row := range []struct {
		v      rows.Vector
		answer oracle.Answer
		bits   int
		dump   string
		ok     bool
	}{
		{good, oracle.Answer{Kind: reject.PastEnd, Path: "body.f1"}, 0, "", false},
		{good, accept, 55, dump, false},
		{good, accept, 56, strings.Replace(dump, "=7", "=8", 1), false},
		{good, accept, 56, strings.Replace(dump, "<3>.f1", "<2>.f1", 1), false},
		{good, oracle.Answer{Kind: reject.TrailingBytes, Bit: 48}, 0, "", false},
		{bad, accept, 56, dump, false},
		{bad, oracle.Answer{Kind: reject.PastEnd, Path: "body.f0"}, 0, "", false},

		{good, accept, 56, dump, true},
		{good, trailing, 0, "", true},
		{bad, oracle.Answer{Kind: reject.PastEnd, Path: "body.f1"}, 0, "", true},
	} {
		if err := holdsVector(&row.v, nil, 3, 16)(row.answer, row.bits, row.dump); (err == nil) != row.ok {
			t.Errorf("%s: %v, %d bits, %q: %v", row.v.ID, row.answer, row.bits, row.dump, err)
		}
	}
}
