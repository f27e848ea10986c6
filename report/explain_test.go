package report

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report/scan"
)

// rulerBits reads the bits off a ruler: '0', '1', '·', '…' where they were left out, 0 where there are none.
func rulerBits(text string, bits int) ([]rune, error) {
	drawn := make([]rune, bits)
	put := func(bit int, c rune) error {
		if bit >= bits || drawn[bit] != 0 {
			return fmt.Errorf("bit %d is drawn twice or not there", bit)
		}
		drawn[bit] = c
		return nil
	}
	lsb := false
	lines := strings.Split(text, "\n")
	perRow := 0
	for i, line := range lines {
		var offset, first, last int
		if rest, ok := strings.CutPrefix(line, "byte "); ok {
			lsb = strings.HasPrefix(rest, "lsb")
			for perRow, i = 0, i+1; perRow == 0; i++ { // after how it is read, on one line or several
				perRow = strings.Count(lines[i], "+")
			}
			continue
		}
		if at := strings.Index(line, ", bits "); strings.HasPrefix(line, "     … ") && at > 0 {
			if _, err := fmt.Sscanf(line[at:], ", bits %d..%d", &first, &last); err != nil {
				return nil, err
			}
			for ; first <= last; first++ {
				if err := put(first, '…'); err != nil {
					return nil, err
				}
			}
			continue
		}
		if len(line) < 6 || line[4] != ' ' || strings.TrimLeft(line[5:], " 01·") != "" {
			continue
		}
		if _, err := fmt.Sscanf(line[:4], "%d", &offset); err != nil {
			continue
		}
		cells, under := []rune(line[5:]), []rune(lines[i+1])
		for n, c := range cells {
			if c == ' ' {
				continue
			}
			at := n
			if lsb {
				at = 9*perRow - 2 - n
			}
			if n%9 == 8 {
				return nil, fmt.Errorf("a bit between two bytes: %s", line)
			}
			if err := put(8*offset+at-at/9, c); err != nil {
				return nil, err
			}
			if 5+n >= len(under) || under[5+n] == ' ' && (n == 0 || under[4+n] == ' ') && (5+n+1 >= len(under) || under[5+n+1] == ' ') {
				return nil, fmt.Errorf("nothing stands under cell %d of %q", n, line)
			}
		}
	}
	return drawn, nil
}

// holdRuler checks everything that is true of every ruler of a packet.
func holdRuler(pkt *scan.Packet, x *Explain, j *ExplainJSON) error {
	t := pkt.Trace
	p, bits := t.Plan, 8*len(t.Payload)
	secret, open := make([]bool, bits), make([]bool, bits)
	for ev := range t.Walk() {
		for bit := ev.Bit; bit < ev.Bit+ev.Width; bit++ {
			secret[bit] = secret[bit] || p.Nodes[ev.Node].Secret
			open[bit] = !secret[bit]
		}
	}
	if t.Rejected() && t.RestSecret() {
		for bit := lastBit(t); bit < bits; bit++ {
			secret[bit] = true
		}
	}
	markStretches(t, secret)
	for bit := range open {
		open[bit] = open[bit] && !secret[bit]
	}
	text := string(x.Append(nil, pkt))
	drawn, err := rulerBits(text, bits)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	for bit, c := range drawn {
		want := '0' + rune(t.Payload[bit/8]>>(bit%8)&1)
		other := '0' + rune(t.Payload[bit/8]>>(7-bit%8)&1)
		switch {
		case c == '…' || c == '·' && p.HasSecret() && !open[bit]: // also the padding between secrets
		case c == 0, secret[bit] && c != '·', c != want && c != other:
			return fmt.Errorf("bit %d is drawn as %q (secret: %v)\n%s", bit, c, secret[bit], text)
		}
	}
	if strings.ContainsAny(text, "\x1b\u202e\x07") || !utf8.ValidString(text) {
		return fmt.Errorf("the ruler holds an order to the terminal: %q", text)
	}
	object := j.Append(nil, pkt)
	var read struct {
		Pieces []struct {
			Kind       string
			Bit, Width *int
		}
	}
	if err := json.Unmarshal(object, &read); err != nil {
		return fmt.Errorf("%w\n%s", err, object)
	}
	at := 0
	for _, piece := range read.Pieces {
		if piece.Bit == nil || piece.Width == nil { // in a masked one
			continue
		}
		// A let, masked or not, or what a window cut off, after padding that is not drawn yet.
		if (piece.Kind == "let" || piece.Kind == "cut" || piece.Kind == "secret") && *piece.Width == 0 && *piece.Bit >= at {
			continue
		}
		if *piece.Bit != at || *piece.Width <= 0 {
			return fmt.Errorf("JSON: a piece at %d, want %d\n%s", *piece.Bit, at, object)
		}
		at += *piece.Width
	}
	if at != bits {
		return fmt.Errorf("JSON: the pieces end at %d of %d\n%s", at, bits, object)
	}
	return nil
}

// Every bit is in the ruler once, as it is, or as a dot where it is secret; whole, cut, and with every bit turned.
func TestExplainDrawsEveryBit(t *testing.T) {
	p := compile(t, dumpPlanSource)
	x, j := NewExplain(p, ExplainOptions{}), NewExplainJSON(p, ExplainOptions{Last: -1})
	x.opts.Last = -1
	check := func(data []byte) {
		t.Helper()
		if err := holdRuler(decoded(p, data), x, j); err != nil {
			t.Fatalf("%x: %v", data, err)
		}
	}
	for _, s := range dumpPackets {
		data, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(data) + 1 {
			check(data[:n])
		}
		for bit := range 8 * len(data) {
			data[bit/8] ^= 1 << (bit % 8)
			check(data)
			data[bit/8] ^= 1 << (bit % 8)
		}
	}
	for _, protocol := range corpus.Protocols() {
		p := builtin(t, protocol)
		x, j := NewExplain(p, ExplainOptions{Width: 120, Last: -1}), NewExplainJSON(p, ExplainOptions{Last: -1})
		for _, seed := range corpus.Seeds(protocol) {
			if err := holdRuler(decoded(p, seed.Data), x, j); err != nil {
				t.Fatalf("%s %s: %v", protocol, seed.Name, err)
			}
		}
	}
}

// The same under schemas that are drawn, with packets generated for them, cut and bent.
// What the capture did not keep is no mismatch.
func TestExplainCut(t *testing.T) {
	p := compile(t, "protocol t\norder msb\npacket { crc crc32, n uint8 }\n")
	pkt := packet(t, p, "01 02 03 04 05")
	if got := string(NewExplain(p, ExplainOptions{}).Append(nil, pkt)); !strings.Contains(got, "crc-mismatch") {
		t.Errorf("whole: %s", got)
	}
	pkt.Cut = true
	if got := string(NewExplain(p, ExplainOptions{}).Append(nil, pkt)); pkt.Verdict() != decode.Cut || strings.Contains(got, "mismatch") || !strings.Contains(got, "cut by the capture") {
		t.Errorf("cut: %v %s", pkt.Verdict(), got)
	}
}

// What lies after the end of a window that is filled with zeros is listed, and is drawn nowhere: at every length, each
// field is in the legend once.
func TestExplainCutOff(t *testing.T) {
	p := compile(t, `protocol z
order lsb
packet {
    length uint8 in 0..12
    within(length zeros) {
        a    uint32
        part bits(3)
        b    bits(12) @unit("mm")
        list [2]uint8
        text char(4)
    }
    e uint8
}
`)
	x, j := NewExplain(p, ExplainOptions{}), NewExplainJSON(p, ExplainOptions{Last: -1})
	x.opts.Last = -1
	starts := []struct {
		path string
		bit  int // in the window
	}{{"a", 0}, {"part", 32}, {"b", 35}, {"list[0]", 47}, {"list[1]", 55}, {"text", 64}}
	for length := range 13 {
		data := append([]byte{byte(length)}, make([]byte, length+1)...)
		pkt := decoded(p, data)
		if err := holdRuler(pkt, x, j); err != nil {
			t.Fatalf("%d: %v", length, err)
		}
		text, object := string(x.Append(nil, pkt)), string(j.Append(nil, pkt))
		for _, f := range starts {
			cut := f.bit >= 8*length
			legend := regexp.MustCompile(`(?m)^.*\+[0-9]+ +`+regexp.QuoteMeta(f.path)+` .*$`).FindAllString(text, -1)
			if len(legend) != 1 || strings.Contains(legend[0], "cut off") != cut {
				t.Errorf("length %d, %s: %q\n%s", length, f.path, legend, text)
			}
			if got := strings.Contains(object, fmt.Sprintf(`{"path":%q,"kind":"cut","bit":%d,"width":0,`, f.path, 8+8*length)); got != cut {
				t.Errorf("length %d, %s: %s", length, f.path, object)
			}
		}
		if dump := string(NewDump(p, TextOptions{}).Append(nil, pkt)); strings.Count(dump, "cut off") != strings.Count(text, "cut off") {
			t.Errorf("length %d: -x has\n%s", length, dump)
		}
	}
}

func TestExplainAnySchema(t *testing.T) {
	ruled := 0
	for seed := range need.Rounds[uint64](150, 30) {
		if holdAnyRuler(t, anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%30), seed) {
			ruled++
		}
	}
	if ruled < need.Rounds(50, 8) {
		t.Errorf("only %d schemas with a packet", ruled)
	}
}

func FuzzExplainAnySchema(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz"), uint64(1))
	f.Fuzz(func(t *testing.T, choices []byte, seed uint64) {
		holdAnyRuler(t, anyschema.Source(bytes.NewReader(choices), 40), seed)
	})
}

func holdAnyRuler(t *testing.T, src string, seed uint64) (made bool) {
	t.Helper()
	s, _ := schema.Load("any.pks", []byte(src), nil)
	if s == nil {
		return false
	}
	p, _ := plan.Compile(s)
	if p == nil {
		return false
	}
	checkUnused(t, p)
	x, j := NewExplain(p, ExplainOptions{Width: 48 + int(seed%200), Last: -1}), NewExplainJSON(p, ExplainOptions{Last: -1})
	packets, made := anyPackets(p, seed)
	for _, data := range packets {
		if err := holdRuler(decoded(p, data), x, j); err != nil {
			t.Fatalf("seed %d, %x: %v\n%s", seed, data, err, src)
		}
	}
	return made
}

// anyPackets are packets of noise and, where some can be made, valid ones, shortened ones and some with a bit flipped.
func anyPackets(p *plan.Plan, seed uint64) (packets [][]byte, made bool) {
	random := rand.New(rand.NewPCG(seed, 2))
	noise := make([]byte, random.IntN(40))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	packets = [][]byte{noise}
	g := fuzz.NewGenerator(decode.New(p))
	for n := range uint64(3) {
		if pkt, err := g.Random(seed, n); err == nil && len(pkt.Data) < 2000 {
			made = true
			data := bytes.Clone(pkt.Data)
			packets = append(packets, bytes.Clone(data), bytes.Clone(data[:random.IntN(len(data)+1)]))
			if len(data) > 0 {
				data[random.IntN(len(data))] ^= 1 << random.IntN(8)
				packets = append(packets, data)
			}
		}
	}
	return packets, made
}

// Of narrow fields every code is tried: as many are refused as are said to be unused.
func checkUnused(t *testing.T, p *plan.Plan) {
	t.Helper()
	for i := range p.Leaves {
		width, info := int(p.Leaves[i].Width), &p.Info[i]
		if _, number := p.Reader(i).(*plan.Number); number || width > 12 || width == 0 {
			continue
		}
		a := allowedOf(p, i, width)
		if !a.known {
			continue
		}
		refused := uint64(0)
		for code := range uint64(1) << width {
			if kind, _ := info.Judge(code, width); kind != reject.None {
				refused++
			}
		}
		if a.unused != refused {
			t.Errorf("%s: %d of %d codes are refused, said to be unused: %d (%s)", p.Nodes[info.Node].Name, refused, 1<<width, a.unused, a.text)
		}
	}
}

func TestUnused(t *testing.T) {
	for _, name := range []string{"rtype", "packets", "gaffer", "course"} {
		checkUnused(t, builtin(t, name))
	}
	p := compile(t, `protocol t
order msb
enum E : int8 { A = -3, B = 5 }
open enum Q : int(-2..9) { A = -2, B = 5 }
flags F : bits(5) { A = 1, B = 8 }
packet { a int8 in -5..7, b int(-3..9) in -1..2, c int8 != 4, d uint8 == 3, e E, q Q, f F, g E in A..A, h sbits(5), i bool8, reserved(5), j bits(7) in {1..2, 100..126} }
`)
	checkUnused(t, p)
	wide := compile(t, "protocol t\norder msb\npacket { a uint64, b int64 in -1..1, c uint64 != 0 }\n")
	for i, want := range []string{"any", "-1..1, 18446744073709551613 unused", "not 0, 1 unused"} {
		a := allowedOf(wide, i, 64)
		if got := string(a.append(nil)); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

// Only what is asked for has a label; all of it has, and the rows of nothing else are drawn.
func TestExplainSelects(t *testing.T) {
	p := builtin(t, "rtype")
	snapshot := decoded(p, samples()[3])
	for _, row := range []struct {
		opts      ExplainOptions
		has, lack string
	}{
		{ExplainOptions{Last: -1, Field: "body.players[1]"}, "body.players[1]\n", "sequence_num"},
		{ExplainOptions{Last: -1, Field: "body.players[*].x"}, ".x", ".y"},
		{ExplainOptions{Last: -1, Field: "body.players[1].x"}, "body.players[1]\n", "body.players[0]"},
		{ExplainOptions{First: 144, Last: 144}, "144+8    .health", "152"},
		{ExplainOptions{First: 140, Last: 150}, "128+16   .y", ".alive"},
	} {
		x := NewExplain(p, row.opts)
		got := string(x.Append(nil, snapshot))
		if !x.shown || !strings.Contains(got, row.has) || strings.Contains(got, row.lack) {
			t.Errorf("%+v: want %q and no %q in\n%s", row.opts, row.has, row.lack, got)
		}
	}
	for _, opts := range []ExplainOptions{{Last: -1, Field: "body.players[7]"}, {First: 9000, Last: 9001}, {Last: -1, Field: "bod"}} {
		x, j := NewExplain(p, opts), NewExplainJSON(p, opts)
		if x.Append(nil, snapshot); x.shown {
			t.Errorf("%+v: something was shown", opts)
		}
		if j.Append(nil, snapshot); j.some {
			t.Errorf("%+v: JSON has something", opts)
		}
	}
	// A path into a secret shows the secret, and never more of it.
	q := compile(t, dumpPlanSource)
	x := NewExplain(q, ExplainOptions{Last: -1, Field: "vault.more[1]"})
	if got := string(x.Append(nil, packet(t, q, dumpPackets[0]))); !strings.Contains(got, "48+?    vault  ‹secret›") || strings.Contains(got, "vault.") {
		t.Error(got)
	}
}

// The longest packets: what waits is little, and long things are left out unless they are asked for.
func TestExplainLong(t *testing.T) {
	p := compile(t, "protocol t\norder lsb\npacket { n uint16, all [n]bool }\n")
	data := make([]byte, 2+65528/8)
	data[0], data[1] = 0xf8, 0xff
	pkt := decoded(p, data)
	x := NewExplain(p, ExplainOptions{TextOptions: TextOptions{Colour: true}, Last: -1})
	var b bytes.Buffer
	if _, err := x.Write(&b, pkt); err != nil || pkt.Trace.Rejected() {
		t.Fatal(err, pkt.Trace.Reject())
	}
	if cap(x.walk.spill.b) > 4*spillSize || cap(x.rows) > 4*blockRows || cap(x.texts) > 64<<10 {
		t.Errorf("%d bytes, %d rows, %d bytes of text waited", cap(x.walk.spill.b), cap(x.rows), cap(x.texts))
	}
	if !bytes.Equal(b.Bytes(), x.Append(nil, pkt)) {
		t.Error("Write is not Append")
	}
	p = compile(t, "protocol t\norder msb\npacket { n uint8, all bytes(rest, max 65506) }\n")
	pkt = decoded(p, make([]byte, 65507))
	if got := string(NewExplain(p, ExplainOptions{Last: -1}).Append(nil, pkt)); len(got) > 4000 || !strings.Contains(got, "\n     … 65432 more bytes of all, bits 576..524031\n") {
		t.Errorf("%.4000s", got)
	}
	got := string(NewExplain(p, ExplainOptions{First: 40000, Last: 40100}).Append(nil, pkt))
	if strings.Count(got, "00000000 00000000") < 2 || strings.Contains(got, "more bytes") {
		t.Errorf("%.4000s", got)
	}
}

// A line takes no more than the width; what an attacker writes is quoted.
func TestExplainWidth(t *testing.T) {
	p, lsb := builtin(t, "rtype"), compile(t, "protocol t\norder lsb\npacket { a bits(3), b uint16, c [9]uint32 }\n")
	for _, width := range []int{0, 48, 60, 80, 100, 132, 300} {
		x := NewExplain(p, ExplainOptions{Width: width, Last: -1})
		samples := samples()
		for i, payload := range append(samples, make([]byte, 39)) {
			p := p
			if i == len(samples) {
				p = lsb
				x = NewExplain(p, ExplainOptions{Width: width, Last: -1})
			}
			got := string(x.Append(nil, decoded(p, payload)))
			most := max(width, 48)
			if width == 0 {
				most = 80
			}
			for line := range strings.Lines(got) {
				limit := max(most, 77) // the head has no shorter form
				if strings.HasPrefix(line, "byte ") {
					limit = most
				}
				if n := utf8.RuneCountInString(line) - 1; n > limit && !strings.HasPrefix(line, "  note ") {
					t.Errorf("width %d: %d cells: %s", width, n, line)
				}
			}
			if strings.ContainsAny(got, "\x1b\u202e") {
				t.Errorf("%q", got)
			}
		}
	}
}

// Each bit of a code is where it is said to.
func TestCodeBits(t *testing.T) {
	p := compile(t, "protocol t\norder lsb\npacket { a bits(3), b uint16, c uint16 be, d uint32 }\n")
	got := string(NewExplain(p, ExplainOptions{Last: -1}).Append(nil, packet(t, p, "0000000000000000 00")))
	for _, row := range []struct {
		got  [][2]int
		want string
	}{
		{codeBits(0, false, 3, 16), "[]"},
		{codeBits(2, false, 19, 13), "[[4 0] [7 5] [12 8]]"},
		{codeBits(2, false, 0, 16), "[[7 0] [15 8]]"},
		{codeBits(2, false, 3, 5), "[]"},
		{codeBits(1, true, 0, 16), "[[7 0] [15 8]]"},
		{codeBits(0, true, 0, 16), "[[8 15] [0 7]]"},
	} {
		if fmt.Sprint(row.got) != row.want {
			t.Errorf("want %s, got %v", row.want, row.got)
		}
	}
	if !strings.Contains(got, "0..65535; bits 7..0, 15..8") {
		t.Error(got)
	}
}
