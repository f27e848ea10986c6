package zoo

import (
	"encoding/binary"

	"github.com/pktscope/pktscope/decode/reject"
)

// What newer forms get wrong: checksums over a part of a packet, windows that are filled with zeros, sizes in the last
// byte, sums from element to element, names with pointers, indexes in any order.

// telegrams are messages whose zeros at the end are not sent, each after a checksum that its kind goes into.
var telegrams = &habitat{order: lsb, read: readTelegrams, schema: `protocol frames
order lsb
max datagram 128

const Extra = switch { 0: 50, 30: 39 }

packet {
    frames [rest, max 4]{
        magic  uint8 == 0xFD
        length uint8
        kind   uint8 in {0, 30}
        within(length zeros) {
            payload switch kind {
                0:  { mode uint32, type uint8 }
                30: { time uint32, roll uint32 }
            }
        }
        crc crc16_mcrf4xx(over length.., suffix Extra(kind) : uint8)
    }
}
`, seeds: many(
	pack(lsb),
	telegram(pack(lsb), 0, 50, 4, 0, 0, 0, 2),
	telegram(telegram(pack(lsb), 30, 39, 1, 2, 3, 4, 5, 6, 7, 8), 0, 50, 9),
	telegram(telegram(pack(lsb), 0, 50), 30, 39, 7, 0, 0, 0, 0, 1),
)}

// telegram appends a message of a kind with its bytes, and the checksum over them and the byte of its kind.
func telegram(p *packer, kind, extra uint64, payload ...uint64) *packer {
	start := len(p.data) + 1
	p.each(8, 0xfd, uint64(len(payload)), kind).each(8, payload...)
	return p.put(16, uint64(mcrf4xx(mcrf4xx(0xffff, p.data[start:]), []byte{byte(extra)})))
}

// mcrf4xx goes on with a CRC-16/MCRF4XX.
func mcrf4xx(sum uint16, data []byte) uint16 {
	for _, b := range data {
		sum ^= uint16(b)
		for range 8 {
			sum = sum>>1 ^ sum&1*0x8408
		}
	}
	return sum
}

func readTelegrams(w *wire) bool {
	if len(w.data) > 128 {
		return false
	}
	var room [8]byte // of a payload
	for i := 0; w.end-w.pos >= 8; i++ {
		if i == 4 || w.bits(8) != 0xfd {
			return false
		}
		path := element("frames", i)
		w.put(path+".magic", 0xfd)
		start := w.pos / 8
		length := int(w.number(path+".length", 8))
		kind := w.number(path+".kind", 8)
		size, names, extra := 5, [2]string{".payload.mode", ".payload.type"}, byte(50)
		if kind == 30 {
			size, names, extra = 8, [2]string{".payload.time", ".payload.roll"}, 39
		}
		if w.failed || kind != 0 && kind != 30 || 8*length > w.end-w.pos || length > size {
			return false
		}
		if !w.makes(zeroFillSkipped) {
			clear(room[:])
		}
		copy(room[:], w.take(length))
		w.put(path+names[0], uint64(binary.LittleEndian.Uint32(room[:])))
		if kind == 30 {
			w.put(path+names[1], uint64(binary.LittleEndian.Uint32(room[4:])))
		} else {
			w.put(path+names[1], uint64(room[4]))
		}
		covered := w.data[start : w.pos/8]
		if w.makes(crcByteShort) {
			covered = covered[:len(covered)-1]
		}
		sum := mcrf4xx(0xffff, covered)
		if !w.makes(extraForgotten) {
			sum = mcrf4xx(sum, []byte{extra})
		}
		if stored := w.bits(16); w.failed || uint16(stored) != sum {
			return false
		}
	}
	return w.finish()
}

// tails say in their last byte how much of them is padding, as RTP does.
var tails = &habitat{order: msb, read: readTail, schema: `protocol padded
order msb
max datagram 80

packet {
    padding  bool
    sequence bits(15)
    if padding {
        let _pad = tail(8)
        require _pad != 0
        payload bytes(rest - _pad, max 64)
        fill    bytes(_pad - 1, max 254)
        count   uint8
    } else {
        data bytes(rest, max 64)
    }
}
`, seeds: many(
	pack(msb).put(1, 0).put(15, 5).text("abc"),
	pack(msb).put(1, 1).put(15, 6).text("abc\x00\x00\x03"),
	pack(msb).put(1, 1).put(15, 7).text("\x01"),
)}

func readTail(w *wire) bool {
	if len(w.data) > 80 {
		return false
	}
	padding := w.number("padding", 1)
	w.number("sequence", 15)
	left := (w.end - w.pos) / 8
	switch {
	case w.failed:
		return false
	case padding == 0:
		if left > 64 {
			return false
		}
		w.putText("data", w.take(left))
		return w.finish()
	case left == 0:
		return false
	}
	pad := int(w.data[len(w.data)-1])
	if pad == 0 && w.makes(paddingCountZero) {
		pad = 1 // it takes the last byte for a payload's own
	}
	if pad == 0 || pad > left || left-pad > 64 {
		return false
	}
	w.putText("payload", w.take(left-pad))
	w.putText("fill", w.take(pad-1))
	w.number("count", 8)
	return w.finish()
}

// numbered are options whose numbers are said by what is added to the one before.
var numbered = &habitat{order: msb, read: readNumbered, schema: `protocol numbered
order msb
max datagram 128

packet {
    options [rest, max 16]{
        delta uint16
        let number in 0..65535 = prev(number, 0) + delta
        size  uint8 in 0..8
        value bytes(size)
    }
}
`, seeds: many(
	pack(msb),
	pack(msb).put(16, 11).put(8, 2).text("ab").put(16, 0).put(8, 0).put(16, 60000).put(8, 1).text("x"),
)}

func readNumbered(w *wire) bool {
	if len(w.data) > 128 {
		return false
	}
	number := uint64(0)
	for i := 0; w.end-w.pos >= 8; i++ {
		if i == 16 {
			return false
		}
		path := element("options", i)
		number += w.number(path+".delta", 16)
		if number > 65535 {
			if !w.makes(numberWraps) {
				return false
			}
			number %= 65536
		}
		w.put(path+".number", number)
		size, ok := w.below(path+".size", 8, 8)
		if !ok {
			return false
		}
		w.putText(path+".value", w.take(int(size)))
	}
	return w.finish()
}

// questions are two domain names, of which one can go on in another.
var questions = &habitat{order: msb, read: readQuestions, schema: `protocol questions
order msb
max datagram 600

packet {
    names [2]dnsname
    kind  uint16
}
`, seeds: many(
	pack(msb).text("\x03www\x07example\x00"+"\x00").put(16, 1),
	pack(msb).text("\x00"+"\x01a\x00").put(16, 28),
	pack(msb).text("\x03www\x07example\x00"+"\x04mail\xc0\x04").put(16, 255),
	pack(msb).text("\x04x2u\xc0\x00"+"\xc0\x04").put(16, 145), // a pointer at a label's last byte, which is one with what follows
)}

func readQuestions(w *wire) bool {
	if len(w.data) > 600 {
		return false
	}
	for i := range 2 {
		if !readName(w, element("names", i)) {
			return false
		}
	}
	w.number("kind", 16)
	return w.finish()
}

// readName follows pointers, each of which leads before the labels that it ends.
func readName(w *wire, path string) bool {
	var text []byte
	anywhere := w.makes(pointerLoop)
	at, run, limit, end, used := w.pos/8, w.pos/8, len(w.data), -1, 1
	for at < limit && w.data[at] != 0 {
		w.work(1)
		n := int(w.data[at])
		switch n >> 6 {
		case 0:
			if at+1+n > limit {
				return false
			}
			if used += 1 + n; used > 255 {
				return false
			}
			text = append(appendLabel(text, w.data[at+1:at+1+n]), '.')
			at += 1 + n
			continue
		case 3:
		default:
			return false
		}
		if at+2 > limit {
			return false
		}
		to := n&63<<8 | int(w.data[at+1])
		if to >= run && !anywhere {
			return false
		}
		if end < 0 {
			end = at + 2
		}
		if !anywhere {
			limit = w.pos / 8 // the labels there end before the name
		}
		at, run = to, to
	}
	if at >= limit {
		return false
	}
	if end < 0 {
		end = at + 1
	}
	if len(text) == 0 {
		text = []byte{'.'}
	}
	w.putText(path, text)
	w.pos = 8 * end
	return true
}

// appendLabel appends a label as names are written: bytes that are none of text by their numbers.
func appendLabel(b, label []byte) []byte {
	for _, c := range label {
		switch {
		case c == '.' || c == '\\':
			b = append(b, '\\', c)
		case c <= ' ' || c > '~':
			b = append(b, '\\', '0'+c/100, '0'+c/10%10, '0'+c%10)
		default:
			b = append(b, c)
		}
	}
	return b
}

// changes are values of some of eight slots, in the order in which they were made: a slot can change twice.
var changes = &habitat{order: lsb, read: readChanges, schema: `protocol changes
order lsb
max datagram 64

packet {
    slots subset(index any) [8]uint8
    last  uint8
}
`, seeds: many(
	pack(lsb).put(4, 0).put(8, 1),
	pack(lsb).put(4, 3).put(3, 2).put(8, 9).put(3, 7).put(8, 1).put(3, 0).put(8, 200).put(8, 1),
)}

func readChanges(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	count := w.bits(4)
	if w.failed || count > 8 {
		return false
	}
	seen := uint64(0)
	for i := range int(count) {
		path := element("slots", i)
		index := w.number(path+".index", 3)
		if seen>>index&1 != 0 && w.makes(repeatRefused) {
			return false
		}
		seen |= 1 << index
		w.number(path+".value", 8)
	}
	w.number("last", 8)
	return w.finish()
}

var lookAnimals = []species{{
	name:    "crc-byte-short",
	about:   "the checksum is computed over one byte too few: the last one can be anything, and no other reader's packet passes",
	home:    telegrams,
	mistake: crcByteShort,
	rule:    reject.None, field: "frames[]", oracle: Verdict, onValid: true,
	witness: one(telegram(pack(lsb), 0, 50, 4, 0, 0, 0, 2)),
}, {
	name:    "extra-forgotten",
	about:   "the byte of its kind is left out of the checksum (MAVLink's CRC_EXTRA): two descriptions of a message are not told apart",
	home:    telegrams,
	mistake: extraForgotten,
	rule:    reject.None, field: "frames[]", oracle: Verdict, onValid: true,
	witness: one(telegram(pack(lsb), 30, 39, 1, 2, 3, 4, 5, 6, 7, 8)),
}, {
	name:    "zero-fill-skipped",
	about:   "what a cut payload leaves out keeps the values of the message before it",
	home:    telegrams,
	mistake: zeroFillSkipped,
	rule:    reject.None, field: "frames[].payload", oracle: ByValue, onValid: true,
	witness: one(telegram(telegram(pack(lsb), 30, 39, 1, 2, 3, 4, 5, 6, 7, 8), 0, 50, 9)),
}, {
	name:    "padding-count-zero",
	about:   "padding of no bytes is taken for one of one: the byte that says so is in the payload for others",
	home:    tails,
	mistake: paddingCountZero,
	rule:    reject.RuleBroken, field: "", oracle: Verdict,
	witness: one(pack(msb).put(1, 1).put(15, 6).text("abc\x00")),
}, {
	name:    "option-number-wraps",
	about:   "the number of an option is kept in 16 bits and wraps around: a critical option becomes a harmless one",
	home:    numbered,
	mistake: numberWraps,
	rule:    reject.OutOfRange, field: "options[].number", oracle: Verdict,
	witness: one(pack(msb).put(16, 65535).put(8, 0).put(16, 12).put(8, 0)),
}, {
	name:    "pointer-loop",
	about:   "a pointer of a domain name may lead anywhere: one at itself has no end",
	home:    questions,
	mistake: pointerLoop,
	rule:    reject.BadString, field: "names[]", oracle: Hang,
	witness: one(pack(msb).text("\x01a\x00"+"\xc0\x03").put(16, 1)),
}, {
	name:    "repeat-refused",
	about:   "an index that comes twice is refused, although the form lets indexes repeat: the second change is lost",
	home:    changes,
	mistake: repeatRefused,
	rule:    reject.None, field: "slots", oracle: Verdict, onValid: true,
	witness: one(pack(lsb).put(4, 2).put(3, 2).put(8, 9).put(3, 2).put(8, 10).put(8, 1)),
}}
