package anyschema

import (
	"fmt"
	"strings"
)

// home is what annotations are after.
type home uint8

const (
	onField home = iota
	onSwitch
	onNothing // an empty arm
	onLet
)

// notes are the annotations that a value may have.
func (g *generator) notes(f *frame, v value, on home) string {
	if !g.once(4) {
		return ""
	}
	may := []string{`@from(client)`, `@from(server)`, `@every(50ms)`, `@budget(96 bits)`, `@budget(2_000 bytes)`}
	if on == onLet { // it is on no wire
		may = nil
	}
	if on != onNothing {
		may = append(may, `@secret`, `@secret`)
	}
	if on == onField || on == onLet {
		switch v.inner {
		case integer:
			may = append(may, `@unit("px")`)
			if !strings.Contains(v.text, "vec") {
				may = append(may, `@scale(0.01)`, `@scale(-3)`, `@time(ms)`, `@time(us)`, `@time(s)`, `@time(ns)`, `@scale(1/3)`, `@hex`, `@seq`)
				may = append(may, g.displays(v)...)
				for _, s := range g.structs {
					if len(s.integers) > 0 {
						may = append(may, fmt.Sprintf("@ack(%s.%s)", s.name, s.integers[0]))
					}
				}
			}
		case float, quantized:
			may = append(may, `@unit("m/s é")`)
		case blob:
			if !strings.Contains(v.text, " utf") && !strings.Contains(v.text, " ascii") && !strings.Contains(v.text, " latin1") {
				may = append(may, `@text`, `@text`)
				may = append(may, g.displays(v)...)
				may = append(may, `@message`)
			}
		}
	}
	out, said := "", map[string]bool{}
	for i := 0; i == 0 || i < 3 && g.once(3); i++ {
		n := may[g.draw(len(may))]
		word, _, _ := strings.Cut(n, "(")
		if word == "@message" && !said[word] {
			if n = g.holds(f); n == "" {
				continue
			}
		}
		if strings.Contains("@ipv4 @ipv6 @mac @uuid @hex @bcd @time", word) {
			word = "a display"
		}
		if !said[word] {
			out, said[word] = out+" "+n, true
		}
	}
	return out
}

// displays are those that show a type of so many bits, or bytes of so many.
func (g *generator) displays(v value) []string {
	if v.inner == blob {
		return map[string][]string{"bytes(4)": {"@ipv4"}, "bytes(6)": {"@mac"}, "bytes(16)": {"@ipv6", "@uuid"}}[v.text]
	}
	return map[string][]string{"uint8": {"@bcd"}, "bits(12)": {"@bcd"}, "uint32": {"@ipv4", "@bcd"}, "bits(48)": {"@mac", "@bcd"},
		"uint64": {"@time(ntp)", "@bcd"}}[v.text]
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }
