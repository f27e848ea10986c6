package sessions

// kept are the sessions whose drafts were not looked at.
var kept = []Session{
	{Name: "tank", Kept: true, Schema: `order lsb
packet {
    type uint8 in {1, 2, 3}
    seq  uint16
    ms   uint32
    body switch type {
        1: { x float32, y float32, heading float32, turret uint16 }
        2: { id uint8, hp uint8, shells uint8 }
        3: { target uint8, x float32, y float32 }
    }
}`, packet: func(w *world) fields {
		kind := w.odds(6, 2, 2)
		f := fields{"type": kind + 1, "seq": w.seq, "ms": w.ms}
		switch kind {
		case 0:
			f["body"] = fields{"x": hundredths(w.walk(w.key("x"), 200000)), "y": hundredths(w.walk(w.key("y"), 200000)),
				"heading": float64(w.walk(w.key("h"), 6283)) / 1000, "turret": w.walk(w.key("t"), 65536)}
		case 1:
			f["body"] = fields{"id": w.client, "hp": w.falls(w.key("hp"), 100, 20), "shells": w.falls(w.key("shells"), 40, 5)}
		case 2:
			f["body"] = fields{"target": w.sticky(w.key("target"), 9, 12), "x": hundredths(w.walk(w.key("tx"), 200000)), "y": hundredths(w.walk(w.key("ty"), 200000))}
		}
		return f
	}},
	{Name: "arena", Kept: true, Schema: `order msb
packet {
    magic  uint16 == 0xA7E4
    number uint16
    tick   uint32
    count  uint8 in 0..16
    actors [count]{ id uint16, x uint16, y uint16, hp uint8, state uint8 }
}`, packet: func(w *world) fields {
		return fields{"number": w.seq, "tick": w.ms, "actors": some(2+w.sticky("n", 8, 20), func(k int) fields {
			return fields{"id": 100 + k, "x": w.walk([2]any{"x", k}, 1<<16), "y": w.walk([2]any{"y", k}, 1<<16),
				"hp": w.falls([2]any{"hp", k}, 200, 10), "state": w.sticky([2]any{"state", k}, 6, 12)}
		})}
	}},
	{Name: "hover", Kept: true, Schema: `order lsb
packet {
    crc      crc32(prefix 0xBADC0DE5 : uint32)
    number   uint16
    ack      uint16
    x        bits(19)
    y        bits(19)
    z        bits(14)
    yaw      bits(9)
    boost    bits(7)
    grounded bool
    lap      bits(4)
    count    int(0..12)
    items    [count]{ slot bits(4), left bits(9) }
    check "end of packet"
}`, packet: func(w *world) fields {
		return fields{"number": w.seq, "ack": max(0, w.seq-1-w.IntN(5)), "x": w.walk(w.key("x"), 1<<19), "y": w.walk(w.key("y"), 1<<19),
			"z": w.walk(w.key("z"), 1<<14), "yaw": w.walk(w.key("yaw"), 1<<9), "boost": w.falls(w.key("boost"), 100, 2), "grounded": w.flag(w.key("g"), 12),
			"lap": (1 + w.i/800) % 16, "items": some(w.sticky(w.key("n"), 6, 10), func(k int) fields {
				return fields{"slot": k, "left": w.falls(w.key("item", k), 400, 3)}
			})}
	}},
	{Name: "puck", Kept: true, Schema: `order msb
packet {
    frame bits(20)
    side  bool
    x     bits(15)
    y     bits(15)
    vx    sbits(10)
    vy    sbits(10)
    hits  bits(6)
    score bits(5)
}`, packet: func(w *world) fields {
		return fields{"frame": w.ms / 4 % (1 << 20), "side": w.client&1 == 1, "x": w.within("x", 1<<15, 300), "y": w.within("y", 1<<15, 300),
			"vx": w.walk(w.key("vx"), 1024) - 512, "vy": w.walk(w.key("vy"), 1024) - 512, "hits": w.i / 37 % 64, "score": w.i / 150 % 32}
	}},
	{Name: "opt", Kept: true, Schema: `order lsb
packet {
    number uint16
    x      bits(17)
    y      bits(17)
    fire   bool
    if fire { angle bits(10), power bits(6) }
    mood   bits(3)
}`, packet: func(w *world) fields {
		f := fields{"number": w.seq, "x": w.walk(w.key("x"), 1<<17), "y": w.walk(w.key("y"), 1<<17), "fire": w.IntN(10) < 3, "mood": w.sticky(w.key("mood"), 7, 12)}
		if f["fire"] == true {
			f["angle"], f["power"] = w.walk(w.key("angle"), 1024), w.sticky(w.key("power"), 63, 3)
		}
		return f
	}},
	{Name: "heli", Kept: true, Schema: `order lsb
packet {
    ms   bits(24)
    kind bits(2) in 0..2
    seq  bits(10)
    body switch kind {
        0: { x bits(18), y bits(18), z bits(12), roll sbits(9), pitch sbits(9), yaw bits(9) }
        1: { rotor bits(11), fuel bits(10), lights bool, gear bool, alarm bits(3) }
        2: { target bits(6), lock bool, missiles bits(3), guns bits(9) }
    }
}`, packet: func(w *world) fields {
		kind := w.odds(6, 3, 2)
		f := fields{"ms": w.ms, "kind": kind, "seq": w.seq % 1024}
		switch kind {
		case 0:
			f["body"] = fields{"x": w.walk(w.key("x"), 1<<18), "y": w.walk(w.key("y"), 1<<18), "z": w.walk(w.key("z"), 1<<12),
				"roll": w.walk(w.key("r"), 512) - 256, "pitch": w.walk(w.key("p"), 512) - 256, "yaw": w.walk(w.key("yaw"), 512)}
		case 1:
			f["body"] = fields{"rotor": 1500 + w.IntN(40), "fuel": w.falls(w.key("fuel"), 1000, 2), "lights": w.flag(w.key("l"), 30),
				"gear": w.flag(w.key("g"), 40), "alarm": w.sticky(w.key("a"), 7, 15)}
		case 2:
			f["body"] = fields{"target": w.sticky(w.key("t"), 63, 8), "lock": w.flag(w.key("lock"), 6), "missiles": w.falls(w.key("m"), 7, 12), "guns": w.falls(w.key("guns"), 500, 2)}
		}
		return f
	}},
	{Name: "moba", Kept: true, Schema: `order msb
packet {
    tick    uint16
    heroes  uint8 in 0..10
    hero    [heroes]{ id uint8, x bits(14), y bits(14), hp bits(12), mana bits(8) }
    towers  uint8 in 0..20
    tower   [towers]{ hp uint16, side bits(2), level bits(6) }
    gold    uint16
    effects uint8 in 0..15
    effect  [effects]{ kind uint8, left uint16 }
}`, packet: func(w *world) fields {
		return fields{"tick": w.seq * 3, "gold": 500 + w.rises(w.key("gold"), 2),
			"hero": some(2+w.sticky("heroes", 4, 14), func(k int) fields {
				return fields{"id": 17 + 3*k, "x": w.walk([2]any{"x", k}, 1<<14), "y": w.walk([2]any{"y", k}, 1<<14), "hp": w.falls([2]any{"hp", k}, 4000, 4), "mana": w.falls([2]any{"mana", k}, 250, 3)}
			}),
			"tower": some(w.sticky("towers", 6, 25), func(k int) fields {
				return fields{"hp": w.falls([2]any{"thp", k}, 9000, 9), "side": k % 3, "level": w.sticky([2]any{"lv", k}, 40, 50)}
			}),
			"effect": some(w.sticky(w.key("effects"), 3, 5), func(k int) fields {
				return fields{"kind": w.sticky([2]any{"kind", k}, 30, 20), "left": w.falls([2]any{"left", k}, 3000, 1)}
			}),
		}
	}},
	{Name: "lander", Schema: `order msb
packet {
    magic   uint32 == 0x4C4E4452
    version uint8 == 3
    kind    uint8 in {10, 20}
    us      uint64
    body switch kind {
        10: { x float64, y float64, height float64, vx float32, vy float32, fuel float32 }
        20: { state uint8, engine uint8, temp float32, message uint16 }
    }
}`, packet: func(w *world) fields {
		kind := w.odds(5, 2)
		f := fields{"kind": []int{10, 20}[kind], "us": 1000*w.ms + w.IntN(1000)}
		switch kind {
		case 0:
			f["body"] = fields{"x": float64(w.walk(w.key("x"), 100000)) / 70, "y": float64(w.walk(w.key("y"), 100000)) / 70, "height": float64(w.walk(w.key("z"), 100000)) / 11,
				"vx": float64(w.walk(w.key("vx"), 4000))/100 - 20, "vy": float64(w.walk(w.key("vy"), 4000))/100 - 20, "fuel": float64(w.falls(w.key("fuel"), 10000, 2)) / 100}
		case 1:
			f["body"] = fields{"state": w.sticky(w.key("state"), 5, 20), "engine": w.sticky(w.key("engine"), 100, 3), "temp": 300 + float64(w.walk(w.key("temp"), 20000))/100, "message": w.rises(w.key("msg"), 2)}
		}
		return f
	}},
	{Name: "lobby", Kept: true, Schema: `order lsb
packet {
    size   uint16
    op     uint8 in {1, 4, 9}
    number uint32
    body switch op {
        1: { n uint8, name bytes(n, max 40) @text, ready bool8, colour uint32 }
        4: { to uint16, line cstring(120) }
        9: { ping uint16, loss uint8, players uint8 }
    }
}`, packet: func(w *world) fields {
		kind := w.odds(2, 3, 4)
		f := fields{"op": []int{1, 4, 9}[kind], "number": w.seq}
		size := 7
		switch kind {
		case 0:
			name := words[w.IntN(len(words))]
			f["body"] = fields{"name": hexOf(name), "ready": w.flag(w.key("ready"), 4), "colour": 0x336699 * (1 + w.client)}
			size += 6 + len(name)
		case 1:
			line := words[w.IntN(len(words))]
			for range w.IntN(6) {
				line += " " + words[w.IntN(len(words))]
			}
			f["body"] = fields{"to": w.IntN(3), "line": line}
			size += 3 + len(line)
		case 2:
			f["body"] = fields{"ping": 30 + w.walk(w.key("ping"), 100), "loss": w.sticky(w.key("loss"), 5, 10), "players": 2 + w.sticky("players", 14, 40)}
			size += 4
		}
		f["size"] = size
		return f
	}},
	{Name: "radio", Kept: true, Schema: `order msb
packet {
    version bits(3) == 5
    talk    bool
    channel bits(4)
    number  uint16
    stamp   uint32
    source  uint32
    voice   bytes(rest, max 60)
}`, packet: func(w *world) fields {
		voice := make([]byte, 30+w.IntN(20))
		for i := range voice {
			voice[i] = byte(w.Uint32())
		}
		return fields{"talk": w.flag(w.key("talk"), 30), "channel": w.sticky(w.key("ch"), 15, 60), "number": w.seq, "stamp": uint32(8 * w.ms), "source": uint32(0x9E3779B9 * int64(w.client+1)), "voice": hexOf(string(voice))}
	}},
	{Name: "kart", Kept: true, Schema: `order bousk
packet {
    number uint16
    kind   int(0..1)
    body switch kind {
        0: { x int(0..50000), y int(0..50000), speed int(0..300), drift bool, item int(0..9) }
        1: { place int(1..8), lap int(1..5), coins int(0..20), time int(0..600000) }
    }
}`, packet: func(w *world) fields {
		kind := w.odds(5, 3)
		f := fields{"number": w.seq, "kind": kind}
		if kind == 0 {
			f["body"] = fields{"x": w.walk(w.key("x"), 50000), "y": w.walk(w.key("y"), 50000), "speed": w.walk(w.key("s"), 300), "drift": w.flag(w.key("d"), 8), "item": w.sticky(w.key("item"), 9, 20)}
		} else {
			f["body"] = fields{"place": 1 + w.sticky(w.key("place"), 7, 15), "lap": 1 + w.i/250%5, "coins": w.sticky(w.key("coins"), 20, 10), "time": w.ms % 600000}
		}
		return f
	}},
}
