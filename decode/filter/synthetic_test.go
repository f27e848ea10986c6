package filter

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// protocols are small ones whose packets show what R-Type's do not.
var (
	wide    = body("msb", "", "u uint64\ni int64\nr int(-5..10)\npad bits(4)\ns int8")
	floats  = body("lsb", "", "a float32\nb float64\nq float(0..10, 0.01)\npad bits(6)")
	shared  = body("msb", "enum K : int8 { Low = -1, High = 1 }\nflags F : uint8 { One = 1, Two = 2 }\nenum T : uint8 { A = 0, B = 1, C = 2, D = 3, E = 4 }", "t T\nv switch t {\nA: uint8\nB: float32\nC: char(4)\nD: K\nE: F\n}")
	lists   = body("msb", "struct Row { n uint8 in 0..3, cells [n]uint8, mark uint8 }", "rows_count uint8 in 0..4\nrows [rows_count]Row\ngrid [2][2]bits(4)")
	secrets = body("msb", "struct S { k uint8, ks [2]uint8 }", "has uint8\nif has == 1 { key bytes(2) @secret }\nbox S @secret\nlast uint8")
	odd     = body("bousk", "", "half bits(4)\nraw bytes(2)\nother bits(4)\nwhole bytes(2)")
	clash   = body("msb", "struct N { pkt uint8 }", "notes uint8\nnot uint8\ncase N")
)

var syntheticFilters = []struct {
	schema, packet, src string
	want                ternary
}{
	// 64 bits are exact on both sides of every border.
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u == 18446744073709551615`, yes},
	{wide, "fffffffffffffffe 8000000000000000 f0 ff", `u == 18446744073709551615`, no},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u == 1.8446744073709551615e19`, yes},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u == 18446744073709551616`, no},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u < 18446744073709551616`, yes},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u > -1 && u >= -0.5 && u != -1`, yes},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `i == -9223372036854775808 && i < -9223372036854775807`, yes},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `i > -9223372036854775809 && i < u`, yes},
	{wide, "ffffffffffffffff ffffffffffffffff f0 ff", `i == u`, no},
	{wide, "ffffffffffffffff ffffffffffffffff f0 ff", `i == -1 && s == -1 && i == s`, yes},
	{wide, "8000000000000000 8000000000000000 f0 ff", `-i == u`, yes},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u + 1 > 0`, unknown},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u * 2 == 0 || u - u == 0`, yes},
	// A sum or a product whose magnitude takes more than 64 bits is unknown: no comparison with it holds, nor its
	// opposite.
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u + 1 == 0`, unknown},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u + 1 != 0 || !(u + 1 == 0) || u * u > u`, unknown},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `-u - 1 < 0`, unknown},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `i * i * 2 == 0 || i * i * 4 == 0`, unknown},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `i * 2 == -18446744073709551616`, unknown},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u + 1 - 1 == u`, unknown},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `u - 1 + 1 == u && -u - 1 + 1 == -u || -u == i + i + 1`, unknown},
	{wide, "ffffffffffffffff 8000000000000000 f0 ff", `-u < i + i + 2 && i + i + 2 < 0`, unknown},
	{wide, "fffffffffffffffe 8000000000000000 f0 ff", `u + 1 > u && u + 1 == 18446744073709551615 && -u - 1 < -u`, yes},
	{wide, "ffffffffffffffff c000000000000000 f0 ff", `i * 2 == -9223372036854775808 && i * -2 * 1 == 9223372036854775808`, yes},
	{wide, "0000000000000000 8000000000000000 f0 ff", `u - 1 == -1 && 7 % u == 0`, unknown},
	{wide, "0000000000000007 fffffffffffffff9 f0 80", `u % 4 == 3 && i % 4 == -3 && s == -128`, yes},
	{wide, "0000000000000007 fffffffffffffff9 f0 80", `r == 10 && r > 9.5 && 9.99 < r <= 10`, yes},
	{wide, "0020000000000001 0000000000000000 00 00", `u > 9007199254740992.0 && u != 9007199254740992`, yes},
	{wide, "0000000000000007 fffffffffffffff9 00 80", `r in [-5, 3] && 0x7 == u && 0b111 == u && 0o7 == u && 7 == u && 0.7e1 == u`, yes},
	{wide, "0000000000000007 fffffffffffffff9", `r == 0 || s == 0`, unknown},
	{wide, "0000000000000007 fffffffffffffff9", `r == 0 || u == 7`, yes},
	{wide, "0000000000000007 fffffffffffffff9", `r == 0 && u == 8`, no},
	{wide, "0000000000000007 fffffffffffffff9", `r == nil and s == nil and not (u == nil)`, yes},

	// Floats by value; the literal is rounded to the field's width.
	{floats, "cdcccc3d 9a9999999999b93f 1e 00", `a == 0.1 && b == 0.1 && q == 0.29999998`, yes},
	{floats, "cdcccc3d 9a9999999999b93f 1e 00", `a != b && a > b && b < a`, yes},
	{floats, "cdcccc3d 9a9999999999b93f 1e 00", `a < 0.1 || a > 0.1 || b < 0.1 || q > 0.3`, no},
	{floats, "0000c07f 0000000000000040 e8 03", `a == "NaN" && b == 2 && q == 10`, yes},
	{floats, "0000c07f 0000000000000040 e8 03", `a == 1 || a < 1 || a >= 1 || a == a`, no},
	{floats, "0000c07f 0000000000000040 e8 03", `a != 1 && a != a && !(a == "Infinity")`, yes},
	{floats, "0000807f 000000000000f0ff 00 00", `a == "Infinity" && b == "-Infinity" && a > 1e300 && b < -1e300`, yes},
	{floats, "0000807f 000000000000f0ff 00 00", `a <= 1e300 || a == 1e300`, no},
	{floats, "0000804b 0000000000004043 00 00", `a == 16777216 && a < 16777217 && b == 9007199254740992 && b < 9007199254740993`, yes},
	{floats, "0000804b 0000000000004043 00 00", `q < a && a < b && q == 0 && q >= -0.0`, yes},

	// One name, five types: whichever is there.
	{shared, "00 05", `v == 5`, yes},
	{shared, "00 05", `v == "High" || v == "five" || "One" in v`, unknown},
	{shared, "01 40a00000", `v == 5 && v > 4.5`, yes},
	{shared, "02 35000000", `v == "5" && v startsWith "5" && len(v) == 1`, yes},
	{shared, "02 35000000", `v == 5`, unknown},
	{shared, "02 35000000", `v == 5 || v == "5"`, yes},
	{shared, "03 01", `v == "High" && v == 1 && v != "Low"`, yes},
	{shared, "03 ff", `v == "Low" && v == -1 && v < 0`, yes},
	{shared, "04 03", `"Two" in v && v.One && v == 3`, yes},
	{shared, "04 01", `"Two" in v || not v.One`, no},
	{shared, "00 01", `"Two" in v`, unknown},

	// Lists in lists.
	{lists, "02 02 0a 0b 01 00 02 1234", `any(rows, any(.cells, # == 11) && .mark == 1)`, yes},
	{lists, "02 02 0a 0b 01 00 02 1234", `all(rows, len(.cells) == .n)`, yes},
	{lists, "02 02 0a 0b 01 00 02 1234", `all(rows, all(.cells, # > 9)) && none(rows, .cells[1] == 10)`, unknown},
	{lists, "02 02 0a 0b 01 00 02 1234", `any(rows, .cells[1] == 11)`, yes},
	{lists, "02 02 0a 0b 01 00 02 1234", `any(rows, .cells[1] == 10)`, unknown},
	{lists, "02 02 0a 0b 01 00 02 1234", `one(rows, .cells[0] == 10)`, unknown},
	{lists, "02 02 0a 0b 01 00 02 1234", `one(rows, 10 in .cells) && count(rows, len(.cells) == 0) == 1`, yes},
	{lists, "02 02 0a 0b 01 00 02 1234", `rows[0].cells[1] == 11 && rows[1].mark == 2 && rows[0].cells[0] < rows[0].cells[1]`, yes},
	{lists, "02 02 0a 0b 01 00 02 1234", `rows[1].cells[0] == 10`, unknown},
	{lists, "02 02 0a 0b 01 00 02 1234", `rows[2].mark == nil && rows[1].cells != nil && rows[1].cells[0] == nil`, yes},
	{lists, "02 02 0a 0b 01 00 02 1234", `11 in rows[0].cells && !(11 in rows[1].cells)`, yes},
	{lists, "02 02 0a 0b 01 00 02 1234", `11 in rows[2].cells`, unknown},
	{lists, "02 02 0a 0b 01 00 02 1234", `grid[0][1] == 2 && grid[1][0] == 3 && any(grid, any(#, # == 4)) && any(grid, #[1] == 4)`, yes},
	{lists, "02 02 0a 0b 01 00 02 1234", `all(grid[1], # > 2) && all(grid[0], # < 3) && none(grid[2], # == 0)`, unknown},
	{lists, "02 02 0a 0b 01 00 02 1234", `count(rows, .mark == rows[0].mark) == 1 && count(rows, any(rows, .mark == 2)) == 2`, yes},
	{lists, "00 1234", `all(rows, .mark == 1) && none(rows, true) && !any(rows, true) && len(rows) == 0 && rows != nil`, yes},
	{lists, "02 02 0a", `any(rows, .mark == 1)`, unknown},
	{lists, "02 02 0a", `len(rows) == 1 && len(rows[0].cells) == 1 && rows[0].cells[0] == 10 && rows[1] == nil`, yes},
	{lists, "02", `len(rows) == 0 && rows != nil && grid == nil`, yes},

	// Secrets are there or not.
	{secrets, "01 0a0b 01 02 03 09", `key != nil && box != nil && last == 9`, yes},
	{secrets, "00 01 02 03 09", `key == nil && has == 0`, yes},

	// Bytes off the byte boundary, and names that are words.
	{odd, "11 42 40 41 43", `raw == "4142" && raw == b"AB" && raw startsWith b"A" && raw endsWith "42" && len(raw) == 2`, yes},
	{odd, "11 42 40 41 43", `raw == "4143" || raw contains "4243" || raw == whole || raw startsWith "414200"`, no},
	{odd, "11 42 40 41 42", `raw == whole && raw != "" && raw contains ""`, yes},
	{clash, "05 06 07", `$env.notes == 5 && $env.not == 6 && $env.case.pkt == 7 && len(notes) == 0`, yes},
}

func TestMatchSynthetic(t *testing.T) {
	for _, row := range syntheticFilters {
		p := planOf(t, row.schema)
		packets := []packet{{name: "it", data: bytesFrom(t, row.packet)}}
		if got := ask(t, p, row.src, packets)[0]; got != row.want {
			t.Errorf("%s over %s: want %s, got %s", row.src, row.packet, row.want, got)
		}
	}
}

// Every packet at every truncation: a filter answers, and answers the same twice.
func TestMatchTruncated(t *testing.T) {
	p, packets := rtype(t), rtypePackets(t)
	d := decode.New(p)
	for _, row := range rtypeFilters {
		prog, err := Compile(p, row.src)
		if err != nil {
			t.Fatal(err)
		}
		m, other := prog.NewMatcher(), prog.NewMatcher()
		var tr decode.Trace
		for i := range packets {
			for n := range packets[i].data {
				_ = d.Decode(packets[i].data[:n], packets[i].from, &tr)
				if a, b := m.Match(&tr, &packets[i].env), other.Match(&tr, &packets[i].env); a != b {
					t.Fatalf("%s over %d bytes of %s: %v, then %v", row.src, n, packets[i].name, a, b)
				}
			}
		}
	}
}

// Match allocates nothing, whatever becomes of the packet; reject.want and reject.got are texts that have to be made.
func TestMatchAllocates(t *testing.T) {
	p, packets := rtype(t), rtypePackets(t)
	d := decode.New(p)
	traces := make([]decode.Trace, len(packets))
	for i := range packets {
		_ = d.Decode(packets[i].data, packets[i].from, &traces[i])
	}
	for _, row := range rtypeFilters {
		if row.src == `reject.want == "0..100" && reject.got == "101"` || raceEnabled && strings.Contains(row.src, "matches") {
			continue
		}
		prog, err := Compile(p, row.src)
		if err != nil {
			t.Fatal(err)
		}
		m := prog.NewMatcher()
		allocs := testing.AllocsPerRun(5, func() {
			for i := range traces {
				m.Match(&traces[i], &packets[i].env)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", row.src, allocs)
		}
	}
}
