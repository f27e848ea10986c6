// Package rows is for tests: the packets by which the wire page's rules are known, one schema and one packet a row,
// with what the reference has to say of each. The reference is held to them word for word, and whatever else reads
// packets agrees with it on them, cut and flipped. No program imports it.
package rows

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// Accepted is a row that is accepted, with its fields and notes on one line.
type Accepted struct {
	Row
	Want string
}

// Refused is a row that is refused, with where and why.
type Refused struct {
	Row
	Want slow.Reject
}

// The rows of all tables.
var (
	Accepts = slices.Concat(fixedAccepts, variableAccepts)
	Rejects = slices.Concat(fixedRejects, variableRejects)
)

// Every is the packets of all rows.
func Every() []Row {
	var all []Row
	for _, r := range Accepts {
		all = append(all, r.Row)
	}
	for _, r := range Rejects {
		all = append(all, r.Row)
	}
	return all
}

// Orders are all bit orders.
var Orders = []wire.Order{wire.LSB, wire.MSB, wire.Bytewise}

// Row is one packet under one schema. The same row is tried in every bit order: a value is at the same bits in all
// three, only which bits of the bytes those are differs.
type Row struct {
	Name   string
	Decls  string // above `packet`; `max datagram` and so on
	Items  string // of `packet`
	Packet string // Pack says how
	From   schema.Direction
	Orders []wire.Order // nil: all
}

// In are the orders that the row is tried in.
func (r Row) In() []wire.Order {
	if r.Orders == nil {
		return Orders
	}
	return r.Orders
}

// Source is the schema of the row in an order.
func (r Row) Source(order wire.Order) string {
	return fmt.Sprintf("protocol test\norder %v\n%s\npacket {\n%s\n}\n", order, r.Decls, r.Items)
}

// Load is a schema that has to be good.
func Load(t testing.TB, source string) *schema.Schema {
	t.Helper()
	s, diags := schema.Load("test.pks", []byte(source), nil)
	if s == nil {
		t.Fatalf("schema refused: %v\n%s", diags, source)
	}
	return s
}

// Pack makes a packet from words: `5:9` is the value 9 in 5 bits, `"ab"` two bytes of text, each 8 bits where it
// is. Values go in one after the other; what is left of the last byte is zero.
func Pack(t testing.TB, order wire.Order, words string) []byte {
	t.Helper()
	var data []byte
	bit := 0
	put := func(width int, v uint64) {
		for 8*len(data) < bit+width {
			data = append(data, 0)
		}
		for width > 0 && v>>min(width, 63) > 1 {
			t.Fatalf("packet %q: %d does not fit %d bits", words, v, width)
		}
		slow.Store(order, data, bit, width, v)
		bit += width
	}
	for _, word := range strings.Fields(words) {
		if text, ok := strings.CutPrefix(word, `"`); ok {
			for _, b := range []byte(strings.TrimSuffix(text, `"`)) {
				put(8, uint64(b))
			}
			continue
		}
		width, value, _ := strings.Cut(word, ":")
		n, err := strconv.Atoi(width)
		if err != nil {
			t.Fatalf("packet %q: %v", words, err)
		}
		v, err := strconv.ParseUint(value, 0, 64)
		if err != nil {
			t.Fatalf("packet %q: %v", words, err)
		}
		if n > 64 {
			put(n-64, 0)
			n = 64
		}
		put(n, v)
	}
	return data
}

// EachSpoilt calls try for a packet, for each of its truncations to whole bytes and for each flip of one bit. what and
// n say which it is. The data is valid until try returns.
func EachSpoilt(packet []byte, try func(what string, n int, data []byte)) {
	try("whole", 0, packet)
	for n := range packet {
		try("cut at byte", n, packet[:n:n])
	}
	for bit := range 8 * len(packet) {
		packet[bit/8] ^= 1 << (bit % 8)
		try("flipped bit", bit, packet)
		packet[bit/8] ^= 1 << (bit % 8)
	}
}
