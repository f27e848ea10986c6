package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// turns are what each benchmark took in each of its turns, in ns, by its name: packet, read or write, and the reader, as
// in "flat97/read/generated", of one read or write; "program/" and the command, of one packet on one core.
type turns map[string][]float64

// best is the shortest time of a benchmark, 0 where it has none.
func (t turns) best(name string) float64 {
	if len(t[name]) == 0 {
		return 0
	}
	return slices.Min(t[name])
}

// names are those of the benchmarks, sorted.
func (t turns) names() []string { return slices.Sorted(maps.Keys(t)) }

// join adds the turns of o.
func (t turns) join(o turns) {
	for name, list := range o {
		t[name] = append(t[name], list...)
	}
}

const (
	ofTests    = "Packet/" // what BenchmarkPacket measures
	ofPrograms = "program/"
)

// add takes the times of one run of BenchmarkPacket from what it printed.
func (t turns) add(out []byte) error {
	r := benchfmt.NewReader(bytes.NewReader(out), "what the benchmark printed")
	for r.Scan() {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
			if wrong, ok := r.Result().(*benchfmt.SyntaxError); ok {
				return wrong
			}
			continue
		}
		name, ok := strings.CutPrefix(result.Name.String(), ofTests)
		if !ok {
			continue
		}
		if cut := strings.LastIndexByte(name, '-'); cut >= 0 { // the number of cores, where it is not 1
			if _, err := strconv.Atoi(name[cut+1:]); err == nil {
				name = name[:cut]
			}
		}
		for _, v := range result.Values {
			if v.OrigUnit == "ns/op" {
				t[name] = append(t[name], v.OrigValue)
			}
		}
	}
	return r.Err()
}

// kept is how many times of a benchmark the history has: each the best of as many turns.
const kept = 10

// thinned has at most kept times of each benchmark, the best of turns that follow each other.
func (t turns) thinned() turns {
	thin := turns{}
	for name, list := range t {
		each := (len(list) + kept - 1) / kept
		for some := range slices.Chunk(list, max(1, each)) {
			thin[name] = append(thin[name], slices.Min(some))
		}
	}
	return thin
}

// entry is t in the Go benchmark format, below what it was measured with: keys and their values in turn.
func (t turns) entry(keys ...string) []byte {
	var b bytes.Buffer
	for i := 0; i+1 < len(keys); i += 2 {
		fmt.Fprintf(&b, "%s: %s\n", keys[i], keys[i+1])
	}
	for _, name := range t.names() {
		full := ofTests + name
		if strings.HasPrefix(name, ofPrograms) {
			full = "P" + strings.ReplaceAll(name[1:], " ", "_")
		}
		for _, ns := range t[name] {
			fmt.Fprintf(&b, "Benchmark%s 1 %s ns/op\n", full, strconv.FormatFloat(ns, 'g', 4, 64))
		}
	}
	return append(b.Bytes(), '\n')
}
