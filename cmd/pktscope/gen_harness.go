package main

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/harness"
	"github.com/pktscope/pktscope/report/saved"
)

// genHarness writes a user's harness. One that was filled in is work: it is never written over.
var genHarness = genFile{
	name:  "harness",
	short: "write the file that makes your reader a target of audit",
	long: `Harness writes one source file that makes a packet reader a target of audit: it reads
packets from stdin, gives each to the reader, and answers. You fill in one function with a
call to the reader. It may also give the values that the reader read, or why it refused;
these are compared with the protocol. The file needs nothing else to compile, with gcc, g++,
clang, go, rustc (1.82 and newer), dotnet or Mono's mcs, sanitizers included.

Values are those that decode -V shows: for a field with @scale the product, not the number
on the wire. Text may hold any bytes. A reader without a verdict, such as a handler that
returns nothing, says so: then only crashes, hangs, leaks and the values that it gives count.

What the reader prints to stdout goes to stderr. With --once the program takes a single
packet, all of stdin, and exits 0, 1, or 77 without a verdict. The C and C++ files are also
libFuzzer targets: clang -DPKTSCOPE_LIBFUZZER -fsanitize=fuzzer,address; that of Rust is one
of cargo-fuzz, that of C# one of SharpFuzz where SHARPFUZZ is defined.`,
	example: `  pktscope gen harness --lang cpp -p my.pks -o harness.cpp
  g++ -g -fsanitize=address,undefined harness.cpp -o harness
  pktscope audit -p my.pks --target exec+persistent:./harness`,
	language: "reader", languages: harness.Languages(), fileName: func(language string, _ *plan.Plan) string { return harness.FileName(language) }, source: harness.Source, mode: saved.MustBeNew,
}
