package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// best is the shortest time, in ns, of each benchmark of one read or write, by its name without BenchmarkPacket/:
// packet, read or write, and the reader, as in "flat97/read/generated".
type best map[string]float64

// ownDir is where this package's tests stand.
const ownDir = "cmd/pktscope/bench"

// measureMicro runs BenchmarkPacket of this package, a process each round: where the loader and the allocator put
// things differs from process to process, and moves the times of short loops.
func measureMicro(ctx context.Context, dir string, rounds int) (best, error) {
	test := filepath.Join(dir, "bench.test")
	if _, err := command(ctx, "", "go", "test", "-c", "-o", test, "./"+ownDir); err != nil {
		return nil, err
	}
	all := best{}
	for round := range rounds {
		if round%10 == 0 {
			progress("bench: reads and writes, round %d of %d", round+1, rounds)
		}
		out, err := command(ctx, ownDir, test, "-test.run", "^$", "-test.bench", "^BenchmarkPacket$", "-test.benchtime", "10ms")
		if err != nil {
			return nil, err
		}
		if err := all.add(out); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("BenchmarkPacket measured nothing")
	}
	return all, nil
}

// add takes the times of one run from what it printed.
func (b best) add(out []byte) error {
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || words[3] != "ns/op" {
			continue
		}
		name, ok := strings.CutPrefix(words[0], "BenchmarkPacket/")
		if !ok {
			continue
		}
		if cut := strings.LastIndexByte(name, '-'); cut >= 0 { // the number of cores, where it is not 1
			if _, err := strconv.Atoi(name[cut+1:]); err == nil {
				name = name[:cut]
			}
		}
		ns, err := strconv.ParseFloat(words[2], 64)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if least, ok := b[name]; !ok || ns < least {
			b[name] = ns
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
func microTable(b best) string {
	t := table{{"ns a packet", "", "interpreter", "generated", "by hand", "generated, of the interpreter", "of by hand"}}
	for _, row := range microRows {
		title := row.title
		for _, way := range []string{"read", "write"} {
			of := func(reader string) float64 { return b[row.name+"/"+way+"/"+reader] }
			interpreter, generated, hand := of("interpreter"), of("generated"), of("hand-written")
			t = append(t, []string{title, way, nanoseconds(interpreter), nanoseconds(generated), nanoseconds(hand),
				ratio(generated, interpreter), ratio(generated, hand)})
			title = ""
		}
	}
	each := func(name string) float64 { return b["bits/"+name] / bitsFields }
	return t.String() + fmt.Sprintf("\nR-Type is whole bytes: plain loads by hand, a length check for each element, read its snapshot in %s ns. `serialize` reads a"+
		" field of 1 to 16 bits in %.1f ns and writes one in %.1f, the scratch word in %.1f and %.1f.\n", nanoseconds(b["snapshot/read/plain-loads"]),
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
