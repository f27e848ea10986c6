// Package corpus holds packets as data: seeds, and captures, for the built-in protocols.
//
// A seed is one valid packet with a name and a sender. Tests cut and bend seeds, fuzzers start from them, and each
// message of a protocol has at least one, with its counts at none, one and most and its numbers at their ends. A
// capture is a pcap file with a session in it: hostile packets, lost and doubled ones included.
//
// None of it is written by hand: `go run ./corpus/gen` makes it, always the same. That command writes the wire from the
// protocol's description alone, with encoding/binary, so it is also a second opinion on the decoder.
//
// The other captures here are of the gallery: built-ins that describe other people's protocols. corpus/gen/NAME.sh has
// recorded real programs to NAME.pcap, and NAME.fields is what another reader says of it: a comment with its version,
// then a line for each field, `frame path value`. They are for the test in corpus/gen and in no program.
// The captures of coap, mavlink, rtcp and stun wait for their schemas.
//
// A Store is a directory of packets that grows: what captures held, what a fuzzer found. It is also meant for
// directories of strangers, and for several processes at once.
//
// What a seed file may hold is said at ParseSeeds. Secrets in seeds and captures are made up.
package corpus
