package tsgen_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/tsgen"
)

// node is the path of node, which finds typescript; a test without them is skipped.
func node(t testing.TB) string {
	t.Helper()
	program := need.Program(t, need.Node, "node")
	if why := lacking(program); why != "" {
		need.Skip(t, need.Node, "no typescript: "+why)
	}
	return program
}

var once sync.Once
var lack string

// lacking is why node does not find typescript, "" where it does; it takes node a second to say.
func lacking(program string) string {
	once.Do(func() {
		if out, err := exec.Command(program, "-e", `require.resolve("typescript")`).CombinedOutput(); err != nil {
			_, why, _ := strings.Cut(string(out), "Error: ")
			lack = strings.SplitN(why+err.Error(), "\n", 2)[0]
		}
	})
	return lack
}

// batch gathers packets, and holds what generated modules say of them against the decoder and the reference.
type batch struct {
	t       testing.TB
	dir     string
	in      bytes.Buffer
	asked   []asked
	spoil   func(source string) string // puts a mistake into the modules, for the test of the test
	files   []string
	removed int // of files
	of      *decode.Decoder
	trace   decode.Trace
	by      map[string]int // accepted packets by their protocol's name

	packets, accepted, fields, failed int
}

// asked is one packet.
type asked struct {
	name string
	d    *decode.Decoder
	from decode.Direction
	data []byte
}

func newBatch(t testing.TB) *batch {
	t.Helper()
	return &batch{t: t, dir: t.TempDir(), by: map[string]int{}}
}

// open makes the module of a protocol, and of its messages those that it declares.
func (b *batch) open(name string, d *decode.Decoder) {
	b.t.Helper()
	file := filepath.Join(b.dir, fmt.Sprintf("m%d.ts", len(b.files)))
	source := tsgen.Source(d.Plan(), "-p "+name, "m.ts")
	if b.spoil != nil {
		source = b.spoil(source)
	}
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.files = append(b.files, file)
}

// add asks a module's function about a packet.
func (b *batch) add(name, function string, d *decode.Decoder, data []byte, from decode.Direction) {
	b.t.Helper()
	if b.of != d {
		b.of = d
		b.line(map[string]string{"file": b.files[len(b.files)-1], "function": function})
	}
	b.line(map[string]string{"from": from.String(), "data": hex.EncodeToString(data)})
	b.asked = append(b.asked, asked{name, d, from, bytes.Clone(data)})
}

func (b *batch) line(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		b.t.Fatal(err)
	}
	b.in.Write(append(text, '\n'))
}

// hold runs node over what was asked, and compares.
func (b *batch) hold() {
	b.t.Helper()
	cmd := exec.Command(node(b.t), "testdata/driver.cjs")
	cmd.Stdin = &b.in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		b.t.Fatalf("node: %v\n%.2000s", err, stderr.String())
	}
	lines := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	if len(lines) != len(b.asked) {
		b.t.Fatalf("%d answers to %d packets\n%.2000s", len(lines), len(b.asked), stderr.String())
	}
	for i := range b.asked {
		b.packets++
		if why := b.compare(&b.asked[i], lines[i]); why != "" {
			if b.failed++; b.failed <= 5 && b.spoil == nil {
				b.t.Errorf("%s: %x from %v: %s", b.asked[i].name, b.asked[i].data, b.asked[i].from, why)
			}
		}
	}
	if b.failed > 5 && b.spoil == nil {
		b.t.Errorf("%d of %d packets differ", b.failed, b.packets)
	}
	b.in.Reset()
	b.asked, b.of = nil, nil
}

// remove removes the modules that were held.
func (b *batch) remove() {
	for _, file := range b.files[b.removed:] {
		_ = os.Remove(file)
	}
	b.removed = len(b.files)
}

// compare says in what an answer is another than the decoder's, or the decoder's than the reference's, "" for nothing.
func (b *batch) compare(a *asked, answer []byte) string {
	var got any
	if err := json.Unmarshal(answer, &got); err != nil {
		return err.Error()
	}
	t := &b.trace
	err := a.d.Decode(a.data, a.from, t)
	want := expected(t)
	if why := differs(got, want, ""); why != "" {
		return why + "\n" + string(answer)
	}
	if err == nil {
		b.accepted++
		b.by[a.name]++
		b.fields += len(t.Raw)
	}
	if t.Plan.Schema.MaxDatagram < len(a.data) {
		return ""
	}
	second := slow.Decode(t.Plan.Schema, a.data, schema.Direction(a.from))
	switch r := t.Reject(); {
	case (r != nil) != (second.Reject != nil):
		return fmt.Sprintf("the reference says %+v", second.Reject)
	case r != nil && (r.Kind != second.Reject.Kind || r.Bit != second.Reject.Bit || r.Path() != second.Reject.Path):
		return fmt.Sprintf("the reference says %+v, the decoder %v", second.Reject, r)
	case r == nil && t.Bits != second.Bits:
		return fmt.Sprintf("the reference reads %d bits, the decoder %d", second.Bits, t.Bits)
	}
	return ""
}

// expected is what a module must say of a packet.
func expected(t *decode.Trace) map[string]any {
	if r := t.Reject(); r != nil {
		said := map[string]any{"ok": false, "kind": r.Kind.String(), "path": r.ShownPath(), "bit": float64(r.Bit), "width": float64(r.Width),
			"want": r.Want(), "got": r.Got()}
		if r.HidesBit() {
			said["bit"] = nil
		}
		if r.HidesWidth() {
			said["width"] = nil
		}
		return said
	}
	notes := []any{}
	for n := range new(decode.Envelope).ShownNotes(t) {
		note := map[string]any{"kind": n.Kind.String(), "path": n.Path(), "bit": float64(n.Bit)}
		if n.HidesBit() {
			note["bit"] = nil
		}
		notes = append(notes, note)
	}
	return map[string]any{"ok": true, "value": valueOf(t), "bits": float64(t.Bits), "notes": notes}
}

// valueOf is a packet's values as objects, as `decode -T json` has them, but for what TypeScript has types for.
func valueOf(t *decode.Trace) any {
	type holder struct {
		object map[string]any
		list   *[]any
	}
	root := map[string]any{}
	open := []holder{{object: root}}
	keep := func(n *plan.Node, v any) {
		if in := open[len(open)-1]; in.list != nil {
			*in.list = append(*in.list, v)
		} else {
			in.object[n.Name] = v
		}
	}
	for ev := range t.Walk() {
		n := &t.Plan.Nodes[ev.Node]
		switch ev.Kind {
		case decode.Open:
			made := holder{object: map[string]any{}}
			if n.Kind == plan.NodeArray {
				made = holder{list: &[]any{}}
				keep(n, made.list)
			} else {
				keep(n, made.object)
			}
			open = append(open, made)
		case decode.Close:
			open = open[:len(open)-1]
		case decode.Leaf, decode.Blob:
			v := t.Value(ev)
			keep(n, plainValue(&v, ev.Leaf >= 0 && t.Plan.Info[ev.Leaf].Wide()))
		case decode.Item:
			if n.Elem && ev.Raw == 0 && ev.Leaf >= 0 && t.Plan.Info[ev.Leaf].Kind == plan.LeafBool {
				keep(n, nil)
			}
		}
	}
	return root
}

// plainValue is a value as the driver writes it.
func plainValue(secret *decode.Value, wide bool) any {
	v := secret.Reveal()
	switch v.Form() {
	case decode.FormText:
		return strings.ToValidUTF8(replaced(v.Bytes()), "")
	case decode.FormBytes:
		return map[string]any{"$x": hex.EncodeToString(v.Bytes())}
	case decode.FormBool:
		return v.Bool()
	case decode.FormFloat:
		f := v.Float()
		switch {
		case f == 0 && math.Signbit(f):
			return map[string]any{"$f": "-0"}
		case math.IsNaN(f):
			return map[string]any{"$f": "NaN"}
		case math.IsInf(f, 0):
			return map[string]any{"$f": strings.TrimPrefix(strconv.FormatFloat(math.Copysign(1, f), 'g', -1, 64), "1") + "Infinity"}
		}
		return f
	case decode.FormCase:
		if name := v.CaseName(); name != "" {
			return name
		}
	case decode.FormUint, decode.FormInt, decode.FormFlags, decode.FormHex:
	}
	if wide {
		return map[string]any{"$n": string(v.AppendNumber(nil))}
	}
	if v.IsSigned() {
		return float64(v.Int())
	}
	return float64(v.Uint())
}

// replaced is a text with U+FFFD for each byte that is no UTF-8.
func replaced(data []byte) string { return string([]rune(string(data))) }

// differs says where two values differ, "" where they do not. A list is a pointer to a slice, as it was made.
func differs(got, want any, path string) string {
	if list, ok := want.(*[]any); ok {
		want = *list
		if *list == nil {
			want = []any{}
		}
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for name := range w {
			if _, has := g[name]; !has {
				return fmt.Sprintf("%s.%s is missing", path, name)
			}
			if why := differs(g[name], w[name], path+"."+name); why != "" {
				return why
			}
		}
		for name := range g {
			if _, has := w[name]; !has {
				return fmt.Sprintf("%s.%s is %v, want nothing", path, name, g[name])
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if why := differs(g[i], w[i], fmt.Sprintf("%s[%d]", path, i)); why != "" {
				return why
			}
		}
		return ""
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%s is %v, want %v", path, got, want)
	}
	return ""
}

// check compiles modules as tsc --strict does.
func check(t testing.TB, files []string) {
	t.Helper()
	cmd := exec.Command(node(t), append([]string{"testdata/check.cjs"}, files...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil {
		t.Errorf("tsc --strict: %v\n%.3000s%.1000s", err, out, stderr.String())
	}
}
