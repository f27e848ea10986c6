package cuts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode"
)

// cut is where a field is: its first bit, and how many it has, at least one.
type cut struct{ bit, width int }

func byPlace(x, y cut) int { return cmp.Or(cmp.Compare(x.bit, y.bit), cmp.Compare(x.width, y.width)) }

// appendCuts appends all fields of a packet, each once, in the order of their places. Of a refused one that includes the
// place that refused it: the schema has something there.
func appendCuts(list []cut, t *decode.Trace) []cut {
	add := func(bit, width int) {
		if bit >= 0 && width > 0 {
			list = append(list, cut{bit, width})
		}
	}
	t.Show(func(ev *decode.Event) bool {
		if ev.Kind == decode.Leaf || ev.Kind == decode.Blob || ev.Kind == decode.Item || ev.Kind == decode.Masked {
			add(ev.Bit, ev.Width) // decode.Hidden is below 0
		}
		return true
	})
	if r := t.Reject(); r != nil && !r.HidesBit() && !r.HidesWidth() {
		add(r.Bit, r.Width)
	}
	if !slices.IsSortedFunc(list, byPlace) { // flags are beside what they are of
		slices.SortFunc(list, byPlace)
	}
	return slices.Compact(list)
}

// boundaries leaves of fields one for each first bit above 0 and below that many bits. It writes over the list.
func boundaries(list []cut, bits int) []cut {
	out := list[:0]
	for _, one := range list {
		if one.bit > 0 && one.bit < bits && (len(out) == 0 || out[len(out)-1].bit != one.bit) {
			out = append(out, one)
		}
	}
	return out
}

// common is how many of one sorted list another has.
func common(a, b []cut, order func(x, y cut) int) (n uint64) {
	for len(a) > 0 && len(b) > 0 {
		switch o := order(a[0], b[0]); {
		case o < 0:
			a = a[1:]
		case o > 0:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// why is where a packet was refused and as what, without a value.
func why(t *decode.Trace) string {
	r := t.Reject()
	if r == nil {
		return ""
	}
	text := r.Kind.String()
	if path := r.ShownPath(); path != "" {
		text = path + ": " + text
	}
	if !r.HidesBit() {
		text += fmt.Sprintf(" at bit %d", r.Bit)
	}
	return text
}
