package importer

import (
	"bytes"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// draft is the text that a language writes, with what is said about its source.
type draft struct {
	files  syntax.Files
	packet string // Options.Packet
	order  string // Options.Order

	quiet  bool // doubts were told before
	text   bytes.Buffer
	list   []syntax.Diagnostic
	failed *syntax.Diagnostic // the first mistake of the source: nothing is read after it

	taken     names  // the names at the top level
	texts     []blob // the lengths of the texts that have a struct
	blobs     []blob // and of bytes
	origins   []origin
	floats    []floatAt           // where floats are in text
	rawFloats map[syntax.Pos]bool // floats whose codes a float32 cannot tell apart
}

// origin is what the text from an offset on was made of.
type origin struct {
	off int
	at  syntax.Span
}

// from says what the next lines are made of.
func (d *draft) from(at syntax.Span) { d.origins = append(d.origins, origin{d.text.Len(), at}) }

// floatAt is a float of the draft: where it begins in the text, and in the source.
type floatAt struct {
	off int
	at  syntax.Span
}

func (d *draft) reset() {
	d.text.Reset()
	d.list, d.texts, d.blobs, d.floats, d.origins = nil, nil, nil, nil, nil
	d.taken = names{}
}

// fail keeps the first mistake of the source.
func (d *draft) fail(at syntax.Span, format string, args ...any) {
	if d.failed == nil {
		d.failed = &syntax.Diagnostic{Span: at, Severity: syntax.Error, Message: fmt.Sprintf(format, args...)}
	}
}

// printf writes a line of the schema.
func (d *draft) printf(format string, args ...any) {
	if d.text.Len() > syntax.MaxSource {
		d.fail(syntax.Span{}, "the draft would have more than 1 MiB")
		return
	}
	fmt.Fprintf(&d.text, format, args...)
	d.text.WriteByte('\n')
}

// header writes what a draft begins with.
func (d *draft) header(protocol string) { d.headerOrder(protocol, "lsb") }

func (d *draft) headerOrder(protocol, order string) {
	var from []string
	for _, f := range d.files {
		from = append(from, syntax.EscapeText(filepath.Base(f.Name)))
	}
	d.printf("// Drafted from %s by `pktscope schema import`: add `port` and `max datagram`.", strings.Join(from, ", "))
	d.printf("protocol %s\norder %s\n", protocol, order)
}

// lead writes the comments above something.
func (d *draft) lead(lines []string) {
	for _, line := range lines {
		if line == "" {
			d.text.WriteByte('\n')
		} else {
			d.printf("// %s", line)
		}
	}
}

// doubt says what the source leaves open, or what cannot be said: a comment at this place of the draft, and a warning.
func (d *draft) doubt(at syntax.Span, format string, args ...any) {
	if d.quiet {
		return
	}
	text := fmt.Sprintf(format, args...)
	d.printf("// ? line %d: %s", at.Pos.Line, syntax.EscapeText(text))
	d.warn(at, "%s", text)
}

// maxWarnings is how many are told, each with its line: the comments in the draft are all there.
const maxWarnings = 200

// warn is the warning alone.
func (d *draft) warn(at syntax.Span, format string, args ...any) {
	if len(d.list) > maxWarnings {
		return
	}
	if len(d.list) == maxWarnings {
		format, args = "more warnings than %d: the others are in the draft alone", []any{maxWarnings}
	}
	d.list = append(d.list, syntax.Diagnostic{Span: at, Severity: syntax.Warning, Message: fmt.Sprintf(format, args...)})
}

// tail is the comment that ends a line.
func tail(texts ...string) string {
	var have []string
	for _, text := range texts {
		if text != "" {
			have = append(have, text)
		}
	}
	if len(have) == 0 {
		return ""
	}
	return " // " + strings.Join(have, "; ")
}

// integer is what the integer types of the language can hold: int64 and uint64 together.
var (
	leastInt = big.NewInt(-1 << 63)
	mostInt  = big.NewInt(1<<63 - 1)
	mostUint = new(big.Int).SetUint64(1<<64 - 1)
)

func fitsInteger(v *big.Int) bool { return v.Cmp(leastInt) >= 0 && v.Cmp(mostUint) <= 0 }

// ranged is the type of an integer that is sent as its distance from lo, in the fewest bits for hi, with what has to be
// said about it. lo <= hi. Above 64 bits it is a struct of two parts; between, where its values have no type, its code.
func ranged(lo, hi *big.Int, scale string) (typ, note string) {
	most := new(big.Int).Sub(hi, lo)
	plain := fitsInteger(lo) && fitsInteger(hi) && (lo.Sign() >= 0 || hi.Cmp(mostInt) <= 0)
	switch {
	case plain:
		return fmt.Sprintf("int(%d..%d)%s", lo, hi, scale), ""
	case most.IsUint64():
		return fmt.Sprintf("int(0..%d)", most), "the value is this" + plus(lo)
	}
	high := new(big.Int).Rsh(most, 64)
	low := new(big.Int).And(most, mostUint)
	text := fmt.Sprintf("{\nlow uint64\nhigh bits(%d)\n", high.BitLen())
	if most.BitLen() > 128 || new(big.Int).Add(most, big.NewInt(1)).TrailingZeroBits() != uint(most.BitLen()) {
		text += fmt.Sprintf("require high < %d || high == %d && low <= %d\n", high, high, low)
	}
	return text + "}", "the value is high*2^64 + low" + plus(lo)
}

// plus is what is added to a code, as a note has it.
func plus(n *big.Int) string {
	switch n.Sign() {
	case 0:
		return ""
	case -1:
		return fmt.Sprintf(" - %d", new(big.Int).Neg(n))
	}
	return fmt.Sprintf(" + %d", n)
}

// blob is a struct for texts, or for bytes, of one size.
type blob struct {
	most int64
	name string
}

// textStruct is the struct of a text of at most n bytes after its length: aligned, in any encoding, without a NUL.
func (d *draft) textStruct(n int64) string { return d.blobStruct(&d.texts, "Text", n) }

// bytesStruct is the struct of at most n bytes after their number.
func (d *draft) bytesStruct(n int64) string { return d.blobStruct(&d.blobs, "Bytes", n) }

func (d *draft) blobStruct(among *[]blob, prefix string, n int64) string {
	for _, have := range *among {
		if have.most == n {
			return have.name
		}
	}
	name := d.taken.add(fmt.Sprintf("%s%d", prefix, n))
	*among = append(*among, blob{n, name})
	return name
}

// mostZeros is the most bytes of a `within(e zeros)`.
const mostZeros = 2048

// writeBlobs writes the structs of texts and bytes that the rest uses.
func (d *draft) writeBlobs() {
	for _, t := range d.texts {
		d.printf("\n// A length, then so many bytes from the next whole byte on: text of any encoding, without a NUL.")
		d.printf("struct %s {\nsize int(0..%d)", t.name, t.most)
		if t.most > mostZeros {
			d.printf("align\ntext [size]uint8 != 0\n}")
			continue
		}
		d.printf("within(size) {\nif rest > 0 { require tail(8) != 0 }\nwithin(rest zeros) { text char(%d) latin1 }\n}\n}", t.most)
	}
	for _, b := range d.blobs {
		d.printf("\n// A length, then so many bytes from the next whole byte on.")
		d.printf("struct %s {\nsize int(0..%d)\ndata bytes(size, max %d)\n}", b.name, b.most, b.most)
	}
}

// check reports whether the text has to be made again, with floats that the checker refuses as integers.
func (d *draft) check() (again bool, err error) {
	checked, diags := schema.Load("draft.pks", d.text.Bytes(), nil)
	if checked == nil {
		for _, one := range diags {
			for _, f := range d.floats {
				if one.Severity == syntax.Error && int(one.Pos.Off) == f.off && !d.rawFloats[f.at.Pos] {
					d.rawFloats[f.at.Pos] = true
					again = true
				}
			}
		}
		if again {
			return true, nil
		}
		return false, d.refused(diags)
	}
	if made, more := plan.Compile(checked); made == nil {
		return false, d.refused(more)
	}
	return false, nil
}

// refused is the error about a draft that is no schema: what it describes is beyond the limits, or makes no sense. It is
// about what that line of the draft was made of.
func (d *draft) refused(list []syntax.Diagnostic) error {
	for _, one := range list {
		if one.Severity != syntax.Error {
			continue
		}
		mistake := syntax.Diagnostic{Severity: syntax.Error, Message: "the schema that it would be is refused: " + one.Message}
		for _, from := range d.origins {
			if from.off <= int(one.Pos.Off) {
				mistake.Span = from.at
			}
		}
		return &syntax.Diagnostics{Files: d.files, List: append(d.list, mistake)}
	}
	panic("pktscope: internal error: a draft is refused without a mistake")
}

func (d *draft) finish() (*Draft, error) {
	text, diags := syntax.Format("draft.pks", d.text.Bytes())
	if text == nil {
		return nil, d.refused(diags)
	}
	syntax.SortDiagnostics(d.list)
	return &Draft{Source: text, Warnings: syntax.Diagnostics{Files: d.files, List: d.list}}, nil
}
