package slow_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

func decodeRow(t testing.TB, r rows.Row, order wire.Order) slow.Result {
	t.Helper()
	return slow.Decode(rows.Load(t, r.Source(order)), rows.Pack(t, order, r.Packet), r.From)
}

// show writes a result on one line: `path@bit+width=raw`, bytes in quotes, items in brackets, notes after `!`.
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
