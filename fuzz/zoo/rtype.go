package zoo

import (
	"slices"

	"github.com/pktscope/pktscope/decode/reject"
)

// A reader of R-Type: bytes in network order, no checksum.

var rtypeHome = &habitat{schema: builtin("rtype"), order: msb, read: readRType, seeds: corpusSeeds("rtype")}

var rtypeAnimals = []species{{
	name:    "tail-taken-for-empty",
	about:   "a snapshot that ends before its last list has an empty one: kind to old senders, and to truncation",
	home:    rtypeHome,
	mistake: tailTakenForEmpty,
	rule:    reject.PastEnd, field: "body.enemy_missile_count", oracle: Verdict,
	// Header, then counts of players, missiles and enemies.
	witness: one(header(0x40, 1000).each(8, 0, 0, 0)),
}, {
	name:    "swapped-through-32",
	about:   "a 64-bit field is byte-swapped through a 32-bit helper, and loses its upper half",
	home:    rtypeHome,
	mistake: swappedThrough32,
	field:   "timestamp", oracle: ByValue, onValid: true,
	witness: one(header(0x01, 0x0000018bcfe56800)),
}, {
	name:    "flags-unchecked",
	about:   "the keys are stored as they come: bits that no key has are kept, and mean something in the next version",
	home:    rtypeHome,
	mistake: flagsUnchecked,
	rule:    reject.ReservedNonzero, field: "body.keys", oracle: Verdict,
	witness: one(header(0x61, 1000).put(16, 0x8001).put(16, 7)),
}, {
	name:    "trailing-ignored",
	about:   "what is left behind the last field is not looked at: a place to smuggle data, and to hide a misreading",
	home:    rtypeHome,
	mistake: trailingIgnored,
	rule:    reject.TrailingBytes, field: "", oracle: Verdict,
	witness: one(header(0x01, 1000).put(8, 0)),
}}

// header begins a packet of R-Type.
func header(kind, timestamp uint64) *packer {
	return pack(msb).put(16, kind).put(16, 1).put(64, timestamp)
}

func readRType(w *wire) bool {
	if len(w.data) > 1200 {
		return false
	}
	kind := w.number("type", 16)
	w.number("sequence_num", 16)
	timestamp := w.bits(64)
	if w.makes(swappedThrough32) {
		timestamp = uint64(uint32(timestamp))
	}
	w.put("timestamp", timestamp)
	if w.failed || !readMessage(w, kind) {
		return false
	}
	return w.finish() || w.makes(trailingIgnored) && !w.failed
}

func readMessage(w *wire, kind uint64) bool {
	switch kind {
	case 0x01, 0x02, 0x80:
	case 0x10:
		w.putText("body.token", w.take(32))
		skin, ok := w.below("body.ship_skin", 8, 6)
		return ok && skin >= 1 && readPadded(w, "body.room_code", 6)
	case 0x12:
		return readPadded(w, "body.reason", 64)
	case 0x11, 0x70, 0x71, 0xa1:
		w.number("body.player_id", 8)
	case 0x40:
		return readSnapshot(w)
	case 0x61:
		if keys := w.number("body.keys", 16); keys > 0x1f && !w.makes(flagsUnchecked) {
			return false
		}
		w.number("body.sequence_num", 16)
	case 0x81:
		readMissile(w, "body")
	case 0x82:
		w.number("body.missile_id", 16)
	case 0x91:
		w.number("body.enemy_id", 16)
	case 0xa0:
		w.number("body.player_id", 8)
		w.number("body.damage", 8)
		_, ok := w.below("body.new_health", 8, 100)
		return ok
	default:
		return false
	}
	return !w.failed
}

// readPadded reads text of n bytes, padded with NULs.
func readPadded(w *wire, path string, n int) bool {
	text := w.take(n)
	if at := slices.Index(text, 0); at >= 0 {
		for _, c := range text[at:] {
			if c != 0 {
				return false
			}
		}
	}
	w.putText(path, text)
	return !w.failed
}

func readSnapshot(w *wire) bool {
	players, ok := w.below("body.player_count", 8, 4)
	for i := 0; ok && i < int(players); i++ {
		ok = readPlayer(w, element("body.players", i))
	}
	if !ok {
		return false
	}
	missiles, ok := w.below("body.missile_count", 8, 32)
	for i := 0; ok && i < int(missiles); i++ {
		ok = readMissile(w, element("body.missiles", i))
	}
	if !ok {
		return false
	}
	enemies, ok := w.below("body.enemy_count", 8, 16)
	for i := 0; ok && i < int(enemies); i++ {
		ok = readEnemy(w, element("body.enemies", i))
	}
	if !ok {
		return false
	}
	if w.makes(tailTakenForEmpty) && w.pos == w.end {
		return true
	}
	missiles, ok = w.below("body.enemy_missile_count", 8, 32)
	for i := 0; ok && i < int(missiles); i++ {
		ok = readMissile(w, element("body.enemy_missiles", i))
	}
	return ok
}

func readPlayer(w *wire, path string) bool {
	w.number(path+".id", 8)
	w.number(path+".x", 16)
	w.number(path+".y", 16)
	if _, ok := w.below(path+".health", 8, 100); !ok {
		return false
	}
	if _, ok := w.below(path+".alive", 8, 1); !ok {
		return false
	}
	w.number(path+".last_acked_input_seq", 16)
	skin, ok := w.below(path+".ship_skin", 8, 6)
	return ok && skin >= 1
}

func readMissile(w *wire, path string) bool {
	w.number(path+".id", 16)
	w.number(path+".owner_id", 8)
	w.number(path+".x", 16)
	w.number(path+".y", 16)
	return !w.failed
}

func readEnemy(w *wire, path string) bool {
	w.number(path+".id", 16)
	w.number(path+".x", 16)
	w.number(path+".y", 16)
	w.number(path+".health", 8)
	w.number(path+".enemy_type", 8)
	return !w.failed
}
