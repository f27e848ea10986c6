package anyschema

import (
	"fmt"
	"strings"
)

// home is what annotations stand behind.
type home uint8

const (
	onField home = iota
	onSwitch
	onNothing // an empty arm
)

// notes are the annotations that a value may have.
func (g *generator) notes(v value, on home) string {
	if !g.once(4) {
		return ""
	}
	may := []string{`@from(client)`, `@from(server)`, `@every(50ms)`, `@budget(96 bits)`, `@budget(2_000 bytes)`}
	if on != onNothing {
		may = append(may, `@secret`, `@secret`)
	}
	if on == onField {
		switch v.inner {
		case integer:
			may = append(may, `@unit("px")`, `@seq`)
			if !strings.Contains(v.text, "vec") {
				may = append(may, `@scale(0.01)`, `@scale(-3)`, `@time(ms)`, `@time(us)`, `@time(s)`, `@time(ns)`, `@scale(1/3)`, `@hex`)
			}
			for _, s := range g.structs {
				if len(s.integers) > 0 {
					may = append(may, fmt.Sprintf("@ack(%s.%s)", s.name, s.integers[0]))
				}
			}
		case float, quantized:
			may = append(may, `@unit("m/s é")`)
		case blob:
			if !strings.Contains(v.text, " utf") && !strings.Contains(v.text, " ascii") && !strings.Contains(v.text, " latin1") {
				may = append(may, `@text`, `@text`)
			}
		}
	}
	out, said := "", ""
	for i := 0; i == 0 || i < 3 && g.once(3); i++ {
		n := may[g.draw(len(may))]
		word, _, _ := strings.Cut(n, "(")
		if !strings.Contains(said, word) {
			out, said = out+" "+n, said+word
		}
	}
	return out
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }
