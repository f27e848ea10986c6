package main

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
)

// file is the path of NAME.EXTENSION.
func (e exhibit) file(extension string) string {
	dir := ".."
	if e.example {
		dir = filepath.Join(dir, "examples")
	}
	return filepath.Join(dir, e.name+"."+extension)
}

// paths are the paths that are compared, each with the marks of the ways in which it is.
func (e exhibit) paths(theirs []said) map[string][]string {
	compared := map[string][]string{}
	for _, words := range e.fields {
		for _, word := range strings.Fields(words) {
			path := strings.TrimLeft(word, marks)
			if mark := strings.TrimSuffix(word, path); !slices.Contains(compared[path], mark) {
				compared[path] = append(compared[path], mark)
			}
		}
	}
	for _, s := range theirs {
		if compared[s.path] == nil {
			compared[s.path] = []string{""}
		}
	}
	return compared
}

// marks stand before paths (exhibit.fields).
const marks = "#%@."

// besideTshark lists what tshark reads too, under -short one of it: each takes it a second.
func besideTshark() (list []exhibit) {
	for _, g := range exhibits {
		if g.fields != nil {
			list = append(list, g)
		}
	}
	return list[:need.Rounds(len(list), 1)]
}

// said is one line of a .fields file: frame, path, value.
type said struct {
	frame      int64
	path, text string
}

func (s said) String() string { return fmt.Sprintf("%d %s %s", s.frame, s.path, s.text) }

// Every packet that was recorded is accepted and encodes to itself, and its fields have the values that the other
// reader gave.
func TestGallery(t *testing.T) {
	for _, g := range exhibits {
		t.Run(g.name, func(t *testing.T) {
			if g.least == 0 {
				t.Skip("no program at hand sends it")
			}
			theirs := readFields(t, g)
			compared := g.paths(theirs)
			ours, frames := g.decodeCapture(t, compared)
			if !sameFields(t, theirs, ours, frames, g.differs) {
				return
			}
			for path := range compared {
				if !slices.ContainsFunc(theirs, func(s said) bool { return s.path == path }) {
					t.Errorf("no packet has %s", path)
				}
			}
		})
	}
}

// The recorded fields are what the tshark that is installed says.
//
//	UPDATE_FIELDS=NAME go test -run TestGalleryBesideTshark ./corpus/gen
//
// writes them.
func TestGalleryBesideTshark(t *testing.T) {
	for _, g := range besideTshark() {
		t.Run(g.name, func(t *testing.T) {
			if g.least == 0 {
				t.Skip("no program at hand sends it")
			}
			theirs := tsharkFields(t, g.file("pcap"), g)
			if os.Getenv("UPDATE_FIELDS") == g.name {
				text := "# " + tsharkVersion(t) + "\n"
				for _, line := range theirs {
					text += line.String() + "\n"
				}
				if err := os.WriteFile(g.file("fields"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			sameFields(t, readFields(t, g), theirs, 0, nil)
		})
	}
}

// Packets that the generator makes are well-formed for tshark too, and have the same fields.
func TestGalleryGenerated(t *testing.T) {
	need.Program(t, need.Tshark, "tshark")
	for _, g := range besideTshark() {
		t.Run(g.name, func(t *testing.T) {
			d := loadDecoder(t, g.name)
			path := filepath.Join(t.TempDir(), g.name+".pcapng")
			var file bytes.Buffer
			w := pcap.NewWriter(&file, pcap.Section{})
			var ours []said
			g.fields = g.allFields()
			compared := g.paths(nil)
			var trace decode.Trace
			n, count := int64(0), need.Rounds[int64](500, 50)
			made := count
			if g.skip != nil {
				made *= 8
			}
			for p, err := range fuzz.NewGenerator(d).Packets(1, made, nil) {
				if err != nil {
					t.Fatal(err)
				}
				if g.skip != nil && d.Decode(p.Data, p.From, &trace) == nil && g.skip(&trace) {
					continue
				}
				if n == count {
					break
				}
				n++
				// A client of its own for each packet: dissectors remember what was said before.
				client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 40000)
				server := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)}), d.Plan().Schema.Ports[0])
				src, dst := client, server
				if p.From == decode.Server {
					src, dst = server, client
				}
				if err := w.WriteUDP(n*1e9, src, dst, p.Data); err != nil {
					t.Fatal(err)
				}
				if err := d.Decode(p.Data, p.From, &trace); err != nil {
					t.Fatalf("packet %d: %v", n, err)
				}
				ours = append(ours, g.fieldsOf(n, &trace, compared)...)
			}
			if g.skip != nil && n < count {
				t.Errorf("%d packets, want %d", n, count)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			// Of what only its payload's dissector minds, one in ten may not even get that far.
			not, most := "_ws.malformed || !"+cmp.Or(g.proto, g.name), int64(0)
			if g.stricter != "" {
				not, most = "!"+cmp.Or(g.proto, g.name), n/10
			}
			refused := runTshark(t, append([]string{"-r", path, "-Y", not}, g.args...)...)
			if int64(bytes.Count(refused, []byte("\n"))) > most {
				t.Errorf("tshark takes no %s:\n%s", g.name, refused)
			}
			theirs := tsharkFields(t, path, g)
			if g.loose != "" {
				theirs, ours = only(theirs, g.firm), only(ours, g.firm)
				reached := map[int64]bool{} // of the others it takes none for one
				for _, s := range theirs {
					reached[s.frame] = true
				}
				ours = slices.DeleteFunc(ours, func(s said) bool { return !reached[s.frame] })
				if len(g.firm) > 0 && int64(len(theirs)) < n*9/10*int64(len(g.firm)) {
					t.Errorf("tshark has %d values of %d packets", len(theirs), n)
				}
			}
			sameFields(t, theirs, ours, 0, nil)
		})
	}
}

// only is what was said of some paths.
func only(list []said, paths []string) (kept []said) {
	for _, s := range list {
		if slices.Contains(paths, s.path) {
			kept = append(kept, s)
		}
	}
	return kept
}

// sameFields compares what two readers said, each in its own order within a packet and a field's occurrences in
// theirs, but for what is known to differ: of that all must be there.
func sameFields(t *testing.T, theirs, ours []said, frames int64, differs []difference) bool {
	t.Helper()
	type place struct {
		frame int64
		path  string
	}
	type pair struct{ theirs, ours []string }
	places, order := map[place]*pair{}, []place(nil)
	at := func(s said) *pair {
		p := place{s.frame, s.path}
		if places[p] == nil {
			places[p] = &pair{}
			order = append(order, p)
		}
		return places[p]
	}
	for _, s := range theirs {
		p := at(s)
		p.theirs = append(p.theirs, s.text)
	}
	for _, s := range ours {
		p := at(s)
		p.ours = append(p.ours, s.text)
	}
	first := func(list []string) string {
		if len(list) > 0 {
			return list[0]
		}
		return ""
	}
	const most = 20
	wrong, met := 0, map[int]map[int64]bool{}
	for _, p := range order {
		a, b := places[p].theirs, places[p].ours
		for len(a) > 0 || len(b) > 0 {
			if first(a) == first(b) {
				a, b = a[1:], b[1:]
				continue
			}
			known := slices.IndexFunc(differs, func(d difference) bool {
				return d.is(p.frame, p.path, first(a), first(b)) || d.is(p.frame, p.path, first(a), "") || d.is(p.frame, p.path, "", first(b))
			})
			if known < 0 {
				if wrong++; wrong < most {
					t.Errorf("%d %s: the other reader has %q, pktscope has %q", p.frame, p.path, first(a), first(b))
				}
				a, b = a[min(1, len(a)):], b[min(1, len(b)):]
				continue
			}
			if met[known] == nil {
				met[known] = map[int64]bool{}
			}
			met[known][p.frame] = true
			if differs[known].theirs != "" {
				a = a[1:]
			}
			if differs[known].ours != "" {
				b = b[1:]
			}
		}
	}
	for i, d := range differs {
		want := d.frames
		for n := int64(1); d.frames == nil && n <= frames; n++ {
			want = append(want, n)
		}
		for _, n := range want {
			if !met[i][n] {
				wrong++
				t.Errorf("%d %s: the readers agree, though %s", n, d.path, d.why)
			}
		}
	}
	return wrong == 0
}

// decodeCapture decodes a capture of the gallery and returns the fields, and how many packets there are.
func (e exhibit) decodeCapture(t *testing.T, compared map[string][]string) (ours []said, frames int64) {
	t.Helper()
	d := loadDecoder(t, e.name)
	file, err := os.ReadFile(e.file("pcap"))
	if err != nil {
		t.Fatal(err)
	}
	if len(file) > 64<<10 {
		t.Errorf("%d bytes of capture, at most 64 KiB", len(file))
	}
	var trace decode.Trace
	encoder := decode.NewEncoder(d)
	n := int64(0)
	for datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file))); ; n++ {
		dg, err := datagrams.Next()
		if err == io.EOF {
			break
		}
		if err != nil || dg.Cut || dg.LengthMismatch {
			t.Fatalf("packet %d: %v, %+v", n+1, err, dg)
		}
		from := decode.DirectionOf(d.Plan().Schema, dg.Src.Port(), dg.Dst.Port())
		if err := d.Decode(dg.Payload, from, &trace); err != nil {
			t.Errorf("packet %d, %x: %v", dg.N, dg.Payload, err)
			continue
		}
		if again, err := encoder.Append(nil, decode.Replay(&trace), from); err != nil || !bytes.Equal(again, dg.Payload) {
			t.Errorf("packet %d, %x: encodes to %x, %v", dg.N, dg.Payload, again, err)
		}
		ours = append(ours, e.fieldsOf(dg.N, &trace, compared)...)
	}
	if n < e.least {
		t.Errorf("%d packets, want at least %d", n, e.least)
	}
	return ours, n
}

// fieldsOf lists the fields of a packet that are compared.
func (e exhibit) fieldsOf(frame int64, trace *decode.Trace, compared map[string][]string) (list []said) {
	for f := range trace.Fields() {
		path := withoutIndexes(f.Path())
		for _, j := range e.joined {
			if rest, ok := strings.CutPrefix(path, j[0]); ok {
				path = j[1] + rest
			}
		}
		for _, mark := range compared[path] {
			text := plain(f.Value())
			if mark == "@" {
				text = clock(f.Value().String())
			}
			empty := text == "" || e.fields != nil && f.Width() == 0 && trace.Plan.Nodes[f.Node()].Value != nil
			if !empty { // tshark does not mention what is empty, be it a 0
				list = append(list, said{frame, path, text})
			}
		}
	}
	return list
}

// withoutIndexes makes `a[].b` of `a[3].b`.
func withoutIndexes(path string) string {
	var b strings.Builder
	for path != "" {
		before, rest, found := strings.Cut(path, "[")
		b.WriteString(before)
		if found {
			b.WriteString("[]")
			_, rest, _ = strings.Cut(rest, "]")
		}
		path = rest
	}
	return b.String()
}

// plain is a value in the one form that all readers are brought to: whole numbers in decimal, bytes in hex, text as it
// is.
func plain(v decode.Value) string {
	switch v.Form() {
	case plan.FormBytes:
		return fmt.Sprintf("%x", v.Bytes())
	case plan.FormText:
		return line(string(v.Bytes()))
	case plan.FormBool:
		return strconv.FormatUint(v.Uint(), 10)
	case plan.FormFloat:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	default:
		return string(v.AppendNumber(nil))
	}
}

// line brings a text to one line of ASCII: dissectors differ in what they take for a letter.
func line(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch n := utf8.RuneLen(r); {
		case r == utf8.RuneError:
			b.WriteByte('?')
		case r >= 0x80:
			b.WriteString("????"[:n])
		case r < ' ':
			fmt.Fprintf(&b, "\\x%02x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// readFields reads NAME.fields: a comment with the reader's version, then a line for each field.
func readFields(t *testing.T, e exhibit) (list []said) {
	t.Helper()
	text, err := os.ReadFile(e.file("fields"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		frame, rest, _ := strings.Cut(line, " ")
		path, value, ok := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(frame, 10, 64)
		if err != nil || !ok {
			t.Fatalf("%s.fields: %q: want a frame, a path and a value", e.name, line)
		}
		list = append(list, said{n, path, value})
	}
	return list
}

func tsharkVersion(t *testing.T) string {
	t.Helper()
	line, _, _ := strings.Cut(string(runTshark(t, "--version")), "\n")
	return strings.TrimSuffix(line, ".")
}

func runTshark(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command(need.Program(t, need.Tshark, "tshark"), append([]string{"-n"}, args...)...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("tshark %q: %v: %s", args, err, stderr.Bytes())
	}
	return out
}

// tsharkFields lists what tshark says of a capture, for the fields that are compared.
func tsharkFields(t *testing.T, path string, g exhibit) (list []said) {
	t.Helper()
	frame, skip := int64(0), 0 // skip: so many elements are open, from the one on that is not looked into
	pdml := runTshark(t, append([]string{"-r", path, "-T", "pdml"}, g.args...)...)
	for d := xml.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(pdml, []byte("\uFFFD")))); ; { // tshark cuts long text within a letter
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if _, end := token.(xml.EndElement); end && skip > 0 {
			skip--
		}
		if !ok {
			continue
		}
		a := map[string]string{}
		for _, at := range element.Attr {
			a[at.Name.Local] = at.Value
		}
		if skip > 0 || slices.Contains(g.inside, a["name"]) {
			skip++
			continue
		}
		if element.Name.Local == "packet" {
			frame++
		}
		if a["size"] == "0" { // it is from an earlier packet
			continue
		}
		for _, word := range strings.Fields(g.fields[a["name"]]) {
			path, text := strings.TrimLeft(word, marks), a["show"]
			switch strings.TrimSuffix(word, path) {
			case "#":
				text = shown("0x" + a["value"])
			case "%":
				text = a["value"]
			case "@":
				text = clock(text)
			case ".":
				text = shown(strings.NewReplacer("<Root>", "", " ", `\032`).Replace(text) + ".")
			default:
				text = shown(text)
			}
			if text != "" {
				list = append(list, said{frame, path, text})
			}
		}
	}
}

// clock brings a time that tshark or we show to one form, cut to microseconds, as one rounds and the other cuts; other
// texts are as they are.
func clock(text string) string {
	for _, form := range []string{"Jan _2, 2006 15:04:05.999999999 MST", time.RFC3339Nano} {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC().Format("2006-01-02T15:04:05.000000Z")
		}
	}
	return text
}

// colons is how tshark writes bytes and Ethernet addresses.
var colons = regexp.MustCompile(`^[0-9a-f]{2}(:[0-9a-f]{2})+$`)

// shown brings what tshark shows to the form of plain.
func shown(text string) string {
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		if n, err := strconv.ParseUint(hex, 16, 64); err == nil {
			return strconv.FormatUint(n, 10)
		}
	}
	if colons.MatchString(text) {
		return strings.ReplaceAll(text, ":", "")
	}
	return line(text)
}
