package filter

import (
	"fmt"
	"strings"
	"testing"
)

// A schema of many arms under one name and a filter of 4 KiB are both small; what they make together must be too.
func TestHostileSchema(t *testing.T) {
	arms := func(n int, arm func(i int) string) string {
		var b strings.Builder
		b.WriteString("tag uint16\nv switch tag {\n")
		for i := range n {
			fmt.Fprintf(&b, "%d: %s\n", i, arm(i))
		}
		b.WriteString("default: empty\n}")
		return b.String()
	}
	var enums strings.Builder
	for i := range 200 {
		fmt.Fprintf(&enums, "enum E%d : uint8 { A = 0, B = %d }\n", i, i+1)
	}
	same := body("msb", "", arms(2400, func(int) string { return "{ l [8]{ x uint8, y uint8 } }" }))
	types := body("msb", enums.String(), arms(200, func(i int) string { return fmt.Sprintf("E%d", i) }))
	some := body("msb", enums.String(), arms(30, func(i int) string { return fmt.Sprintf("{ a E%d, b E%d }", i, i) }))

	var elements []string
	for i := range 8 {
		elements = append(elements, fmt.Sprintf("v.l[%d].x == 1 || v.l[%d].y == 1 || v.l[%d] == nil", i, i, i))
	}
	const tooMuch = "filter:1:1: error: the filter would do too much on one packet: "
	for _, row := range []struct{ name, schema, src, want string }{
		{"many fields", same, strings.Join(elements, " || "), tooMuch},
		{"many fields in a closure", same, strings.TrimSuffix(strings.Repeat("any(v.l, .x == 1 || .y == 2) || ", 12), " || "), tooMuch},
		{"many types", types, `v == "A"`, "filter:1:1: error: `v` has more than 32 types"},
		{"types against types", some, strings.TrimSuffix(strings.Repeat("v.a == v.b || ", 28), " || "), "filter:1:1: error: the filter is too large: its names have too many types"},
		{"some types against types", some, strings.TrimSuffix(strings.Repeat("v.a == v.b || ", 20), " || "), ""},
		{"a common case", some, strings.TrimSuffix(strings.Repeat(`v.a == "A" || `, 28), " || "), ""},
	} {
		_, err := Compile(planOf(t, row.schema), row.src)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.HasPrefix(err.Error(), row.want)) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
}
