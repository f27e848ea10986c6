package decode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// outline writes a walk as one line per event.
func outline(tr *decode.Trace) string {
	var b strings.Builder
	depth := 0
	for ev := range tr.Walk() {
		node := &tr.Plan.Nodes[ev.Node]
		path := string(tr.AppendEventPath(nil, ev))
		switch ev.Kind {
		case decode.Open:
			fmt.Fprintf(&b, "%*s%s {", 2*depth, "", path)
			if node.Kind == plan.NodeArray {
				fmt.Fprintf(&b, " %d", ev.Count)
			}
			depth++
		case decode.Close:
			depth--
			fmt.Fprintf(&b, "%*s}", 2*depth, "")
		case decode.Leaf:
			fmt.Fprintf(&b, "%*s%s %d+%d = %d", 2*depth, "", path, ev.Bit, ev.Width, ev.Raw)
		case decode.Blob:
			fmt.Fprintf(&b, "%*s%s %d+%d = %q", 2*depth, "", path, ev.Bit, ev.Width, ev.Data)
		case decode.Item:
			fmt.Fprintf(&b, "%*s%s (%s) %d+%d", 2*depth, "", path, node.Name, ev.Bit, ev.Width)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

var walks = []struct{ name, order, decls, body, packet, want string }{
	{"nested arrays, empty ones too", "msb",
		"struct R { m uint8 in 0..2, v [m]uint8 }", "n uint8 in 0..3\nrs [n]R\nlast uint8", "02 00 01 07 09", `
n 0+8 = 2
rs { 2
  rs[0] {
    rs[0].m 8+8 = 0
    rs[0].v { 0
    }
  }
  rs[1] {
    rs[1].m 16+8 = 1
    rs[1].v { 1
      rs[1].v[0] 24+8 = 7
    }
  }
}
last 32+8 = 9
`},
	{"array of arrays", "msb", "", "g [2][2]bits(2)\nx bits(8)", "1b 00", `
g { 2
  g[0] { 2
    g[0][0] 0+2 = 0
    g[0][1] 2+2 = 1
  }
  g[1] { 2
    g[1][0] 4+2 = 2
    g[1][1] 6+2 = 3
  }
}
x 8+8 = 0
`},
	{"structs that hold nothing", "msb", "struct E { if false { a uint8 } }", "e E\nes [2]E\nx uint8", "05", `
e {
}
es { 2
  es[0] {
  }
  es[1] {
  }
}
x 0+8 = 5
`},
	{"checks and reserved bits", "msb", "struct H { v bits(4), reserved(4) }", "h H\nreserved(72)\ns bytes(2)", "10 00 00 00 00 00 00 00 00 00 41 42", `
h {
  h.v 0+4 = 1
  h.reserved#1 (reserved#1) 4+4
}
reserved#1 (reserved#1) 8+72
s 80+16 = "AB"
`},
	{"bytes off the byte boundary", "bousk", "", "a bits(4)\ns bytes(2)\nb bits(4)", "11 42 40", `
a 0+4 = 1
s 4+16 = "AB"
b 20+4 = 0
`},
	{"array of texts with their lengths", "msb", "", "ts [2]string(8)\nx uint8", "20 41 40 42 43 05", `
ts { 2
  ts[0].length (length) 0+3
  ts[0] 8+8 = "A"
  ts[1].length (length) 16+3
  ts[1] 24+16 = "BC"
}
x 40+8 = 5
`},
	{"refused inside an array", "msb", "struct P { a uint8, b uint8 in 0..9 }", "ps [3]P", "01 02 03 63 05 06", `
ps { 3
  ps[0] {
    ps[0].a 0+8 = 1
    ps[0].b 8+8 = 2
  }
  ps[1] {
    ps[1].a 16+8 = 3
  }
}
`},
}

func TestWalk(t *testing.T) {
	var tr decode.Trace
	for _, row := range walks {
		t.Run(row.name, func(t *testing.T) {
			_ = protocol(t, row.order, row.decls, row.body).Decode(unhex(t, row.packet), decode.FromUnknown, &tr)
			if got := "\n" + outline(&tr); got != row.want {
				t.Errorf("got%s\nwant%s", got, row.want)
			}
		})
	}
}

// Element tells an element of the packet's first field, whose span is number 0, from what is in no array.
func TestElement(t *testing.T) {
	var tr decode.Trace
	d := protocol(t, "msb", "struct R { m uint8 }", "a [2]uint8\nrs [2]R\nlast uint8")
	if err := d.Decode(unhex(t, "01 02 03 04 05"), decode.FromUnknown, &tr); err != nil {
		t.Fatal(err)
	}
	var got []string
	for ev := range tr.Walk() {
		if ev.Kind == decode.Leaf {
			index, of, ok := tr.Element(ev)
			got = append(got, fmt.Sprintf("%s %d/%d %v", tr.AppendEventPath(nil, ev), index, of, ok))
		}
	}
	want := "a[0] 0/2 true, a[1] 1/2 true, rs[0].m 0/2 true, rs[1].m 1/2 true, last 0/0 false"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}

// A walk can be left at any event.
func TestWalkStops(t *testing.T) {
	var tr decode.Trace
	row := walks[0]
	if err := protocol(t, row.order, row.decls, row.body).Decode(unhex(t, row.packet), decode.FromUnknown, &tr); err != nil {
		t.Fatal(err)
	}
	events := strings.Count(row.want, "\n") - 1
	for stop := 1; stop <= events; stop++ {
		n := 0
		for range tr.Walk() {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("left at %d of %d", n, stop)
		}
	}
}
