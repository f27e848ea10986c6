package importer

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// written is a type as the draft has it.
type written struct {
	text    string // "" where nothing is sent
	note    string // after the field
	doubt   string // above it, with a warning
	size    int64  // of bytes: their most
	float   bool   // text begins with a float that the checker may refuse
	bitless bool
}

// schemaTypes are the types that are words, with the number of arguments that each has.
var schemaTypes map[string]schemaTypeRow

type schemaTypeRow struct {
	args  int
	write func(*schemaUnit, *schemaDecl, *schemaItem) written
}

func init() {
	schemaTypes = map[string]schemaTypeRow{
		"bool":    {0, plain("bool")},
		"float64": {0, plain("float64")},
		"float32": {0, (*schemaUnit).float32},
		"bits":    {1, (*schemaUnit).bitsType},
		"string":  {1, (*schemaUnit).stringType},
		"bytes":   {1, (*schemaUnit).bytesType},
		"fixed":   {2, fixedPoint(true)},
		"ufixed":  {2, fixedPoint(false)},
	}
	for _, width := range []uint{8, 16, 32, 64, 128} {
		schemaTypes[fmt.Sprintf("int%d", width)] = schemaTypeRow{0, integer(width, true)}
		schemaTypes[fmt.Sprintf("uint%d", width)] = schemaTypeRow{0, integer(width, false)}
	}
}

// typed is the type of one element of a field.
func (u *schemaUnit) typed(of *schemaDecl, item *schemaItem) written {
	word := item.typ.word
	if row, ok := schemaTypes[word.text]; ok {
		if len(item.typ.args) != row.args {
			u.d.fail(word.span, "`%s` has %s, got %d", word.text, syntax.Count(row.args, "argument"), len(item.typ.args))
			return written{}
		}
		return row.write(u, of, item)
	}
	decl := u.names[word.text]
	switch {
	case decl == nil || schemaWords[decl.word] == nil:
		var known []string
		for name := range schemaTypes {
			known = append(known, name)
		}
		meant := syntax.Suggest(word.text, known)
		if meant != "" {
			meant = fmt.Sprintf("; did you mean `%s`?", meant)
		}
		u.d.fail(word.span, "unknown type `%s`%s", clip(word.text), meant)
		return written{}
	case decl.word == "object":
		u.d.fail(word.span, "`%s` is an object, which has more than one form: no field is one", clip(word.text))
		return written{}
	case decl.word == "enum":
		return written{text: decl.out, bitless: u.most(decl).Sign() == 0}
	case decl.word == "flags":
		bits := u.flagBits(decl)
		switch {
		case bits == 0:
			return written{bitless: true}
		case len(decl.variants) == 0:
			return written{text: fmt.Sprintf("bits(%d)", bits), note: clip(decl.name.text)}
		}
		return written{text: decl.out}
	}
	return written{text: decl.out, bitless: u.empty(decl)}
}

func plain(text string) func(*schemaUnit, *schemaDecl, *schemaItem) written {
	return func(*schemaUnit, *schemaDecl, *schemaItem) written { return written{text: text} }
}

// span is the values that n bits hold.
func span(n uint, signed bool) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if !signed {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, n), one)
	}
	half := new(big.Int).Lsh(one, n-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
}

// integer writes intN and uintN: whole without a range, which int128 has to have and uint128 must not.
func integer(width uint, signed bool) func(*schemaUnit, *schemaDecl, *schemaItem) written {
	return func(u *schemaUnit, of *schemaDecl, item *schemaItem) written {
		least, most := span(width, signed)
		lo, hi, ok := u.bounds(item.attrs, item.at.span, least, most)
		switch {
		case ok && (width < 128 || signed):
			text, note := ranged(lo, hi, "")
			if text == fmt.Sprintf("int(%d..%d)", lo, hi) {
				text = fmt.Sprintf("int(%s..%s)", u.said(attr(item.attrs, "min").value, lo), u.said(attr(item.attrs, "max").value, hi))
			}
			return written{text: text, note: note, bitless: lo.Cmp(hi) == 0}
		case width < 128:
			return written{text: item.typ.word.text}
		case ok || signed:
			u.d.fail(item.at.span, "int128 has min and max, and uint128 has none")
		}
		text, note := ranged(least, most, "")
		return written{text: text, note: note}
	}
}

func (u *schemaUnit) bitsType(_ *schemaDecl, item *schemaItem) written {
	return written{text: fmt.Sprintf("bits(%d)", u.small(item.typ.args[0], "a number of bits", 1, 64))}
}

// float32 is one of steps where it has a resolution. In an object that says its shallow form, which is not what is drafted.
func (u *schemaUnit) float32(of *schemaDecl, item *schemaItem) written {
	resolution := attr(item.attrs, "resolution")
	if resolution == nil || of.word == "object" {
		if attr(item.attrs, "min") != nil && of.word != "object" {
			return written{text: "float32", doubt: fmt.Sprintf("a range of `%s` without a resolution is left out", clip(item.at.text))}
		}
		return written{text: "float32"}
	}
	var at [3]float64
	for i, key := range []string{"min", "max", "resolution"} {
		a := attr(item.attrs, key)
		if a == nil || a.value == nil {
			u.d.fail(item.at.span, "min, max and resolution go together, each with a value")
			return written{}
		}
		at[i] = u.value(a.value).asFloat()
	}
	lo, hi, step := float32(at[0]), float32(at[1]), float32(at[2])
	if !(lo < hi && step > 0 && hi-lo <= 3.4e38) {
		u.d.fail(item.at.span, "want min below max and a resolution above 0, got %v, %v and %v", at[0], at[1], at[2])
		return written{}
	}
	if u.d.rawFloats[item.at.span.Pos] {
		steps := wire.NewQuantized(lo, hi, step).Steps
		return written{text: fmt.Sprintf("int(0..%d)", steps), doubt: fmt.Sprintf(
			"`%s` has more steps than a float32 can tell apart: this is the step, and the value %v + step * %v / %d", clip(item.at.text), lo, hi-lo, steps)}
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	text := fmt.Sprintf("float(%s..%s, %s)", number(at[0]), number(at[1]), number(at[2]))
	return written{text: text, float: true}
}

func (u *schemaUnit) stringType(_ *schemaDecl, item *schemaItem) written {
	return written{text: u.d.textStruct(u.small(item.typ.args[0], "the size of a string", 1, syntax.MaxSource))}
}

func (u *schemaUnit) bytesType(_ *schemaDecl, item *schemaItem) written {
	n := u.small(item.typ.args[0], "the size of bytes", 1, syntax.MaxSource)
	if item.typ.array {
		return written{text: u.d.bytesStruct(n)}
	}
	return written{text: "bytes", size: n}
}

// fixedPoint writes fixed(I, F) and ufixed(I, F): the scaled integer, whose bounds are in whole units.
func fixedPoint(signed bool) func(*schemaUnit, *schemaDecl, *schemaItem) written {
	return func(u *schemaUnit, _ *schemaDecl, item *schemaItem) written {
		whole := u.small(item.typ.args[0], "the whole bits of a fixed point", 1, 128)
		fraction := u.small(item.typ.args[1], "its fraction's bits", 0, 127)
		if sum := whole + fraction; sum != 8 && sum != 16 && sum != 32 && sum != 64 && sum != 128 {
			u.d.fail(item.typ.word.span, "a fixed point has 8, 16, 32, 64 or 128 bits, got %d", sum)
			return written{}
		}
		least, most := span(uint(whole), signed)
		lo, hi, ok := u.bounds(item.attrs, item.at.span, least, most)
		if !ok {
			u.d.fail(item.at.span, "a fixed point has min and max")
			return written{}
		}
		scale := ""
		if fraction > 0 && fraction <= 62 {
			scale = fmt.Sprintf(" @scale(1/%d)", int64(1)<<fraction)
		}
		text, note := ranged(new(big.Int).Lsh(lo, uint(fraction)), new(big.Int).Lsh(hi, uint(fraction)), scale)
		if fraction > 0 && (note != "" || fraction > 62) {
			note += fmt.Sprintf(", divided by 2^%d", fraction)
		}
		return written{text: text, note: note, bitless: lo.Cmp(hi) == 0}
	}
}
