package decode_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
)

const messages = `protocol messages
order msb
max datagram 64

flow by address, peer, low

packet {
    peer uint8
    low  int(-2..1)
    kind bits(6)
    body switch kind {
        0: bytes(rest, max 60) @message(Game)
        1: { sequence uint16, number uint8, last uint8, data bytes(rest, max 40) @fragment(Game, peer << 16 | sequence, index number, count last + 1) }
        2: { parts [rest, max 8]{ start uint8, size uint8, more bool8, data bytes(size, max 20) @fragment(Game, id start, offset start, last !more) } }
        3: { start uint32, total uint32, data bytes(rest, max 40) @fragment(Deep, low, offset start, total total) }
        4: { four [2]bytes(2) @message(Deep), token uint8 @secret, size uint8, data bytes(size, max 9) @fragment(Deep, token, index 0, last true) }
        5: { size uint8, within(size zeros) { a uint8, b bytes(3) @message(Deep) } }
        7: { some subset(index) [4]bytes(1) @message(Deep), maybe [2]optional bytes(1) @message(Deep) }
        6: { odd bits(3), align, data bytes(rest, max 9) @message(Odd) }
    }
}

message Game max 24 { a uint8 in 1..9, deep bytes(rest, max 23) @message(Deep) }
message Deep max 12 order lsb { x bits(4), y bits(12), z bytes(rest, max 10) }
message Odd max 9 order bousk { a bits(3), b bytes(2) @message(Deep) }
`

// found is what a trace holds of messages: the section, the bytes, and the numbers.
func found(d *decode.Decoder, t *decode.Trace) string {
	var b strings.Builder
	for i := range t.Fragments {
		f := &t.Fragments[i]
		var room []byte
		data := t.Bytes(int(f.Record), &room)
		fmt.Fprintf(&b, "%s %x", d.Schema().Sections[f.Section].Name, data)
		if !f.Whole() {
			fmt.Fprintf(&b, " id %d at %d", int64(f.ID), f.At)
			if f.Ends() {
				fmt.Fprintf(&b, " last %t", f.Last)
			} else {
				fmt.Fprintf(&b, " of %d", f.Of)
			}
		}
		if f.Secret() {
			b.WriteString(" secret")
		}
		if f.Broken(len(data)) {
			b.WriteString(" broken")
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

// What a packet holds of messages is in its Trace: judged by hand, from the bytes.
func TestFragments(t *testing.T) {
	d, err := decode.Load("m.pks", []byte(messages))
	if err != nil {
		t.Fatal(err)
	}
	var trace decode.Trace
	for _, row := range []struct {
		section, packet string
		flow            uint64
		want            string
	}{
		{"", "07" + "80" + "01aabb", 7 << 2, "Game 01aabb"},
		{"", "07" + "40", 7<<2 | 3, "Game "},
		{"", "03" + "01" + "0102" + "02" + "04" + "aabb", 3<<2 | 2, "Game aabb id 196866 at 2 of 5"},
		{"", "03" + "01" + "0102" + "05" + "04", 3<<2 | 2, "Game  id 196866 at 5 of 5 broken"},
		{"", "ff" + "02" + "00" + "02" + "01" + "a0a1" + "02" + "01" + "00" + "b0", 255<<2 | 2, "Game a0a1 id 0 at 0 last false; Game b0 id 2 at 2 last true"},
		{"", "00" + "02" + "17" + "02" + "01" + "a0a1", 2, "Game a0a1 id 23 at 23 last false broken"},
		{"", "00" + "02" + "16" + "02" + "01" + "a0a1", 2, "Game a0a1 id 22 at 22 last false"},
		{"", "00" + "03" + "00000003" + "00000005" + "a0a1", 2, "Deep a0a1 id -2 at 3 of 5"},
		{"", "00" + "43" + "00000003" + "00000005" + "a0a1", 3, "Deep a0a1 id -1 at 3 of 5"},
		{"", "00" + "43" + "00000004" + "00000005" + "a0a1", 3, "Deep a0a1 id -1 at 4 of 5 broken"},
		{"", "00" + "43" + "ffffffff" + "00000005" + "a0a1", 3, "Deep a0a1 id -1 at 4294967295 of 5 broken"},
		{"", "00" + "43" + "00000000" + "0000000d" + "a0a1", 3, "Deep a0a1 id -1 at 0 of 13 broken"},
		{"", "00" + "84" + "a0a1" + "b0b1" + "99" + "01" + "c0", 0, "Deep a0a1; Deep b0b1; Deep c0 id 153 at 0 last true secret"},
		{"", "00" + "85" + "02" + "01" + "b0", 0, "Deep b00000"},
		{"", "00" + "87" + "48" + "a0" + "80" + "b0" + "80" + "c0" + "00", 0, "Deep a0; Deep b0; Deep c0"},
		{"", "00" + "86" + "00" + "a0", 0, "Odd a0"},
		{"Game", "01" + "aabb", 0, "Deep aabb"},
		{"Game", "01", 0, "Deep "},
		{"Deep", "aabb", 0, ""},
		{"Odd", "", 0, "Deep a15e"}, // see oddMessage
	} {
		of := d
		if row.section != "" {
			if of, err = d.Section(row.section); err != nil {
				t.Fatal(err)
			}
		}
		packet, err := hex.DecodeString(row.packet)
		if err != nil {
			t.Fatal(err)
		}
		if row.section == "Odd" {
			packet, row.want = oddMessage(t, of)
		}
		if err := of.Decode(packet, decode.FromUnknown, &trace); err != nil {
			t.Errorf("%s %s: %v", row.section, row.packet, err)
			continue
		}
		if got := found(of, &trace); got != row.want || trace.FlowKey() != row.flow {
			t.Errorf("%s %s:\nwant %s, flow %d\ngot  %s, flow %d", row.section, row.packet, row.want, row.flow, got, trace.FlowKey())
		}
	}
	packet := []byte{0xff, 2, 0, 2, 1, 0xa0, 0xa1, 2, 1, 0, 0xb0}
	if allocated := testing.AllocsPerRun(100, func() {
		_ = d.Decode(packet, decode.FromUnknown, &trace)
		_ = trace.FlowKey()
	}); allocated != 0 {
		t.Errorf("%v allocations a packet", allocated)
	}
}

// oddMessage writes an Odd whose bytes are not on byte boundaries.
func oddMessage(t *testing.T, d *decode.Decoder) ([]byte, string) {
	t.Helper()
	packet := []byte{5, 0, 0}
	for i, v := range []uint64{0xa1, 0x5e} {
		d.Plan().Order.Store(packet, 3+8*i, 8, v)
	}
	return packet, "Deep a15e"
}

// A refused packet keeps none of the sections' rules, a section judges by its own rules, and what is refused afterwards
// looks as if Decode had refused it.
func TestSections(t *testing.T) {
	d, err := decode.Load("m.pks", []byte(messages))
	if err != nil {
		t.Fatal(err)
	}
	game, err := d.Section("Game")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := game.Section("Game"); err != nil || again != game || len(game.Sections()) != 3 || &game.Sections()[0] != &d.Sections()[0] {
		t.Errorf("%v: the sections of a section are others", err)
	}
	for _, of := range []*decode.Decoder{d, game} {
		if !of.Stateful() {
			t.Errorf("%s holds messages", of.Schema().Packet.Name)
		}
	}
	if deep, err := d.Section("Deep"); err != nil || deep.Stateful() || deep.Schema().MaxDatagram != 12 {
		t.Errorf("Deep: %v: holds no message, and has 12 bytes at most", err)
	}
	if _, err := d.Section("Gone"); err == nil || !strings.Contains(err.Error(), "want Game, Deep, Odd") {
		t.Errorf("a section that is not there: %v", err)
	}
	var trace decode.Trace
	for packet, want := range map[string]string{
		"00": "out-of-range", "01" + strings.Repeat("00", 24): "datagram-size", "": "past-end",
	} {
		data, err := hex.DecodeString(packet)
		if err != nil {
			t.Fatal(err)
		}
		if err := game.Decode(data, decode.FromUnknown, &trace); err == nil || trace.Reject().Kind.String() != want {
			t.Errorf("Game %s: %v, want %s", packet, err, want)
		}
	}
	if err := d.Decode([]byte{0, 2, 0, 1, 0, 9, 1, 1, 0, 9}, decode.FromUnknown, &trace); err != nil || len(trace.Fragments) != 2 {
		t.Fatal(err, len(trace.Fragments))
	}
	err = trace.RefuseFragment(&trace.Fragments[1], reject.RuleBroken)
	r := trace.Reject()
	if err != error(r) || r.Bit != 72 || r.Width != 8 || string(trace.AppendPath(nil, r.At)) != "body.parts[1].data" {
		t.Errorf("refused at bit %d, %d bits, %s: %v", r.Bit, r.Width, trace.AppendPath(nil, r.At), err)
	}
	stateless, err := decode.Load("s.pks", []byte("protocol s\norder lsb\npacket { a bytes(rest, max 9) }\nmessage M max 9 { a uint8 }\n"))
	if err != nil || stateless.Stateful() || len(stateless.Sections()) != 1 {
		t.Errorf("%v: nothing holds the message", err)
	}
	if plain, err := decode.Load("s.pks", []byte("protocol s\norder lsb\npacket { a uint8 }\n")); err != nil || plain.Sections() != nil {
		t.Errorf("%v: no message", err)
	} else if _, err := plain.Section("M"); err == nil || !strings.Contains(err.Error(), "no `message`") {
		t.Errorf("a section of a schema without: %v", err)
	}
}

// The table of the wire page says what its packets hold.
func TestMessagesOfTheWirePage(t *testing.T) {
	_, part, ok := strings.Cut(decode.Wire, "\n## Messages\n")
	if !ok {
		t.Fatal("the page has no such part")
	}
	part, _, _ = strings.Cut(part, "\n## ")
	blocks := strings.Split(part, "```")
	d, err := decode.Load("pieces.pks", []byte(blocks[1][1:]))
	if err != nil {
		t.Fatal(err)
	}
	shot, err := d.Section("Shot")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	var trace, inner decode.Trace
	for _, line := range strings.Split(blocks[2], "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		rows++
		packet, err := hex.DecodeString(strings.Trim(cells[1], " `"))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil || len(trace.Fragments) != 1 {
			t.Fatalf("%x: %v", packet, err)
		}
		f, got := &trace.Fragments[0], ""
		data := trace.Bytes(int(f.Record), new([]byte))
		switch {
		case f.Whole():
			if err := shot.Decode(data, decode.FromUnknown, &inner); err != nil {
				t.Fatal(err)
			}
			got = fmt.Sprintf("all of a Shot: `%x`", data)
			for field := range inner.Fields() {
				if field.Width() > 0 {
					got += fmt.Sprintf(", %s %s", field.Path(), field.Value())
				}
			}
		case f.Bytes():
			got = fmt.Sprintf("of Shot %d what begins at byte %d", f.ID, f.At)
			if f.Last {
				got += ", up to the end"
			}
			if got += ": nothing"; len(data) > 0 {
				got = strings.TrimSuffix(got, "nothing") + fmt.Sprintf("`%x`", data)
			}
		default:
			got = fmt.Sprintf("of Shot %d piece %d of %d: `%x`", f.ID, f.At, f.Of, data)
		}
		if want := strings.TrimSpace(cells[2]); got != want {
			t.Errorf("%x: want %s, got %s", packet, want, got)
		}
	}
	if rows != 5 {
		t.Errorf("%d rows", rows)
	}
}
