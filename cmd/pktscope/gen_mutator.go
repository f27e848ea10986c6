package main

import (
	"github.com/pktscope/pktscope/decode/mutatorgen"
	"github.com/pktscope/pktscope/decode/plan"
)

// genMutator writes a mutator for other fuzzers.
var genMutator = genFile{
	name:  "mutator",
	short: "write a mutator of packets for libFuzzer and AFL++",
	long: `Mutator writes one C file that mutates packets of a protocol: libFuzzer and AFL++ find its
functions in a program that it is linked with, or in a shared library. It reads a packet along
the protocol as far as that goes, changes values, texts, elements and their number, takes parts
of other packets, and breaks one rule of one field in most packets: a value out of its range, an
unknown case, a count or length that is off by one, a padding or reserved bit, a wrong checksum,
a byte in a text, bytes too few or too many. It repairs what depends on what it changed: counts,
lengths, checksums with their prefixes, padding; pktscope_mutator_repairs() switches that off.

The file needs nothing but a C99 or C++11 compiler, and allocates nothing. A seed always gives
the same packets. Packets come from either side; -DPKTSCOPE_MUTATOR_FROM=1 makes them the
client's, 2 the server's. With -DPKTSCOPE_MUTATOR_MAIN the file is a program that mutates,
repairs and judges the packets that it reads.`,
	example: `  pktscope gen mutator --lang c -p my.pks -o mutator.c
  clang -g -fsanitize=fuzzer,address -DPKTSCOPE_LIBFUZZER harness.c mutator.c -o target
  clang -O2 -shared -fPIC mutator.c -o mutator.so    # AFL_CUSTOM_MUTATOR_LIBRARY`,
	language: "mutator", languages: []string{"c"},
	fileName: func(string, *plan.Plan) string { return mutatorgen.FileName },
	source: func(_ string, p *plan.Plan, protocol, file string) string {
		return mutatorgen.Source(p, protocol, file)
	},
}
