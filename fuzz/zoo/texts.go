package zoo

import (
	"slices"
	"unicode/utf16"

	"github.com/pktscope/pktscope/decode/reject"
)

// Text, and the padding before bytes.

// chat has a name of at most eleven bytes.
var chat = &habitat{order: lsb, read: readChat, schema: `protocol chat
order lsb
max datagram 64

packet {
    channel int(0..4)
    name    string(12)
    color   uint8
}
`, seeds: many(
	pack(lsb).put(3, 0).put(4, 0).text("").put(8, 1),
	pack(lsb).put(3, 4).put(4, 3).text("bob").put(8, 255),
	pack(lsb).put(3, 2).put(4, 11).text("jürgen 1234"[:11]).put(8, 7),
)}

func readChat(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	if _, ok := w.below("channel", 3, 4); !ok {
		return false
	}
	length := int(w.bits(4))
	if length > 11 && !(w.makes(noTerminatorRoom) && length == 12) {
		return false
	}
	if !w.align() {
		return false
	}
	text := w.take(length)
	if w.failed {
		return false
	}
	var name [12]byte
	copy(name[:], text)
	name[length] = 0
	nul, notUTF8 := badText(text)
	if nul && !w.makes(nulInside) || notUTF8 && !w.makes(utf8Unchecked) {
		return false
	}
	w.putText("name", text)
	w.number("color", 8)
	return w.finish()
}

// voice has padding before its bytes.
var voice = &habitat{order: lsb, read: readVoice, schema: `protocol voice
order lsb
max datagram 64

packet {
    sequence uint16
    codec    bits(3)
    frame    bytes(8)
}
`, seeds: many(
	pack(lsb).put(16, 1).put(3, 7).text("\x00\x01\x02\x03\x04\x05\x06\x07"),
)}

func readVoice(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	w.number("sequence", 16)
	w.number("codec", 3)
	if w.makes(paddingIgnored) {
		w.bits(-w.pos & 7)
	} else if !w.align() {
		return false
	}
	w.putText("frame", w.take(8))
	return w.finish()
}

// agent has text of a length that another field says, and text to the end.
var agent = &habitat{order: msb, read: readAgent, schema: `protocol agent
order msb
max datagram 64

packet {
    size     uint8 in 0..24
    software bytes(size) utf8
    nick     bytes(rest, max 16) utf16
}
`, seeds: many(
	pack(msb).put(8, 0),
	pack(msb).put(8, 7).text("pks\x00ü7").text("\x00a\x20\xac"),
	pack(msb).put(8, 4).text("🚀").text("\xd8\x3d\xde\x80\x00b"),
)}

func readAgent(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	size, ok := w.below("size", 8, 24)
	if !ok {
		return false
	}
	software := w.take(int(size))
	if w.failed {
		return false
	}
	if _, notUTF8 := badText(software); notUTF8 && !w.makes(softwareUnchecked) {
		return false
	}
	w.putText("software", software)
	left := (w.end - w.pos) / 8
	if left > 16 || left%2 != 0 && !w.makes(halfUnitDropped) {
		return false
	}
	units := make([]uint16, left/2)
	for i := range units {
		units[i] = uint16(w.bits(16))
	}
	nick := utf16.Decode(units)
	if !slices.Equal(utf16.Encode(nick), units) && !w.makes(halfPairKept) {
		return false
	}
	w.putText("nick", []byte(string(nick)))
	w.take(left % 2)
	return w.finish()
}

var textAnimals = []species{{
	name:    "no-terminator-room",
	about:   "a string as long as its buffer passes, and its terminator is written behind the buffer",
	home:    chat,
	mistake: noTerminatorRoom,
	rule:    reject.OutOfRange, field: "name", oracle: Crash,
	witness: one(pack(lsb).put(3, 0).put(4, 12).text("twelve bytes").put(8, 1)),
}, {
	name:    "nul-inside",
	about:   "a NUL inside a string: the filter sees all of it, the screen what is before it",
	home:    chat,
	mistake: nulInside,
	rule:    reject.BadString, field: "name", oracle: Verdict,
	witness: one(pack(lsb).put(3, 0).put(4, 5).text("bob\x00x").put(8, 1)),
}, {
	name:    "utf8-unchecked",
	about:   "text that is no UTF-8 is stored, and read differently by everybody who gets it",
	home:    chat,
	mistake: utf8Unchecked,
	rule:    reject.BadString, field: "name", oracle: Verdict,
	witness: one(pack(lsb).put(3, 0).put(4, 2).text("\xc0\xaf").put(8, 1)),
}, {
	name:    "padding-ignored",
	about:   "the bits in front of aligned bytes are skipped: one message has many encodings, and room for a hidden one",
	home:    voice,
	mistake: paddingIgnored,
	rule:    reject.NonzeroPadding, field: "frame", oracle: Verdict,
	witness: one(pack(lsb).put(16, 1).put(3, 7).put(5, 4).text("\x00\x01\x02\x03\x04\x05\x06\x07")),
}, {
	name:    "software-unchecked",
	about:   "text behind a length of its own is taken as it is: what is no UTF-8 goes into logs and databases",
	home:    agent,
	mistake: softwareUnchecked,
	rule:    reject.BadString, field: "software", oracle: Verdict,
	witness: one(pack(msb).put(8, 2).text("\xc0\xaf")),
}, {
	name:    "half-pair-kept",
	about:   "half of a surrogate pair passes, and is another character in the next language",
	home:    agent,
	mistake: halfPairKept,
	rule:    reject.BadString, field: "nick", oracle: Verdict,
	witness: one(pack(msb).put(8, 0).text("\xd8\x3d\x00a")),
}, {
	name:    "half-unit-dropped",
	about:   "the odd byte behind the last unit is dropped: one text has 257 encodings",
	home:    agent,
	mistake: halfUnitDropped,
	rule:    reject.BadString, field: "nick", oracle: Verdict,
	witness: one(pack(msb).put(8, 0).text("\x00ab")),
}}
