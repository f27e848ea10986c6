package oracle_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// An optional's flag, a list's count and a text's length are not the value that is on their path or above it.
func TestCompareBesideFlags(t *testing.T) {
	d := compile(t, `protocol beside
order lsb
max datagram 100
packet {
    p optional uint8
    a optional uint8 @scale(0.5)
    n optional uint8
    q [..2]optional uint8
    s optional { raw uint8 }
    l optional [..3]uint8
    b optional bytes(2)
    t optional string(9)
    o optional optional bool
    i optional optional bool
    v optional quat smallest3(4)
    m [2][..3]string(9)
    x subset(bitmap) [4]optional uint8
    y subset(index) [4]uint8
}
`)
	e := &bitWriter{}
	e.put(1, 1).put(8, 42).put(1, 1).put(8, 5).put(1, 0)
	e.put(2, 2).put(1, 1).put(8, 7).put(1, 0)
	e.put(1, 1).put(8, 9)
	e.put(1, 1).put(2, 2).put(8, 0).put(8, 200)
	e.put(1, 1).align().bytes("\x00\x07")
	e.put(1, 1).put(4, 2).align().bytes("hi")
	e.put(3, 3).put(2, 1)                      // o is false, i has nothing
	e.put(1, 1).put(2, 3).put(12, 0x788)       // v
	e.put(2, 1).put(4, 1).align().bytes("A")   // m[0]
	e.put(2, 0)                                // m[1]
	e.put(2, 2).put(1, 1).put(8, 77).put(2, 0) // x[1]
	e.put(3, 1).put(2, 3).put(8, 88)           // y: index 3
	e.align()
	var trace decode.Trace
	if err := d.Decode(e.data, decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ line, wrong string }{
		{`{"p":42,"a":2.5,"n":null,"q":[7,null],"s":{"raw":9},"l":[0,200],"b":"0007","t":"hi","o":false,"i":null}`, ""},
		{`{"p":{"raw":42},"a":{"raw":5,"value":2.5},"s":true,"l":true,"b":[0,7],"t":{"raw":"6869"},"v":true}`, ""},
		{`{"q.count":2,"q[0]":7,"l.count":2,"t.length":2,"m":[["A"],[]],"m[0].count":1,"m[0][0].length":1,"m[1].count":0}`, ""},
		{`{"x":[{"index":1,"value":77}],"y":[{"index":3,"value":88}],"y.count":1}`, ""},

		{`{"p":1}`, "p: 1 where the schema says 42"},
		{`{"a":1}`, "a: 1 where the schema says 2.5, which is 5 times the scale"},
		{`{"n":0}`, "n: 0 where the packet has no such field"},
		{`{"q":[1,0]}`, "q[0]: 1 where the schema says 7; q[1]: 0 where the packet has no such field"},
		{`{"q.count":7}`, "q.count: 7 where the schema says 2"},
		{`{"s":{"raw":1}}`, "s.raw: 1 where the schema says 9"},
		{`{"s":false}`, "s: false where the schema says 1"},
		{`{"l":[1,200]}`, "l[0]: 1 where the schema says 0"},
		{`{"l":[0,200,1]}`, "l: 3 elements where the schema says 2"},
		{`{"b":[1]}`, "b: [1] where the schema says 0007"},
		{`{"b":1}`, "b: 1 where the schema says 0007"},
		{`{"t":{"raw":"31"}}`, `t: "31" as what is on the wire where the schema says 6869`},
		{`{"t.length":"hi"}`, `t.length: "hi" where the schema says 2`},
		{`{"o":true}`, "o: true where the schema says 0"},
		{`{"i":1}`, "i: 1 where the packet has no such field"},
		{`{"m[0].count":"A"}`, `m[0].count: "A" where the schema says 1`},
		{`{"x":[{"index":1,"value":1}]}`, "x[0].value: 1 where the schema says 77"},
	} {
		var wrong []string
		for _, w := range oracle.CompareFields(&trace, []byte(row.line)) {
			wrong = append(wrong, w.Path+": "+w.What)
		}
		if got := strings.Join(wrong, "; "); got != row.wrong {
			t.Errorf("%s: want %q, got %q", row.line, row.wrong, got)
		}
	}
}
