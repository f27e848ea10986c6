package syntax_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// A source with mistakes is refused with what Parse says of it.
func TestFormatRefuses(t *testing.T) {
	for _, src := range []string{
		"", "\x00", "protocol", "protocol t\npacket {", "protocol t\npacket { a }", "protocol t\npacket { a uint8; b uint8 }",
		"protocol t\npacket { /* c */ a uint8 }", "protocol t\npacket { a uint8 // \xff\n}", "\xef\xbb\xbfprotocol t\n",
		"protocol t\npacket\n{ a uint8 }", strings.Repeat(" ", syntax.MaxSource) + "protocol t",
	} {
		out, diags := syntax.Format("t.pks", []byte(src))
		_, want := syntax.Parse("t.pks", []byte(src))
		if out != nil || !syntax.HasErrors(diags) || !reflect.DeepEqual(diags, want) {
			t.Errorf("%.60q: got %q, %v; want %v", src, out, diags, want)
		}
	}
}

// What would grow past the limit of a source is refused before it is made: columns multiply, and so does indentation.
func TestFormatBounded(t *testing.T) {
	deep := strings.Repeat("if a {\n", 60)
	for name, src := range map[string]string{
		"columns":     "packet {\n" + strings.Repeat("x", 128) + " A\n" + strings.Repeat("a A\n", 9000) + "}",
		"comments":    "packet {\n" + strings.Repeat("a A // c\n", 1000) + "check \"" + strings.Repeat("x", 50_000) + "\" // c\n}",
		"indentation": "packet {\n" + deep + strings.Repeat("//\n", 100_000) + strings.Repeat("}\n", 60) + "}",
	} {
		out, diags := syntax.Format("t.pks", []byte("protocol t\n"+src))
		if out != nil || len(diags) != 1 || !strings.Contains(diags[0].Message, "more than the 1048576 bytes") {
			t.Errorf("%s: %d bytes, %v", name, len(out), diags)
		}
	}
}

// TestFormatGolden compares testdata/format/NAME.pks with NAME.golden.
func TestFormatGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/format/*.pks")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		src := read(t, file)
		want := read(t, strings.TrimSuffix(file, ".pks")+".golden")
		if got := checkFormat(t, src); got != string(want) {
			t.Errorf("%s: got\n%s", file, got)
		}
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The built-in protocols are written in the style.
func TestFormatBuiltins(t *testing.T) {
	files, err := filepath.Glob("../../protocols/*.pks")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if src := read(t, file); checkFormat(t, src) != string(src) {
			t.Errorf("%s is not formatted", file)
		}
	}
}

// repoSources are all schemas of the repository that parse.
func repoSources(t testing.TB) (list [][]byte) {
	t.Helper()
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".pks" {
			return err
		}
		if src := read(t, path); !syntax.HasErrors(second(syntax.Parse("", src))) {
			list = append(list, src)
		}
		return nil
	})
	if err != nil || len(list) < 12 {
		t.Fatalf("%d schemas, %v", len(list), err)
	}
	return list
}

func second[A, B any](_ A, b B) B { return b }

func TestFormatRepository(t *testing.T) {
	checked, planned := 0, 0
	for _, src := range repoSources(t) {
		m, p := sameMeaning(t, src, []byte(checkFormat(t, src)))
		checked, planned = checked+m, planned+p
	}
	if checked < 12 || planned < 8 {
		t.Errorf("only %d pass the checker and %d have a plan", checked, planned)
	}
}

func TestFormatRandom(t *testing.T) {
	n := need.Rounds(2_000, 100)
	checked, planned, comments := 0, 0, 0
	for seed := range n {
		src := []byte(randomSource(uint64(seed)))
		out := checkFormat(t, src)
		m, p := sameMeaning(t, src, []byte(out))
		if t.Failed() {
			t.Fatalf("seed %d:\n%s\n----\n%s", seed, src, out)
		}
		checked, planned, comments = checked+m, planned+p, comments+bytes.Count(src, []byte("//"))
	}
	t.Logf("of %d schemas %d pass the checker and %d have a plan; %d comments", n, checked, planned, comments)
	if checked < n/2 || planned < n/4 || comments < 5*n {
		t.Errorf("too few")
	}
}

// checkFormat checks what holds for every source that parses, and gives the formatted one.
func checkFormat(t *testing.T, src []byte) string {
	t.Helper()
	f, diags := syntax.Parse("t.pks", src)
	if syntax.HasErrors(diags) {
		t.Errorf("does not parse: %v", diags[0])
		return ""
	}
	was := bytes.Clone(src)
	out, diags := syntax.Format("t.pks", src)
	if out == nil {
		t.Errorf("refused: %v", diags)
		return ""
	}
	if !bytes.Equal(src, was) {
		t.Errorf("the source was changed")
	}
	again, diags := syntax.Format("t.pks", out)
	if !bytes.Equal(out, again) {
		t.Errorf("formatting twice gives %v\n%s", diags, again)
		return string(out)
	}
	checkStyle(t, string(out))
	g, _ := syntax.Parse("t.pks", out)
	sameComments(t, f, g)
	c := comparison{noDocs: mixed(src), seen: map[[2]uintptr]bool{}}
	if path := c.differ(reflect.ValueOf(f), reflect.ValueOf(g), "file"); path != "" {
		t.Errorf("the trees differ at %s", path)
	}
	return string(out)
}

func checkStyle(t *testing.T, out string) {
	t.Helper()
	if !strings.HasSuffix(out, "\n") || strings.HasSuffix(out, "\n\n") || strings.HasPrefix(out, "\n") || strings.Contains(out, "\n\n\n") {
		t.Errorf("empty lines")
	}
	for _, line := range strings.Split(out, "\n") {
		code := strings.TrimLeft(line, " ")
		if strings.TrimRight(line, " \t\r") != line || (len(line)-len(code))%4 != 0 || strings.HasPrefix(code, "\t") {
			t.Errorf("line %q", line)
		}
	}
}

func sameComments(t *testing.T, f, g *syntax.File) {
	t.Helper()
	if len(f.Comments) != len(g.Comments) {
		t.Errorf("%d comments became %d", len(f.Comments), len(g.Comments))
		return
	}
	for i, c := range f.Comments {
		if d := g.Comments[i]; trimmed(c.Text) != trimmed(d.Text) || c.Trailing != d.Trailing {
			t.Errorf("comment %d: %q (trailing %t) became %q (%t)", i, c.Text, c.Trailing, d.Text, d.Trailing)
		}
	}
}

// trimmed is a comment without the blanks at the ends of its lines.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r\v\f")
	}
	return strings.Join(lines, "\n")
}

// mixed reports whether a comment is after a `{` that is not the first thing on its line: Parse gives it to the
// item that begins the line, and once the two are on lines of their own, to the one with the brace.
var mixedLine = regexp.MustCompile(`(?m)[{},][^\n]*\{[ \t]*//`)

func mixed(src []byte) bool { return mixedLine.Match(src) }

var (
	spanType = reflect.TypeFor[schema.Span]()
	posType  = reflect.TypeFor[schema.Pos]()
	bigType  = reflect.TypeFor[big.Int]()
)

// comparison compares two trees or two models, which have the same pointers in the same places.
type comparison struct {
	noDocs bool
	seen   map[[2]uintptr]bool
}

// differ gives the path of the first difference, "" where there is none but in places and in the blanks of quotes.
func (c *comparison) differ(a, b reflect.Value, path string) string {
	if a.Kind() != b.Kind() || a.Type() != b.Type() {
		return path
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return path
			}
			return ""
		}
		at := [2]uintptr{a.Pointer(), b.Pointer()}
		if at[0] == at[1] || c.seen[at] { // one thing: a display is the same for all schemas, and has a function
			return ""
		}
		c.seen[at] = true
		return c.differ(a.Elem(), b.Elem(), path)
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return path
			}
			return ""
		}
		return c.differ(a.Elem(), b.Elem(), path)
	case reflect.Slice:
		if a.Len() != b.Len() {
			return path
		}
		for i := range a.Len() {
			if p := c.differ(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i)); p != "" {
				return p
			}
		}
	case reflect.Struct:
		return c.structs(a, b, path)
	default:
		if !a.Equal(b) {
			return path
		}
	}
	return ""
}

func (c *comparison) structs(a, b reflect.Value, path string) string {
	switch a.Type() {
	case spanType, posType:
		return ""
	case bigType:
		if a.Addr().Interface().(*big.Int).Cmp(b.Addr().Interface().(*big.Int)) != 0 {
			return path
		}
		return ""
	}
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		x, y, at := a.Field(i), b.Field(i), path+"."+name
		switch {
		case name == "Src", name == "Comments":
		case name == "Doc":
			if !c.noDocs && trimmed(x.String()) != trimmed(y.String()) {
				return fmt.Sprintf("%s: %q, %q", at, x, y)
			}
		case x.Kind() == reflect.String:
			if unspaced(x.String()) != unspaced(y.String()) {
				return at
			}
		default:
			if p := c.differ(x, y, at); p != "" {
				return p
			}
		}
	}
	return ""
}

var blankRun = regexp.MustCompile(`\s+`)

// unspaced is source text, as the model quotes it, without blanks.
func unspaced(s string) string { return blankRun.ReplaceAllString(s, "") }

// sameMeaning compares the checked models of two sources and their plans, and counts how many there are of each.
func sameMeaning(t *testing.T, a, b []byte) (checked, planned int) {
	t.Helper()
	x, _ := schema.Load("t.pks", a, nil)
	y, _ := schema.Load("t.pks", b, nil)
	if x == nil || y == nil {
		if x != y {
			t.Errorf("the checker refuses one of the two")
		}
		return 0, 0
	}
	c := comparison{noDocs: mixed(a), seen: map[[2]uintptr]bool{}}
	if path := c.differ(reflect.ValueOf(x), reflect.ValueOf(y), "schema"); path != "" {
		t.Errorf("the models differ at %s", path)
	}
	p, _ := plan.Compile(x)
	q, _ := plan.Compile(y)
	if p == nil || q == nil {
		if p != q {
			t.Errorf("one has a plan, the other has none")
		}
		return 1, 0
	}
	flat, again := ops.Lower(p), ops.Lower(q)
	if x, y := listing(t, flat), listing(t, again); x != y {
		t.Errorf("the plans differ:\n%s\n----\n%s", x, y)
	}
	if !reflect.DeepEqual(flat.Ops, again.Ops) || !reflect.DeepEqual(p.Leaves, q.Leaves) || !reflect.DeepEqual(p.Insts, q.Insts) ||
		p.Bound != q.Bound || p.Registers != q.Registers {
		t.Errorf("the ops differ")
	}
	return 1, 1
}

var lineNumber = regexp.MustCompile(`(?m)^ *\d+`)

// listing is the disassembly without its line numbers and without blanks: it quotes expressions as they are written.
func listing(t *testing.T, o *ops.Program) string {
	t.Helper()
	var b strings.Builder
	if err := o.Disassemble(&b); err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(" ", "", "\t", "").Replace(lineNumber.ReplaceAllString(b.String(), ""))
}

// FuzzFormat: whatever parses is formatted, once and for all, with the same tree and comments.
func FuzzFormat(f *testing.F) {
	for _, src := range repoSources(f) {
		f.Add(src)
	}
	for seed := range 100 {
		f.Add([]byte(randomSource(uint64(seed))))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 || syntax.HasErrors(second(syntax.Parse("", src))) {
			return // a short source does not grow past the limit, but for a few thousand columns of a thousand blanks
		}
		out, diags := syntax.Format("t.pks", src)
		if out == nil && len(diags) == 1 && strings.Contains(diags[0].Message, "more than the") {
			return
		}
		checkFormat(t, src)
	})
}
