package syntax

import (
	"runtime"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// nasty sources repeat something until the file is full. Each has to end with few messages and little memory.
var nasty = []struct {
	name, head, unit, tail string
	want                   string // one of the messages, "" when there is none
}{
	{"parentheses", "protocol t\nconst A = ", "(", "", "nested more than 64 deep"},
	{"closed parentheses", "protocol t\nconst A = ", "()", "", "want a value"},
	{"minus", "protocol t\nconst A = ", "-", "1", "nested more than 64 deep"},
	{"not", "protocol t\nconst A = ", "!", "1", "nested more than 64 deep"},
	{"calls", "protocol t\npacket { require ", "f(", "", "nested more than 64 deep"},
	{"sum", "protocol t\nconst A = 1", "+1", "", "at most 256 operators"},
	{"conjunction", "protocol t\npacket { require a", "&&a", "}", "at most 256 operators"},
	{"comparison", "protocol t\npacket { require a", "==a", "}", "comparisons do not chain"},
	{"path", "protocol t\nconst A = a", ".a", "", "nested more than 64 deep"},
	{"relative", "protocol t\npacket { x relative(a", ".a", ") }", "nested more than 64 deep"},
	{"braces", "protocol t\npacket ", "{", "", "a field starts with its name"},
	{"bodies", "protocol t\npacket {", "a{", "", "nested more than 64 deep"},
	{"bodies in lines", "protocol t\npacket {\n", "a {\n", "", "nested more than 64 deep"},
	{"ifs", "protocol t\npacket {", "if a{", "", "nested more than 64 deep"},
	{"else ifs", "protocol t\npacket { if a {}", "else if a {}", "}", "nested more than 64 deep"},
	{"else if words", "protocol t\npacket { if a {}", " else if", "}", "want a value"},
	{"withins", "protocol t\npacket {", "within(1){", "", "nested more than 64 deep"},
	{"switches", "protocol t\npacket {a ", "switch a{1:{a ", "", "nested more than 64 deep"},
	{"arrays", "protocol t\npacket { a ", "[4]", "bool }", "nested more than 64 deep"},
	{"optionals", "protocol t\npacket { a ", "optional ", "bool }", "nested more than 64 deep"},
	{"vectors", "protocol t\npacket { a ", "vec2(", "", "nested more than 64 deep"},
	{"brackets", "protocol t\npacket { a ", "[", "", "want a value"},
	{"counts", "protocol t\npacket { a [", "[a", "", "want a value"},
	{"open sets", "protocol t\npacket { a uint8 in ", "{", "", "want a value"},
	{"set", "protocol t\npacket { a uint8 in {1", ",1", "} }", ""},
	{"ports", "protocol t\nport 1", ",1", "", ""},
	{"fields", "protocol t\npacket {\n", "a A\n", "}\n", ""},
	{"arms", "protocol t\npacket { a switch a {\n", "1:A\n", "}}\n", ""},
	{"cases", "protocol t\nenum A : uint8 {", "A=1,", "}\n", ""},
	{"cases without values", "protocol t\nenum A {", "A,", "}\n", "has no value"},
	{"flags without values", "protocol t\nflags A : uint8 {", "A,", "}\n", "has no value"},
	{"C fields", "protocol t\npacket {\n", "uint8 a;\n", "}\n", "the name comes first"},
	{"breaks", "protocol t\npacket { a switch a {", "break;", "}}\n", "there is no `break`"},
	{"open strings", "protocol t\n", "packet { check \"}\n", "", "no closing quote"},
	{"directives", "protocol t\n", "#include\n", "", "there is no preprocessor"},
	{"namespaces", "protocol t\npacket { a A", "::A", "}\n", "there are no namespaces"},
	{"ports without commas", "protocol t\nport 1", " 1", "\n", "between two ports"},
	{"float arguments", "protocol t\npacket {\n", "a float(1, ", "}\n", "a range is written with"},
	{"annotations", "protocol t\npacket { a A ", "@a", "}\n", ""},
	{"arguments", "protocol t\npacket { a A(1", ",1", ")}\n", ""},
	{"structs", "protocol t\n", "struct A{}\n", "", ""},
	{"orders", "protocol t\n", "order lsb\n", "", ""},
	{"bad lines", "protocol t\n", "x y z\n", "", "too many errors"},
	{"bad fields", "protocol t\npacket {\n", "a 1\n", "}\n", "too many errors"},
	{"bad parentheses", "protocol t\npacket {\n", "a bits(4 x\n", "}\n", "too many errors"},
	{"unclosed at margin", "protocol t\n", "struct A {\n", "", "too many errors"},
	{"closing braces", "protocol t\n", "}", "", "closes nothing"},
	{"closing lines", "protocol t\n", "}\n", "", "closes nothing"},
	{"semicolons", "protocol t", ";", "", "too many errors"},
	{"quotes", "protocol t\nconst A = ", "\"", "", "want the end of the line"},
	{"escapes", "protocol t\nconst A = \"", "\\x41", "\"", ""},
	{"bad escapes", "protocol t\nconst A = \"", "\\q", "", "unknown escape"},
	{"indented under nothing", "protocol t\nfoo\n", " x (\n", "", "unknown declaration"},
	{"arms outside", "protocol t\npacket {\n", "1: (\n", "}\n", "an arm outside a switch"},
	{"illegal lines", "protocol t\npacket {\n", "a ? (\n", "}\n", "too many errors"},
	{"illegal items", "protocol t\npacket {", "a ? (, ", "}\n", "there is no operator"},
	{"illegal items closed", "protocol t\npacket {", "a ? b c, ", "}\n", "there is no operator"},
	{"margins", "protocol t\npacket {\n", "packet {}\n", "{{{{", "missing `}`"},
	{"type first", "protocol t\npacket {", "u8(,", "}\n", "want a type"},
	{"hashes", "protocol t\n", "#\n", "", "too many errors"},
	{"block comments", "protocol t\n", "/*", "", "`/*` starts no comment"},
	{"slashes", "protocol t\n", "/", "", ""},
	{"comments", "protocol t\n", "//\n", "order lsb", ""},
	{"newlines", "protocol t\n", "\n", "", ""},
	{"blanks", "protocol t\n", "\t ", "order lsb", ""},
	{"NULs", "protocol t\n", "\x00", "", "a NUL byte"},
	{"not UTF-8", "protocol t\n", "\xff", "", "is not UTF-8"},
	{"byte order marks", "protocol t\n", "\ufeff", "", "a byte order mark"},
	{"digits", "protocol t\nconst A = ", "9", "", "the number is too large"},
	{"long fraction", "protocol t\nconst A = 1.", "9", "", ""},
	{"points", "protocol t\nconst A = 1", ".1", "", "want the end of the line"},
	{"underscores", "protocol t\nconst A = 1", "_", "", "malformed number"},
	{"name", "protocol t\nconst A", "a", " = 1", "at most 128 characters"},
	{"word", "protocol t\npacket { a b", "b", "}", "unknown type"},
	{"capitals", "protocol t\npacket { a", "A", " bool }", "snake_case"},
	{"ats", "protocol t\npacket { a A ", "@", "}", "want an annotation's name"},
	{"dots", "protocol t\nconst A = 1", ".", "", "two dots"},
	{"elses", "protocol t\npacket {", "else\n", "}", "`else` without an `if`"},
}

// TestNasty reads a full file of each repetition. The bound on memory is a ratio to the source, garbage included: the
// densest trees have a node of some 100 bytes for two bytes of source, in slices that grow.
func TestNasty(t *testing.T) {
	const most = 400
	size := need.Rounds(256<<10, 16<<10)
	for _, n := range nasty {
		src := fillNasty(n.head, n.unit, n.tail, size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, diags := Parse("n.pks", src)
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) / uint64(size); used > most {
			t.Errorf("%s: allocated %d times the source, want at most %d", n.name, used, most)
		}
		found := n.want == "" && len(diags) == 0
		for _, d := range diags {
			found = found || n.want != "" && strings.Contains(d.Message, n.want)
		}
		if !found {
			t.Errorf("%s: want %q, got %s", n.name, n.want, render(diags[:min(3, len(diags))], "n.pks", src))
		}
		if len(diags) > 3 && diags[len(diags)-1].Message != "too many errors" {
			t.Errorf("%s: %d complaints", n.name, len(diags))
		}
		checkTail(t, src, diags)
	}
}

// checkTail renders the complaints about a large source.
func checkTail(t *testing.T, src []byte, diags []Diagnostic) {
	t.Helper()
	for _, d := range diags {
		text := d.AppendText(nil, "n.pks", src)
		checkText(t, text)
		if len(text) > 1000 {
			t.Errorf("%d bytes of text: %.200q", len(text), text)
		}
	}
}

func fillNasty(head, unit, tail string, size int) []byte {
	return []byte(head + strings.Repeat(unit, (size-len(head)-len(tail))/len(unit)) + tail)
}

// TestFull reads the deep ones at the largest size.
func TestFull(t *testing.T) {
	for _, n := range nasty[:need.Rounds(12, 1)] {
		_, diags := Parse("n.pks", fillNasty(n.head, n.unit, n.tail, MaxSource))
		if len(diags) == 0 || len(diags) > 3 {
			t.Errorf("%s: %d complaints", n.name, len(diags))
		}
	}
}

func TestTooLarge(t *testing.T) {
	for _, size := range []int{MaxSource, MaxSource + 1} {
		f, diags := Parse("n.pks", fillNasty("protocol t\n", "\n", "", size))
		if size <= MaxSource && len(diags) > 0 {
			t.Errorf("%d bytes: %v", size, diags)
		}
		if size > MaxSource && (len(diags) != 1 || !strings.Contains(diags[0].Message, "more than the 1048576") || f.Protocol.Text != "") {
			t.Errorf("%d bytes: %v", size, diags)
		}
	}
}

// TestNesting finds the limits exactly.
func TestNesting(t *testing.T) {
	rows := []struct {
		name, head, unit, mid, close, tail string
		most                               int
	}{
		{"bodies", "packet {", "a {", "", "}", "}", 63},
		{"parentheses", "const A = ", "(", "1", ")", "", 64},
		{"signs", "const A = ", "-", "1", "", "", 64},
		{"prefixes", "packet { a ", "[1]", "bool", "", "}", 63},
		{"else ifs", "packet { if a {}", " else if a {}", "", "", "}", 62},
		{"operators", "const A = 1", "+1", "", "", "", maxOperators},
		{"path", "const A = a", ".a", "", "", "", 63},
	}
	for _, row := range rows {
		for _, n := range []int{row.most, row.most + 1} {
			src := "protocol t\n" + row.head + strings.Repeat(row.unit, n) + row.mid + strings.Repeat(row.close, n) + row.tail
			_, diags := Parse("n.pks", []byte(src))
			if n == row.most && len(diags) > 0 || n > row.most && len(diags) != 1 {
				t.Errorf("%s: %d: %s", row.name, n, render(diags, "n.pks", []byte(src)))
			}
		}
	}
}

// TestTooMany stops after maxErrors complaints.
func TestTooMany(t *testing.T) {
	for n := MaxErrors; n <= MaxErrors+2; n++ {
		_, diags := Parse("n.pks", []byte("protocol t\n"+strings.Repeat("x y z\n", n)))
		want := min(n, MaxErrors+1)
		if len(diags) != want || (diags[len(diags)-1].Message == "too many errors") != (n > MaxErrors) {
			t.Errorf("%d mistakes: %d complaints, the last %q", n, len(diags), diags[len(diags)-1].Message)
		}
	}
}

// A capture where a schema is wanted gets one line.
func TestCaptureAsSource(t *testing.T) {
	for _, begin := range []string{"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "\x0a\x0d\x0d\x0a\x1c\x00\x00\x00", "\x1f\x8b\x08\x08\x9a\x7f\x16\x68", "\x28\xb5\x2f\xfd"} {
		_, diags := Parse("game.pcap", []byte(begin+strings.Repeat("\x00\xff", 1000)))
		if len(diags) != 1 || !strings.Contains(diags[0].Message, "no text") {
			t.Errorf("%q: got %v", begin, diags)
		}
	}
}
