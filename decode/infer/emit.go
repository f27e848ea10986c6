package infer

import (
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// draft is a schema that is being made.
type draft struct {
	name     string
	order    wire.Order
	ports    []uint16
	longest  int // bytes of a datagram, of all that were met
	tail     int // bytes after what is inferred: a check and a checksum
	root     *block
	tight    bool // ranges that were seen are rules
	sealed   bool // constants are said to be such
	comments bool
	seen     map[string]*seen // of each field, by name
	note     string           // above the packet
	broken   error            // why some of the draft was given up: it did not check
	reset    bool             // what was kept is all there is
	keep     *keeper          // what of a schema stays; nil without one
	borne    map[failure]bool // refusals that what stays causes

	b      strings.Builder
	indent int
}

// fewest packets in which a value never changes before it is said to be a rule.
const fewest = 8

// source is the draft as a .pks file.
func (d *draft) source() []byte {
	d.b.Reset()
	open, foot := "packet {", "}\n"
	if k := d.keep; k != nil {
		d.b.WriteString(k.headOf(d.datagram()))
		open, foot = k.open, k.foot
	} else {
		fmt.Fprintf(&d.b, "protocol %s\norder %s\n", d.name, d.order)
		if len(d.ports) > 0 {
			fmt.Fprintf(&d.b, "port %s\n", schema.PortList(d.ports))
		}
		fmt.Fprintf(&d.b, "max datagram %d\n\n", d.datagram())
	}
	if d.comments && d.note != "" {
		for line := range strings.Lines(d.note) {
			d.b.WriteString(strings.TrimRight("// "+line, " \n") + "\n")
		}
	}
	d.b.WriteString(open + "\n")
	d.indent = 1
	d.block(d.root, 0)
	d.b.WriteString(foot)
	return []byte(d.b.String())
}

// datagram is the most bytes that the schema takes.
func (d *draft) datagram() int { return min(max(d.longest, usualDatagram), 65507) }

// usualDatagram is how many bytes a schema takes at least: what fits into the packets of most networks.
const usualDatagram = 1200

func (d *draft) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if d.comments {
		text = marked(text)
	}
	d.b.WriteString(strings.Repeat("    ", d.indent) + text + "\n")
}

// block writes items that begin at a phase in a byte (-1: nobody knows) and returns the phase after them.
func (d *draft) block(b *block, phase int) int {
	for i := 0; i < len(b.items); i++ {
		it := b.items[i]
		if n, bits := d.zeros(b.items[i:]); n > 0 {
			d.line("reserved(%d)", bits)
			phase = after(phase, bits)
			i += n - 1
			continue
		}
		phase = d.item(it, phase)
	}
	return phase
}

// zeros is how many items are numbers that are always zero, one after the other, and their bits.
func (d *draft) zeros(items []*item) (n, bits int) {
	for _, it := range items {
		if it.kind != kindNumber || it.of != nil || !d.constant(it) || it.value != 0 || it.kept {
			break
		}
		n, bits = n+1, bits+it.width
	}
	return n, bits
}

// constant reports whether a number is said to have one value.
func (d *draft) constant(it *item) bool {
	s := d.seen[it.name]
	return d.sealed && !it.plain && !it.decides && s != nil && s.n >= fewest && s.least == s.most
}

// after is the phase after so many bits.
func after(phase, bits int) int {
	if phase < 0 {
		return -1
	}
	return (phase + bits) & 7
}

// item writes one item.
func (d *draft) item(it *item, phase int) int {
	if it.given != "" || it.pieces != nil {
		return d.stays(it, phase)
	}
	switch it.kind {
	case kindNumber:
		text := it.name + " " + d.numberType(it)
		d.line("%s%s", text, d.comment(it))
		return after(phase, it.width)
	case kindSum: // on a byte; bits that are left before it are padding
		if phase != 0 {
			d.line("align")
		}
		d.line("%s %s", it.name, it.sum.Type(d.order))
		return after(0, it.sum.Algorithm.Width)
	case kindCheck:
		d.line("align")
		d.line("%s", it.text)
		return 0
	case kindAlign:
		d.line("align any")
		return 0
	case kindRest:
		d.rest(it, phase)
		return 0
	case kindBytes:
		d.line("%s bytes(%d)", it.name, it.width/8)
		return 0
	case kindBlob:
		if phase != 0 {
			d.line("align any")
		}
		size := it.of.name
		if it.bias > 0 {
			size = fmt.Sprintf("%s - %d", size, it.bias)
		}
		d.line("%s bytes(%s, max %d)%s", it.name, size, d.datagram(), d.comment(it))
		return 0
	case kindOption:
		d.line("if %s {", it.of.name)
		phase = d.inside(it.body, phase, phase)
		d.line("}")
		return phase
	case kindList:
		d.line("%s [%s, max %d]{%s", it.name, it.of.name, d.most(it), d.comment(it))
		bits := it.body.bits()
		start := phase
		if bits&7 != 0 {
			start = -1
		}
		d.inside(it.body, start, start)
		d.line("}")
		return start
	case kindGuard:
		d.line("if %s { // else of no length that was understood", it.cond)
		end := d.inside(it.body, phase, -1)
		d.line("} else {")
		d.indent++
		d.rest(it, phase)
		d.indent--
		d.line("}")
		if end != 0 {
			return -1
		}
		return 0
	case kindChoice:
		d.line("%s switch %s {", it.name, it.of.name)
		d.indent++
		same := -2
		for _, a := range it.arms {
			var labels []string
			for _, v := range a.values {
				labels = append(labels, it.of.label(v))
			}
			label := strings.Join(labels, ", ")
			if a.values == nil {
				label = "default"
			}
			note := ""
			if d.comments && a.seen > 0 {
				note = fmt.Sprintf(" // %d packets", a.seen)
			}
			if len(a.body.items) == 0 {
				d.line("%s: empty%s", label, note)
				if same == -2 || same == phase {
					same = phase
				} else {
					same = -1
				}
				continue
			}
			d.line("%s: {%s", label, note)
			end := d.inside(a.body, phase, phase)
			d.line("}")
			if same == -2 || same == end {
				same = end
			} else {
				same = -1
			}
		}
		d.indent--
		d.line("}")
		return max(same, -1)
	}
	panic("pktscope: internal error: an item of no kind")
}

// inside writes a block one level deeper. Where it may be left out, the phase after it is known only if it is that
// of without.
func (d *draft) inside(b *block, phase, without int) int {
	d.indent++
	end := d.block(b, phase)
	d.indent--
	if end != without && without >= 0 {
		return -1
	}
	return end
}

// rest writes all that is left, in the form that it has.
func (d *draft) rest(it *item, phase int) {
	if phase != 0 {
		d.line("align any")
	}
	size := "rest"
	if d.tail > 0 {
		size = fmt.Sprintf("rest - %d", d.tail)
	}
	note := ""
	if s := d.seen[it.name]; d.comments && s != nil {
		note = " // " + s.entropy()
	}
	switch it.form {
	case formFields:
		d.line("%s [%s, max %d]uint8%s", it.name, size, d.datagram(), note)
	case formText:
		d.line("%s bytes(%s, max %d) @text%s", it.name, size, d.datagram(), note)
	default:
		d.line("%s bytes(%s, max %d)%s", it.name, size, d.datagram(), note)
	}
}

// most is how many elements a list may have.
func (d *draft) most(it *item) int {
	bits := max(1, it.body.bits())
	fits := 8*d.datagram()/bits + 1
	if it.of.width < 20 {
		return max(1, min(1<<it.of.width-1, fits))
	}
	return fits
}

// bits is the size of a block of numbers.
func (b *block) bits() (n int) {
	for _, it := range b.items {
		n += it.width
	}
	return n
}

// numberType is the type of a number, with its rule.
func (d *draft) numberType(it *item) string {
	s := d.seen[it.name]
	var text string
	whole := it.width == 8 || it.width == 16 || it.width == 32 || it.width == 64
	switch {
	case d.sealed && it.model == modelFloat && !it.decides && s != nil && s.n >= fewest && (it.width == 32 || it.width == 64):
		text = fmt.Sprintf("float%d", it.width)
	case it.width == 1 && (!it.decides || it.role == "has"):
		text = "bool"
		if d.constant(it) {
			return text + fmt.Sprintf(" == %t", it.value != 0)
		}
		return text
	case d.signed(it) && whole:
		text = fmt.Sprintf("int%d", it.width)
	case d.signed(it):
		text = fmt.Sprintf("sbits(%d)", it.width)
	case whole:
		text = fmt.Sprintf("uint%d", it.width)
	default:
		text = fmt.Sprintf("bits(%d)", it.width)
	}
	if it.swap {
		if d.order == wire.MSB {
			text += " le"
		} else {
			text += " be"
		}
	}
	if d.constant(it) {
		text += fmt.Sprintf(" == %#x", it.value)
	}
	text += d.tightRule(it)
	if unit := d.unit(it); unit != "" {
		return text + fmt.Sprintf(" @unit(%q)", unit)
	}
	if it.model == modelRate && d.sealed && !d.constant(it) && s != nil && s.n >= fewest && it.width >= 8 && !d.signed(it) && s.byOne() {
		text += " @seq"
	}
	return text
}

// unit is that of a number that follows the time of capture, else "".
func (d *draft) unit(it *item) string {
	s := d.seen[it.name]
	if !d.sealed || s == nil || it.decides || it.model == modelFloat || d.constant(it) {
		return ""
	}
	return s.clock.unit()
}

// signed reports whether a number is better read with a sign: its values lie on both sides of zero, and nearer to it
// than without.
func (d *draft) signed(it *item) bool {
	s := d.seen[it.name]
	if !d.sealed || s == nil || it.decides || s.n < 2*fewest || it.width < 4 || d.constant(it) {
		return false
	}
	low, high := s.negative, s.positive // the farthest from zero
	if low == 0 || high == 0 || s.below*20 < s.n || (s.n-s.below)*20 < s.n {
		return false
	}
	return it.width > 1 && math.Max(float64(low), float64(high)) < float64(uint64(1)<<(it.width-1))*0.9
}

// comment is what is known of a field, after its line.
func (d *draft) comment(it *item) string {
	if !d.comments {
		return ""
	}
	var parts []string
	s := d.seen[it.name]
	if it.text != "" {
		parts = append(parts, it.text)
	}
	if it.kind == kindNumber && s != nil && s.n > 0 && !d.constant(it) {
		each := it.choice.bits
		if why := it.why(); why != "" {
			parts = append(parts, why)
		}
		if it.rows > 0 && it.model != modelConst {
			parts = append(parts, fmt.Sprintf("%.1f bits each", each/float64(it.rows)))
		}
	}
	if s != nil && s.n > 0 && it.kind == kindNumber && !d.constant(it) {
		if rule := d.tightRule(it); rule != "" {
			parts = append(parts, "doubt the range: it is what was seen")
		} else if it.width > 1 {
			parts = append(parts, s.span(it, d.signed(it)))
			if s.most-s.least > 2*someExamples && it.model != modelFloat {
				parts[len(parts)-1] += ", such as " + strings.Join(s.examples(it, d.signed(it)), ", ")
			}
		}
		if it.saved > 0 && !math.IsInf(it.saved, 1) {
			parts = append(parts, confidence(it.saved))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " // " + strings.Join(parts, "; ")
}

// confidence says how sure a cut is that saves so many bits against the second-best one.
func confidence(saved float64) string { return fmt.Sprintf("%s (%.0f bits)", sureness(saved), saved) }

func sureness(saved float64) string {
	switch {
	case saved > 200:
		return "certain"
	case saved > 40:
		return "likely"
	}
	return "guess"
}

// decisions say what a field decides, by the beginning of its name.
var decisions = map[string]string{"kind": "tells kinds of packets apart", "count": "counts what a list has", "length": "the size of bytes", "has": "says whether a part is there"}

// why is what an item is taken for.
func (it *item) why() string {
	if it.decides {
		return decisions[it.role]
	}
	if it.kind == kindNumber && !it.kept {
		return it.model.String()
	}
	return ""
}

// names gives each item its name: what it is, and a number. Names in keep are those that a person gave.
func (d *draft) names() {
	counts := map[string]int{}
	used := map[string]bool{}
	d.root.each(func(it *item) {
		if it.name != "" {
			used[it.name] = true
		}
	})
	if d.keep != nil {
		maps.Copy(used, d.keep.used)
	}
	give := func(word string) string {
		for {
			counts[word]++
			name := word
			if counts[word] > 1 || word == "n" {
				name = fmt.Sprintf("%s%d", word, counts[word])
			}
			if !used[name] {
				used[name] = true
				return name
			}
		}
	}
	d.root.each(func(it *item) {
		if it.of != nil {
			it.of.decides = true
		}
	})
	d.root.each(func(it *item) {
		if it.name != "" {
			return
		}
		it.name = give(it.word())
	})
}

// word is what an item's name begins with.
func (it *item) word() string {
	switch it.kind {
	case kindSum:
		return "crc"
	case kindChoice:
		return "body"
	case kindList:
		return "list"
	case kindBlob:
		return "data"
	case kindRest:
		return "opaque"
	case kindGuard:
		return "odd"
	}
	if it.role != "" {
		return it.role
	}
	if w, ok := roleWords[it.model]; ok && it.kind == kindNumber {
		return w
	}
	if it.width == 1 {
		return "flag"
	}
	return "n"
}

// roleWords are the beginnings of names of fields with a model that says what they are.
var roleWords = map[model]string{modelRate: "counter", modelHistory: "history", modelFloat: "real", modelConst: "same"}

// roles names what decides.
func (b *block) roles() {
	b.each(func(it *item) {
		if it.of == nil {
			return
		}
		switch it.kind {
		case kindChoice:
			it.of.role = "kind"
		case kindList:
			it.of.role = "count"
		case kindBlob:
			it.of.role = "length"
		case kindOption:
			it.of.role = "has"
		}
	})
}
