package browse

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3/vt"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

func ends() (client, server netip.AddrPort) {
	return netip.MustParseAddrPort("10.0.0.2:5000"), netip.MustParseAddrPort("10.0.0.1:4124")
}

// matching lists the packets of a capture as decode does.
func matching(t testing.TB, data []byte, o scan.Options) (list []int64, lines []string) {
	t.Helper()
	text := report.NewText(o.Decoders.All()[0].Plan(), report.TextOptions{})
	o.Workers = 1
	_, err := scan.Run(scan.From(pcap.NewReader(bytes.NewReader(data))), o, scan.Stage[int]{
		New: func() func(*int, *scan.Packet) {
			return func(_ *int, p *scan.Packet) {
				list = append(list, p.N)
				lines = append(lines, strings.TrimSuffix(string(text.AppendLine(nil, p)), "\n"))
			}
		},
		Drain: func(*int) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, lines
}

// The list has the lines of decode, at 80x24 and at any place.
func TestList(t *testing.T) {
	s := rtypeSession(t, 80, 24)
	_, want := matching(t, testCapture(t), scan.Options{Decoders: rtype(t)})
	check := func(first int) {
		t.Helper()
		s.until("the lines of decode", func(lines []string) bool {
			for i := range 7 {
				got := strings.TrimPrefix(lines[1+i], " ")
				line := []rune(" " + want[first+i])
				if len(line) > 79 {
					line = append(line[:78], '…')
				}
				if strings.TrimLeft(got, " ") != strings.TrimLeft(string(line), " ") {
					return false
				}
			}
			return true
		})
	}
	check(0)
	s.keys(end)
	check(4994 - 7)
	s.sees("4994 of 4994 packets")
	s.keys(":2459", enter)
	s.sees("2459 of 4994 packets", "fields of packet 2459 ")
	s.keys(home)
	check(0)
	s.keys(down, down, "\x1b[6~")
	s.sees("9 of 4994 packets", "fields of packet 9 ")
}

// litBits are the bits that the ruler shows reversed, of rows of 8 bytes that begin with a byte.
func (s *session) litBits(first, row int) (list []int) {
	y := int(s.term.Backend().GetSize().Y) - 1 - 4 + 2*row
	for _, x := range s.lit(y, 7, 7+64+7, vt.Reverse) {
		if x = x - 7; x%9 != 8 { // between two bytes is a space
			list = append(list, 8*first+x-x/9)
		}
	}
	return list
}

func upTo(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// A field at the cursor has its bits lit, and a bit at the cursor its field.
func TestFieldAndBits(t *testing.T) {
	s := rtypeSession(t, 80, 24)
	s.keys(down, down, tab, down)
	s.sees("fields of packet 3 ", "sequence_num: bits 16+16, 0x0002")
	if got := s.litBits(0, 0); !slices.Equal(got, upTo(16, 32)) {
		t.Errorf("lit: %v\n%s", got, s.screen())
	}
	s.keys(down, down) // body, which holds keys and sequence_num
	s.sees("body: bits 96+32")
	if got := append(s.litBits(0, 0), s.litBits(8, 1)...); !slices.Equal(got, upTo(96, 128)) {
		t.Errorf("lit: %v\n%s", got, s.screen())
	}
	s.keys(left) // closed: its fields are not in the tree
	s.sees("+ body")
	if s.lineOf("96+16") > 0 {
		t.Errorf("body is closed:\n%s", s.screen())
	}
	s.keys(right, down)
	s.sees("- body", "body.keys: bits 96+16")

	s.keys(tab)
	for range 16 {
		s.keys(right)
	}
	s.sees("body.sequence_num: bits 112+16")
	if y := s.lineOf("   112+16"); y < 0 || len(s.lit(y, 4, 5, vt.Underline)) == 0 {
		t.Errorf("the field of the bit is not at the tree's cursor:\n%s", s.screen())
	}
	if got := s.litBits(8, 1); !slices.Equal(got, upTo(112, 128)) {
		t.Errorf("lit: %v\n%s", got, s.screen())
	}
	s.keys(up) // a row up: 64 bits
	s.sees("timestamp: bits 32+64")
}

// The bits are those of the payload, whichever way their order runs.
func TestRulerOrders(t *testing.T) {
	payload := []byte{0x01, 0x80, 0xa5, 0xff, 0x00, 0x3c}
	for order, want := range map[string]string{
		"msb": "     0 00000001 10000000 10100101 11111111 00000000 00111100",
		"lsb": "     0                   00111100 00000000 11111111 10100101 10000000 00000001",
	} {
		s := begin(t, Options{Name: "a", Store: stored(made(t, payload)), Scan: scan.Options{
			Decoders: loaded(t, "protocol t\norder "+order+"\npacket { a uint8\n b bits(24)\n c uint16 }\n")}}, 80, 24)
		s.sees(want, "a: bits 0+8")
		s.keys(tab, tab)
		step := right
		if order == "lsb" {
			step = left
		}
		for range 8 {
			s.keys(step)
		}
		s.sees("b: bits 8+24")
		s.keys(step)
		if lit := len(s.lit(s.lineOf(want), 0, 80, vt.Reverse)); lit != 24 {
			t.Errorf("%s: %d bits are lit\n%s", order, lit, s.screen())
		}
	}
}

// A filter is applied while it is typed, with names completed; Enter keeps it, Esc brings back what was.
func TestFilter(t *testing.T) {
	s := rtypeSession(t, 80, 24)
	const text = "body.player_count > 2"
	decoders := rtype(t)
	programs, err := filter.CompileAny(newPlans(decoders), text)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := matching(t, testCapture(t), scan.Options{Decoders: decoders, Filters: programs})
	s.keys("/", "body.player_c")
	s.sees("filter: body.player_c", "body.player_count  number", "unknown path")
	s.keys(tab)
	s.sees("filter: body.player_count\n", "want a condition")
	s.keys(strings.Repeat(backspace, len("body.player_count")), "case == Snapshot")
	s.sees("unknown path `Snapshot`; did you mean \"Snapshot\", in quotes?")
	s.keys(strings.Repeat(backspace, len("case == Snapshot")), "body.player_count")
	s.keys(" > 2")
	s.sees(fmt.Sprintf("1 of %d packets", len(want)), "body.player_count > 2", fmt.Sprintf("fields of packet %d ", want[0]))
	s.keys(enter)
	s.sees("? keys")
	s.keys(end)
	s.sees(fmt.Sprintf("%d of %d packets", len(want), len(want)), fmt.Sprintf("fields of packet %d ", want[len(want)-1]))
	s.keys("/", "\x15", "pkt.rejected")
	s.sees("of 40 packets")
	s.keys(escape)
	s.sees(fmt.Sprintf("of %d packets", len(want)), "body.player_count > 2")
	s.keys(escape) // all again, at the same packet
	s.sees(fmt.Sprintf("%d of 4994 packets", want[len(want)-1]))
	s.keys("/", "nonsense ==", enter)
	s.sees("filter: nonsense ==") // what is wrong is not applied
	s.keys(escape)
	s.sees("of 4994 packets", "? keys")
	s.keys("/", "pkt.n < 0", enter)
	s.sees("no packet matches")
}

// r and R go to the packets that decode calls rejects, all of them in their order, and stop at the ends.
func TestRejects(t *testing.T) {
	s := rtypeSession(t, 80, 24)
	want, _ := matching(t, testCapture(t), scan.Options{Decoders: rtype(t), Only: scan.Rejects})
	if len(want) != 40 {
		t.Fatalf("%d rejects", len(want))
	}
	for _, n := range want {
		s.keys("r")
		s.sees(fmt.Sprintf("%d of 4994 packets", n), fmt.Sprintf("fields of packet %d ", n), " ✗ ")
	}
	s.keys("r")
	s.sees("no packet after this one was refused")
	for i := len(want) - 2; i >= 0; i-- {
		s.keys("R")
		s.sees(fmt.Sprintf("%d of 4994 packets", want[i]), fmt.Sprintf("fields of packet %d ", want[i]))
	}
	s.keys("R")
	s.sees("no packet before this one was refused")
}

// After == a filter that is typed is completed with the names that there are.
func TestCompletesCases(t *testing.T) {
	s := rtypeSession(t, 80, 24)
	s.keys("/", "case == Snap")
	s.sees(` "Snapshot"  case of rtype`)
	s.keys(tab)
	s.sees(`filter: case == "Snapshot"`)
	s.keys(enter)
	decoders := rtype(t)
	programs, err := filter.CompileAny(newPlans(decoders), `case == 64`)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := matching(t, testCapture(t), scan.Options{Decoders: decoders, Filters: programs})
	s.sees(fmt.Sprintf("1 of %d packets", len(want)))
	s.keys("/", "\x15", `pkt.verdict == "`)
	s.sees(` "reject"  word`, ` "cut"  word`)
	s.keys(tab, tab, enter)
	s.sees(`pkt.verdict == "reject"`)
}

// d shows what diff shows of the marked packet and the one at the cursor.
func TestMarkAndDiff(t *testing.T) {
	s := rtypeSession(t, 80, 40)
	s.keys("d")
	s.sees("mark another packet first")
	s.keys("m", down, down, down)
	s.sees("marked 1", "*     1 ", "4 of 4994")
	s.keys("d")
	s.sees("packet 4 against 1", "--- packet 1: ", "+++ packet 4: ", "they part at bit 92", `-     360+48   6 bytes  "ROOM72"`, `+     360+48   6 bytes  "ROOM91"`, "‹secret 32 B›")
	if s.lineOf("sequence_num") >= 0 {
		t.Errorf("sequence_num is equal:\n%s", s.screen())
	}
	s.keys(escape)
	s.sees("fields of packet 4 (≠ other than in packet 1)")
	marked := func() (names []string) {
		for _, line := range strings.Split(s.screen(), "\n") {
			if _, name, ok := strings.Cut(line, " ≠"); ok && !strings.Contains(line, "fields of") {
				names = append(names, strings.Fields(strings.TrimLeft(name, " -+"))[0])
			}
		}
		return names
	}
	if got, want := fmt.Sprint(marked()), "[timestamp body ship_skin room_code]"; got != want {
		t.Errorf("marked are %s, want %s:\n%s", got, want, s.screen())
	}
	s.keys(up) // a server's answer of another case
	s.sees("fields of packet 3 (≠ other than in packet 1)", "≠  type")
	s.keys(up, up)
	s.sees("fields of packet 1 ")
	if got := marked(); got != nil {
		t.Errorf("a packet differs from itself in %s", got)
	}
	s.keys(down, down, down)
	s.sees("fields of packet 4 (≠ other than in packet 1)")
	s.keys("m") // another is marked, and nothing compared
	s.sees("marked 4")
	if got := marked(); got != nil {
		t.Errorf("nothing is compared, marked are %s", got)
	}
	s.keys("m", up, "d")
	s.sees("mark another packet first")
}

func TestPeerAndTimes(t *testing.T) {
	s := rtypeSession(t, 80, 24)
	decoders := rtype(t)
	programs, err := filter.CompileAny(newPlans(decoders), `pkt.src == "10.0.0.3:53471" || pkt.dst == "10.0.0.3:53471"`)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := matching(t, testCapture(t), scan.Options{Decoders: decoders, Filters: programs})
	s.keys(down, down, down, down) // from the server to that peer
	s.sees("5 of 4994")
	s.keys("p")
	lines := s.sees(fmt.Sprintf("2 of %d packets", len(want)), "10.0.0.3:53471")
	for i, n := range want[:7] {
		if strings.Fields(lines[1+i])[0] != fmt.Sprint(n) {
			t.Errorf("line %d: want packet %d, got %s", i, n, lines[1+i])
		}
	}
	shows := map[string][2]string{
		"ud": {"2023-11-14 22:13:20.012", "2023-11-14 22:13:20.014"}, "a": {"22:13:20.012"[2:], "22:13:20.014"[2:]}, "r": {"    0.009019", "    0.011019"},
		"d": {"    0.000000", "    0.002000"}, "e": {"1700000000.012", "1700000000.014"}, "u": {"22:13:20.012", "22:13:20.014"}, "ad": {"20.012", "20.014"},
	}
	for i := range report.TimeForms { // from the second on, and again the first
		form := report.TimeForms[(i+1)%len(report.TimeForms)]
		want := shows[form.Word]
		s.keys("t")
		if form.Word == "d" {
			form.Help = "since the packet above"
		}
		s.sees("time: "+form.Help, want[0], want[1])
	}
	s.keys("p")
	s.sees("5 of 4994 packets")
}

// A screen of any size shows what it has room for, and a small one says what it wants.
func TestResize(t *testing.T) {
	s := rtypeSession(t, 80, 24)
	s.term.SetSize(vt.Coord{X: 160, Y: 50})
	lines := s.sees("17 22:13")
	if n := len(lines); n != 50 || !strings.Contains(s.screen(), "00000000 00010000 00000000 00000001 00000000 00000000 00000001 10001011 11001111") {
		t.Errorf("%d lines, 16 bytes in a row:\n%s", n, s.screen())
	}
	s.term.SetSize(vt.Coord{X: 50, Y: 10})
	s.sees("want 60x16 cells, got 50x10")
	s.keys(down, tab, tab, right, "/", "x")
	s.keys(escape)
	time.Sleep(100 * time.Millisecond) // Esc and a key at once are another key
	s.term.SetSize(vt.Coord{X: 60, Y: 16})
	s.sees("2 of 4994", "fields of packet 2 ")
	s.term.SetSize(vt.Coord{X: 80, Y: 24})
	s.sees("fields of packet 2 ", "     7 22:13:20.017")
	s.keys("?")
	s.sees("keys", "follow the peer of this packet")
	for _, size := range []vt.Coord{{X: 1, Y: 1}, {X: 300, Y: 100}, {X: 60, Y: 100}, {X: 300, Y: 16}, {X: 80, Y: 24}} {
		s.term.SetSize(size)
	}
	s.sees("follow the peer of this packet")
}

// Without color nothing has one, and what is lit is so all the same.
func TestNoColour(t *testing.T) {
	o := Options{Name: "a.pcap", Store: stored(testCapture(t)), Scan: scan.Options{Decoders: rtype(t)}}
	for _, o.Colour = range []bool{true, false} {
		s := begin(t, o, 80, 24)
		s.sees("fields of packet 1 ")
		s.keys("r")
		s.sees("fields of packet 145 ")
		if s.coloured() != o.Colour {
			t.Errorf("color %t: %q", o.Colour, s.sent())
		}
		if !o.Colour && strings.Contains(s.sent(), "\x1b[31") {
			t.Error("there is red")
		}
		s.keys(up, tab, home)
		s.sees("type: bits 0+16")
		if got := s.litBits(0, 0); !slices.Equal(got, upTo(0, 16)) {
			t.Errorf("color %t: lit: %v", o.Colour, got)
		}
	}
}

// What a packet holds is shown and not obeyed, and takes no more cells than it has.
func TestHostile(t *testing.T) {
	evil := "\x1b]0;pwned\x07\x1b[2J\x9b31m\u202eRTL\u0301\u0301\u200b漢字\U0001f600שלום\r\n\t\x00\xff##[error]"
	payload := append([]byte(evil), make([]byte, 200-len(evil))...)
	o := Options{Name: "a\x1b[31m\u202e.pcap", Store: stored(made(t, payload, payload)), Scan: scan.Options{
		Decoders: loaded(t, "protocol t\norder msb\npacket { name bytes(200) @text\n }\n")}}
	s := begin(t, o, 80, 24)
	lines := s.sees("fields of packet 1 ", `\x1b]0;pwned\x07`)
	s.keys("m", down, "d")
	s.sees("no bit differs")
	s.keys("q", tab, tab, right, right, "?")
	s.sees("mark a packet")
	s.keys("q")
	s.sees("name: bits")
	sent := s.sent()
	for _, evil := range []string{"\x1b]0;", "\x07", "\x1b[2J\x9b", "\x9b", "\u202e", "\u0301", "\u200b"} {
		if strings.Contains(sent, evil) {
			t.Errorf("the terminal was sent %q", evil)
		}
	}
	if !strings.Contains(lines[0], `a\x1b[31m\u202e.pcap`) {
		t.Errorf("title: %s", lines[0])
	}
}

// What is a secret is sent to no terminal, neither as text nor as bits.
func TestSecret(t *testing.T) {
	o := Options{Name: "a", Store: stored(made(t, []byte("aSESAMEz"))), Scan: scan.Options{
		Decoders: loaded(t, "protocol t\norder msb\npacket { a uint8\n key bytes(6) @secret\n z uint8 }\n")}}
	s := begin(t, o, 80, 24)
	s.sees("‹secret 6 B›", "     0 01100001 ········ ········ ········ ········ ········ ········ 01111010")
	s.keys(tab, down, tab, right, "m", "?", escape)
	s.sees("key: bits 8+48")
	sent := s.sent()
	for _, secret := range []string{"SESAME", "534553", "01010011"} {
		if strings.Contains(sent, secret) {
			t.Errorf("the terminal was sent %q", secret)
		}
	}
}

// indexed is the capture of a store, read to its end.
func indexed(t testing.TB, store *Store, decoders *scan.Decoders) *capture {
	t.Helper()
	a := newApp(Options{Store: store, Scan: scan.Options{Decoders: decoders}}, nil, context.Background())
	a.capture.index.run(&tail{store: store, ctx: a.ctx}, decoders, func() {})
	if p := a.capture.index.progress(); p.err != nil {
		t.Fatal(p.err)
	}
	return a.capture
}
