package filter

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// worst are shapes of dear filters: pieces that are repeated, with something between them, as often as the limits let
// through. No piece is ever decided early.
var worst = []struct{ name, before, piece, between, after string }{
	{"product", `any(body.missiles, `, `.x`, ` * `, ` == 0.5)`},
	{"products", `any(body.missiles, `, `.x * .y + 1 == .y * .x`, ` || `, `)`},
	{"and", `all(body.missiles, `, `.x >= 0`, ` && `, `)`},
	{"or", `any(body.missiles, `, `.x < 0 || .y > 65535`, ` || `, `)`},
	{"set", `any(body.missiles, .x in [`, `70000`, `, `, `])`},
	{"pairs", `any(body.missiles, `, `.x == .id + 1`, ` || `, `)`},
	{"closures", ``, `any(body.missiles, .x > 65535) || any(body.enemy_missiles, .y > 65535)`, ` || `, ``},
	{"nested", ``, `any(body.missiles, any(body.enemy_missiles, .x > 65535))`, ` || `, ``},
	{"counts", ``, `count(body.missiles, count(body.enemy_missiles, .x > 65535) > 0)`, ` + `, ` > 1000`},
	{"indexed", ``, `body.missiles[31].x > 65535`, ` || `, ``},
	{"elements", ``, `body.missiles[N].x > 65535`, ` || `, ``},
	{"presence", ``, `body.missiles[N] == nil`, ` || `, ``},
	{"notes", ``, `any(notes, .path == "a")`, ` || `, ``},
	{"names", ``, `body.player_id == 1 || body.x == 70000`, ` || `, ``},
}

// repeated makes the largest filter of a shape that compiles.
func repeated(tb testing.TB, p *plan.Plan, before, piece, between, after string) *Program {
	tb.Helper()
	var last *Program
	text := before
	for i := 0; ; i++ {
		if i > 0 {
			text += between
		}
		text += strings.ReplaceAll(piece, "N", strconv.Itoa(i%32))
		prog, err := Compile(p, text+after)
		if err != nil {
			break
		}
		last = prog
	}
	if last == nil {
		tb.Fatalf("%s%s%s does not compile", before, piece, after)
	}
	return last
}

// fitting are what people write.
var fitting = map[string]string{
	"envelope": `pkt.src_port == 4124`,
	"case":     `case == "Snapshot"`,
	"field":    `sequence_num == 14`,
	"manual":   `case == "Snapshot" && body.player_count > 2`,
	"element":  `body.players[2].health < 10`,
	"any":      `any(body.players, .health < 10)`,
	"flag":     `"Up" in body.keys`,
	"reject":   `pkt.rejected && reject.kind == "past-end"`,
}

func benchmarkPrograms(b *testing.B, p *plan.Plan, programs map[string]*Program, seeds ...string) {
	d := decode.New(p)
	for _, packet := range rtypePackets(b) {
		if !slices.Contains(seeds, packet.name) {
			continue
		}
		var t decode.Trace
		_ = d.Decode(packet.data, packet.from, &t)
		for _, name := range slices.Sorted(maps.Keys(programs)) {
			m := programs[name].NewMatcher()
			b.Run(packet.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					m.Match(&t, &packet.env)
				}
				b.ReportMetric(float64(programs[name].Work()), "steps")
			})
		}
		b.Run(packet.name+"/decode", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = d.Decode(packet.data, packet.from, &t)
			}
		})
	}
}

// BenchmarkWorst is held to 20 µs a packet on the largest R-Type snapshot, which has 371 leaves.
func BenchmarkWorst(b *testing.B) {
	p := rtype(b)
	programs := map[string]*Program{}
	for _, w := range worst {
		programs[w.name] = repeated(b, p, w.before, w.piece, w.between, w.after)
	}
	benchmarkPrograms(b, p, programs, "snapshot_most")
}

// BenchmarkText is regular expressions as dear as the limits let them be, over 64 bytes of text.
func BenchmarkText(b *testing.B) {
	p := rtype(b)
	benchmarkPrograms(b, p, map[string]*Program{
		"backtracking": repeated(b, p, ``, `body.reason matches "(a|b|ab|[a-y])*z{9}N$"`, ` || `, ``),
		"large":        repeated(b, p, ``, `body.reason matches "([a-z0-9]{0,8}){2}!"`, ` || `, ``),
		"contains":     repeated(b, p, ``, `body.reason contains "aaaaaaaaaaaaaaaN"`, ` || `, ``),
	}, "join_nack_full")
}

// BenchmarkField is what people write, over a small and the largest packet.
func BenchmarkField(b *testing.B) {
	p := rtype(b)
	programs := map[string]*Program{}
	for name, src := range fitting {
		prog, err := Compile(p, src)
		if err != nil {
			b.Fatal(err)
		}
		programs[name] = prog
	}
	benchmarkPrograms(b, p, programs, "input_all", "snapshot_one", "snapshot_most")
}
