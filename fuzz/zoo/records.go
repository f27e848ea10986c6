package zoo

import "github.com/pktscope/pktscope/decode/reject"

// Lengths that say where something ends: of a window, and of a number.

// extensions is a list of tag, length and value to the end of the packet.
var extensions = &habitat{order: msb, read: readExtensions, schema: `protocol extensions
order msb
max datagram 512

struct Record {
    tag    uint8
    length uint8
    within(length) {
        value switch tag {
            1:       uint32
            2:       { level uint8 in 1..60, mood uint8 }
            default: bytes(rest, max 255)
        }
    }
}

packet {
    records [rest, max 16]Record
}
`, seeds: many(
	pack(msb),
	pack(msb).each(8, 1, 4).put(32, 99).each(8, 2, 2, 60, 7).each(8, 9, 3, 1, 2, 3).each(8, 7, 0),
)}

func readExtensions(w *wire) bool {
	if len(w.data) > 512 {
		return false
	}
	all := w.end
	for i := 0; all-w.pos >= 8; i++ {
		if i == 16 {
			return false
		}
		path := element("records", i)
		tag := w.number(path+".tag", 8)
		length := int(w.number(path+".length", 8))
		if w.failed || 8*length > all-w.pos && !w.makes(windowPastPacket) {
			return false
		}
		w.end = w.pos + 8*length
		if !readRecord(w, path+".value", tag) || w.pos != w.end {
			return false
		}
		w.end = all
	}
	return w.finish()
}

func readRecord(w *wire, path string, tag uint64) bool {
	switch tag {
	case 1:
		w.number(path, 32)
	case 2:
		if level, ok := w.below(path+".level", 8, 60); !ok || level < 1 {
			return false
		}
		w.number(path+".mood", 8)
	default:
		w.putText(path, w.take((w.end-w.pos)/8))
	}
	return !w.failed
}

// settings are fields in a window that ends where the packet does.
var settings = &habitat{order: msb, read: readSettings, schema: `protocol settings
order msb
max datagram 64

packet {
    version uint8 in 1..3
    size    uint8
    within(size) {
        volume uint8 in 0..100
        speed  uint16
        mood   uint16
    }
}
`, seeds: many(
	pack(msb).each(8, 1, 5, 80).put(16, 300).put(16, 7),
	pack(msb).each(8, 3, 5, 0).put(16, 0).put(16, 0),
)}

func readSettings(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	version, ok := w.below("version", 8, 3)
	if size := int(w.number("size", 8)); !ok || version < 1 || 8*size != w.end-w.pos {
		return false
	}
	if _, ok := w.below("volume", 8, 100); !ok {
		return false
	}
	w.number("speed", 16)
	if w.pos == w.end && w.makes(windowCutShort) {
		return !w.failed
	}
	w.number("mood", 16)
	return !w.failed && w.pos == w.end
}

// acks are numbers of any length, at any bit.
var acks = &habitat{order: lsb, read: readAcks, schema: `protocol acks
order lsb
max datagram 256

packet {
    acks [..16]varint(32)
}
`, seeds: many(
	pack(lsb).put(5, 0),
	pack(lsb).put(5, 3).put(8, 0).each(8, 0x81, 0x01).each(8, 0xff, 0xff, 0xff, 0xff, 0x0f),
)}

func readAcks(w *wire) bool {
	if len(w.data) > 256 {
		return false
	}
	count := int(w.bits(5))
	ok := count <= 16 && !w.failed
	for i := 0; ok && i < count; i++ {
		var v uint32
		v, ok = readVarint(w)
		w.put(element("acks", i), uint64(v))
	}
	return ok && w.finish()
}

func readVarint(w *wire) (uint32, bool) {
	var v uint32
	for shift := 0; ; shift += 7 {
		b := w.bits(8)
		if w.failed || shift == 28 && b > 0x0f && !w.makes(varintUnlimited) {
			return 0, false
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v, b != 0 || shift == 0 || w.makes(varintOverlong)
		}
	}
}

var recordAnimals = []species{{
	name:    "window-past-packet",
	about:   "a record's length is not compared with what is left: the reader goes on behind the packet",
	home:    extensions,
	mistake: windowPastPacket,
	rule:    reject.PastEnd, field: "records[]", oracle: Crash,
	witness: one(pack(msb).each(8, 9, 200, 1, 2, 3)),
}, {
	name:    "window-cut-short",
	about:   "a length that agrees with the packet is believed: fields that do not fit in it keep what they had",
	home:    settings,
	mistake: windowCutShort,
	rule:    reject.PastEnd, field: "mood", oracle: Verdict,
	witness: one(pack(msb).each(8, 1, 3, 80).put(16, 300)),
}, {
	name:    "varint-unlimited",
	about:   "a number goes on as long as its bytes say so: what is shifted out is lost, and there is no end to it",
	home:    acks,
	mistake: varintUnlimited,
	rule:    reject.OutOfRange, field: "acks[]", oracle: Verdict,
	witness: one(pack(lsb).put(5, 1).each(8, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01)),
}, {
	name:    "varint-overlong",
	about:   "leading zeros are no mistake to it: one number has many encodings, and a filter on bytes misses some",
	home:    acks,
	mistake: varintOverlong,
	rule:    reject.NonCanonical, field: "acks[]", oracle: Verdict,
	witness: one(pack(lsb).put(5, 1).each(8, 0x81, 0x00)),
}}
