package zoo

import "github.com/pktscope/pktscope/decode/reject"

// Text, and the padding in front of bytes.

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

// voice has padding in front of its bytes.
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
}}
