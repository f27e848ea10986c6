package slow_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

var orders = []wire.Order{wire.LSB, wire.MSB, wire.Bousk}

// row is one packet under one schema. The same row is tried in every bit order: a value stands at the same bits in all
// three, only which bits of the bytes those are differs.
type row struct {
	name   string
	decls  string // above `packet`; `max datagram` and so on
	items  string // of `packet`
	packet string // pack says how
	from   schema.Side
	orders []wire.Order // nil: all
}

func (r row) in() []wire.Order {
	if r.orders == nil {
		return orders
	}
	return r.orders
}

func (r row) source(order wire.Order) string {
	return fmt.Sprintf("protocol test\norder %v\n%s\npacket {\n%s\n}\n", order, r.decls, r.items)
}

func (r row) decode(t testing.TB, order wire.Order) slow.Result {
	t.Helper()
	return slow.Decode(load(t, r.source(order)), pack(t, order, r.packet), r.from)
}

func load(t testing.TB, source string) *schema.Schema {
	t.Helper()
	s, diags := schema.Load("test.pks", []byte(source), nil)
	if s == nil {
		t.Fatalf("schema refused: %v\n%s", diags, source)
	}
	return s
}

// pack makes a packet from words: `5:9` is the value 9 in 5 bits, `"ab"` two bytes of text, each 8 bits where it stands.
// Values go in one after the other; what is left of the last byte is zero.
func pack(t testing.TB, order wire.Order, words string) []byte {
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

// show writes a result on one line: `path@bit+width=raw`, bytes in quotes, items in brackets, notes behind `!`.
func show(r slow.Result) string {
	var words []string
	for _, f := range r.Fields {
		value := strconv.FormatUint(f.Raw, 10)
		if f.Data != nil {
			value = strconv.Quote(string(f.Data))
		}
		word := fmt.Sprintf("%s@%d+%d=%s", f.Path, f.Bit, f.Width, value)
		if f.Item {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	for _, n := range r.Notes {
		words = append(words, fmt.Sprintf("!%v:%s@%d+%d", n.Kind, n.Path, n.Bit, n.Width))
	}
	if r.Reject != nil {
		words = append(words, showReject(*r.Reject))
	}
	return strings.Join(words, " ")
}

func showReject(r slow.Reject) string {
	return fmt.Sprintf("%v %q at %d+%d", r.Kind, r.Path, r.Bit, r.Width)
}
