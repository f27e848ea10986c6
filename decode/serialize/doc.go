// Package serialize reads, writes and measures bit-packed packets of Go types, with one function per type: the
// articles' own idea, for programs that have no schema. What it puts on the wire and what it refuses is wire.md
// (decode/wire.md), as in the rest of the house: the same values are the same bytes as decode's Encoder makes of a .pks
// file, and a packet that is refused is refused with the same kind, at the same bit, in the same words.
//
//	type Player struct {
//		Health uint8
//		Name   string
//	}
//
//	func (p *Player) Serialize(s *serialize.Stream) {
//		serialize.Int(s, "health", &p.Health, 0, 100) // 7 bits; the codes 101 to 127 are refused
//		s.String("name", &p.Name, 16)
//	}
//
//	err := stream.Read(wire.LSB, datagram, &player)
//	datagram, err := stream.Append(wire.LSB, buf, &player)
//	bits, err := stream.Measure(wire.LSB, &player)
//
// Fields: [Int], [Enum], [Bits], [Flags], [Varint] and [Ladder] for integers of any type; the Stream's methods for
// bools, floats, quantized floats, vectors, quaternions, bytes and text. Structure: [Stream.Object], [Stream.Array],
// [Slice] and [Subset]. Envelope: [Stream.CRC32] with a [Prefix], [Stream.Check], [Stream.CheckLabel]. A rule between
// fields is [Stream.Require]. The names are those of a refusal's path, players[2].health; naming costs nothing until it
// is asked for, and an element of a list that is one field takes the name "".
//
// # What an attacker may do
//
// Send any bytes. What that can cause is a *reject.Reject: no panic, no read outside the datagram, no allocation from a
// declared count, and no endless loop:
//
//   - A refusal is sticky. A field after it is not read, and becomes the least value of its range.
//   - Array, Slice and Subset drive their loops themselves and end with the packet. The articles' loop that reads an
//     index until it is the sentinel goes on for ever when the packet ends before it; here there is no function to
//     write it with, and a hand-made one is stopped: a program that calls fields 2^20 times after a refusal (more than
//     any datagram has bits) is wrong, and panics instead of hanging. So is a plain loop over a count of many bits with
//     many fields in it, which would end, late: a short packet with a high count makes it panic. Range over Array, or
//     ask [Stream.OK] in a loop of your own.
//   - Elements that take no bits, nesting and checksums are counted: 4096 elements, 64 levels, one checksum a packet.
//     Beyond is `over-budget`. A datagram longer than [Stream.MaxDatagram] is not looked at.
//
// So the work for a packet is linear in its bits and in what the program itself does per field; Subset looks at every
// flag of its array as well, for an element of a list again and again: one of 100,000 flags in a list without a small
// bound is 10^8 steps for 1400 bytes.
//
// Errors of the program (a range upside down, more bits than the type has) panic with "pktscope: internal error:
// serialize: ".
//
// There are no notes here: what decode accepts with a note is accepted.
package serialize
