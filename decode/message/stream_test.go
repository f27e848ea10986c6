package message

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// A line is answered as it stands where it is as -T json writes it, without an allocation; all else becomes a tree.
func TestStreamAnswers(t *testing.T) {
	const schema = `protocol p
order msb
enum E : uint8 { One = 1 }
flags F : uint8 { A = 1, B = 2 }
packet {
	n uint8
	list [n]{ x uint16 le, y int8, s { deep bits(4), reserved(4) } }
	e E, f F, ok bool, o optional uint8, align
	real float32, long uint64
	name string(16)
	some [..3]uint8
	data bytes(2)
	set subset(bitmap) [4]uint8
	let twice = n * 2
	align
	sum crc32(over before)
}`
	const good = `{"n":7,"time":"2026-01-02T14:07:21.503000000Z","src":"10.0.0.1:5","verdict":"accept","fields":{"n":2,"list":[{"x":1,"y":-1,"s":{"deep":3}},{"x":2,"y":0,"s":{"deep":4}}],` +
		`"e":"One","f":["A","B"],"ok":true,"o":3,"real":0.5,"long":"18446744073709551615","name":"ann","some":[1,2],"data":"abcd","set":[{"index":1,"value":9}],"twice":4,"sum":0}}`
	d, err := decode.Load("p.pks", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	m, e := New(d.Plan()), decode.NewEncoder(d)
	var out []byte
	answers := func(line string) bool {
		m.Reset()
		if !m.stream.begin([]byte(line)) {
			return false
		}
		_, ok := m.stream.encode(e, nil)
		return ok
	}
	replaced := func(old, with string) string {
		t.Helper()
		if strings.Count(good, old) != 1 {
			t.Fatalf("%s does not occur once", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for _, row := range []struct {
		line string
		want bool
	}{
		{good, true},
		{" " + good + "\r", true},
		{replaced(`"x":1,"y"`, `"x": 1, "y"`), true},
		{replaced(`"o":3,`, ``), true},
		{replaced(`,"twice":4,"sum":0`, ``), true},
		{replaced(`"twice":4,"sum":0`, `"sum":0,"twice":4`), true},
		{replaced(`"twice":4`, `"twice":4,"twice":4`), false},
		{replaced(`"sum":0`, `"sum":[0,{}]`), false},
		{replaced(`"x":1,"y":-1`, `"y":-1,"x":1`), false},
		{replaced(`"o":3`, `"o":null`), false},
		{replaced(`"e":"One",`, ``), false},
		{replaced(`"n":2`, `"n":3`), false},
		{replaced(`[1,2]`, `[1,2,]`), false},
		{replaced(`"deep":3}}`, `"deep":3},"more":1}`), false},
		{replaced(`"verdict":"accept"`, `"verdict":"reject"`), false},
		{replaced(`"verdict":"accept"`, `"n":7`), false},
		{good + "1", false},
	} {
		if got := answers(row.line); got != row.want {
			t.Errorf("%s: want %v, got %v", row.line, row.want, got)
		}
	}
	line := []byte(good)
	if n := testing.AllocsPerRun(100, func() {
		if err = m.FromLine(line); err == nil {
			out, err = m.Encode(e, out[:0])
		}
	}); n > 0 || err != nil {
		t.Errorf("%v allocations, %v", n, err)
	}
}
