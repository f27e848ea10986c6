package importer

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// cppSerialize writes what the body of a Serialize function sends, statement by statement.
type cppSerialize struct {
	cppParser
	of     *cppStruct
	taken  names
	fields map[string]string // names in the draft, by those in the source
}

// statements writes those up to the end of a block.
func (w *cppSerialize) statements() {
	for !w.ended() && !w.peek().is("}") && w.d.failed == nil {
		w.statement()
	}
}

func (w *cppSerialize) statement() {
	t := w.peek()
	w.d.from(t.span)
	w.d.lead(t.lead)
	at := w.at
	switch {
	case t.is("{"):
		w.next()
		w.nested(w.statements)
		w.want("}")
	case t.is("if"):
		w.branch()
	case t.is("for"):
		w.loop()
	case t.is("while"), t.is("do"), t.is("switch"), t.is("try"):
		w.next()
		if w.peek().is("(") {
			w.skip()
		}
		w.until(";", "{")
		w.skip()
		if w.sends(at) {
			w.d.doubt(t.span, "what is sent in this `%s` is left out", t.text)
		}
	case strings.HasPrefix(t.text, "serialize_") && w.toks[min(w.at+1, len(w.toks)-1)].is("("):
		w.next()
		w.call(t, w.arguments())
		w.accept(";")
	default:
		w.until(";", "{")
		if w.peek().is("{") {
			w.skip()
		}
		if !w.accept(";") && w.at == at {
			w.skip()
		}
		if toks := w.toks[at:w.at]; !w.calls(toks) && w.sends(at) {
			w.d.doubt(t.span, "what is sent here is not known, so it is left out: %s", clip(joined(toks)))
		}
	}
}

// sends reports whether the tokens from at on serialize something, or give the stream to something that may.
func (w *cppSerialize) sends(at int) bool {
	for i, t := range w.toks[at:w.at] {
		if t.kind != tokenWord || i == 0 && t.text == "return" {
			continue
		}
		low := strings.ToLower(t.text)
		if strings.HasPrefix(low, "serialize") || low == "stream" && at+i+1 < len(w.toks) && !w.toks[at+i+1].is(".") && !w.toks[at+i+1].is("::") {
			return true
		}
	}
	return false
}

func joined(toks []token) string {
	var words []string
	for _, t := range toks {
		if t.text != "" {
			words = append(words, t.text)
		}
	}
	return strings.Join(words, " ")
}

// arguments reads those of a call, each ended by a token of no kind.
func (w *cppSerialize) arguments() [][]token { return w.split(w.skip()) }

// split takes the arguments of a call apart.
func (w *cppSerialize) split(inner []token) (out [][]token) {
	depth, from := 0, 0
	for i, t := range inner {
		switch {
		case t.is("("), t.is("["), t.is("{"):
			depth++
		case t.is(")"), t.is("]"), t.is("}"):
			depth--
		case t.is(",") && depth == 0:
			out = append(out, append(inner[from:i:i], token{}))
			from = i + 1
		}
	}
	return append(out, append(inner[from:len(inner):len(inner)], token{}))
}

// name is the last name of an expression, with those of the structs before it: `m_data.position.x` is
// `data_position_x`; indexes, casts and `this` are left out.
func (w *cppSerialize) name(toks []token) string {
	var words []string
	depth := 0
	for i, t := range toks {
		switch {
		case t.is("("), t.is("["):
			depth++
		case t.is(")"), t.is("]"):
			depth--
		case t.kind == tokenWord && t.text != "this" && (depth == 0 || len(words) == 0 && depth == 1 && i == len(toks)-3):
			words = append(words, strings.TrimPrefix(t.text, "m_"))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return fieldName(strings.Join(words, "_"))
}

// number is the text of a constant of the language, or of an expression over fields that were read; "" where it is neither.
func (w *cppSerialize) number(toks []token) (text string, v *big.Int) {
	if v, ok := w.f.value(toks); ok && fitsInteger(v) {
		return v.String(), v
	}
	var out []string
	for _, t := range toks {
		switch {
		case t.kind == tokenMark && strings.Contains(" + - * ( ) ", " "+t.text+" "):
			out = append(out, t.text)
		case t.kind == tokenNumber:
			if v, ok := w.f.value([]token{t, {}}); ok {
				out = append(out, v.String())
			}
		case t.kind == tokenWord && w.fields[strings.TrimPrefix(t.text, "m_")] != "":
			out = append(out, w.fields[strings.TrimPrefix(t.text, "m_")])
		case t.kind == tokenEnd && t.text == "":
		default:
			return "", nil
		}
	}
	return strings.Join(out, " "), nil
}

// constant is number where it has to be a constant: what is not known is 1, with a doubt.
func (w *cppSerialize) constant(t token, toks []token, what string, most int64) int64 {
	if _, v := w.number(toks); v != nil && v.Sign() > 0 && v.Cmp(big.NewInt(most)) <= 0 {
		return v.Int64()
	}
	if len(toks) > 2 && toks[0].is("sizeof") { // of a member that is an array
		if m := w.of.member(toks[len(toks)-3].text); m != nil && len(m.dims) == 1 {
			if v, ok := w.f.value(m.dims[0]); ok && v.Sign() > 0 && v.Cmp(big.NewInt(most)) <= 0 {
				return v.Int64()
			}
		}
	}
	stand := min(most, 32)
	w.d.doubt(t.span, "%s, `%s`, is not known: %d stands for it", what, clip(joined(toks)), stand)
	return stand
}

// branch writes an `if` that fields decide. What one side of a stream alone does sends nothing.
func (w *cppSerialize) branch() {
	t := w.next()
	from := w.at
	cond := w.skip()
	if w.calls(cond) { // if ( !serialize_int( … ) ) return false;
		w.passStatement()
		return
	}
	for i, one := range cond { // if ( Stream::IsReading && !serialize_int( … ) ) return false;
		if strings.HasPrefix(one.text, "serialize_") && i+1 < len(cond) && cond[i+1].is("(") {
			inner := *w
			inner.toks = append(cond[i:len(cond):len(cond)], token{kind: tokenEnd, span: one.span})
			inner.at = 1
			inner.call(one, inner.arguments())
			w.passStatement()
			return
		}
	}
	text := w.condition(cond)
	at := w.at
	if text == "" {
		w.passStatement()
		for w.accept("else") {
			w.passStatement()
		}
		if w.sends(from) {
			w.d.doubt(t.span, "what is sent where `%s` holds is left out", clip(joined(w.toks[from:at])))
		} else if refuses(w.toks[at:w.at]) && !slices.ContainsFunc(cond, func(t token) bool { return t.is("IsWriting") }) {
			w.d.doubt(t.span, "what is refused where `%s` holds is left out: say it with `require`", clip(joined(w.toks[from:at])))
		}
		return
	}
	if refuses(w.toks[w.at:min(w.at+3, len(w.toks))]) { // if ( n > 10 ) return false;
		w.passStatement()
		w.d.printf("require !(%s)", text)
		return
	}
	w.d.printf("if %s {", text)
	w.nested(w.statement)
	if w.accept("else") {
		before := w.d.text.Len()
		w.d.printf("} else {")
		start := w.d.text.Len()
		if w.nested(w.statement); w.d.text.Len() == start {
			w.d.text.Truncate(before)
		}
	}
	w.d.printf("}")
}

// loopStart is the number that a loop's variable begins with; negative where it is not known.
func (w *cppSerialize) loopStart(head []token) int64 {
	for i, t := range head {
		if t.is(";") {
			break
		}
		if !t.is("=") {
			continue
		}
		end := i + 1
		for end < len(head) && !head[end].is(";") {
			end++
		}
		if v, ok := w.f.value(append(head[i+1:end:end], token{})); ok && v.IsInt64() {
			return max(v.Int64(), -1)
		}
	}
	return -1
}

// refuses reports whether statements return that a packet is refused.
func refuses(statements []token) bool {
	for i, t := range statements {
		if t.is("return") && i+1 < len(statements) && statements[i+1].is("false") {
			return true
		}
	}
	return false
}

// passStatement passes one statement, or block.
func (w *cppSerialize) passStatement() {
	if w.peek().is("{") {
		w.skip()
		return
	}
	if w.peek().is("if") || w.peek().is("for") || w.peek().is("while") {
		w.next()
		if w.peek().is("(") {
			w.skip()
		}
		w.nested(w.passStatement)
		return
	}
	w.until(";")
	w.accept(";")
}

// condition is a condition over fields that were read; "" where it is about more.
func (w *cppSerialize) condition(toks []token) string {
	var out []string
	for i, t := range toks {
		word := strings.TrimPrefix(t.text, "m_")
		switch {
		case t.kind == tokenMark && strings.Contains(" == != < <= > >= && || ! ( ) + - * ", " "+t.text+" "):
			out = append(out, t.text)
		case t.kind == tokenNumber, t.is("true"), t.is("false"):
			out = append(out, t.text)
		case t.is("this"), t.is("->"), t.is("::"):
		case t.kind == tokenWord && i+1 < len(toks) && (toks[i+1].is(".") || toks[i+1].is("->")):
			return ""
		case t.kind == tokenWord && w.fields[word] != "":
			out = append(out, w.fields[word])
		case t.kind == tokenWord && w.f.consts[t.text].value != nil:
			out = append(out, w.f.consts[t.text].value.String())
		default:
			return ""
		}
	}
	text := strings.Join(out, " ")
	return strings.ReplaceAll(text, "! ", "!")
}

// loop writes a `for` that counts up to a constant, or to a field.
func (w *cppSerialize) loop() {
	t := w.next()
	from := w.at
	head := w.skip()
	extent := ""
	for i, one := range head {
		if (one.is("<") || one.is("<=")) && i > 0 {
			end := i + 1
			for end < len(head) && !head[end].is(";") {
				end++
			}
			text, v := w.number(append(head[i+1:end:end], token{}))
			switch {
			case one.is("<=") || text == "":
			case v != nil && v.Sign() > 0 && v.BitLen() <= 20:
				extent = text
			case v == nil:
				extent = text
			}
			break
		}
	}
	at := w.at
	// A loop that begins at 1 runs one time less.
	if start := w.loopStart(head); extent != "" && start != 0 {
		if n, err := strconv.ParseInt(extent, 10, 64); err == nil && start > 0 && start < n {
			extent = strconv.FormatInt(n-start, 10)
		} else {
			w.d.doubt(t.span, "this loop does not begin at 0, so there are fewer elements than `%s`: %s", extent, clip(joined(w.toks[from:at])))
		}
	}
	if extent == "" {
		w.passStatement()
		if w.sends(at) {
			w.d.doubt(t.span, "what this loop sends is left out: how often it runs is not known: %s", clip(joined(w.toks[from:at])))
		}
		return
	}
	w.passStatement()
	if !w.sends(at) {
		return
	}
	w.at = at
	name := "list"
	for i := at; i < len(w.toks) && !w.toks[i].is(";"); i++ { // the first thing that is indexed
		if w.toks[i].is("[") && w.toks[i-1].kind == tokenWord {
			name = fieldName(strings.TrimPrefix(w.toks[i-1].text, "m_"))
			break
		}
	}
	name = w.taken.add(name)
	before := w.d.text.Len()
	w.d.printf("%s [%s]{", name, extent)
	inside := w.d.text.Len()
	outer, fields := w.taken, w.fields
	w.taken, w.fields = names{}, map[string]string{}
	for key, value := range fields {
		w.fields[key] = value
	}
	w.nested(w.statement)
	w.taken, w.fields = outer, fields
	// One field is the element itself.
	body := string(w.d.text.Bytes()[inside:])
	if onlyComments(body) { // what is sent is not known: that was said
		w.d.text.Truncate(before)
		w.d.text.WriteString(body)
		return
	}
	_, typ, _ := strings.Cut(body, " ")
	plain := strings.Count(body, "\n") == 1 && strings.Contains(body, " ") && !strings.HasPrefix(body, "//")
	for _, word := range []string{"if ", "align", "check ", "reserved"} {
		plain = plain && !strings.HasPrefix(body, word)
	}
	if plain {
		w.d.text.Truncate(before)
		w.d.printf("%s [%s]%s", name, extent, strings.TrimSuffix(typ, "\n"))
		return
	}
	w.d.printf("}")
}

// onlyComments reports whether lines of a draft send nothing.
func onlyComments(lines string) bool {
	for line := range strings.Lines(lines) {
		if !strings.HasPrefix(line, "//") {
			return false
		}
	}
	return true
}
