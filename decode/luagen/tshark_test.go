package luagen_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/luagen"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
)

// shown is a field of a packet that is no secret: where it is, what it is called by its value's text, what a filter
// compares with, and of flags each with whether it is set. Of a vector text is its parts, and there is no value.
type shown struct{ path, text, value, flags string }

// packet is what a dissector, or our own decoder, makes of one.
type packet struct {
	n                   int64
	verdict, kind, path string
	want, got           string // "" where all of it is a secret
	rest                string // what is said of the bits that were not decoded
	bit                 int
	fields              []shown
	vectors             []shown
	notes               []string
	trouble             string // what Lua says
	size                int
	messages            []packet
}

// script writes the dissector of a plan into a directory of the test, and gives its path.
func script(t testing.TB, p *plan.Plan) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), luagen.FileName(p))
	if err := os.WriteFile(file, []byte(luagen.Source(p, "-p x", "x.lua")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tshark runs tshark with the dissector of a plan over a capture, and hands its output to read.
func tshark(t testing.TB, p *plan.Plan, capture string, read func(io.Reader) error, args ...string) {
	t.Helper()
	program := need.Program(t, need.Tshark, "tshark")
	name := luagen.Name(p)
	if own, err := exec.Command(program, "-G", "protocols").Output(); err != nil {
		t.Fatal(err)
	} else if bytes.Contains(own, []byte("\t"+name+"\n")) {
		name = "pks_" + name
	}
	args = append([]string{"-n", "-r", capture, "-X", "lua_script:" + script(t, p), "-d", "udp.port==0-65535," + name}, args...)
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err = read(out)
	_, _ = io.Copy(io.Discard, out)
	if waited := cmd.Wait(); err != nil || waited != nil {
		t.Fatalf("tshark: %v, %v\n%.2000s", waited, err, stderr.String())
	}
	if strings.Contains(stderr.String(), "Lua") {
		t.Fatalf("tshark: %.2000s", stderr.String())
	}
}

// element is one of tshark's PDML.
type element struct {
	XMLName  xml.Name
	Name     string    `xml:"name,attr"`
	Label    string    `xml:"showname,attr"`
	Show     string    `xml:"show,attr"`
	Elements []element `xml:",any"`
}

// pattern is the bits that a label begins with; own are the items that are no fields.
var (
	pattern = regexp.MustCompile(`^(?:[01.]{4} [01.]{4} )+= `)
	parted  = regexp.MustCompile(`^(?:x|largest) `)
	flag    = regexp.MustCompile(`^[01. ]+ = (\w+): (set|not set)$`)
	own     = regexp.MustCompile(`^(?:verdict|reject.*|note\.kind|padding|reserved|not_decoded|message|.*\.present|.*(?:check|reserved|align)_\d+)$`)
)

// collect adds the fields of an element.
func (p *packet) collect(e *element, name, above string) {
	if strings.Contains(e.Show, "Lua Error") {
		p.trouble = e.Show
	}
	if e.Name == "_ws.expert" || e.Name == "_ws.lua.fake" {
		return
	}
	filter, ours := strings.CutPrefix(e.Name, name+".")
	label := pattern.ReplaceAllString(e.Label, "")
	if e.Name == "" {
		label = e.Show
	}
	switch {
	case filter == "verdict":
		p.verdict = e.Show
		return
	case filter == "reject.kind":
		p.kind = e.Show
	case filter == "reject.want":
		p.want = e.Show
	case filter == "reject.got":
		p.got = e.Show
	case filter == "reject.path":
		p.path = e.Show
	case filter == "reject.bit":
		p.bit, _ = strconv.Atoi(e.Show)
	case filter == "not_decoded":
		p.rest = e.Label
	case filter == "note.kind":
		p.notes = append(p.notes, e.Show)
	}
	path := above
	if e.Name != name && !(ours && own.MatchString(filter)) {
		step, text, leaf := strings.Cut(label, ": ")
		if strings.HasPrefix(step, "[") || above == "" {
			path += step
		} else {
			path += "." + step
		}
		if leaf && ours && !strings.HasPrefix(strings.TrimPrefix(text, "= "), "‹secret") && (!group(e) || holds(e, name)) {
			f := shown{path: path, text: text, value: e.Show}
			for i := range e.Elements {
				in := &e.Elements[i]
				words := flag.FindStringSubmatch(in.Label)
				if words == nil || !strings.Contains(in.Name, "."+words[1]) {
					continue
				}
				f.flags += fmt.Sprintf("%s=%t ", words[1], words[2] == "set")
				if set := in.Show == "1" || in.Show == "True"; set != (words[2] == "set") {
					p.trouble = fmt.Sprintf("%s: %s, and a filter sees %s", path, in.Label, in.Show)
				}
			}
			p.fields = append(p.fields, f)
			if f.flags != "" {
				return
			}
		} else if leaf && (e.Name == "" || ours && group(e)) {
			if arm, after, ok := strings.Cut(text, ": "); ok && !strings.Contains(arm, " ") { // the case that it is in
				text = after
			}
			if parted.MatchString(text) {
				p.vectors = append(p.vectors, shown{path: path, text: text})
			}
		}
	}
	if holds(e, name) {
		inner := packet{bit: -1}
		for i := range e.Elements {
			inner.collect(&e.Elements[i], name, "")
		}
		p.messages = append(p.messages, inner)
		return
	}
	for i := range e.Elements {
		p.collect(&e.Elements[i], name, path)
	}
}

// holds reports whether an element is a field that holds a message, whose fields are under it.
func holds(e *element, name string) bool {
	return len(e.Elements) > 0 && e.Elements[0].Name == name+".message"
}

// group reports whether an element is a struct or a list: those have no value.
func group(e *element) bool {
	return e.Show == "" && !strings.HasSuffix(e.Label, `: ""`) && !strings.HasSuffix(e.Label, ": empty")
}

// readPDML hands over what tshark made of each packet.
func readPDML(name string, yield func(*packet)) func(io.Reader) error {
	return func(r io.Reader) error {
		d := xml.NewDecoder(r)
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if start, ok := token.(xml.StartElement); !ok || start.Name.Local != "packet" {
				continue
			} else {
				var e element
				if err := d.DecodeElement(&e, &start); err != nil {
					return err
				}
				p := packet{bit: -1}
				for i := range e.Elements {
					switch proto := &e.Elements[i]; proto.Name {
					case "geninfo":
						for _, f := range proto.Elements {
							if f.Name == "num" {
								p.n, _ = strconv.ParseInt(f.Show, 0, 64)
							}
						}
					case name, "pks_" + name:
						p.collect(proto, proto.Name, "")
					case "fake-field-wrapper":
						p.collect(proto, name, "")
					}
				}
				yield(&p)
			}
		}
	}
}

// expected is what our decoder makes of a packet, in the shape of what tshark shows.
func expected(d *decode.Decoder, t *decode.Trace, data []byte, size int, from decode.Direction, cut bool) packet {
	p := packet{bit: -1, size: size}
	d.Read(&decode.Packet{Data: data, Size: size, From: from}, t)
	p.verdict = (&decode.Envelope{Cut: cut}).Verdict(t).String()
	if p.verdict == "accept" && d.Stateful() && !d.Steers() { // the numbers of its pieces may refuse it: nothing else of its flow may
		var alone decode.Trace
		if err := flow.New(d, flow.Limits{}).Decode(&decode.Packet{Data: data, Size: size, From: from}, &decode.Envelope{}, &alone); errors.Is(err, reject.Fragment) {
			*t, p.verdict = alone, "reject"
			t.Reject().By = t
		}
	}
	if r := t.Reject(); r != nil && p.verdict == "reject" {
		p.kind, p.bit, p.path = r.Kind.String(), r.Bit, r.Path()
		if p.want = r.Want(); p.want == reject.Masked {
			p.want = ""
		}
		if p.got = r.Got(); p.got == reject.Masked {
			p.got = ""
		}
		from := t.Bits
		if r.Bit >= from {
			from = min(r.Bit+r.Width, 8*len(data))
		}
		switch left := 8*len(data) - from; {
		case left <= 0:
		case r.HidesWidth() || t.EndsEarly() || d.Plan().LeftSecret(r.At.Point) || d.Plan().DecisionAt(r.At.Point) != nil:
			p.rest = "not decoded"
		case left == 1:
			p.rest = "not decoded: 1 bit"
		default:
			p.rest = fmt.Sprintf("not decoded: %d bits", left)
		}
	}
	if t.Reject() == nil {
		for _, n := range t.Notes {
			p.notes = append(p.notes, n.Kind.String())
		}
	}
	p.fields, p.vectors = fieldsOf(d, t)
	for i := range t.Fragments {
		var inner decode.Trace
		if f := &t.Fragments[i]; f.Whole() && t.Reject() == nil {
			data := bytes.Clone(t.Bytes(int(f.Record), new([]byte)))
			m := expected(d.Sections()[f.Section], &inner, data, len(data), from, false)
			m.verdict = ""
			p.messages = append(p.messages, m)
		}
	}
	return p
}

// fieldsOf are the fields of a packet that was read, and the counts, lengths and ends beside them.
func fieldsOf(d *decode.Decoder, t *decode.Trace) (fields, vectors []shown) {
	for ev := range t.Walk() {
		n := &d.Plan().Nodes[ev.Node]
		if ev.Kind != decode.Leaf && ev.Kind != decode.Blob && !(ev.Kind == decode.Item && ev.Leaf >= 0) {
			continue
		}
		v := t.Value(ev)
		if ev.Kind == decode.Item && (v.Form() == decode.FormBool || v.Form() == decode.FormHex) {
			continue
		}
		if n.Secret || n.Decided {
			continue
		}
		f := shown{path: string(t.AppendEventPath(nil, ev))}
		f.text = v.String()
		switch v.Form() {
		case decode.FormText:
			f.value = "text " + string(v.Bytes())
		case decode.FormBytes:
			f.value = "bytes " + hex.EncodeToString(ev.Data)
		case decode.FormFloat:
			f.value = "float " + strconv.FormatFloat(v.Float(), 'g', -1, 64)
		case decode.FormBool:
			f.value = "int " + strconv.FormatUint(v.Uint(), 10)
		default:
			f.value = "int " + string(v.AppendNumber(nil))
		}
		if v.Form() == decode.FormFlags {
			set := names(v.AppendJSON(nil))
			for _, c := range d.Plan().Info[ev.Leaf].Cases.List {
				f.flags += fmt.Sprintf("%s=%t ", c.Name, slices.Contains(set, c.Name))
			}
		}
		if at := strings.LastIndexByte(f.path, '.'); at >= 0 && parts(&d.Plan().Nodes[n.Parent]) {
			if last := len(vectors) - 1; last < 0 || vectors[last].path != f.path[:at] {
				vectors = append(vectors, shown{path: f.path[:at], text: n.Name + " " + f.text})
			} else {
				vectors[last].text += ", " + n.Name + " " + f.text
			}
		}
		if notes := n.Annotations; notes != nil && notes.Scale != 0 && n.Display == nil && (v.Form() == decode.FormUint || v.Form() == decode.FormInt) {
			f.text = strconv.FormatFloat(v.Float()*notes.Scale, 'g', 12, 64)
		}
		if n.Display != nil && n.Display.Word != "hex" {
			f.value = "text " + f.text
		}
		fields = append(fields, f)
	}
	return fields, vectors
}

// names are the strings in a JSON value.
func names(b []byte) (all []string) {
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		token, err := d.Token()
		if err != nil {
			return all
		}
		if name, ok := token.(string); ok {
			all = append(all, name)
		}
	}
}

// parts reports whether a node is a vector or a quaternion.
func parts(n *plan.Node) bool {
	if n.Kind != plan.NodeStruct || n.Value == nil {
		return false
	}
	_, smallest := n.Value.Type.(*schema.SmallestType)
	return smallest || n.IsVector()
}

// differs says in what tshark's packet is another one than ours, "" for nothing.
func differs(got, want *packet) string {
	if got.trouble != "" {
		return got.trouble
	}
	if got.verdict != want.verdict || got.kind != want.kind || got.bit != want.bit || got.path != want.path {
		return fmt.Sprintf("%s %s at bit %d of %q, want %s %s at bit %d of %q", got.verdict, got.kind, got.bit, got.path, want.verdict, want.kind, want.bit, want.path)
	}
	if got.want != want.want || got.got != want.got {
		return fmt.Sprintf("%s of %q: want %q, got %q; want these to be %q and %q", want.kind, want.path, got.want, got.got, want.want, want.got)
	}
	if got.rest != want.rest {
		return fmt.Sprintf("%s of %q: %q, want %q", want.kind, want.path, got.rest, want.rest)
	}
	if !slices.EqualFunc(got.vectors, want.vectors, sameVector) {
		return fmt.Sprintf("vectors %q, want %q", got.vectors, want.vectors)
	}
	if len(want.notes) < 16 && strings.Join(got.notes, " ") != strings.Join(want.notes, " ") {
		return fmt.Sprintf("notes %v, want %v", got.notes, want.notes)
	}
	for i := range max(len(got.fields), len(want.fields)) {
		if i >= len(got.fields) || i >= len(want.fields) {
			return fmt.Sprintf("%d fields, want %d:\n%+v\n%+v", len(got.fields), len(want.fields), got.fields, want.fields)
		}
		if g, w := got.fields[i], want.fields[i]; g.path != w.path || g.flags != w.flags || !strings.HasPrefix(w.value, "bytes ") && !sameText(g.text, w.text) || !sameValue(g.value, w.value) {
			return fmt.Sprintf("field %d is %q, want %q", i, g, w)
		}
	}
	if len(got.messages) != len(want.messages) {
		return fmt.Sprintf("%d messages, want %d", len(got.messages), len(want.messages))
	}
	for i := range got.messages {
		if why := differs(&got.messages[i], &want.messages[i]); why != "" {
			return fmt.Sprintf("message %d: %s", i, why)
		}
	}
	return ""
}

// sameVector compares the parts of vectors.
func sameVector(got, want shown) bool {
	return got.path == want.path && slices.EqualFunc(strings.Fields(got.text), strings.Fields(want.text), func(g, w string) bool {
		return sameText(strings.TrimSuffix(g, ","), strings.TrimSuffix(w, ","))
	})
}

// sameText compares labels: those of long texts are cut, ours go on with units and what the wire has, and a few
// characters are escaped on one side alone.
func sameText(got, want string) bool {
	got = strings.TrimPrefix(got, "= ")
	if got == want || strings.HasPrefix(got, want+" ") {
		return true
	}
	if g, err := strconv.ParseFloat(strings.Split(got, " ")[0], 64); err == nil { // one digit more, of one float in millions
		w, err := strconv.ParseFloat(want, 64)
		return err == nil && g == w && len(got) > 16
	}
	if strings.HasPrefix(want, `"`) {
		return strings.HasSuffix(got, " bytes)") && len(want) > 36 || !ascii(want) || strings.Contains(want, `\u`) || strings.Contains(want, `\U`)
	}
	return false
}

func ascii(s string) bool {
	for _, c := range []byte(s) {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// sameValue compares what filters compare with.
func sameValue(got, want string) bool {
	kind, value, _ := strings.Cut(want, " ")
	switch kind {
	case "int":
		if got == value {
			return true
		}
		g, err := strconv.ParseUint(got, 0, 64)
		w, err2 := strconv.ParseUint(value, 10, 64)
		if err == nil && err2 == nil && g == w {
			return true
		}
		f, err := strconv.ParseFloat(got, 64) // under a filter that has floats, too
		return err == nil && err2 == nil && f == float64(w)
	case "float":
		g, err := strconv.ParseFloat(got, 64)
		w, _ := strconv.ParseFloat(value, 64)
		return err == nil && (g == w || math.IsNaN(g) && math.IsNaN(w) || math.Abs(g-w) <= 1e-14*math.Abs(w))
	case "bytes":
		return strings.ReplaceAll(got, ":", "") == value
	case "text":
		clean := string(syntax.AppendEscaped(nil, value))
		return got == value || clean != value || strings.Contains(value, "\\")
	}
	return strings.HasPrefix(got, want)
}

// from is where the datagrams of the test come from.
var client, server = netip.MustParseAddrPort("10.0.0.1:40000"), netip.MustParseAddrPort("10.0.0.2:40001")

// capture writes packets as a file.
func capture(t testing.TB, packets [][]byte) string {
	t.Helper()
	var b bytes.Buffer
	w := pcap.NewWriter(&b, pcap.Section{})
	for i, data := range packets {
		if err := w.WriteUDP(int64(i)*1e6, client, server, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.pcapng")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// comparison is what a dissector shows beside what our decoder makes of the same packets.
type comparison struct {
	t               testing.TB
	want            map[int64]packet
	packets, fields int // compared
	failed          int
}

func (c *comparison) fail(format string, args ...any) {
	c.t.Helper()
	if c.failed++; c.failed < 4 {
		c.t.Errorf(format, args...)
	}
}

// take takes what a dissector shows of a packet.
func (c *comparison) take(got *packet) {
	w, ok := c.want[got.n]
	if !ok {
		return
	}
	delete(c.want, got.n)
	if w.size == 0 && got.verdict == "" { // Wireshark shows nobody a datagram without bytes
		return
	}
	c.packets++
	c.fields += len(w.fields)
	if why := differs(got, &w); why != "" {
		c.fail("packet %d: %s", got.n, why)
	}
}

func (c *comparison) end() (packets, fields int) {
	c.t.Helper()
	for n := range c.want {
		c.fail("no packet %d is shown", n)
	}
	if c.failed >= 4 {
		c.t.Errorf("%d packets of %d differ", c.failed, c.packets)
	}
	return c.packets, c.fields
}

// hold holds what tshark shows of a capture against our decoder, packet by packet, and gives how many there were.
func hold(t testing.TB, d *decode.Decoder, file string) (packets, fields int) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := comparison{t: t, want: map[int64]packet{}}
	var trace decode.Trace
	for datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(data))); ; {
		dg, err := datagrams.Next()
		if err != nil {
			break
		}
		from := decode.DirectionOf(d.Schema(), dg.Src.Port(), dg.Dst.Port())
		c.want[dg.N] = expected(d, &trace, dg.Payload, dg.Size, from, dg.Cut)
	}
	tshark(t, d.Plan(), file, readPDML(luagen.Name(d.Plan()), c.take), "-T", "pdml")
	return c.end()
}

// holdLua is hold with a plain Lua of a version, and packets from a client.
func holdLua(t testing.TB, lua string, d *decode.Decoder, packets [][]byte) (n, fields int) {
	t.Helper()
	program := need.Program(t, need.Tshark, lua)
	c := comparison{t: t, want: map[int64]packet{}}
	from, to := uint16(40000), uint16(40001)
	if ports := d.Schema().Ports; len(ports) > 0 {
		to = ports[0]
	}
	var in bytes.Buffer
	var trace decode.Trace
	for i, data := range packets {
		fmt.Fprintf(&in, "%d %d %d %x\n", from, to, len(data), data)
		c.want[int64(i)+1] = expected(d, &trace, data, len(data), decode.DirectionOf(d.Schema(), from, to), false)
	}
	cmd := exec.Command(program, "testdata/wireshark.lua", script(t, d.Plan()))
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%.2000s", lua, err, stderr.String())
	}
	if err := readPDML(luagen.Name(d.Plan()), c.take)(bytes.NewReader(out)); err != nil {
		t.Fatal(err)
	}
	return c.end()
}
