package editors

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Tree-sitter's grammar has every word of the language but the names of checksums, which are names to it.
func TestTreeSitterWords(t *testing.T) {
	text, err := os.ReadFile("tree-sitter/grammar.js")
	if err != nil {
		t.Fatal(err)
	}
	for word := range words(t) {
		if sum := slices.Contains(syntax.TypeWords(), word) && regexp.MustCompile(`^(crc|sum|xor|lrc|fletcher|adler|inet)[0-9]`).MatchString(word); !sum &&
			!strings.Contains(string(text), "'"+word+"'") {
			t.Errorf("tree-sitter/grammar.js lacks %s", word)
		}
	}
}

// namedAsWords has words of the grammar as names, and line ends that mean nothing.
const namedAsWords = `protocol open
state { each bool once, once bool, state Mode once }
packet {
    uint8 uint8, bits bits(4), optional optional A, subset bool, crc32 crc32, le uint16 le, type A, any G, order order2
    within(zeros zeros) { zeros uint8 }
    within(bits bits) {}
    let state.a = b + 1
    let state = none
    let state = nothing
    if has { c bool } // why

    // why not
    else if has state.room { d vec2({
        x int8
        y int8
    }) }
    f A @fragment(Game, id (a), index index, last !last), g A @fragment(Game, id - 1, offset
offset, total total)
    h relative(a
.
b)
    sealed sealed(n) xor { key key.pad, at start % 4 }
    case switch case { case: A, bits, max: B, case - 1..case.x: C }
}
`

// treeSitter runs tree-sitter on a copy of the grammar, with caches of its own.
func treeSitter(t *testing.T, program, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	out, err := cmd.Output()
	return string(out), err
}

// captureLine is what `tree-sitter query --captures` prints of a capture.
var captureLine = regexp.MustCompile(`^ +pattern: +\d+, capture: \d+ - ([a-z.]+), start: \((\d+), (\d+)\), end: \((\d+), (\d+)\)`)

// captureEnd is where the captures of the next file begin: with its path.
var captureEnd = regexp.MustCompile(`(?m)^/.*\.pks$`)

// The parser that tree-sitter generates reads every schema of the repository, and drawn ones, without an error, and what
// its highlights call a comment, a string, a number, a name, a field and a type is what our scanner and parser do.
func TestTreeSitter(t *testing.T) {
	program := need.Program(t, need.Node, "tree-sitter")
	need.Program(t, need.Node, "node") // which runs the grammar
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("tree-sitter")); err != nil {
		t.Fatal(err)
	}
	if out, err := treeSitter(t, program, dir, "generate"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	uncapturedWords(t, dir)

	files := schemas(t)
	for i := range files {
		files[i], _ = filepath.Abs(files[i])
	}
	for seed := range uint64(300) {
		name := filepath.Join(dir, fmt.Sprintf("drawn%d.pks", seed))
		source := anyschema.Source(anyschema.Seeded(seed), 8+int(seed)%50)
		if seed%2 == 1 {
			source = anyschema.Stateful(anyschema.Seeded(seed), 8+int(seed)%50)
		}
		if seed == 0 {
			source = namedAsWords
		}
		if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	if out, err := treeSitter(t, program, dir, append([]string{"parse", "--quiet"}, files...)...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := treeSitter(t, program, dir, append([]string{"query", "--captures", "queries/highlights.scm"}, files...)...)
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]int{}
	for _, name := range files {
		rest, ok := strings.CutPrefix(out, name+"\n")
		if !ok {
			t.Fatalf("want the captures of %s, got %.100q", name, out)
		}
		end := captureEnd.FindStringIndex(rest)
		if end == nil {
			end = []int{len(rest)}
		}
		judgeCaptures(t, name, rest[:end[0]], checked)
		out = rest[end[0]:]
	}
	for _, capture := range []string{"comment", "string", "number", "type", "property", "type.builtin", "keyword", "boolean"} {
		if checked[capture] < 10 {
			t.Errorf("only %d of %s were checked", checked[capture], capture)
		}
	}
	t.Logf("%d schemas, %v", len(files), checked)

	inNeovim(t, program, dir)

	broken := filepath.Join(dir, "broken.pks") // the check sees an error where there is one
	if err := os.WriteFile(broken, []byte("protocol x\npacket { a uint8(\n b bool }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := treeSitter(t, program, dir, "parse", "--quiet", broken); err == nil || !strings.Contains(out, "ERROR [1, ") {
		t.Errorf("a broken schema: %v\n%s", err, out)
	}
}

// inNeovim builds the parser as `pktscope lsp --help` says, and Neovim reads a schema with it and its queries.
func inNeovim(t *testing.T, program, dir string) {
	t.Helper()
	nvim := need.Program(t, need.Node, "nvim")
	if err := os.CopyFS(filepath.Join(dir, "rtp/queries/pks"), os.DirFS("tree-sitter/queries")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "rtp/parser"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := treeSitter(t, program, dir, "build", "-o", "rtp/parser/pks.so"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := `local tree = vim.treesitter.get_parser(0, "pks"):parse()[1]
local get = vim.treesitter.query and vim.treesitter.query.get or vim.treesitter.get_query
local n = 0
for _ in get("pks", "highlights"):iter_captures(tree:root(), 0, 0, -1) do n = n + 1 end
for _ in get("pks", "folds"):iter_captures(tree:root(), 0, 0, -1) do n = n + 1 end
io.stdout:write(tree:root():has_error() and "error" or "read", " ", n > 300 and "many" or n)
vim.cmd("qall!")
`
	if err := os.WriteFile(filepath.Join(dir, "look.lua"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	schema, _ := filepath.Abs("../../../corpus/examples/raknet.pks")
	cmd := exec.Command(nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", "set rtp^="+filepath.Join(dir, "rtp"), "-S", "look.lua", schema)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir)
	if out, err := cmd.Output(); err != nil || string(out) != "read many" {
		t.Errorf("Neovim: %v: want read many, got %q", err, out)
	}
}

// uncapturedWords complains of words of the grammar that the highlights leave without a colour.
func uncapturedWords(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "src/node-types.json"))
	if err != nil {
		t.Fatal(err)
	}
	var nodes []struct {
		Type  string
		Named bool
	}
	if err := json.Unmarshal(text, &nodes); err != nil {
		t.Fatal(err)
	}
	highlights, err := os.ReadFile("tree-sitter/queries/highlights.scm")
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for _, n := range nodes {
		if n.Named || !regexp.MustCompile(`^[a-z]`).MatchString(n.Type) || slices.Contains([]string{"le", "be", "lsb", "msb", "bousk", "true", "false"}, n.Type) {
			continue // those are nodes with names
		}
		words++
		if !strings.Contains(string(highlights), strconv.Quote(n.Type)) {
			t.Errorf("tree-sitter/queries/highlights.scm lacks %q", n.Type)
		}
	}
	if words < 80 {
		t.Errorf("the parser has %d words", words)
	}
}

// judgeCaptures holds the captures of a file to our scanner and parser, and counts what it compared.
func judgeCaptures(t *testing.T, name, out string, checked map[string]int) {
	t.Helper()
	type place struct{ line, col int }
	type span struct{ from, to place }
	captures, seen := map[place]string{}, map[span]bool{}
	for line := range strings.Lines(out) {
		m := captureLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		var at [4]int
		for i := range at {
			at[i], _ = strconv.Atoi(m[2+i])
		}
		from, to := place{at[0] + 1, at[1] + 1}, place{at[2] + 1, at[3] + 1}
		if seen[span{from, to}] {
			t.Errorf("%s:%d:%d: two captures", name, from.line, from.col)
		}
		seen[span{from, to}] = true
		captures[from] = m[1]
	}
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := func(pos syntax.Pos, text string, wants ...string) {
		got := captures[place{int(pos.Line), int(pos.Col)}]
		if !slices.Contains(wants, got) {
			t.Errorf("%s:%d:%d: %s: want %s, got %q", name, pos.Line, pos.Col, text, strings.Join(wants, " or "), got)
		}
		checked[got]++
	}
	lexemes, _ := syntax.Scan(src)
	var before syntax.Token
	last := ""
	for _, l := range lexemes {
		switch l.Kind {
		case syntax.TokenString:
			want(l.Pos, l.Text, "string")
		case syntax.TokenInt, syntax.TokenDuration:
			want(l.Pos, l.Text, "number")
		case syntax.TokenFloat:
			want(l.Pos, l.Text, "number.float")
		case syntax.TokenName:
			want(l.Pos, l.Text, "type")
		case syntax.TokenWord:
			switch l.Text {
			case "if", "else", "switch", "within", "let", "require", "align", "reserved", "check", "default", "until", "while", "in":
				if before != syntax.TokenDot && before != syntax.TokenAt && last != "protocol" {
					want(l.Pos, l.Text, "keyword", "keyword.operator", "keyword.modifier")
				}
			case "true", "false":
				want(l.Pos, l.Text, "boolean")
			case "rest":
				want(l.Pos, l.Text, "constant.builtin")
			}
		}
		before, last = l.Kind, l.Text
	}
	file, _ := syntax.Parse(name, src)
	for _, one := range marks(file) {
		want(one.pos, "a field or type", map[mark]string{markField: "property", markType: "type.builtin", markChecksum: "type.builtin"}[one.is])
	}
	for _, c := range file.Comments {
		want(c.Pos, "a comment", "comment")
	}
}
