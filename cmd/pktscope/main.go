// Command pktscope reads, checks and watches bit-packed UDP protocols. `pktscope help` lists its commands.
//
// This is the only package that reads flags, prints and exits: one file per command, each with its flags, its help and
// its run function; what commands share is in files named for it.
//
// The house, by floors. A package imports what lies below it; on its own floor only what its name lies under or what
// lies under its name, and fuzz/generated runs a fuzz/process. A package that the table leaves out is where the
// longest listed beginning of its name does. A test holds the imports to this table, which it reads here.
//
//	9  cmd/pktscope, corpus/gen        flags, screens, exit codes; the program that makes the seeds
//	8  report/page sarif junit         forms of a saved result: the page, and one each for the tools of CI
//	   markdown annotations
//	   report/browse                   the terminal browser: with the terminal library
//	   report/lsp                      the language server of editors, over a stream
//	   fuzz/findings                   a directory of findings
//	7  report                          packets, audits and campaigns as text and JSON
//	   report/schemadoc                a schema as pages
//	   report/parquet                  packets as columns, and the SQL of views over them
//	   report/results                  all that was saved, read and merged
//	6  report/diff                     two captures or packets compared
//	   report/prometheus               what statistics count, served to Prometheus
//	   fuzz/target                     a reader opened by its spec: exec:./x, udp:host:port
//	5  report/stats budget rejects     counts over packets, bits of a schema, refusals by rule and sender
//	   report/wirediff                 what a change of a schema does to the wire
//	   fuzz/process udp generated      the kinds of target
//	   fuzz/sealing                    a reader after a seal, and the seal itself
//	   fuzz/harness selffuzz zoo       a user's harness; our own entries; readers with known mistakes
//	4  fuzz                            audit, campaign, mutation, generation, minimizing
//	   fuzz/dialogue                   what a client says until a server lets it in: .pkd files
//	   fuzz/coverage oracle            what packets reach of a plan; what a reader must answer
//	   decode/mutatorgen luagen tsgen  of the interpreter's program: a mutator in C, a dissector in Lua, a reader in TypeScript
//	   decode/anyschema/packets        packets for random schemas, for tests
//	   report/scan saved               captures to decoded packets, in order; headers and files of what is saved
//	3  decode, decode/internal/ops     Decoder, Trace, Encoder; the flat program of the interpreter
//	   decode/filter message           display filters; packets as JSON
//	   decode/cuts                     where two schemas cut the same packets into fields
//	   decode/protocols gogen          built-in schemas; Go source of a schema
//	   decode/importer                 schemas drafted from descriptions in other languages
//	   decode/flow                     messages put together from the fragments of packets
//	   decode/infer                    a schema from packets that nobody described
//	   decode/infer/sessions           simulated sessions and their truth, for tests
//	   report/internal/table           columns, numbers and clipping, for all that is shown
//	2  decode/plan slow                the tree of steps and its proofs; the reference reader
//	1  decode/schema schema/syntax     the checked model; its source text
//	   decode/serialize                the wire from Go code, without a schema
//	0  decode/wire reject batch        bits; refusals; ordered parallel batches
//	   decode/display                  addresses and the like, as text and back
//	   decode/chain                    lists whose elements hold their neighbors
//	   decode/anyschema                random schemas, for tests
//	   decode/internal/seal            sealing and opening of bytes: with x/crypto
//	   decode/keys                     files of keys, and keys that nothing shows
//	   pcap pcap/live pcap/relay       captures; interfaces; datagrams passed on
//	   pcap/relay/line                 a model of a bad network
//	   pcap/shards                     plans of how captures are cut
//	   corpus corpus/examples          the seeds; schemas to copy from
//	   fuzz/zoo/door                   a server that lets clients in, with mistakes about its states
//	   fuzz/zoo/vault                  a netcode server, with mistakes in its messages, states and seals
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/shards"
)

// The exit codes.
const (
	exitDone     = 0
	exitFindings = 1 // under --fail-on
	exitTrouble  = 2 // usage, input that is unreadable or truncated, a schema error
)

// memoryLimit is where the garbage collector begins to work harder, in bytes. A hostile packet of 350,000 bools takes a
// tree of 10 MB, which with the collector's usual slack is 69 MB resident, and 53 with this limit, in the same time.
const memoryLimit = 32 << 20

// schemaMemory and nodeMemory are how much memory one byte of a schema and one node of its plan take at most in any
// command, and mostMemory is what all may take together: 512 MiB with what is no heap.
const schemaMemory, nodeMemory, mostMemory = 512, 4 << 10, 448 << 20

// allowMemory raises the limit, where there is one, for what stays: to collect around it takes most of the time.
func allowMemory(n int64) {
	if now := debug.SetMemoryLimit(-1); now < mostMemory {
		limitMemory(now + min(n, mostMemory-now))
	}
}

// limitMemory sets the limit, but for a user who has set one in GOMEMLIMIT, and returns the limit before.
func limitMemory(n int64) int64 {
	if os.Getenv("GOMEMLIMIT") != "" {
		n = -1 // changes nothing
	}
	return debug.SetMemoryLimit(n)
}

// collectorSlack is how much the heap may grow between two collections, in percent of what lives: in a small heap, as it
// is while built-ins are loaded, collecting more often is a tenth of a short run. The memory limit holds nevertheless.
const collectorSlack = 400

func main() {
	limitMemory(memoryLimit)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectorSlack)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr *os.File) int {
	ignoreSignals()
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr}
	p.out = newOutput(stdout)
	root := newRoot(p, args...)
	root.SetArgs(args)
	err := root.Execute()
	if flushed := p.out.Flush(); err == nil {
		err = flushed
	}
	return p.exit(err)
}

// program is what the commands of one run share.
type program struct {
	stdin          io.Reader
	stdout, stderr *os.File
	out            *output
	colour         string // --color
	quiet          bool   // -q
	maxExpansion   uint   // --max-expansion
	toldStdout     bool   // that stdout cannot be written

	interrupted <-chan struct{} // see interrupts
	counted     pcap.Origin     // the captures that were read
	inputs      inputs          // all files that were opened to read
	digest      *digest         // of what is read of captures; nil where nobody asks
	shard       *shards.Shard   // what is read of the only capture; nil for all
}

// exit prints what went wrong, in one line, and returns the exit code.
func (p *program) exit(err error) int {
	switch e := err.(type) {
	case nil:
		return exitDone
	case findings:
		return exitFindings
	case told:
		return exitTrouble
	case *usage:
		p.complain("%s (see `%s --help`)", e.message, e.command)
		return exitTrouble
	}
	if isClosedPipe(err) {
		return exitDone // whoever read us has seen enough
	}
	var out *stdoutError
	if errors.As(err, &out) {
		p.tellStdout(out)
		return exitTrouble
	}
	p.complain("%s", err)
	return exitTrouble
}

// tellStdout says once that stdout cannot be written: each flush meets the same error again.
func (p *program) tellStdout(err error) {
	if !p.toldStdout {
		p.toldStdout = true
		fmt.Fprintf(p.stderr, "pktscope: %s\n", syntax.EscapeText(err.Error()))
	}
}

// complain prints a line to stderr, after all that stdout has so far. Arguments and file names are part of messages,
// so all of it is escaped.
func (p *program) complain(format string, args ...any) {
	if err := p.out.Flush(); err != nil && !isClosedPipe(err) {
		p.tellStdout(err)
	}
	fmt.Fprintf(p.stderr, "pktscope: %s\n", syntax.EscapeText(fmt.Sprintf(format, args...)))
}
