package main

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/tsgen"
)

// genTS writes a reader for browsers and Node.
var genTS = genFile{
	name:  "ts",
	short: "write a TypeScript reader of a protocol, for browsers and Node",
	long: `Ts writes one TypeScript file that reads packets of a protocol, with the same values, verdicts and
reasons as decode. It needs ES2020 and nothing else: no package, and nothing that only Node has.

  decode(bytes: Uint8Array, params?: { from?: "client" | "server" }): Decoded<Packet>

gives { ok: true, value, bits, notes }, or { ok: false, kind, path, bit, width, want, got } in the
words of decode. It throws nothing, whatever the bytes are, and keeps none of them. A message that
the protocol declares has a function of its own, decodeNAME.

A struct is an interface, a list an array, a switch the union of its arms; what some packets lack
is optional, and an element that is absent is null. A number is a bigint where its type needs more
than 53 bits: the schema decides that, and no value. An enum is the names of its cases, and numbers
where it is open; flags are a number, with their bits as constants. Text is a string, bytes are a
Uint8Array. Values of @secret fields are there; a refusal tells nothing about them, and a bit or
a width that would reveal one is null. Messages in pieces, and what is sealed, are bytes.

A protocol in which earlier packets decide how one is read is refused, unless --given says what
flows hold.`,
	example: `  pktscope gen ts -p my.pks -o my.ts
  npx tsc --strict --target es2020 --module es2020 my.ts`,
	fileName: func(_ string, p *plan.Plan) string { return tsgen.FileName(p) },
	source: func(_ string, p *plan.Plan, protocol, file string) string {
		return tsgen.Source(p, protocol, file)
	},
}
