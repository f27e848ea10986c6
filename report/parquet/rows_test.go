package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report/scan"
)

func load(t testing.TB, src string) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("t.pks", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// written writes packets, some as workers do and some as large ones, in passes over a column each.
func written(t testing.TB, d *decode.Decoder, packets []*scan.Packet, large func(i int) bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, []*decode.Decoder{d}, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.pass = 1
	s := w.Stage()
	take, b := s.New(), &Batch{}
	for i, p := range packets {
		if large(i) {
			if err = s.Drain(b); err == nil { // as Run does, so that rows keep their order
				err = s.Large(p)
			}
		} else {
			take(b, p)
		}
		if err == nil && (i%7 == 0 || large(i)) {
			err = s.Drain(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Drain(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(&About{Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// read is the values of each column of a file, as parquet-go reads them.
func read(t testing.TB, text []byte) (columns [][]pq.Value, rows int64) {
	t.Helper()
	f, err := pq.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	for n, g := range f.RowGroups() {
		for i, chunk := range g.ColumnChunks() {
			if i == len(columns) {
				columns = append(columns, nil)
			}
			begins := len(columns[i])
			pages := chunk.Pages()
			for {
				page, err := pages.ReadPage()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				values := make([]pq.Value, page.NumValues())
				if n, err := page.Values().ReadValues(values); n != len(values) || err != nil && err != io.EOF {
					t.Fatalf("%d of %d values: %v", n, len(values), err)
				}
				for _, v := range values {
					columns[i] = append(columns[i], v.Clone())
				}
			}
			_ = pages.Close()
			if wrong := told(&f.Metadata().RowGroups[n].Columns[i].MetaData.Statistics, chunk.Type(), columns[i][begins:]); wrong != "" {
				t.Errorf("%v: %s", f.Metadata().RowGroups[n].Columns[i].MetaData.PathInSchema, wrong)
			}
		}
	}
	return columns, f.NumRows()
}

// told is what is wrong with what a column says of its values, by parquet-go's order of them.
func told(s *format.Statistics, of pq.Type, values []pq.Value) string {
	var least, greatest pq.Value
	nulls, unordered := int64(0), false
	for _, v := range values {
		if v.IsNull() {
			nulls++
			continue
		}
		if least.IsNull() {
			least, greatest = v, v
		}
		if of.Compare(v, least) < 0 {
			least = v
		}
		if of.Compare(v, greatest) > 0 {
			greatest = v
		}
		unordered = unordered || of.Kind() == pq.Float && v.Float() != v.Float() || of.Kind() == pq.Double && v.Double() != v.Double()
	}
	number := of.Kind() == pq.Int32 || of.Kind() == pq.Int64 || of.Kind() == pq.Float || of.Kind() == pq.Double
	switch {
	case s.NullCount != nulls:
		return fmt.Sprintf("%d nulls, not %d", nulls, s.NullCount)
	case s.MinValue == nil && number && !least.IsNull() && !unordered:
		return "no least value is told"
	case s.MinValue != nil && (unordered || least.IsNull()):
		return "a least value is told where there is none"
	case s.MinValue != nil && (of.Compare(of.Kind().Value(s.MinValue), least) != 0 || of.Compare(of.Kind().Value(s.MaxValue), greatest) != 0):
		return fmt.Sprintf("%v to %v, not %x to %x", least, greatest, s.MinValue, s.MaxValue)
	}
	return ""
}

// held reads a file back and compares it with the traces of its packets: each column has the values of its field, in
// the order of the packets, a value or a sign of none for each row, and each list as many elements.
func held(t testing.TB, d *decode.Decoder, packets []*scan.Packet, text []byte) (values int) {
	t.Helper()
	l, err := NewLayout(d.Plan())
	if err != nil {
		t.Fatal(err)
	}
	columns, rows := read(t, text)
	if rows != int64(len(packets)) {
		t.Fatalf("want %d rows, got %d", len(packets), rows)
	}
	if rows == 0 {
		return 0
	}
	if len(columns) != len(l.columns) {
		t.Fatalf("want %d columns, got %d", len(l.columns), len(columns))
	}
	want, elements, opened := make([][]string, len(columns)), map[plan.NodeID]int{}, map[plan.NodeID]int{}
	for _, p := range packets {
		if p.Verdict() != decode.Accepted {
			continue
		}
		for f := range p.Trace.Fields() {
			one := l.fields[f.Node()]
			if one == nil {
				continue
			}
			v := f.Value().Reveal()
			shown := fmt.Sprint(number(v))
			switch one.value {
			case texts:
				shown = strings.ToValidUTF8(string(v.Bytes()), "\uFFFD")
				if !strings.Contains(shown, "\uFFFD") {
					shown = string(v.Bytes())
				}
			case blobs:
				shown = string(v.Bytes())
			case cases:
				want[one.lo+1] = append(want[one.lo+1], shown)
				if name := v.CaseName(); name != "" {
					shown = name
				}
			case flags:
				want[one.lo+1] = append(want[one.lo+1], shown)
				if names := strings.Split(v.String(), "|"); names[0] != "none" {
					want[one.lo] = append(want[one.lo], slices.DeleteFunc(names, func(s string) bool { return strings.HasPrefix(s, "0x") })...)
				}
				continue
			case integers, bools, floats, doubles:
			}
			want[one.lo] = append(want[one.lo], shown)
		}
		for ev := range p.Trace.Walk() {
			if ev.Kind == decode.Open && d.Plan().Nodes[ev.Node].Kind == plan.NodeArray {
				elements[ev.Node] += ev.Count
			} else if ev.Kind == decode.Open {
				opened[ev.Node]++
			}
		}
	}
	for i, column := range columns {
		var got []string
		begun := int64(0)
		for _, v := range column {
			if v.RepetitionLevel() == 0 {
				begun++
			}
			if !v.IsNull() {
				got = append(got, shown(v, &l.columns[i]))
			}
		}
		if begun != rows {
			t.Errorf("%v: want %d rows, got %d", l.columns[i].path, rows, begun)
		}
		values += len(got)
		if i < countBase {
			continue
		}
		if strings.Contains(strings.Join(want[i], ""), "\uFFFD") { // how many stand for what is no matter here
			continue
		}
		if !slices.Equal(got, want[i]) {
			t.Fatalf("%v: want %q\ngot %q\n%s", l.columns[i].path, want[i], got, d.Schema().File.Src)
		}
	}
	for id, f := range l.fields {
		if f != nil && f.kind == group {
			around := uint8(0) // the repetition level of an element that it is in
			for in := f.parent; in != nil && around == 0; in = in.parent {
				if in.kind == list {
					around = in.rep
				}
			}
			n := 0
			for _, v := range columns[f.lo] {
				if v.DefinitionLevel() >= int(f.def) && v.RepetitionLevel() <= int(around) {
					n++
				}
			}
			if n != opened[plan.NodeID(id)] {
				t.Fatalf("%v: want %d groups, got %d\n%s", l.columns[f.lo].path, opened[plan.NodeID(id)], n, d.Schema().File.Src)
			}
		}
		if f == nil || f.kind != list {
			continue
		}
		n := 0
		for _, v := range columns[f.lo] {
			if v.DefinitionLevel() > int(f.def) && v.RepetitionLevel() <= int(f.rep) {
				n++
			}
		}
		if n != elements[plan.NodeID(id)] {
			t.Fatalf("%v: want %d elements, got %d\n%s", l.columns[f.lo].path, elements[plan.NodeID(id)], n, d.Schema().File.Src)
		}
	}
	return values
}

// number is a number or a bool.
func number(v decode.Value) any {
	switch form := v.Form(); {
	case form == decode.FormText || form == decode.FormBytes:
		return nil
	case form == decode.FormFloat:
		return math.Float64bits(v.Float())
	case form == decode.FormBool:
		return v.Bool()
	case v.IsSigned():
		return v.Int()
	}
	return v.Uint()
}

func shown(v pq.Value, c *column) string {
	switch c.word {
	case "BOOL":
		return fmt.Sprint(v.Boolean())
	case "FLOAT":
		return fmt.Sprint(math.Float64bits(float64(v.Float())))
	case "DOUBLE":
		return fmt.Sprint(math.Float64bits(v.Double()))
	case "INT8", "INT16", "INT32":
		return fmt.Sprint(v.Int32())
	case "UINT8", "UINT16", "UINT32":
		return fmt.Sprint(v.Uint32())
	case "INT64", "TIMESTAMP":
		return fmt.Sprint(v.Int64())
	case "UINT64":
		return fmt.Sprint(v.Uint64())
	}
	return string(v.ByteArray())
}

// decoded is a packet of a capture.
func decoded(d *decode.Decoder, payload []byte, from decode.Direction, n int) *scan.Packet {
	p := &scan.Packet{Envelope: decode.Envelope{N: int64(n + 1), File: "a.pcap", Time: int64(n) * 1e6}, Trace: new(decode.Trace)}
	_ = d.Decode(payload, from, p.Trace)
	return p
}

// Every packet of the corpus, whole and cut at every byte, and packets of drawn schemas come back from a file.
func TestComesBack(t *testing.T) {
	for _, name := range corpus.Protocols() {
		d, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		var packets []*scan.Packet
		for i, seed := range corpus.Seeds(name) {
			packets = append(packets, decoded(d, seed.Data, decode.FromUnknown, i))
			if i < 3 {
				for size := range seed.Data {
					packets = append(packets, decoded(d, seed.Data[:size], decode.Client, i))
				}
			}
		}
		held(t, d, packets, written(t, d, packets, func(int) bool { return false }))
		held(t, d, packets, written(t, d, packets, func(i int) bool { return i%3 == 0 }))
	}
	values := 0
	for seed := range need.Rounds[uint64](300, 15) {
		src := anyschema.Source(anyschema.Seeded(seed), 30)
		d, err := decode.Load("any.pks", []byte(src))
		if err != nil {
			continue
		}
		var packets []*scan.Packet
		g := fuzz.NewGenerator(d)
		for n := range uint64(40) {
			packet, err := g.Random(seed, n)
			if err != nil {
				break
			}
			packets = append(packets, decoded(d, bytes.Clone(packet.Data), packet.From, int(n)))
		}
		values += held(t, d, packets, written(t, d, packets, func(i int) bool { return i%2 == 1 }))
	}
	if values < need.Rounds(100_000, 5_000) {
		t.Errorf("only %d values", values)
	}
	t.Logf("%d values", values)
}

// The file of a packet is the same, to the byte, as that of one that differs from it in a secret alone, whole and cut.
func TestSecretPairs(t *testing.T) {
	text, err := os.ReadFile("../testdata/secret_pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines, pairs := strings.Split(string(text), "\n"), 0
	for i := 0; i+2 < len(lines); i++ {
		if !strings.HasPrefix(lines[i+1], " ") || strings.HasPrefix(lines[i], " ") {
			continue
		}
		d := load(t, "protocol pairs\norder msb\nmax datagram 100\nenum Kind : uint8 { A = 1, B = 2 }\nopen enum Open : uint8 { One = 1 }\n"+
			"flags Some : uint8 { X = 1, Y = 2, Z = 0x40 }\npacket { "+lines[i]+" }\n")
		a, errA := hex.DecodeString(strings.ReplaceAll(lines[i+1], " ", ""))
		b, errB := hex.DecodeString(strings.ReplaceAll(lines[i+2], " ", ""))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		for n := len(a); n >= 0; n -= need.Rounds(1, 3) {
			x, y := decoded(d, a[:n:n], decode.FromUnknown, 0), decoded(d, b[:n:n], decode.FromUnknown, 0)
			if rx, ry := x.Trace.Reject(), y.Trace.Reject(); (rx == nil) != (ry == nil) || rx != nil && rx.Kind != ry.Kind {
				continue // that a packet is refused, and for what, is told
			}
			one, other := written(t, d, []*scan.Packet{x}, func(int) bool { return false }), written(t, d, []*scan.Packet{y}, func(int) bool { return false })
			if !bytes.Equal(one, other) {
				t.Errorf("%s: %d bytes tell the secret", lines[i], n)
			}
		}
		pairs++
	}
	if pairs < 40 {
		t.Errorf("only %d pairs", pairs)
	}
}

// Lists of half a million elements, of one column and of a hundred that are mostly absent: memory stays bounded.
func TestHostileLists(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100 million values")
	}
	var arms strings.Builder
	for i := range 15 {
		fmt.Fprintf(&arms, " %d: { a uint8, b uint8, c uint8 }\n", i+1)
	}
	for _, row := range []struct {
		name, src string
		packets   int
		bits      int
		count     uint32 // of elements, in the first bits
	}{
		{"bits", "protocol t\norder msb\npacket { l [..500000]bool }\n", 10, 19 + 500_000, 500_000 << 13},
		{"absent", "protocol t\norder msb\npacket { l [..130000]{ kind int(0..15), body switch kind {\n 0: empty\n" + arms.String() + "} } }\n", 6, 17 + 4*130_000, 130_000 << 15},
	} {
		d := load(t, row.src)
		w, err := NewWriter(io.Discard, []*decode.Decoder{d}, 0)
		if err != nil {
			t.Fatal(err)
		}
		payload := make([]byte, row.bits/8+1)
		binary.BigEndian.PutUint32(payload, row.count)
		var most uint64
		s := w.Stage()
		for i := range row.packets {
			p := decoded(d, payload, decode.FromUnknown, i)
			if p.Trace.Rejected() {
				t.Fatal(p.Trace.Reject())
			}
			if err := s.Large(p); err != nil {
				t.Fatal(err)
			}
			if err := s.Drain(&Batch{}); err != nil {
				t.Fatal(err)
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		if err := w.Close(&About{}); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d MB live, %d row groups, %d bytes a worker", row.name, most>>20, len(w.file.groups), w.Batched())
		if most > 128<<20 {
			t.Errorf("%s: %d MB live", row.name, most>>20)
		}
	}
}
