package importer

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// The calls of Serialize functions that send something, and what each sends.

// calls writes what an expression of nothing but calls sends, `!serialize_int( … ) || !header.Serialize( … )`; false,
// and nothing is written, where it is another one.
func (w *cppSerialize) calls(toks []token) bool {
	type call struct {
		word token
		args [][]token
	}
	var found []call
	for i := 0; i < len(toks); {
		t := toks[i]
		if slices.ContainsFunc([]string{"!", "||", "&&", "(", ")", ";", "return", "==", "!=", "true", "false"}, t.is) {
			i++
			continue
		}
		end := i
		for end < len(toks) && (toks[end].kind == tokenWord || toks[end].is(".") || toks[end].is("->") || toks[end].is("[")) {
			if toks[end].is("[") {
				end = closed(toks, end) - 1
			}
			end++
		}
		behind := closed(toks, end)
		if behind == end {
			return false
		}
		word := toks[end-1]
		arguments := w.split(toks[end+1 : behind-1])
		switch object := end - 2; {
		case end == i+1 && strings.HasPrefix(word.text, "serialize_"):
			found = append(found, call{word, arguments})
		case object > i && (toks[object].is(".") || toks[object].is("->")) && (word.is("Serialize") || word.is("serialize")) && !toks[i].is("stream"):
			found = append(found, call{token{kind: tokenWord, text: "serialize_object", span: word.span},
				[][]token{nil, append(toks[i:object:object], token{})}})
		default:
			return false
		}
		i = behind
	}
	for _, one := range found {
		w.call(one.word, one.args)
	}
	return len(found) > 0
}

// closed is where what the bracket at i opens is closed, after that; i where none is there, or it is not closed.
func closed(toks []token, i int) int {
	if i >= len(toks) || !toks[i].is("(") && !toks[i].is("[") {
		return i
	}
	depth := 0
	for k := i; k < len(toks); k++ {
		switch t := toks[k]; {
		case t.is("("), t.is("["), t.is("{"):
			depth++
		case t.is(")"), t.is("]"), t.is("}"):
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	return i
}

// cppCalls are the calls that say what is sent in their arguments, after the stream: how many there are, and the type.
var cppCalls = map[string]struct {
	args  int
	write func(*cppSerialize, token, [][]token) string
}{
	"serialize_bool":             {1, fixedType("bool")},
	"serialize_float":            {1, fixedType("float32")},
	"serialize_double":           {1, fixedType("float64")},
	"serialize_uint8":            {1, fixedType("uint8")},
	"serialize_uint16":           {1, fixedType("uint16")},
	"serialize_uint32":           {1, fixedType("uint32")},
	"serialize_uint64":           {1, fixedType("uint64")},
	"serialize_int8":             {1, fixedType("int8")},
	"serialize_int16":            {1, fixedType("int16")},
	"serialize_int32":            {1, fixedType("int32")},
	"serialize_int":              {3, (*cppSerialize).rangedType},
	"serialize_int64":            {3, (*cppSerialize).rangedType},
	"serialize_bits":             {2, (*cppSerialize).bitsType},
	"serialize_compressed_float": {4, (*cppSerialize).floatType},
	"serialize_string":           {2, (*cppSerialize).stringType},
	"serialize_bytes":            {2, (*cppSerialize).bytesType},
	"serialize_object":           {1, (*cppSerialize).objectType},
}

func fixedType(text string) func(*cppSerialize, token, [][]token) string {
	return func(*cppSerialize, token, [][]token) string { return text }
}

// call writes one call.
func (w *cppSerialize) call(t token, args [][]token) {
	line := w.behind.tail
	if w.peek().is(";") {
		line = w.peek().tail
	}
	args = args[1:]
	switch t.text {
	case "serialize_align":
		w.d.printf("align%s", tail(line))
		return
	case "serialize_check":
		if len(args) > 0 && len(args[0]) == 2 && args[0][0].kind == tokenText {
			w.d.printf("check %s%s", args[0][0].text, tail(line))
			return
		}
		w.d.printf("check 0x12345678%s", tail(line))
		return
	case "serialize_int_relative":
		if len(args) == 2 { // the ladder is the same, whatever it counts from
			base, _ := w.number(args[0])
			if base == "" {
				base = "0"
				w.d.doubt(t.span, "what it counts from, `%s`, is not known: 0 stands for it, so the value is the difference", clip(joined(args[0])))
			}
			name := w.field(args[1])
			w.d.printf("%s relative(%s)%s", name, base, tail(line))
			return
		}
	}
	row, ok := cppCalls[t.text]
	if !ok || len(args) != row.args {
		w.d.doubt(t.span, "what `%s` sends is not known, so it is left out", clip(t.text))
		return
	}
	typ := row.write(w, t, args)
	if typ == "" {
		return
	}
	name := w.field(args[0])
	w.d.printf("%s %s%s", name, typ, tail(line))
}

// field takes the name of what is sent.
func (w *cppSerialize) field(toks []token) string {
	was := w.name(toks)
	if was == "" {
		was = "value"
	}
	name := w.taken.add(was)
	for i := len(toks) - 1; i >= 0; i-- {
		if toks[i].kind == tokenWord {
			w.fields[strings.TrimPrefix(toks[i].text, "m_")] = name
			break
		}
	}
	w.fields[was] = name
	return name
}

func (w *cppSerialize) rangedType(t token, args [][]token) string {
	lo, low := w.number(args[1])
	hi, high := w.number(args[2])
	switch {
	case low != nil && high != nil && low.Cmp(high) <= 0:
		return fmt.Sprintf("int(%s..%s)", lo, hi)
	case low != nil && high == nil && hi != "":
		return fmt.Sprintf("int(%s..%s)", lo, hi)
	}
	w.d.doubt(t.span, "the range %s..%s is not known: 0..255 stands for it", clip(joined(args[1])), clip(joined(args[2])))
	return "int(0..255)"
}

func (w *cppSerialize) bitsType(t token, args [][]token) string {
	return fmt.Sprintf("bits(%d)", w.constant(t, args[1], "how many bits it has", 64))
}

func (w *cppSerialize) floatType(t token, args [][]token) string {
	var text [3]string
	for i := range text {
		var ok bool
		if text[i], ok = w.f.float(args[i+1]); !ok {
			w.d.doubt(t.span, "`%s` is not known: this is how it would be without a range", clip(joined(args[i+1])))
			return "float32"
		}
	}
	return fmt.Sprintf("float(%s..%s, %s)", text[0], text[1], text[2])
}

func (w *cppSerialize) stringType(t token, args [][]token) string {
	n := w.constant(t, args[1], "the size of its buffer", 65536)
	w.d.doubt(t.span, "a text is taken for UTF-8: readers of the library do not look")
	return fmt.Sprintf("string(%d)", max(n, 2))
}

func (w *cppSerialize) bytesType(t token, args [][]token) string {
	if text, v := w.number(args[1]); v == nil && text != "" {
		for i := len(args[0]) - 1; i >= 0; i-- { // the member that they are read into has room for so many
			if m := w.of.member(args[0][i].text); m != nil && len(m.dims) == 1 {
				if v, ok := w.f.value(m.dims[0]); ok && v.Sign() > 0 && v.Cmp(big.NewInt(65507)) <= 0 {
					return fmt.Sprintf("bytes(%s, max %d)", text, v)
				}
			}
		}
		w.d.doubt(t.span, "the most bytes are not known: 1024 stands for it")
		return fmt.Sprintf("bytes(%s, max 1024)", text)
	}
	return fmt.Sprintf("bytes(%d)", w.constant(t, args[1], "how many bytes it has", 65536))
}

func (w *cppSerialize) objectType(t token, args [][]token) string {
	for k := len(args[0]) - 1; k >= 0; k-- {
		m := w.of.member(args[0][k].text)
		if m == nil {
			continue
		}
		if s := w.f.byName[typeWords(m.typ)]; s != nil && s != w.of {
			s.used = true
			return s.out
		}
	}
	w.d.doubt(t.span, "the type of `%s` is not in the header, so it is left out", clip(joined(args[0])))
	return ""
}
