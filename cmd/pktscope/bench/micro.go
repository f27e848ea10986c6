package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
)

// ownDir is where this package's tests stand.
const ownDir = "cmd/pktscope/bench"

// measureMicro runs BenchmarkPacket of this package in turns.
func measureMicro(ctx context.Context, dir string, rounds int) (turns, error) {
	here := side{".", filepath.Join(dir, "bench.test"), turns{}}
	if err := microTurns(ctx, []side{here}, rounds); err != nil {
		return nil, err
	}
	if len(here.took) == 0 {
		return nil, fmt.Errorf("BenchmarkPacket measured nothing")
	}
	return here.took, nil
}

// microTurns runs BenchmarkPacket of each tree in turn, a process each round: where the loader and the allocator put
// things differs from process to process, and moves the times of short loops.
func microTurns(ctx context.Context, of []side, rounds int) error {
	for _, s := range of {
		if _, err := command(ctx, s.tree, "go", "test", "-c", "-o", s.program, "./"+ownDir); err != nil {
			return err
		}
	}
	for round := range rounds {
		if round%10 == 0 {
			progress("bench: reads and writes, round %d of %d", round+1, rounds)
		}
		for i := range of {
			s := of[(i+round)%len(of)]
			out, err := command(ctx, filepath.Join(s.tree, ownDir), s.program, "-test.run", "^$", "-test.bench", "^BenchmarkPacket$", "-test.benchtime", "10ms")
			if err != nil {
				return err
			}
			if err := s.took.add(out); err != nil {
				return err
			}
		}
	}
	return nil
}

// microRows are the packets of the table.
var microRows = []struct{ name, title string }{
	{"flat97", "flat97: 88 fields in 180 bytes"},
	{"mixed", "flat97, branches at random"},
	{"snapshot", "R-Type's largest snapshot: 371 fields"},
	{"scene", "a gaffer scene: 64 moving bodies"},
}

// bitsFields is how many fields the row "bits" has.
const bitsFields = 1000

// microTable is the table, and what has no place in it.
func microTable(b turns) string {
	t := table{{"ns a packet", "", "interpreter", "generated", "by hand", "generated, of the interpreter", "of by hand"}}
	for _, row := range microRows {
		title := row.title
		for _, way := range []string{"read", "write"} {
			of := func(reader string) float64 { return b.best(row.name + "/" + way + "/" + reader) }
			interpreter, generated, hand := of("interpreter"), of("generated"), of("hand-written")
			t = append(t, []string{title, way, nanoseconds(interpreter), nanoseconds(generated), nanoseconds(hand),
				ratio(generated, interpreter), ratio(generated, hand)})
			title = ""
		}
	}
	each := func(name string) float64 { return b.best("bits/"+name) / bitsFields }
	return t.String() + fmt.Sprintf("\nR-Type is whole bytes: plain loads by hand, a length check for each element, read its snapshot in %s ns. `serialize` reads a"+
		" field of 1 to 16 bits in %.1f ns and writes one in %.1f, the scratch word in %.1f and %.1f.\n", nanoseconds(b.best("snapshot/read/plain-loads")),
		each("read/serialize"), each("write/serialize"), each("read/hand-written"), each("write/hand-written"))
}

// nanoseconds has three digits that count.
func nanoseconds(ns float64) string {
	switch {
	case ns == 0:
		return "-"
	case ns < 100:
		return strconv.FormatFloat(ns, 'f', 1, 64)
	}
	return grouped(int(ns + 0.5))
}

// ratio is a of b.
func ratio(a, b float64) string {
	if a == 0 || b == 0 {
		return "-"
	}
	return strconv.FormatFloat(a/b, 'f', 2, 64)
}
