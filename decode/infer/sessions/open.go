package sessions

// open are the sessions whose drafts were looked at.
var open = []Session{
	{Name: "list", Schema: `order lsb
packet {
    crc    crc32(prefix 0x12345678 : uint32)
    number uint16
    type   int(0..2)
    body switch type {
        0: { buttons bits(6), ack uint16 }
        1: { count int(0..15), players [count]{ id int(0..15), x bits(17), y bits(17), health int(0..100) } }
        2: { x bits(20), ammo bits(5), y bits(20) }
    }
    check "end of packet"
}`, packet: func(w *world) fields {
		kind := w.IntN(3)
		f := fields{"number": w.i, "type": kind}
		switch kind {
		case 0:
			f["body"] = fields{"buttons": w.sticky(0, 63, 12), "ack": w.i + w.IntN(3)}
		case 1:
			f["body"] = fields{"players": some(3+w.sticky(1, 3, 12), func(k int) fields {
				return fields{"id": k, "x": w.walk(10+2*k, 1<<17), "y": w.walk(11+2*k, 1<<17), "health": 100 - w.rises(30+k, 10)%100}
			})}
		case 2:
			f["body"] = fields{"x": w.walk(2, 1<<20), "ammo": w.sticky(3, 31, 12), "y": w.walk(4, 1<<20)}
		}
		return f
	}},
	{Name: "bits", Schema: `order msb
packet {
    number  bits(12)
    x       bits(21)
    y       bits(21)
    heading bits(10)
    speed   bits(9)
    alive   bool
    weapon  bits(3)
    ammo    bits(7)
}`, packet: func(w *world) fields {
		return fields{"number": w.i % 4096, "x": w.walk(0, 1<<21), "y": w.walk(1, 1<<21), "heading": w.walk(2, 1<<10), "speed": w.walk(3, 1<<9),
			"alive": w.flag(4, 12), "weapon": w.sticky(5, 7, 12), "ammo": 127 - w.rises(6, 3)%128}
	}},
	{Name: "bytes", Schema: `order msb
packet {
    type   uint16 in {1, 2, 7}
    number uint16
    time   uint32
    body switch type {
        1: empty
        2: { id uint8, x uint16, y uint16, health uint8 }
        7: { x uint32, y uint32, z uint32, shots uint16 }
    }
}`, packet: func(w *world) fields {
		kind := w.IntN(3)
		f := fields{"type": []int{1, 2, 7}[kind], "number": w.i, "time": 90000 + 50*w.i + w.IntN(4)}
		switch kind {
		case 1:
			k := w.IntN(4)
			f["body"] = fields{"id": k, "x": w.walk(k, 1<<16), "y": w.walk(4+k, 1<<16), "health": 100 - w.rises(30, 8)%100}
		case 2:
			f["body"] = fields{"x": w.walk(12, 1<<24), "y": w.walk(13, 1<<24), "z": w.walk(14, 1<<24), "shots": w.rises(15, 4)}
		}
		return f
	}},
	{Name: "bousk", Schema: `order bousk
packet {
    first  uint8
    second int(-7..8)
    third  bits(5)
    fourth bool
    fifth  bits(13)
    sixth  bits(9)
    last   bits(11)
}`, packet: func(w *world) fields {
		return fields{"first": w.i % 256, "second": w.sticky(0, 15, 12) - 7, "third": w.sticky(1, 31, 12), "fourth": w.flag(2, 12),
			"fifth": w.walk(3, 1<<13), "sixth": w.walk(4, 1<<9), "last": w.walk(5, 1<<11)}
	}},
	{Name: "drone", Schema: `order msb
packet {
    kind bits(3) in 0..3
    seq  bits(13)
    ms   uint32
    body switch kind {
        0: { lat sbits(25), lon sbits(26), alt bits(14) }
        1: { roll sbits(14), pitch sbits(14), yaw bits(14), armed bool, mode bits(3) }
        2: { volts bits(12), amps bits(11), left bits(7) }
        3: { stick_x sbits(11), stick_y sbits(11), throttle bits(10), buttons bits(5) }
    }
}`, packet: func(w *world) fields {
		kind := w.odds(4, 6, 1, 3)
		f := fields{"kind": kind, "seq": w.seq % 8192, "ms": w.ms}
		switch kind {
		case 0:
			f["body"] = fields{"lat": w.within(w.key("lat"), 1<<24, 60), "lon": w.within(w.key("lon"), 1<<24, 60), "alt": w.walk(w.key("alt"), 1<<14)}
		case 1:
			f["body"] = fields{"roll": w.walk(w.key("roll"), 1<<13) - 4096, "pitch": w.walk(w.key("pitch"), 1<<13) - 4096,
				"yaw": w.walk(w.key("yaw"), 1<<14), "armed": w.flag(w.key("armed"), 50), "mode": w.sticky(w.key("mode"), 7, 25)}
		case 2:
			f["body"] = fields{"volts": w.walk(w.key("volts"), 4096), "amps": w.walk(w.key("amps"), 2048), "left": w.falls(w.key("left"), 100, 5)}
		case 3:
			f["body"] = fields{"stick_x": w.walk(w.key("sx"), 2048) - 1024, "stick_y": w.walk(w.key("sy"), 2048) - 1024,
				"throttle": w.walk(w.key("th"), 1024), "buttons": w.sticky(w.key("b"), 31, 10)}
		}
		return f
	}},
	{Name: "lists", Schema: `order lsb
packet {
    number  uint16
    tick    uint32
    ships   int(0..15)
    ship    [ships]{ id bits(4), x bits(15), y bits(15), hull bits(7) }
    shots   int(0..31)
    shot    [shots]{ x bits(15), y bits(15), heading bits(8) }
    pickups int(0..7)
    pickup  [pickups]{ place bits(10), kind bits(3) }
    score   bits(12)
}`, packet: func(w *world) fields {
		return fields{"number": w.seq, "tick": w.ms / 16,
			"ship": some(1+w.sticky("ships", 5, 12), func(k int) fields {
				return fields{"id": k, "x": w.walk([2]any{"x", k}, 1<<15), "y": w.walk([2]any{"y", k}, 1<<15), "hull": w.falls([2]any{"h", k}, 100, 20)}
			}),
			"shot": some(w.sticky("shots", 9, 4), func(k int) fields {
				return fields{"x": w.within([2]any{"sx", k}, 1<<15, 300), "y": w.within([2]any{"sy", k}, 1<<15, 300), "heading": w.sticky([2]any{"sh", k}, 255, 15)}
			}),
			"pickup": some(w.sticky("pickups", 4, 20), func(k int) fields {
				return fields{"place": w.sticky([2]any{"pp", k}, 1000, 60), "kind": w.sticky([2]any{"pk", k}, 5, 60)}
			}),
			"score": w.rises(w.key("score"), 9),
		}
	}},
	{Name: "names", Schema: `order msb
packet {
    kind   uint8 in 1..3
    number uint16
    body switch kind {
        1: { id uint16, size uint8, name bytes(size, max 40) @text, team uint8 }
        2: { room uint16, line cstring(120) }
        3: { x uint32, y uint32, map bytes(16) @text }
    }
}`, packet: func(w *world) fields {
		kind := w.odds(2, 3, 5)
		f := fields{"kind": kind + 1, "number": w.seq}
		switch kind {
		case 0:
			f["body"] = fields{"id": 1000 + w.IntN(9), "name": hexOf(words[w.IntN(len(words))]), "team": w.IntN(3)}
		case 1:
			line := words[w.IntN(len(words))]
			for range w.IntN(5) {
				line += " " + words[w.IntN(len(words))]
			}
			f["body"] = fields{"room": 40 + w.sticky("room", 3, 30), "line": line}
		case 2:
			name := words[w.sticky("map", len(words)-1, 100)]
			f["body"] = fields{"x": w.walk(w.key("x"), 1<<20), "y": w.walk(w.key("y"), 1<<20), "map": hexOf((name + "________________")[:16])}
		}
		return f
	}},
	{Name: "floats", Schema: `order lsb
packet {
    us    uint64
    x     float32
    y     float32
    z     float32
    speed float64
    temp  float32 be
    hits  uint32
    gear  int8
}`, packet: func(w *world) fields {
		return fields{"us": 1000*w.ms + w.IntN(1000), "x": float64(w.walk(w.key("x"), 200000))/100 - 1000, "y": float64(w.walk(w.key("y"), 200000))/100 - 1000,
			"z": float64(w.walk(w.key("z"), 9000)) / 7, "speed": float64(w.walk(w.key("s"), 100000)) / 333, "temp": 20 + float64(w.walk(w.key("t"), 1000))/100,
			"hits": w.rises(w.key("hits"), 9), "gear": w.sticky(w.key("gear"), 7, 12) - 1}
	}},
	{Name: "game", Whole: true, Schema: `order lsb
packet {
    number uint8
    kind   bits(2)
    body switch kind {
        0: { a bits(8), b bits(8) }
        1: { count bits(4), list [count, max 15]{ c bits(6), d bits(4) } }
        2: { e bits(14) }
    }
}`, packet: func(w *world) fields {
		body := fields{"a": w.walk(0, 256), "b": w.walk(1, 256)}
		switch w.i % 3 {
		case 1:
			body = fields{"list": some(1+w.sticky(5, 3, 12), func(k int) fields {
				return fields{"c": w.walk(8+k, 64), "d": w.sticky(20+k, 15, 12)}
			})}
		case 2:
			body = fields{"e": w.walk(2, 1<<14)}
		}
		return fields{"number": w.i % 256, "kind": w.i % 3, "body": body}
	}},
}
