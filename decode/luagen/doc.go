// Package luagen writes a dissector for Wireshark and tshark (4.0 and later, Lua 5.2 to 5.4) of a protocol, as one file.
//
// The file is the flat program of the interpreter (decode/internal/ops) as tables, a row for each op, leaf, expression,
// text, checksum and node of the plan, and a machine in Lua that runs over them (the files in runtime), the same for
// every protocol. So whatever a schema can say the dissector can read, and what Decode refuses it refuses, at the same
// bit and by the same word. A word of 64 bits is two numbers, the upper and the lower half: no version of Lua has a
// number that holds all of them, and none has the same operators on bits.
//
// Each field of the packet is a field of Wireshark's, with the value computed here (none of Wireshark's own ways to
// read bits applies), and has the filter that its path is: `mygame.body.players.health`. Where two branches give fields
// of one path types that Wireshark cannot compare, the later one's filter has the type after it. Messages that a field
// holds whole are shown under it; pieces of one, and what is sealed, are shown as bytes. Values of @secret fields are
// not shown, and no filter has them; the packet's bytes are Wireshark's to show.
//
// What an attacker may do: packets are anybody's bytes, and the schema a stranger's. The machine ends as the plan's
// proof says, with a count of steps after it, and one datagram has 20,000 items in the tree at most. Names and texts
// of the schema become quoted strings of Lua.
package luagen
