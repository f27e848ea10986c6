package syntax

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// at is a diagnostic over the first occurrence of text in src.
func at(src, text string) Diagnostic {
	off := strings.Index(src, text)
	pos := func(off int) Pos {
		line := strings.Count(src[:off], "\n")
		return Pos{int32(off), int32(line + 1), int32(off - strings.LastIndex(src[:off], "\n"))}
	}
	return Diagnostic{Span: Span{pos(off), pos(off + len(text))}, Message: "bad"}
}

func TestAppendText(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, row := range []struct{ name, src, place, want string }{
		{"middle", "a\n  b unit8 c\n", "unit8", "f:2:5: error: bad\n  b unit8 c\n    ^^^^^\n"},
		{"tabs stay", "\tb\tunit8\n", "unit8", "f:1:4: error: bad\n\tb\tunit8\n\t \t^^^^^\n"},
		{"end of line", "ab\ncd", "\n", "f:1:3: error: bad\nab\n  ^\n"},
		{"several lines", "ab {\nc", "{\nc", "f:1:4: error: bad\nab {\n   ^\n"},
		{"no line end", "ab", "b", "f:1:2: error: bad\nab\n ^\n"},
		{"carriage return", "ab\r\n", "b", "f:1:2: error: bad\nab\n ^\n"},
		{"control", "\x1b[31m \x07x", "x", "f:1:8: error: bad\n\\x1b[31m \\x07x\n             ^\n"},
		{"on control", "a \x1b b", "\x1b", "f:1:3: error: bad\na \\x1b b\n  ^^^^\n"},
		{"bidi", "\u202ea b", "b", "f:1:6: error: bad\n\\u202ea b\n        ^\n"},
		{"combining", "e\u0301 b", "b", "f:1:5: error: bad\ne\\u0301 b\n        ^\n"},
		{"not UTF-8", "\xff\xc3 b", "b", "f:1:4: error: bad\n\\xff\\xc3 b\n         ^\n"},
		{"two cells", "日本 b", "b", "f:1:8: error: bad\n日本 b\n     ^\n"},
		{"one cell", "é b", "b", "f:1:4: error: bad\né b\n  ^\n"},
		{"tag", "\U000e0041 b", "b", "f:1:6: error: bad\n\\U000e0041 b\n           ^\n"},
		{"cut after", "b" + long, "b", "f:1:1: error: bad\nb" + long[:119] + "…\n^\n"},
		{"cut before", long + "b", "b", "f:1:501: error: bad\n…" + long[:119] + "b\n" + strings.Repeat(" ", 120) + "^\n"},
		{"cut both", long + "b" + long, "b", "f:1:501: error: bad\n…" + long[:40] + "b" + long[:79] + "…\n" + strings.Repeat(" ", 41) + "^\n"},
		{"wide span", long + "bb" + long, "bb" + long, "f:1:501: error: bad\n…" + long[:40] + "bb" + long[:78] + "…\n" +
			strings.Repeat(" ", 41) + strings.Repeat("^", 80) + "\n"},
	} {
		d := at(row.src, row.place)
		if got := string(d.AppendText(nil, "f", []byte(row.src))); got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.name, got, row.want)
		}
	}
}

func TestAppendHead(t *testing.T) {
	d := Diagnostic{Message: "x\x1b[0m", Fix: "y\u202e"}
	for _, row := range []struct {
		d          Diagnostic
		file, want string
	}{
		{d, "f", "f: error: x\\x1b[0m; y\\u202e"},
		{Diagnostic{Severity: Warning, Message: "m", Span: Span{Pos: Pos{0, 1, 2}}}, "a\nb", "a\\x0ab:1:2: warning: m"},
	} {
		if got := string(row.d.AppendLine([]byte("> "), row.file)); got != "> "+row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
	if got := string(d.AppendText(nil, "f", []byte("text"))); got != "f: error: x\\x1b[0m\nhelp: y\\u202e\n" {
		t.Errorf("without a place: %q", got)
	}
	far := Diagnostic{Span: Span{Pos{100, 5, 3}, Pos{103, 5, 6}}, Message: "m"}
	if got := string(far.AppendText(nil, "f", []byte("text"))); got != "f:5:3: error: m\n" {
		t.Errorf("with another source: %q", got)
	}
}

func TestEscapeText(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"", ""}, {"plain é 日本 \\x1b", "plain é 日本 \\x1b"}, {"a\tb\n", "a\\x09b\\x0a"}, {"\x7f\u0085\u00a0", "\\x7f\\u0085\\u00a0"},
		{"\u2028\u2066\u200b\ufeff", "\\u2028\\u2066\\u200b\\ufeff"}, {"\xf0\x9f", "\\xf0\\x9f"}, {"\ufffd", "\ufffd"},
		{"x ##[error]y", "x ##\\x5berror]y"}, {"###[x]", "###\\x5bx]"}, {"##VSO[task.x]", "##VSO\\x5btask.x]"}, {"##teamcity[x]", "##teamcity\\x5bx]"},
		{"#[x] ## [y] ##1[z]", "#[x] ## [y] ##1[z]"}, {"::error::x", "::error::x"},
	} {
		got := EscapeText(row.in)
		if got != row.want || EscapeText(got) != got {
			t.Errorf("%q: got %q, want %q", row.in, got, row.want)
		}
	}
}

// A line that a stranger's text begins is no order to a CI system.
func TestAppendLineStart(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"", ""}, {"a::b", "a::b"}, {":", ":"}, {"::error::x", "\\x3a:error::x"}, {" \t::x", " \\x09\\x3a:x"}, {"\u00a0::x", "\\u00a0\\x3a:x"},
	} {
		got := string(AppendLineStart(nil, row.in))
		if got != row.want || string(AppendLineStart(nil, got)) != got {
			t.Errorf("%q: got %q, want %q", row.in, got, row.want)
		}
	}
	d := Diagnostic{Span: Span{Pos{3, 1, 4}, Pos{8, 1, 9}}, Message: "m"}
	want := "\\x3a:f.pks:1:4: error: m\n \\x3a:error::##\\x5bx]\n      ^^^^^\n"
	if got := string(d.AppendText(nil, "::f.pks", []byte(" ::error::##[x]"))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAppendEscapedJSON(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{`{"a":["##[x]","##"],"b":[[1]]}`, `{"a":["##\u005bx]","##"],"b":[[1]]}`},
		{"\"e\u0301\u202e\x7f\U000e0001\"\n", `"e\u0301\u202e\u007f\udb40\udc01"` + "\n"},
	} {
		got := string(AppendEscapedJSON(nil, []byte(row.in)))
		if got != row.want {
			t.Errorf("%q: got %q, want %q", row.in, got, row.want)
		}
		var was, is any
		if json.Unmarshal([]byte(row.in), &was) != nil || json.Unmarshal([]byte(got), &is) != nil || !reflect.DeepEqual(was, is) {
			t.Errorf("%q means %v, not %v", got, is, was)
		}
	}
}

func TestSortDiagnostics(t *testing.T) {
	mk := func(off int32, s Severity, m string) Diagnostic {
		return Diagnostic{Span: Span{Pos: Pos{Off: off, Line: 1, Col: off + 1}}, Severity: s, Message: m}
	}
	list := []Diagnostic{mk(3, Error, "c"), mk(1, Warning, "a"), mk(3, Warning, "d"), mk(1, Warning, "b")}
	SortDiagnostics(list)
	order := ""
	for _, d := range list {
		order += d.Message
	}
	if order != "abcd" {
		t.Errorf("got %q", order)
	}
	if !HasErrors(list) || HasErrors(list[:2]) || HasErrors(nil) {
		t.Error("HasErrors")
	}
}
