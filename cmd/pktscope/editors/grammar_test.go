// Package editors tests the files for editors beside it; no program imports it.
//
//	vscode/      an extension: the grammar, the client of `pktscope lsp`, the problem matcher of `pktscope schema check`
//	vim/         syntax, file type, the compiler for :make, and Neovim's settings of `pktscope lsp`
//	tree-sitter/ the grammar, from which tree-sitter generates a parser, and what its nodes are to a highlighter
//
// The grammars have the words of the language again, because an editor cannot ask us: tests hold them to the grammar of
// the language page and to the scanner of decode/schema/syntax, on every .pks file of the repository.
package editors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The grammars have every word of the language.
func TestWords(t *testing.T) {
	for _, name := range []string{"vscode/syntaxes/pks.tmLanguage.json", "vim/syntax/pks.vim"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for word := range words(t) {
			if !regexp.MustCompile(`\b` + word + `\b`).Match(text) {
				t.Errorf("%s lacks %s", name, word)
			}
		}
	}
}

// What `pktscope lsp` completes are words of the grammar, by the checker's own lists.
func TestCompletedWords(t *testing.T) {
	all := words(t)
	for _, list := range [][]string{syntax.DeclWords, syntax.ItemWords, syntax.ValueWords, syntax.RuleWords, syntax.ExprWords, syntax.OrderWords, syntax.LimitWords, syntax.TypeWords()} {
		for _, word := range list {
			if !all[word] && !functions[word] {
				t.Errorf("%s is no word of the grammar", word)
			}
		}
	}
	for _, word := range schema.AnnotationWords() {
		if !strings.Contains(schema.Language, "`@"+word) {
			t.Errorf("the language page has no @%s", word)
		}
	}
}

// functions are what the grammar calls WORD "(" … ")".
var functions = map[string]bool{"peek": true, "tail": true, "prev": true, "from": true}

// token is a token as VS Code's tokenizer gives it.
type token struct {
	start  int // in UTF-16 units
	scopes string
}

func (t *token) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&t.start, &t.scopes})
}

// scopesAt are the scopes of a place of a line.
func scopesAt(line []token, column int) string {
	scopes := ""
	for _, t := range line {
		if t.start > column {
			break
		}
		scopes = t.scopes
	}
	return scopes
}

// wanted is what a lexeme's scopes must have one of; nil for what the grammar may colour as it likes.
func wanted(l syntax.Lexeme, before syntax.Token) []string {
	switch l.Kind {
	case syntax.TokenString:
		return []string{"string.quoted"}
	case syntax.TokenInt, syntax.TokenFloat, syntax.TokenDuration:
		return []string{"constant.numeric"}
	case syntax.TokenName:
		return []string{"entity.name.type"}
	case syntax.TokenWord:
		if before == syntax.TokenDot || before == syntax.TokenAt {
			return nil
		}
		switch l.Text {
		case "if", "else", "switch", "within", "let", "require", "align", "reserved", "check", "default", "until", "while", "in", "empty":
			return []string{"keyword.", "variable.other.field"}
		case "rest", "true", "false":
			return []string{"constant.language"}
		}
	}
	return nil
}

// VS Code's tokenizer, with the grammar, tells comments, strings, numbers, names and reserved words apart as our scanner
// does, in every schema of the repository, and finds nothing that it calls invalid.
func TestTextMate(t *testing.T) {
	node := need.Program(t, need.Node, "node")
	if out, err := exec.Command(node, "-e", "require('vscode-textmate'); require('vscode-oniguruma')").CombinedOutput(); err != nil {
		need.Skip(t, need.Node, fmt.Sprintf("no vscode-textmate in NODE_PATH: %.80s", out))
	}
	files := schemas(t)
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte(strings.Join(files, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, "testdata/tokens.js", list, "vscode/syntaxes/pks.tmLanguage.json").Output()
	if err != nil {
		t.Fatal(err)
	}
	results := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(results) != len(files) {
		t.Fatalf("%d files, %d results", len(files), len(results))
	}
	checked, types := map[syntax.Token]int{}, 0
	for i, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var lines [][]token
		if err := json.Unmarshal(results[i], &lines); err != nil {
			t.Fatal(err)
		}
		for n, line := range lines {
			for _, one := range line {
				if strings.Contains(one.scopes, "invalid") {
					t.Errorf("%s:%d: %s", name, n+1, one.scopes)
				}
			}
		}
		source := strings.Split(string(src), "\n")
		at := func(pos syntax.Pos) (scopes string) {
			line := source[pos.Line-1]
			return scopesAt(lines[pos.Line-1], len(utf16.Encode([]rune(line[:pos.Col-1]))))
		}
		lexemes, diags := syntax.Scan(src)
		if len(diags) > 0 {
			t.Fatalf("%s: %v", name, diags)
		}
		var before syntax.Token
		for _, l := range lexemes {
			if want := wanted(l, before); want != nil {
				checked[l.Kind]++
				scopes, ok := at(l.Pos), false
				for _, one := range want {
					ok = ok || strings.Contains(scopes, one)
				}
				if !ok || strings.Contains(scopes, "comment") {
					t.Errorf("%s:%d:%d: %s: got %q, want %v", name, l.Pos.Line, l.Pos.Col, l.Text, scopes, want)
				}
			}
			before = l.Kind
		}
		file, _ := syntax.Parse(name, src)
		for _, one := range marks(file) {
			want := map[mark]string{markField: "variable.other.field.pks", markType: "support.type.pks", markChecksum: "support.type.checksum.pks"}[one.is]
			if one.is != markField {
				types++
			}
			if scopes := at(one.pos); !strings.HasSuffix(scopes, want) {
				t.Errorf("%s:%d:%d: %s: got %q", name, one.pos.Line, one.pos.Col, want, scopes)
			}
		}
		for _, c := range file.Comments {
			checked[0]++
			if scopes := at(c.Pos); !strings.HasPrefix(scopes, "comment.") && !strings.Contains(scopes, " comment.") {
				t.Errorf("%s:%d: a comment: got %q", name, c.Pos.Line, scopes)
			}
		}
	}
	for _, kind := range []syntax.Token{0, syntax.TokenString, syntax.TokenInt, syntax.TokenFloat, syntax.TokenDuration, syntax.TokenName, syntax.TokenWord} {
		if checked[kind] < 10 {
			t.Errorf("only %d of %s were checked", checked[kind], kind)
		}
	}
	if types < 500 {
		t.Errorf("only %d types were checked", types)
	}
	t.Logf("%d schemas, %v, %d types", len(files), checked, types)
}
