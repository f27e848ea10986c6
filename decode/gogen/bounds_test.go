package gogen_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/gogen"
)

// A field says what it may hold where its Go type does not, and a rule's text cannot leave its comment.
func TestBounds(t *testing.T) {
	for _, row := range []struct{ field, want string }{
		{`int(-5..100)`, "-5..100"},
		{`int(0..100) in {1..50, 60..70}`, "{1..50, 60..70}"},
		{`int(0..100) @unit("hp")`, "0..100, hp"},
		{`uint8`, ""},
		{`int16`, ""},
		{`sbits(5)`, "-16..15"},
		{`bits(3)`, "0..7"},
		{`float(-512..512, 0.5)`, "-512..512 in steps of 0.5"},
		{`vec3(float(-1..1, 0.5))`, "each -1..1 in steps of 0.5"},
		{`[4]int(0..3)`, "each 0..3"},
		{`[..20]int(0..3)`, "at most 20, each 0..3"},
		{`string(30)`, "at most 29 bytes"}, // its NUL is not kept,
		{`string(30) == "*/ \n// x"`, `at most 29 bytes, == "*/ \n// x"`},
		{`bool`, ""},
	} {
		src := "protocol bounds\norder lsb\npacket { a " + row.field + " }\n"
		out, err := gogen.Generate(compile(t, row.field, []byte(src)), gogen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile("(?m)^\tA .*`pks:\"a\"`(.*)$").FindStringSubmatch(string(out.Files[0].Source))
		if line == nil || strings.TrimPrefix(line[1], " // ") != row.want {
			t.Errorf("%s: want %q, got %q", row.field, row.want, line)
		}
	}
}
