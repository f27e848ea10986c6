package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What is no message ends the session with one line; what is a message of no form is answered, and the session goes on.
func TestNoMessages(t *testing.T) {
	framed := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for _, test := range []struct{ name, in, out, err string }{
		{"nothing", "", "", "the client ended without `shutdown`"},
		{"a head without end", strings.Repeat("a", 1<<20), "", "the head of a message has more than 4096 bytes"},
		{"heads without end", strings.Repeat("X-A: b\r\n", 1<<17), "", "the head of a message has more than 4096 bytes"},
		{"no length", "X-A: b\r\n\r\n{}", "", errNoLength.Error()},
		{"an empty head", "\r\n{}", "", errNoLength.Error()},
		{"a huge length", "Content-Length: 99999999999999999999\r\n\r\n", "", "Content-Length: want 0..16777216, got \"99999999999999999999\""},
		{"a large length", "Content-Length: 16777217\r\n\r\n", "", "Content-Length: want 0..16777216, got \"16777217\""},
		{"a negative length", "Content-Length: -1\r\n\r\n", "", "Content-Length: want 0..16777216, got \"-1\""},
		{"a length that is no number", "Content-Length: \x1b[31m\r\n\r\n", "", `Content-Length: want 0..16777216, got "\x1b[31m"`},
		{"cut in the head", "Content-Len", "", errNoLength.Error()},
		{"cut after the length", "Content-Length: 9\r\n", "", "unexpected EOF"},
		{"cut in the body", "Content-Length: 9\r\n\r\n{}", "", "unexpected EOF"},
		{"no JSON", framed("{") + framed(`\x00`) + framed(""), `"code":-32700`, "the client ended without `shutdown`"},
		{"JSON of another form", framed("[]") + framed("7") + framed(`{"method":7}`), `"code":-32600`, "the client ended without `shutdown`"},
		{"deep JSON", framed(strings.Repeat("[", 1<<20)), `"code":-32700`, "the client ended without `shutdown`"},
		{"deep params", framed(`{"id":1,"method":"initialize","params":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}"), `"code":-32602`, "the client ended without `shutdown`"},
		{"an answer to nothing", framed(`{"jsonrpc":"2.0","id":7,"result":{}}`), "", "the client ended without `shutdown`"},
		{"an ID of any form", framed(`{"id":{"a":[1]},"method":"x"}`), `"id":{"a":[1]}`, "the client ended without `shutdown`"},
		{"exit at once", framed(`{"method":"exit"}`), "", "the client ended without `shutdown`"},
	} {
		var out bytes.Buffer
		err := Serve(strings.NewReader(test.in), &out, Options{})
		if err == nil || err.Error() != test.err {
			t.Errorf("%s: %v, want %s", test.name, err, test.err)
		}
		if test.out == "" && out.Len() > 0 || !strings.Contains(out.String(), test.out) {
			t.Errorf("%s: %.300s", test.name, out.String())
		}
	}
}

// A client that does not read any more ends the session, too.
func TestClosedOutput(t *testing.T) {
	in := "Content-Length: 30\r\n\r\n" + `{"id":1,"method":"initialize"}`
	if err := Serve(strings.NewReader(in), brokenWriter{}, Options{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// texts are documents that nobody would write.
func texts() map[string]string {
	head := "protocol x\norder lsb\n"
	var structs, names strings.Builder
	for i := 0; structs.Len() < syntax.MaxSource-200; i++ {
		fmt.Fprintf(&structs, "struct S%d { a uint8, b bits(a) }\n", i)
	}
	for i := 0; names.Len() < syntax.MaxSource-200; i++ {
		fmt.Fprintf(&names, "a%d uint8,", i)
	}
	return map[string]string{
		"empty":          "",
		"NUL":            head + "packet { a\x00b uint8 }\x00",
		"invalid UTF-8":  head + "packet { a\xff\xfe uint8 // \xc3\n}",
		"deep braces":    head + "packet " + strings.Repeat("{ a ", 1<<18),
		"deep brackets":  head + "packet { a " + strings.Repeat("[", 1<<19),
		"deep parens":    head + "packet { a bits(" + strings.Repeat("(", 1<<19),
		"closing":        head + strings.Repeat("}", 1<<20-40),
		"many structs":   head + structs.String() + "packet { a uint8 }",
		"one line":       head + "packet { " + names.String() + " last uint8 }",
		"one name":       head + "const A = 1\npacket { " + strings.Repeat("reserved(A),", 80000) + " last bits(A) }",
		"one long word":  head + "packet { " + strings.Repeat("a", 1<<20-60) + " uint8 }",
		"one comment":    head + "//" + strings.Repeat("é😀", 150000) + "\npacket { a uint8 }",
		"dots":           head + "packet { a bits(a" + strings.Repeat(".a", 1<<18),
		"too large":      head + strings.Repeat("// more\n", 1<<18),
		"beyond keeping": strings.Repeat("x", maxText+1),
		"lines":          strings.Repeat("\r", 1<<20-10),
		"half typed":     head + "enum E : uint8 { A = \npacket { e E, body switch e { A: { x",
	}
}

// Every request about every such document ends in a bounded time, and the server answers shutdown after it.
func TestHostileDocuments(t *testing.T) {
	const most = 40 * time.Second // of a loaded machine: measured are at most 2
	for name, text := range texts() {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && len(text) > 1<<19 {
				t.Skip("large")
			}
			c := newClient(t, Options{Dir: func(string) fs.FS { return fstest.MapFS{} }})
			c.initialize()
			uri := "file:///x/a.pks"
			c.open(uri, text)
			lines := strings.Count(text, "\n")
			for method := range methods {
				for _, at := range []position{{0, 0}, {2, 25}, {lines, 1 << 30}} {
					begin := time.Now()
					err := c.call(method, map[string]any{"textDocument": map[string]any{"uri": uri}, "position": at, "newName": "other", "context": map[string]any{"includeDeclaration": true}}, nil)
					if took := time.Since(begin); took > most {
						t.Errorf("%s at %v: %s", method, at, took)
					} else if took > time.Second {
						t.Logf("%s at %v: %s", method, at, took)
					}
					var f *failure
					if err != nil && (!errors.As(err, &f) || f.Code != requestFailed || strings.ContainsAny(f.Message, "\n\x00\x1b")) {
						t.Errorf("%s: %v", method, err)
					}
				}
			}
			if err := c.call("shutdown", nil, nil); err != nil {
				t.Fatal(err)
			}
			c.notify("exit", nil)
			if err := c.finish(); err != nil {
				t.Error(err)
			}
		})
	}
}

// `shutdown` is answered while something long is waiting, and `exit` ends the server then.
func TestShutdownWaitsForNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of work")
	}
	c := newClient(t, Options{})
	c.initialize()
	large := texts()["many structs"]
	for i := range 12 { // each takes a check
		c.open(fmt.Sprintf("file:///%d/a.pks", i), large)
		c.write(fmt.Sprintf(`{"id":"hover %d","method":"textDocument/hover","params":{"textDocument":{"uri":"file:///%d/a.pks"}}}`, i, i))
	}
	begin := time.Now()
	if err := c.call("shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	c.notify("exit", nil)
	if err := c.finish(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("%s", took)
	}
}

// A request that is cancelled before its turn is not worked on.
func TestCancel(t *testing.T) {
	q := newQueue()
	first, second := &message{ID: []byte("1"), Method: "a", size: 1}, &message{ID: []byte("2"), Method: "b", size: 1}
	q.push(first)
	q.push(second)
	q.cancel([]byte("2"))
	q.cancel(nil)
	if q.pop(nil).cancelled || !q.pop(nil).cancelled {
		t.Error("the wrong one is cancelled")
	}
}

// Messages with hardly a body wait in bounded number, too.
func TestQueueCountsMessages(t *testing.T) {
	const most = maxQueued / overhead
	q, ended := newQueue(), make(chan error, 1)
	flood := strings.NewReader(strings.Repeat("Content-Length: 2\r\n\r\n{}", 2*most))
	go func() { ended <- (&server{}).read(bufio.NewReaderSize(flood, maxHead), q) }()
	deadline := time.After(time.Minute)
	for full := false; !full; {
		select {
		case err := <-ended:
			t.Fatalf("%d messages wait: %v", len(q.list), err)
		case <-deadline:
			t.Fatal("the queue is not filled")
		case <-time.After(time.Millisecond):
			q.mu.Lock()
			full = q.bytes+2+overhead > maxQueued
			q.mu.Unlock()
		}
	}
	if len(q.list) > most {
		t.Errorf("%d messages wait, at most %d should", len(q.list), most)
	}
	q.close()
	<-ended
}

// A change costs a check of its document and of those beside it that import something, however many others are open; and a reply waits for
// a bounded part of that.
func TestManyDocuments(t *testing.T) {
	var out bytes.Buffer
	text := "protocol x\norder lsb\npacket { a uint8 }\n// " + strings.Repeat("x", 52<<10) + "\n"
	s, d := local("/y/a.pks", text, nil)
	s.w = &out
	never := func(int) bool { return false }
	open := func(uri, text string) {
		s.didOpen(&request{TextDocument: textDocument{URI: uri, Text: text}})
	}
	for i := range 2 * maxKept / len(text) {
		open(fmt.Sprintf("file:///y/b%d.pks", i), text)
	}
	const importing = 100
	for i := range importing {
		open(fmt.Sprintf("file:///x/0%d.pks", i), "protocol y\norder lsb\nimport \"lent.pks\"\npacket { s S }\n")
	}
	lent := "protocol z\norder lsb\nstruct S { a uint8 }\n// " + strings.Repeat("x", 52<<10) + "\n"
	open("file:///x/lent.pks", lent)
	s.publish(never)
	change := func(uri string) {
		p := &request{TextDocument: textDocument{URI: uri}}
		p.ContentChanges = append(p.ContentChanges, struct {
			Range *span  `json:"range"`
			Text  string `json:"text"`
		}{&span{}, "\n"})
		s.didChange(p)
		out.Reset()
	}
	if change(d.uri); len(s.dirty) != 1 || s.dirty[0] != d {
		t.Errorf("a change makes %d documents unknown", len(s.dirty))
	}
	s.publish(never)
	if change("file:///x/lent.pks"); len(s.dirty) != 1+importing || s.dirty[0].uri != "file:///x/lent.pks" {
		t.Errorf("a change makes %d documents unknown, want it first, and %d others", len(s.dirty), importing)
	}
	// Its first answer comes after some of them, and the rest is told later.
	said := func() int { return strings.Count(out.String(), "publishDiagnostics") }
	s.publish(func(checked int) bool { return checked >= replyWork })
	if n := said(); n < replyWork/len(lent) || n > replyWork/len(lent)+2 {
		t.Errorf("%d documents are checked before a reply", n)
	}
	if s.publish(never); said() != 1+importing || len(s.dirty) != 0 {
		t.Errorf("%d documents are told of in the end, want %d", said(), 1+importing)
	}
	// A rename checks all of them, and refuses more than a bounded part.
	if _, err := s.rename(s.docs["file:///x/lent.pks"], &request{NewName: "T"}, strings.Index(lent, "S {")+1); err != errTooMany {
		t.Errorf("rename: %v", err)
	}
	for i := range maxDocuments {
		open(fmt.Sprintf("untitled:%d", i), "x")
	}
	if want := "this file is not checked: 1000 others are open; close some, then open it again"; !strings.Contains(out.String(), want) {
		t.Error("the client is not told of documents that are too many")
	}
}

// More documents than are kept, larger ones, and many edits at once: what is not kept is said, and a new text is kept.
func TestLimits(t *testing.T) {
	s, d := local("/x/a.pks", "protocol x\n", nil)
	for i := range maxDocuments + 10 {
		s.didOpen(&request{TextDocument: textDocument{URI: fmt.Sprintf("untitled:%d", i), Text: "x"}})
	}
	if len(s.docs) != maxDocuments {
		t.Errorf("%d documents", len(s.docs))
	}
	change := func(text string, n int) {
		p := &request{TextDocument: textDocument{URI: d.uri}}
		for range n {
			p.ContentChanges = append(p.ContentChanges, struct {
				Range *span  `json:"range"`
				Text  string `json:"text"`
			}{&span{}, text})
		}
		s.didChange(p)
	}
	change(strings.Repeat("x", maxText-len(d.text)-10), 1)
	if change("x", 10); d.lost {
		t.Error("lost too early")
	}
	change("x", 1)
	if list := s.diagnostics(d); !d.lost || len(list) != 1 || list[0].Message != "this text is too long to be kept: a schema has at most 1 MiB" {
		t.Errorf("%v %v", d.lost, list)
	}
	p := &request{TextDocument: textDocument{URI: d.uri}}
	p.ContentChanges = append(p.ContentChanges, struct {
		Range *span  `json:"range"`
		Text  string `json:"text"`
	}{nil, "protocol x\norder lsb\npacket { a uint8 }\n"})
	if s.didChange(p); d.lost || len(s.diagnostics(d)) != 0 {
		t.Error("a new text is not kept")
	}
	sum := 0
	for _, o := range s.docs {
		sum += len(o.text)
	}
	if sum != s.size {
		t.Errorf("%d bytes are counted of %d", s.size, sum)
	}
}

// Imports are files of the document's directory, and nothing else: what `schema check` says.
func TestImports(t *testing.T) {
	dir := fstest.MapFS{"b.pks": {Data: []byte("protocol b\norder lsb\nstruct B { a uint8 }\n")}, "dir.pks": {Mode: fs.ModeDir}, "pipe.pks": {Mode: fs.ModeNamedPipe}}
	for _, name := range []string{"b.pks", "c.pks", "../b.pks", "/etc/passwd", "dir.pks", "pipe.pks", "a.pks", "x/b.pks", `..\b.pks`} {
		text := "protocol a\norder lsb\nimport \"" + name + "\"\npacket { b B }\n"
		s, d := local("/x/a.pks", text, dir)
		if got, want := said(s, d), checked(dir, "a.pks", text); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	// What an editor has open counts, not what the disk has; what it closes is the disk's again.
	s, d := local("/x/a.pks", "protocol a\norder lsb\nimport \"b.pks\"\npacket { b B }\n", dir)
	if got := said(s, d); got != "" {
		t.Error(got)
	}
	s.didOpen(&request{TextDocument: textDocument{URI: "file:///x/b.pks", Text: "protocol b\norder lsb\nstruct C { a uint8 }\n"}})
	if got := said(s, d); !strings.Contains(got, "unknown type `B`") {
		t.Error(got)
	}
	s.didClose(&request{TextDocument: textDocument{URI: "file:///x/b.pks"}})
	if got := said(s, d); got != "" {
		t.Error(got)
	}
	// Other directories are not touched by it.
	s.didOpen(&request{TextDocument: textDocument{URI: "file:///y/b.pks", Text: "protocol b\norder lsb\n"}})
	if got := said(s, d); got != "" {
		t.Error(got)
	}
}

// After any edits the diagnostics are those that the same text has when it is checked as a whole.
func TestEditsAreTheText(t *testing.T) {
	all := schemas(t)["../../decode/protocols"]
	words := []string{"", "x", " ", "\n", "{", "}", "(", ")", "uint8", "struct S { ", "@", "é", "😀", "\r\n", "\"", "//", "in 0..9", "packet", "\x00", "state", "."}
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	for name, file := range all {
		if !testing.Short() || len(file.Data) < 3000 {
			editsAreTheText(t, random, rounds, name, string(file.Data), words)
		}
	}
}

func editsAreTheText(t *testing.T, random *rand.Rand, rounds int, name, text string, words []string) {
	t.Helper()
	s, d := local("/x/"+name, text, nil)
	s.wide = random.IntN(2) == 0
	for i := range rounds {
		// The place of an edit is made from offsets at the ends of characters by the same counting as an editor's.
		runes := []rune(text)
		a, b := random.IntN(len(runes)+1), 0
		if b = a + random.IntN(12); b > len(runes) || random.IntN(3) == 0 {
			b = a
		}
		for _, at := range []*int{&a, &b} { // an editor's place is not between CR and LF
			if *at > 0 && *at < len(runes) && runes[*at-1] == '\r' && runes[*at] == '\n' {
				*at--
			}
		}
		b = max(a, b)
		word := words[random.IntN(len(words))]
		at := span{placeOf(runes[:a], s.wide), placeOf(runes[:b], s.wide)}
		text = string(runes[:a]) + word + string(runes[b:])
		p := &request{TextDocument: textDocument{URI: d.uri}}
		p.ContentChanges = append(p.ContentChanges, struct {
			Range *span  `json:"range"`
			Text  string `json:"text"`
		}{&at, word})
		s.didChange(p)
		if d.text != text {
			t.Fatalf("%s, edit %d: %v %q gave another text", name, i, at, word)
		}
		if i%20 == 0 || i == rounds-1 {
			if got, want := said(s, d), beforeCR(checked(nil, name, text), text); got != want {
				t.Fatalf("%s, edit %d: got\n%s\nwant\n%s", name, i, got, want)
			}
		}
	}
}

var lineAndColumn = regexp.MustCompile(`(?m)^([^:\n]+):(\d+):(\d+):`)

// beforeCR has the places of a list that are between CR and LF, where an editor has none, before the CR.
func beforeCR(list, text string) string {
	lines := strings.Split(text, "\n")
	return lineAndColumn.ReplaceAllStringFunc(list, func(place string) string {
		m := lineAndColumn.FindStringSubmatch(place)
		n, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		if line := lines[n-1]; column == len(line)+1 && n < len(lines) && strings.HasSuffix(line, "\r") {
			column--
		}
		return fmt.Sprintf("%s:%d:%d:", m[1], n, column)
	})
}

// placeOf counts a place as an editor does, from all that is before it.
func placeOf(front []rune, wide bool) (p position) {
	for i, r := range front {
		switch {
		case r == '\n', r == '\r' && (i+1 == len(front) || front[i+1] != '\n'):
			p = position{p.Line + 1, 0}
		case r == '\r':
		case wide && r > 0xffff:
			p.Character += 2
		case wide:
			p.Character++
		default:
			p.Character += len(string(r))
		}
	}
	return p
}
