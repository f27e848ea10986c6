// Package zoo holds packet readers with one real mistake each: the ground truth for tools that look for mistakes.
//
// An Animal is a mistake that somebody made: in the articles, in the code around them, in games. It has the protocol as
// a schema (a built-in or its own; packets to begin with are corpus's), a Flawed reader, a Fixed one that differs in
// exactly one place, and a Witness that tells them apart. A tool is as good as what it finds in the flawed readers, and
// as honest as it is silent about the fixed ones.
//
// The readers are black boxes: bytes in, an Answer out. A tool may look at the verdict alone; readers also give their
// values and the bits they consumed, and count their work and memory, so that each oracle has something to see. Check
// is the judge: it compares an Answer with the decoder's of the same packet.
//
// The readers are written as such readers are, on a small bit reader of their own, and share no code with the decoder
// that judges them but the kinds of reject. They really panic, hang and allocate; Read stops them before it hurts, and
// Loose lets them out.
//
// Words: an animal's home is its protocol and the reader that it shares with others; twins are its flawed and its fixed
// reader. The way through the files:
//
//	animal.go   Animal, its Oracle, the list
//	answer.go   Answer, Check
//	reader.go   Reader, and the cage around it
//	wire.go     the bit reader they are written with; pack.go the writer of their packets
//	packets.go  after a checksum: count-too-wide, enum-unchecked, crc-without-id, crc-not-compared, end-check-skipped
//	rtype.go    in bytes: tail-taken-for-empty, swapped-through-32, flags-unchecked, trailing-ignored
//	gaffer.go   relative-last-tier-only, index-repeated, quantised-unchecked, radicand-unchecked
//	counts.go   count-unchecked, count-signed, count-times-size, overflow-forgotten, state-kept
//	work.go     allocation-from-count, quadratic-work, sentinel-past-end
//	floats.go   nan-accepted
//	texts.go    no-terminator-room, nul-inside, utf8-unchecked, padding-ignored,
//	            software-unchecked, half-pair-kept, half-unit-dropped
//	records.go  window-past-packet, window-cut-short, varint-unlimited, varint-overlong
//	looks.go    crc-byte-short, extra-forgotten, zero-fill-skipped, padding-count-zero, option-number-wraps, pointer-loop,
//	            repeat-refused
//	widths.go   signed-span, min-max-swapped, max-raised, width-off-by-one, last-word-order, branch-crossed
//
// `make zoo` lets every tool hunt every animal with the same time (hunt_test.go), native fuzzing among them
// (native_test.go) and go-fuzz (gofuzz.go).
//
// To add an animal: 1. a mistake in animal.go; 2. one `w.makes(…)` in the reader of its home; 3. its entry, with a
// witness, in the list of its file; 4. its row in list_test.go.
package zoo
