package filter

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// The readable reference: random filters are made together with a function that says what they mean over maps and lists
// as JSON has them, with big numbers, and both must agree on every packet.

// meaning is what a filter says of a packet and, inside a closure, of an element.
type meaning func(packet, element any) ternary

type (
	caseValue struct {
		enum *schema.Enum
		name string
		num  *big.Rat
	}
	flagValue struct {
		names map[string]bool
		num   *big.Rat
	}
	textValue string
	hexValue  string
	realValue float64 // kept apart from *big.Rat for NaN
)

// asMaps turns a trace into maps and lists.
func asMaps(t *decode.Trace) any {
	root := map[string]any{}
	type level struct {
		fields map[string]any
		list   *[]any
	}
	stack := []level{{fields: root}}
	put := func(n *plan.Node, v any) {
		top := stack[len(stack)-1]
		if top.list != nil {
			*top.list = append(*top.list, v)
		} else {
			top.fields[n.Name] = v
		}
	}
	for ev := range t.Walk() {
		n := &t.Plan.Nodes[ev.Node]
		switch ev.Kind {
		case decode.Open:
			if n.Kind == plan.NodeArray {
				list := &[]any{}
				put(n, list)
				stack = append(stack, level{list: list})
			} else {
				fields := map[string]any{}
				put(n, fields)
				stack = append(stack, level{fields: fields})
			}
		case decode.Close:
			stack = stack[:len(stack)-1]
		case decode.Leaf:
			put(n, valueOf(t.Plan, ev))
		case decode.Blob:
			if (&tree{plan: t.Plan, at: newTree(t.Plan).at}).describe(ev.Node) == "text" {
				text, _, _ := strings.Cut(string(ev.Data), "\x00")
				put(n, textValue(text))
			} else {
				put(n, hexValue(fmt.Sprintf("%x", ev.Data)))
			}
		}
	}
	return root
}

func valueOf(p *plan.Plan, ev *decode.Event) any {
	info := &p.Info[ev.Leaf]
	value := info.Value(ev.Raw, ev.Width)
	num := new(big.Rat).SetInt(new(big.Int).SetUint64(value))
	if info.IsSigned() {
		num.SetInt64(int64(value))
	}
	switch info.Kind {
	case plan.LeafBool:
		return ev.Raw != 0
	case plan.LeafFloat, plan.LeafQuantized:
		return realValue(info.Float(ev.Raw, ev.Width))
	case plan.LeafEnum:
		return caseValue{info.Enum, info.CaseName(ev.Raw), num}
	case plan.LeafFlags:
		f := flagValue{map[string]bool{}, num}
		for _, c := range info.Enum.Cases {
			f.names[c.Name] = c.Value.Sign() != 0 && value&c.Value.Uint64() == c.Value.Uint64()
		}
		return f
	case plan.LeafUint, plan.LeafInt, plan.LeafRanged, plan.LeafChecksum, plan.LeafCheck, plan.LeafReserved:
	}
	return num
}

// find follows a path such as `a[2].b`; "" is the thing itself.
func find(v any, path string) any {
	for path != "" {
		if path[0] == '[' {
			end := strings.IndexByte(path, ']')
			i, _ := strconv.Atoi(path[1:end])
			list, ok := v.(*[]any)
			if !ok || i >= len(*list) {
				return nil
			}
			v, path = (*list)[i], path[end+1:]
			continue
		}
		path = strings.TrimPrefix(path, ".")
		end := strings.IndexAny(path+".", ".[")
		fields, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v, path = fields[path[:end]], path[end:]
	}
	return v
}

// signOf compares a value with a number: -1, 0, 1, or 2 for a NaN; false where it is absent or no number.
func signOf(v any, c *big.Rat) (int, bool) {
	switch v := v.(type) {
	case *big.Rat:
		return v.Cmp(c), true
	case caseValue:
		return v.num.Cmp(c), true
	case flagValue:
		return v.num.Cmp(c), true
	case realValue:
		f := float64(v)
		if math.IsNaN(f) {
			return 2, true
		}
		if math.IsInf(f, 0) {
			return int(math.Copysign(1, f)), true
		}
		return new(big.Rat).SetFloat64(f).Cmp(c), true
	}
	return 0, false
}

// noOrder is the sign of texts, bytes and bools, which are the same or not; equal ones have the sign 0 for == and !=.
const noOrder = 3

// signOfTwo compares two values as signOf does.
func signOfTwo(a, b any, equality bool) (int, bool) {
	same := func(same bool) (int, bool) {
		if same && equality {
			return 0, true
		}
		return noOrder, true
	}
	switch b := b.(type) {
	case *big.Rat:
		return signOf(a, b)
	case caseValue:
		if x, ok := a.(caseValue); ok && x.enum != b.enum {
			return 0, false
		}
		return signOf(a, b.num)
	case flagValue:
		return signOf(a, b.num)
	case realValue:
		x, ok := a.(realValue)
		switch f := float64(b); {
		case !ok && (math.IsNaN(f) || math.IsInf(f, 0)):
			if _, number := signOf(a, new(big.Rat)); !number || math.IsNaN(f) {
				return 2, number
			}
			return int(math.Copysign(1, -f)), true
		case !ok:
			return signOf(a, new(big.Rat).SetFloat64(f))
		case x < b:
			return -1, true
		case x > b:
			return 1, true
		}
		if x == b {
			return 0, true
		}
		return 2, true
	case bool:
		if x, ok := a.(bool); ok {
			return same(x == b)
		}
	case textValue:
		if x, ok := a.(textValue); ok {
			return same(x == b)
		}
	case hexValue:
		if x, ok := a.(hexValue); ok {
			return same(x == b)
		}
	}
	return 0, false
}

var operatorHolds = map[string]func(sign int) bool{
	"==": func(s int) bool { return s == 0 }, "!=": func(s int) bool { return s != 0 },
	"<": func(s int) bool { return s == -1 }, "<=": func(s int) bool { return s == -1 || s == 0 },
	">": func(s int) bool { return s == 1 }, ">=": func(s int) bool { return s == 1 || s == 0 },
}

// writer makes random filters. roots are the paths of the packet, lists those of its lists.
type writer struct {
	*rand.Rand
	paths []Path
	lists []string
}

func newWriter(r *rand.Rand, p *plan.Plan) *writer {
	w := &writer{Rand: r, paths: Paths(p)}
	seen := map[string]bool{}
	for _, path := range w.paths {
		for i := range path.Path {
			if strings.HasPrefix(path.Path[i:], "[*]") && !seen[path.Path[:i]] {
				seen[path.Path[:i]] = true
				w.lists = append(w.lists, path.Path[:i])
			}
		}
	}
	return w
}

// within fixes the remaining [*] of a path.
func (w *writer) within(path string) string {
	for strings.Contains(path, "[*]") {
		path = strings.Replace(path, "[*]", "["+strconv.Itoa(w.IntN(4))+"]", 1)
	}
	return path
}

// operand picks a field, of the element where there is one (list is its list's path) or of the packet.
func (w *writer) operand(list string) (text string, get func(packet, element any) any) {
	for {
		path := w.paths[w.IntN(len(w.paths))]
		if path.Secret {
			continue
		}
		if rest, ok := strings.CutPrefix(path.Path, list+"[*]"); ok && list != "" {
			rest = w.within(rest)
			text := rest
			if rest == "" || rest[0] == '[' {
				text = "#" + rest
			}
			return text, func(_, element any) any { return find(element, rest) }
		}
		if list == "" || w.IntN(8) == 0 {
			fixed := w.within(path.Path)
			return fixed, func(packet, _ any) any { return find(packet, fixed) }
		}
	}
}

var numbers = []string{"0", "1", "2", "3", "4.5", "10", "11", "100", "0xff", "300", "65535", "-1", "18446744073709551615", "9223372036854775807", "-9223372036854775808", "0.5", "1e3"}

func (w *writer) condition(depth int, list string, closures int) (string, meaning) {
	switch n := w.IntN(10); {
	case depth > 0 && n < 2:
		a, fa := w.condition(depth-1, list, closures)
		b, fb := w.condition(depth-1, list, closures)
		return "(" + a + " && " + b + ")", func(p, e any) ternary { return min(fa(p, e), fb(p, e)) }
	case depth > 0 && n < 4:
		a, fa := w.condition(depth-1, list, closures)
		b, fb := w.condition(depth-1, list, closures)
		return "(" + a + " or " + b + ")", func(p, e any) ternary { return max(fa(p, e), fb(p, e)) }
	case depth > 0 && n == 4:
		a, fa := w.condition(depth-1, list, closures)
		return "!(" + a + ")", func(p, e any) ternary { return 2 - fa(p, e) }
	case depth > 0 && n < 7 && closures < maxDepth && len(w.lists) > 0:
		return w.closure(depth-1, list, closures)
	}
	return w.comparison(list)
}

func (w *writer) closure(depth int, list string, closures int) (string, meaning) {
	inner := w.lists[w.IntN(len(w.lists))]
	text, get := w.within(inner), func(p, _ any) any { return nil }
	if rest, ok := strings.CutPrefix(inner, list+"[*]"); ok && list != "" {
		rest = w.within(rest)
		get = func(_, e any) any { return find(e, rest) }
		if text = rest; rest == "" || rest[0] == '[' {
			text = "#" + rest
		}
	} else {
		path := text
		get = func(p, _ any) any { return find(p, path) }
	}
	body, f := w.condition(depth, inner, closures+1)
	mode := []string{"any", "all", "none", "one", "count"}[w.IntN(5)]
	tail, least := "", 0
	if mode == "count" {
		least = w.IntN(3)
		tail = fmt.Sprintf(" >= %d", least)
	}
	return mode + "(" + text + ", " + body + ")" + tail, func(p, e any) ternary {
		elements, ok := get(p, e).(*[]any)
		if !ok {
			return unknown
		}
		var n [3]int
		for _, element := range *elements {
			n[f(p, element)]++
		}
		// What could it be, were each unknown one true or false?
		could := [2]bool{}
		for extra := range n[unknown] + 1 {
			trues := n[yes] + extra
			holds := map[string]bool{"any": trues > 0, "all": trues == len(*elements), "none": trues == 0, "one": trues == 1}[mode]
			could[truth(holds)] = true
		}
		switch {
		case mode == "count":
			return truthOf(n[yes] >= least)
		case could[0] && could[1]:
			return unknown
		}
		return truthOf(could[1])
	}
}

func (w *writer) comparison(list string) (string, meaning) {
	text, get := w.operand(list)
	ops := []string{"==", "!=", "<", "<=", ">", ">="}
	op := ops[w.IntN(len(ops))]
	switch w.IntN(8) {
	case 0:
		return text + " == nil", func(p, e any) ternary { return truthOf(get(p, e) == nil) }
	case 1:
		word := []string{"Snapshot", "PlayerInput", "Low", "five", "B", "00"}[w.IntN(6)]
		return text + ` != "` + word + `"`, func(p, e any) ternary {
			switch v := get(p, e).(type) {
			case caseValue:
				if caseOf(v.enum, word) == nil {
					return unknown
				}
				return truthOf(v.name != word)
			case textValue:
				return truthOf(string(v) != word)
			case hexValue:
				if _, err := hex.DecodeString(word); err == nil {
					return truthOf(string(v) != word)
				}
			}
			return unknown
		}
	case 2:
		flag := []string{"Up", "Shoot", "One", "Two"}[w.IntN(4)]
		return `"` + flag + `" in ` + text, func(p, e any) ternary {
			if v, ok := get(p, e).(flagValue); ok {
				return truthOf(v.names[flag])
			}
			return unknown
		}
	case 3:
		other, get2 := w.operand(list)
		return text + " " + op + " " + other, func(p, e any) ternary {
			sign, ok := signOfTwo(get(p, e), get2(p, e), op == "==" || op == "!=")
			if !ok || sign == noOrder && op != "==" && op != "!=" {
				return unknown
			}
			return truthOf(operatorHolds[op](sign))
		}
	}
	number := numbers[w.IntN(len(numbers))]
	c, _ := parseNumber(strings.TrimPrefix(number, "-"))
	if number[0] == '-' {
		c.num.Neg(c.num)
	}
	return text + " " + op + " " + number, func(p, e any) ternary {
		if s, ok := signOf(get(p, e), c.num); ok {
			return truthOf(operatorHolds[op](s))
		}
		return unknown
	}
}

func TestAgainstReference(t *testing.T) {
	for _, s := range []struct {
		name, schema string
		packets      []string
	}{
		{name: "rtype"},
		{"lists", lists, []string{"02 02 0a 0b 01 00 02 1234", "03 01 0a 01 02 03 04 05 00 ff 4321", "00 0000", "04 03 01 02 03 04 00 05 00 06 01 0b 0b 1111"}},
		{"wide", wide, []string{"ffffffffffffffff 8000000000000000 f0 ff", "0000000000000003 0000000000000003 00 03", "8000000000000000 7fffffffffffffff a0 80"}},
		{"shared", shared, []string{"00 05", "00 0a", "01 40900000", "01 7fc00000", "02 66697665", "02 42000000", "03 01", "03 ff", "04 03", "04 01", "04 00"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			var p *plan.Plan
			var packets []packet
			if s.name == "rtype" {
				p, packets = rtype(t), rtypePackets(t)
			} else {
				p = planOf(t, s.schema)
				for _, hex := range s.packets {
					data := bytesFrom(t, hex)
					for n := range len(data) + 1 {
						packets = append(packets, packet{name: fmt.Sprintf("%x", data[:n]), data: data[:n]})
					}
				}
			}
			againstReference(t, p, packets, need.Rounds(3000, 800))
		})
	}
}

// againstReference tries so many random filters over the packets.
func againstReference(t *testing.T, p *plan.Plan, packets []packet, tried int) {
	t.Helper()
	d := decode.New(p)
	var meanings []any
	for i := range packets {
		var tr decode.Trace
		_ = d.Decode(packets[i].data, packets[i].from, &tr)
		meanings = append(meanings, asMaps(&tr))
	}
	w := newWriter(rand.New(rand.NewPCG(1, 2)), p)
	compiled := 0
	for range tried {
		src, mean := w.condition(3, "", 0)
		prog, err := Compile(p, src)
		if err != nil {
			continue
		}
		compiled++
		for i, got := range run(prog, packets) {
			if want := mean(meanings[i], nil); got != want {
				t.Fatalf("%s\nover %s (%x): want %s, got %s", src, packets[i].name, packets[i].data, want, got)
			}
		}
	}
	if compiled < tried/10 {
		t.Errorf("only %d of %d random filters compile", compiled, tried)
	}
	t.Logf("%d of %d filters", compiled, tried)
}
