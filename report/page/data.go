package page

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// The data of the packet list, as the page's script reads it (data.js):
//
//	{"protocols":["rtype"], "files":["a.pcap"], "peers":["10.0.0.2:5000"], "cases":["Snapshot"],
//	 "slots":[[path, kind, width, order, allowed, hidden], …]        a field in a place of a packet
//	 "texts":[[code, value], …], "shapes":[[slot, …], …],
//	 "packets":[[protocol, n, file, time, src, dst, direction, case, bytes, verdict, shape, values, payload, more, refusal], …]}
//
// Packets of one case mostly have the same fields of the same widths, so a packet names a shape and adds its values: a
// number that is its own text as itself, anything else as -1-i, which is texts[i]. Where a field begins is the sum of
// the widths before it; hidden is 1 of a secret, and 2 of what is in the masked piece before it, whose place and maybe
// width (null) would tell one. payload is base64, its secret bits zero. more is fields that were left out; refusal is
// [kind, path, bit, width, want, got, message], or the notes as [[text], …], or null. time is in ns since 1970 as a
// string.

// The bounds of the data.
const (
	MaxData    = 24 << 20 // bytes; packets beyond it are listed without their fields
	maxPieces  = 4096     // of one packet
	maxPayload = 8192     // bytes of one packet
	plainMost  = 1 << 53  // above, a number is text: the script has only doubles
)

// packetData makes the data.
type packetData struct {
	out                         []byte
	protocols, files, peers     rowTable
	cases, slots, texts, shapes rowTable
	key, shape, values, scratch []byte
	payload                     []byte
	bare                        int // packets listed without their fields
	cut                         int // packets some fields or bytes of which were left out
	size                        int // bytes of all tables
}

// rowTable gives equal rows one number. A row is JSON.
type rowTable struct {
	at   map[string]int
	rows []string
}

func (r *rowTable) put(row []byte) (index int, grown int) {
	if i, ok := r.at[string(row)]; ok {
		return i, 0
	}
	if r.at == nil {
		r.at = map[string]int{}
	}
	s := string(row)
	r.at[s] = len(r.rows)
	r.rows = append(r.rows, s)
	return len(r.rows) - 1, len(s) + 1
}

// text puts a string.
func (r *rowTable) text(s string) int {
	i, _ := r.put(appendText(nil, s))
	return i
}

// appendText appends a string as JSON that may be in an HTML script block: `<`, `>` and `&` are escapes. What it
// holds is escaped as for a terminal before.
func appendText[T string | []byte](b []byte, s T) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c == '<' || c == '>' || c == '&' || c == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// listed is what the overview has to know of a collector's list.
type listed struct {
	Packets, Refused int
	Thinned          []thinned
	Seen             uint64
}

// add adds the packets of a collector. Those that were refused get their fields first, as long as there is room.
func (pd *packetData) add(c *Collector, name string) listed {
	l := listed{Seen: c.seen, Thinned: thinnedGroups(c)}
	list := c.packets()
	dec, pieces := decode.New(c.plan), report.NewPieces(c.plan)
	protocol := pd.protocols.text(plain(name))
	rows := make([][]byte, len(list))
	var trace decode.Trace
	for _, refused := range []bool{true, false} {
		for i, k := range list {
			p := k.packet
			p.Trace = &trace
			from := decode.DirectionOf(c.plan.Schema, p.Src.Port(), p.Dst.Port())
			dec.ReadHeld(&decode.Packet{Data: k.payload, Size: k.size, From: from}, k.held, k.sender, &trace)
			if is := p.Verdict() == decode.Refused; is != refused {
				continue
			} else if is {
				l.Refused++
			}
			rows[i] = pd.packet(protocol, k, &p, pieces)
			pd.size += len(rows[i])
		}
	}
	l.Packets = len(list)
	for _, row := range rows {
		if len(pd.out) > 0 {
			pd.out = append(pd.out, ',', '\n')
		}
		pd.out = append(pd.out, row...)
	}
	return l
}

// packet is one packet's row.
func (pd *packetData) packet(protocol int, k *kept, p *scan.Packet, pieces *report.Pieces) []byte {
	t := p.Trace
	pd.scratch = report.AppendCase(pd.scratch[:0], t)
	b := strconv.AppendInt([]byte{'['}, int64(protocol), 10)
	number := func(n int64) { b = strconv.AppendInt(append(b, ','), n, 10) }
	number(p.N)
	number(int64(pd.files.text(plain(p.File))))
	b = append(b, ',', '"')
	if p.HasTime() {
		b = strconv.AppendInt(b, p.Time, 10)
	}
	b = append(b, '"')
	number(int64(pd.peers.text(peerText(p.Src))))
	number(int64(pd.peers.text(peerText(p.Dst))))
	number(int64(t.From))
	number(int64(pd.cases.text(plain(string(pd.scratch)))))
	number(int64(k.size))
	number(int64(p.Verdict()))
	more := 0
	if pd.size < MaxData {
		more = pd.fields(p, k, pieces)
		number(int64(pd.grow(pd.shapes.put(append(pd.shape, ']')))))
		b = append(append(append(b, ','), pd.values...), ']')
		b = append(b, ',', '"')
		b = append(base64.StdEncoding.AppendEncode(b, pd.payload), '"')
	} else {
		pd.bare++
		b = append(b, `,-1,[],""`...)
	}
	number(int64(more))
	if more > 0 || len(t.Payload) > maxPayload {
		pd.cut++
	}
	return append(pd.outcome(append(b, ','), p), ']')
}

func (pd *packetData) grow(index, by int) int {
	pd.size += by
	return index
}

// fields fills shape, values and payload, and tells how many pieces were left out.
func (pd *packetData) fields(p *scan.Packet, k *kept, pieces *report.Pieces) (more int) {
	pd.shape, pd.values = append(pd.shape[:0], '['), append(pd.values[:0], '[')
	pd.payload = append(pd.payload[:0], k.payload[:min(len(k.payload), maxPayload)]...)
	n := 0
	pieces.Visit(p, func(x *report.Piece) bool {
		unplaced := x.Bit == decode.Hidden || x.Width == decode.Hidden
		if x.Hidden && !unplaced {
			blank(pd.payload, x)
		}
		if n++; n > maxPieces {
			more++
			return true
		}
		if n > 1 {
			pd.shape, pd.values = append(pd.shape, ','), append(pd.values, ',')
		}
		b := appendText(append(pd.key[:0], '['), x.Path)
		b = appendText(append(b, ','), x.Kind)
		b = appendBits(append(b, ','), x.Width)
		b = strconv.AppendInt(append(b, ','), int64(x.Order), 10)
		b = appendText(append(b, ','), x.Allowed)
		hidden := byte('0')
		if x.Hidden {
			hidden = '1'
		}
		if unplaced {
			hidden = '2'
		}
		pd.key = append(b, ',', hidden, ']')
		pd.shape = strconv.AppendInt(pd.shape, int64(pd.grow(pd.slots.put(pd.key))), 10)
		if x.Plain && x.Number < plainMost {
			pd.values = strconv.AppendUint(pd.values, x.Number, 10)
			return true
		}
		b = appendText(append(pd.key[:0], '['), x.Code)
		pd.key = append(appendText(append(b, ','), x.Value), ']')
		pd.values = strconv.AppendInt(pd.values, -1-int64(pd.grow(pd.texts.put(pd.key))), 10)
		return true
	})
	return more
}

// appendBits appends a bit or a width, null where that tells a secret.
func appendBits(b []byte, n int) []byte {
	if n == decode.Hidden {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// blank zeroes the bits of a piece that must not be shown. A byte has its bits in the piece's order.
func blank(payload []byte, x *report.Piece) {
	for bit := x.Bit; bit < x.Bit+x.Width && bit/8 < len(payload); bit++ {
		mask := byte(0x80 >> (bit % 8))
		if x.Order == wire.LSB {
			mask = 1 << (bit % 8)
		}
		payload[bit/8] &^= mask
	}
}

// outcome is why a packet was refused, or its notes.
func (pd *packetData) outcome(b []byte, p *scan.Packet) []byte {
	if r := report.RefusalOf(p); r != nil {
		b = appendText(append(b, '['), r.Kind.String())
		b = appendText(append(b, ','), r.Path)
		b = appendBits(append(b, ','), r.Bit)
		b = appendBits(append(b, ','), r.Width)
		for _, s := range []string{r.Want, r.Got, r.Message} {
			b = appendText(append(b, ','), s)
		}
		return append(b, ']')
	}
	notes := report.NotesOf(p)
	if len(notes) == 0 {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, s := range notes {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(append(b, '['), s), ']')
	}
	return append(b, ']')
}

// json is the whole data.
func (pd *packetData) json() []byte {
	b := []byte{'{'}
	for _, t := range []struct {
		name string
		*rowTable
	}{
		{"protocols", &pd.protocols}, {"files", &pd.files}, {"peers", &pd.peers}, {"cases", &pd.cases}, {"slots", &pd.slots},
		{"texts", &pd.texts}, {"shapes", &pd.shapes},
	} {
		b = append(append(append(b, '"'), t.name...), `":[`...)
		for j, row := range t.rows {
			if j > 0 {
				b = append(b, ',')
			}
			b = append(b, row...)
		}
		b = append(b, "],\n"...)
	}
	b = append(append(append(b, `"packets":[`...), pd.out...), "]}"...)
	if !json.Valid(b) {
		panic("pktscope: internal error: the data of a page is no JSON")
	}
	return b
}

// thinned is a group of packets of which some were left out.
type thinned struct {
	What       string
	Seen, Kept uint64
	Stride     uint64
}

func thinnedGroups(c *Collector) (list []thinned) {
	for _, g := range c.groups {
		if g.stride == 1 {
			continue
		}
		list = append(list, thinned{g.what(c.plan), g.seen, uint64(len(g.list)), g.stride})
	}
	return list
}

// what is what a group's packets have in common.
func (g *group) what(p *plan.Plan) string {
	if g.key.refused {
		return "refused as " + g.key.kind.String()
	}
	what := "accepted"
	if g.key.hasTag {
		what = decode.CaseOf(p, g.key.tag).String()
	}
	if g.key.from != decode.FromUnknown {
		what += " from the " + g.key.from.String()
	}
	if g.key.note != 0 {
		what += " with a note " + g.key.note.String()
	}
	return plain(what)
}
