package schemadoc

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/examples"

	"golang.org/x/net/html"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

var updateDocs = flag.Bool("update", false, "write the golden files of schema doc")

func docPlan(t *testing.T, name string, src []byte) *plan.Plan {
	t.Helper()
	s, diags := schema.Load(name, src, nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatal(diags)
	}
	return p
}

func markdownOf(t *testing.T, p *plan.Plan) string {
	t.Helper()
	var b strings.Builder
	if err := Markdown(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func htmlOf(t *testing.T, p *plan.Plan) string {
	t.Helper()
	var b strings.Builder
	if err := HTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hostilePlan is a schema whose author tries to get out of every place that shows text.
func hostilePlan(t *testing.T) *plan.Plan {
	t.Helper()
	src, err := os.ReadFile("testdata/hostile.pks")
	if err != nil {
		t.Fatal(err)
	}
	return docPlan(t, "hostile.pks", src)
}

func docPlans(t *testing.T) map[string]*plan.Plan {
	t.Helper()
	list := map[string]*plan.Plan{"hostile": hostilePlan(t)}
	for _, name := range corpus.Protocols() {
		src, _ := protocols.Source(name)
		list[name] = docPlan(t, name+".pks", src)
	}
	src, _ := protocols.Source("enet")
	list["enet"] = docPlan(t, "enet.pks", src)
	for _, name := range []string{"netcode", "reliable"} {
		src, _ := examples.Source(name)
		list[name] = docPlan(t, name+".pks", src)
	}
	return list
}

func TestHostileHTML(t *testing.T) {
	page := checkHTML(t, htmlOf(t, hostilePlan(t)))
	for _, want := range []string{
		"<script>alert(1)</script> <img src=x onerror=alert(2)> </style></body> <!-- & &amp; &#60;",
		"[link](http://evil.example/)", "{{.Policy}}", `\u202e override`, "</td></table> | a | b |", "× 0.5 <b>|`µ`\\u202e",
		`check "<script>` + "`|`" + `</script>"`, `"` + "`|</code><b>{{.}}" + `"`, "[a](javascript:alert(1)) |",
		"[msg](javascript:alert(2)) |", `uint32 0, "` + "`|</b>[x" + `"`, `"<script>` + "`|`" + `"`, "count count | 3", "<u>|`</td>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("not shown as text: %s", want)
		}
	}
}

// checkHTML parses a page back and checks what holds for every page; it gives the page's text.
func checkHTML(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	ids, hrefs := map[string]bool{}, []string{}
	policy, style := "", ""
	for n := range root.Descendants() {
		switch n.Type {
		case html.CommentNode:
			t.Errorf("comment %q", n.Data)
		case html.TextNode:
			if n.Parent.Data == "style" {
				style += n.Data
			} else {
				text.WriteString(n.Data)
			}
			for _, r := range n.Data {
				if r != '\n' && !unicode.IsPrint(r) {
					t.Errorf("%U in %q", r, n.Data)
				}
			}
		case html.ElementNode:
			if !docElements[n.Data] {
				t.Errorf("element %s", n.Data)
			}
			for _, a := range n.Attr {
				switch {
				case a.Key == "id" && ids[a.Val]:
					t.Errorf("two %s", a.Val)
				case a.Key == "id":
					ids[a.Val] = true
				case a.Key == "href":
					hrefs = append(hrefs, a.Val)
				case a.Key == "content" && strings.HasPrefix(a.Val, "default-src"):
					policy = a.Val
				case !docAttributes[a.Key]:
					t.Errorf("attribute %s=%q", a.Key, a.Val)
				}
			}
		}
	}
	for _, h := range hrefs {
		if !strings.HasPrefix(h, "#") || !ids[h[1:]] {
			t.Errorf("link to %q", h)
		}
	}
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("policy %s, want %s", policy, want)
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style loads something")
	}
	return text.String()
}

func wordsOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

var (
	docElements = wordsOf("html head meta title style body header h1 h2 h3 p nav ul li a main section article dl div dt dd strong " +
		"span code b table caption thead tbody tr th td")
	docAttributes = wordsOf("lang charset http-equiv content name class id scope colspan data-label aria-label aria-labelledby")
)

// In Markdown whatever the author wrote is after backslashes, in a code span that it cannot close, or made of
// references.
func TestHostileMarkdown(t *testing.T) {
	page := markdownOf(t, hostilePlan(t))
	checkMarkdown(t, page)
	for _, want := range []string{
		`\<script\>alert(1)\</script\> \<img src=x onerror=alert(2)\>`, `\<!-- \& \&amp; \&\#60;`,
		`\[link\](http\://evil.example/)`, `https\://evil.example/x www\.evil.example \@everyone`,
		"\\# heading \\`\\`\\` fence", `1\. list`, `\- item`, `\\u202e override`, `\</td\>\</table\> \| a \| b \|`,
		"<code>&#34;&#96;&#124;&#60;&#47;code&#62;&#60;b&#62;&#123;&#123;&#46;&#125;&#125;&#34;</code>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

var (
	fence    = regexp.MustCompile("(?ms)^```text\n.*?^```$")
	codeSpan = regexp.MustCompile("`[^`|\\\\\n]*`")
	escaped  = regexp.MustCompile(`\\.`)
	codeTags = regexp.MustCompile(`<code>([a-zA-Z0-9, ]|&#[0-9]+;|[^\x00-\x7f])*</code>`)
)

// checkMarkdown takes out what means nothing to Markdown and looks at the rest.
func checkMarkdown(t *testing.T, page string) {
	t.Helper()
	for _, r := range page {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U in the page", r)
		}
	}
	bare := fence.ReplaceAllString(page, "")
	bare = codeTags.ReplaceAllString(bare, "")
	bare = escaped.ReplaceAllString(bare, "")
	bare = codeSpan.ReplaceAllString(bare, "")
	if i := strings.IndexAny(bare, "`<>[]&@*_~$"); i >= 0 {
		t.Errorf("bare %q in %q", bare[i], bare[max(0, i-40):min(len(bare), i+40)])
	}
	if strings.Contains(bare, "://") || strings.Contains(bare, "www.") {
		t.Errorf("an autolink")
	}
	columns := 0
	for _, line := range strings.Split(bare, "\n") {
		n := strings.Count(line, "|")
		switch {
		case n == 0:
			columns = 0
		case columns == 0:
			columns = n
		case n != columns:
			t.Errorf("%d bars, not %d, in %q", n, columns, line)
		}
		if strings.HasPrefix(line, "#") && !headingLine.MatchString(line) || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "===") {
			t.Errorf("line %q", line)
		}
	}
}

var headingLine = regexp.MustCompile(`^#{1,3} [A-Za-z]*`)

func TestGolden(t *testing.T) {
	for name, p := range docPlans(t) {
		if name == "hostile" {
			continue
		}
		for ext, got := range map[string]string{".md": markdownOf(t, p), ".html": htmlOf(t, p)} {
			file := filepath.Join("testdata", "golden", name+ext)
			if *updateDocs {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs from what `schema doc` writes; see -update", file)
			}
		}
	}
}

// Every page keeps the promises, and the same schema gives the same page.
func TestEverySchema(t *testing.T) {
	files, err := filepath.Glob("../../decode/schema/testdata/check/ok/*.pks")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	plans := docPlans(t)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, diags := schema.Load(file, src, nil)
		if s == nil {
			t.Fatal(file, diags)
		}
		// Not all of them have a plan that stays within its limits; the page needs little of it.
		p, _ := plan.Compile(s)
		if p == nil {
			p = &plan.Plan{Schema: s}
		}
		plans[filepath.Base(file)] = p
	}
	for name, p := range plans {
		t.Run(name, func(t *testing.T) {
			page, doc := htmlOf(t, p), markdownOf(t, p)
			checkHTML(t, page)
			checkMarkdown(t, doc)
			checkGrids(t, doc)
			if page != htmlOf(t, p) || doc != markdownOf(t, p) {
				t.Error("two runs differ")
			}
		})
	}
}

// checkGrids checks that no line of a diagram is wider than its box.
func checkGrids(t *testing.T, doc string) {
	t.Helper()
	for _, grid := range fence.FindAllString(doc, -1) {
		for _, line := range strings.Split(grid, "\n") {
			if n := len([]rune(line)); strings.ContainsAny(line, "|/+") && !strings.HasPrefix(line, "Bit 0") && n > gridMargin+2*gridWidth+1 && !strings.Contains(line, " = ") {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}

// A diagram's cells add up to what the fields take, in each order.
func TestGrid(t *testing.T) {
	const body = "\npacket {\n version bits(2)\n padding bool\n count bits(4)\n long_name bool\n number uint16\n wide bits(40)\n data bytes(n, max 9)\n tail uint16\n}\n"
	for _, tt := range []struct{ order, want string }{
		{"msb", `
        0                   1                   2                   3
        0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
       +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
     0 | a |b| count |c|            number             |    (wide)     |
       +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+               |
    32 |                             wide                              |
       +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
       / data  bytes(count, max 9), 0..79 bits                         /
       +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    +0 |             tail              |
       +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

       a = version
       b = padding
       c = long_name
`},
		{"lsb", `
          3                   2                   1                   0
        1 0 9 8 7 6 5 4 3 2 1 0 9 8 7 6 5 4 3 2 1 0 9 8 7 6 5 4 3 2 1 0
       +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
     0 |    (wide)     |            number             |c| count |b| a |
       |               +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    32 |                             wide                              |
       +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
       / data  bytes(count, max 9), 0..79 bits                         /
       +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    +0                                 |             tail              |
                                       +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

       a = version
       b = padding
       c = long_name
`},
	} {
		src := "protocol g\norder " + tt.order + strings.Replace(body, "(n,", "(count,", 1)
		d := newPage(docPlan(t, "g.pks", []byte(src)))
		if got := "\n" + d.Packet[0].Grid.text(); got != tt.want {
			t.Errorf("%s: got\n%s", tt.order, got)
		}
	}
}

// Sizes count no padding where all is on bytes, nothing that no datagram holds, and what is in a window at least.
func TestSizes(t *testing.T) {
	for _, row := range []struct{ name, body, field, packet string }{
		{"texts on bytes", "a uint8\ns cstring(9)\nt cstring(5)", "| `t` | `cstring(5)` | 8..40 |", "Size: 24..120 bits."},
		{"texts after bits", "a bits(3)\ns cstring(9)", "| `s` | `cstring(9)` | 8..79 |", "Size: 16..80 bits."},
		{"more than a datagram", "a uint8\nb bytes(rest, max 70000)", "| `b` | `bytes(rest, max 70000)` | 0..4800 |", "Size: 8..4800 bits."},
		{"more than a datagram after bits", "a bits(3)\nb bytes(rest, max 70000)", "| `b` | `bytes(rest, max 70000)` | 0..4800 |", "Size: 8..4800 bits."},
		{"a window", "n uint8\nwithin(n) { x uint16\ny bytes(rest, max 40) }", "| · `y` |", "Size: 24..344 bits."},
		{"a zigzag", "z zigzag(5)", "| `z` | `zigzag(5)` | 8 |", "Size: 8 bits, 1 byte."},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, diags := schema.Load("s.pks", []byte("protocol s\norder lsb\nmax datagram 600\npacket {\n"+row.body+"\n}\n"), nil)
			if s == nil {
				t.Fatal(diags)
			}
			p, diags := plan.Compile(s)
			if p == nil {
				t.Fatal(diags)
			}
			page := markdownOf(t, p)
			for _, want := range []string{row.field, row.packet} {
				if !strings.Contains(page, want) {
					t.Errorf("no %q in\n%s", want, page)
				}
			}
		})
	}
}

// Structs that use each other twice on each level are two to the sixtieth on paper; each is looked at once.
func TestDoubling(t *testing.T) {
	var b strings.Builder
	b.WriteString("protocol d\norder msb\nstruct S0 { a uint8 }\n")
	for i := range 50 {
		fmt.Fprintf(&b, "struct S%d { a S%d, b S%d }\n", i+1, i, i)
	}
	b.WriteString("packet { a uint8 }\n")
	s, _ := schema.Load("d.pks", []byte(b.String()), nil)
	if s == nil {
		t.Fatal("refused")
	}
	if page := markdownOf(t, &plan.Plan{Schema: s}); !strings.Contains(page, "struct S50") {
		t.Error("no S50")
	}
}

// A rule has the name that a reject of it has.
func TestRules(t *testing.T) {
	src := `protocol r
order lsb
packet {
    few [1..3]uint8
    name string(10)
    align
    n uint8 in 0..4
    within(n) {
        check 0x12345678
    }
    require n != 3
    body switch n {
        4: { mode bool8, list [rest, max 9]uint8 }
    }
}
`
	d := newPage(docPlan(t, "r.pks", []byte(src)))
	got := map[string]string{}
	for _, row := range d.Rules.Listed.Rows {
		got[row.Cells[0].Text] = row.Cells[1].Text + "; " + row.Cells[2].Text
	}
	want := map[string]string{
		"few.count":    "out-of-range; 1..3",
		"name":         "bad-string; at most 9 bytes",
		"name.length":  "out-of-range; 0..9",
		"align#1":      "nonzero-padding; zeros",
		"n":            "out-of-range; 0..4",
		"within#1":     "past-end, trailing-bytes; a window that ends where its items do",
		"check#1":      "check-mismatch; ",
		"require@11":   "rule-broken; n != 3",
		"body":         "unknown-case; a tag that has an arm",
		"body<4>.mode": "out-of-range; 0 or 1",
		"body<4>.list": "out-of-range; at most 9 elements",
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: got %q, want %q", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
}

// No list of rules is longer than its bound, and it says how many are missing.
func TestManyRules(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("protocol m\norder msb\npacket {\n")
	for i := range maxRules + 7 {
		fmt.Fprintf(&b, "f%d uint8 in 0..3\n", i)
	}
	b.WriteString("}\n")
	d := newPage(docPlan(t, "m.pks", b.Bytes()))
	if len(d.Rules.Listed.Rows) != maxRules || d.Rules.More != 7 {
		t.Errorf("%d rules and %d more", len(d.Rules.Listed.Rows), d.Rules.More)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteError(t *testing.T) {
	p := hostilePlan(t)
	if Markdown(fullDisk{}, p) == nil || HTML(fullDisk{}, p) == nil {
		t.Error("no error")
	}
}
