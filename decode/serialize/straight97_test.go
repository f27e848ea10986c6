package serialize_test

import (
	"encoding/binary"
	"math"
)

// load reads n constant bits; the compiler folds the mask.
func load(d []byte, at, n uint) uint64 {
	i := at / 8
	if i+9 > uint(len(d)) {
		return loadTail(d, at, n)
	}
	w := binary.LittleEndian.Uint64(d[i:]) >> (at % 8)
	if n > 57 {
		w |= uint64(d[i+8]) << 1 << (63 - at%8)
	}
	return w & (1<<n - 1)
}

func loadTail(d []byte, at, n uint) uint64 {
	var w uint64
	for k := range n {
		w |= uint64(d[(at+k)/8]>>((at+k)%8)&1) << k
	}
	return w
}

// readStraight is what a generator of Go code makes of flat97: one look at the end for every run of fields, then loads
// with constant widths.
func (p *flat97) readStraight(d []byte) bool {
	var c uint64
	at, end := uint(0), 8*uint(len(d))
	if at+103 > end {
		return false
	}
	c = load(d, at+0, 3)
	if c > 5 {
		return false
	}
	p.f001 = int32(c)
	c = load(d, at+3, 13)
	if c > 4768 {
		return false
	}
	p.f002 = int32(c) - 2384
	c = load(d, at+16, 2)
	if c > 2 {
		return false
	}
	p.f003 = int32(c)
	c = load(d, at+18, 13)
	if c > 5494 {
		return false
	}
	p.f004 = int32(c) - 2747
	c = load(d, at+31, 13)
	if c > 7320 {
		return false
	}
	p.f005 = int32(c) - 3660
	c = load(d, at+44, 18)
	if c > 161321 {
		return false
	}
	p.f006 = int32(c)
	p.f007 = int32(load(d, at+62, 3))
	c = load(d, at+65, 7)
	if c > 74 {
		return false
	}
	p.f008 = int32(c) - 37
	c = load(d, at+72, 8)
	if c > 222 {
		return false
	}
	p.f009 = int32(c)
	c = load(d, at+80, 13)
	if c > 7630 {
		return false
	}
	p.f010 = int32(c) - 3815
	c = load(d, at+93, 9)
	if c > 344 {
		return false
	}
	p.f011 = int32(c) - 172
	p.f012 = load(d, at+102, 1) != 0
	at += 103
	if p.f012 {
		if at+86 > end {
			return false
		}
		c = load(d, at+0, 13)
		if c > 7156 {
			return false
		}
		p.f013 = int32(c) - 3578
		p.f014 = uint64(load(d, at+13, 64))
		p.f015 = load(d, at+77, 1) != 0
		c = load(d, at+78, 6)
		if c > 60 {
			return false
		}
		p.f016 = float32(float32(c)/60)*30 + 0
		c = load(d, at+84, 2)
		if c > 2 {
			return false
		}
		p.f017 = int32(c)
		at += 86
	}
	if at+459 > end {
		return false
	}
	p.f018 = load(d, at+0, 1) != 0
	p.f019 = int64(load(d, at+1, 64))
	c = load(d, at+65, 9)
	if c > 500 {
		return false
	}
	p.f020 = float32(float32(c)/500)*10 + 0
	p.f021 = uint32(load(d, at+74, 12))
	p.f022 = uint32(load(d, at+86, 4))
	c = load(d, at+90, 6)
	if c > 60 {
		return false
	}
	p.f023 = float32(float32(c)/60)*30 + 0
	p.f024 = load(d, at+96, 1) != 0
	p.f025 = int32(load(d, at+97, 3))
	c = load(d, at+100, 13)
	if c > 6640 {
		return false
	}
	p.f026 = int32(c) - 3320
	p.f027 = int64(load(d, at+113, 64))
	c = load(d, at+177, 11)
	if c > 1416 {
		return false
	}
	p.f028 = int32(c) - 708
	c = load(d, at+188, 18)
	if c > 234397 {
		return false
	}
	p.f029 = int32(c)
	p.f030 = uint32(load(d, at+206, 30))
	p.f031 = math.Float32frombits(uint32(load(d, at+236, 32)))
	c = load(d, at+268, 14)
	if c > 10402 {
		return false
	}
	p.f032 = int32(c)
	p.f033 = uint32(load(d, at+282, 21))
	p.f034 = load(d, at+303, 1) != 0
	p.f035 = load(d, at+304, 1) != 0
	p.f036 = uint32(load(d, at+305, 25))
	p.f037 = load(d, at+330, 1) != 0
	p.f038 = uint32(load(d, at+331, 9))
	p.f039 = math.Float64frombits(load(d, at+340, 64))
	c = load(d, at+404, 13)
	if c > 4618 {
		return false
	}
	p.f040 = int32(c) - 2309
	p.f041 = uint32(load(d, at+417, 9))
	p.f042 = math.Float32frombits(uint32(load(d, at+426, 32)))
	p.f043 = load(d, at+458, 1) != 0
	at += 459
	if p.f043 {
		if at+94 > end {
			return false
		}
		c = load(d, at+0, 2)
		if c > 2 {
			return false
		}
		p.f044 = int32(c)
		p.f045 = int64(load(d, at+2, 64))
		c = load(d, at+66, 18)
		if c > 252755 {
			return false
		}
		p.f046 = int32(c)
		c = load(d, at+84, 10)
		if c > 800 {
			return false
		}
		p.f047 = float32(float32(c)/800)*200 + -100
		at += 94
	}
	if at+51 > end {
		return false
	}
	p.f048 = math.Float32frombits(uint32(load(d, at+0, 32)))
	p.f049 = uint32(load(d, at+32, 18))
	p.f050 = load(d, at+50, 1) != 0
	at += 51
	if p.f050 {
		if at+35 > end {
			return false
		}
		p.f051 = load(d, at+0, 1) != 0
		p.f052 = math.Float32frombits(uint32(load(d, at+1, 32)))
		p.f053 = load(d, at+33, 1) != 0
		p.f054 = load(d, at+34, 1) != 0
		at += 35
	}
	if at+410 > end {
		return false
	}
	p.f055 = int64(load(d, at+0, 64))
	c = load(d, at+64, 9)
	if c > 509 {
		return false
	}
	p.f056 = int32(c)
	c = load(d, at+73, 4)
	if c > 12 {
		return false
	}
	p.f057 = int32(c) - 6
	p.f058 = math.Float32frombits(uint32(load(d, at+77, 32)))
	p.f059 = load(d, at+109, 1) != 0
	p.f060 = math.Float32frombits(uint32(load(d, at+110, 32)))
	c = load(d, at+142, 24)
	if c > 12004418 {
		return false
	}
	p.f061 = int32(c) - 6002209
	c = load(d, at+166, 9)
	if c > 454 {
		return false
	}
	p.f062 = int32(c) - 227
	p.f063 = math.Float64frombits(load(d, at+175, 64))
	c = load(d, at+239, 17)
	if c > 87142 {
		return false
	}
	p.f064 = int32(c)
	c = load(d, at+256, 9)
	if c > 395 {
		return false
	}
	p.f065 = int32(c)
	c = load(d, at+265, 24)
	if c > 9750524 {
		return false
	}
	p.f066 = int32(c) - 4875262
	p.f067 = math.Float32frombits(uint32(load(d, at+289, 32)))
	p.f068 = math.Float32frombits(uint32(load(d, at+321, 32)))
	c = load(d, at+353, 24)
	if c > 16376156 {
		return false
	}
	p.f069 = int32(c) - 8188078
	p.f070 = uint32(load(d, at+377, 5))
	c = load(d, at+382, 3)
	if c > 5 {
		return false
	}
	p.f071 = int32(c)
	c = load(d, at+385, 5)
	if c > 16 {
		return false
	}
	p.f072 = float32(float32(c)/16)*4 + -2
	p.f073 = uint32(load(d, at+390, 19))
	p.f074 = load(d, at+409, 1) != 0
	at += 410
	if p.f074 {
		if at+91 > end {
			return false
		}
		c = load(d, at+0, 8)
		if c > 194 {
			return false
		}
		p.f075 = int32(c)
		p.f076 = uint64(load(d, at+8, 64))
		c = load(d, at+72, 9)
		if c > 262 {
			return false
		}
		p.f077 = int32(c) - 131
		p.f078 = load(d, at+81, 1) != 0
		c = load(d, at+82, 9)
		if c > 406 {
			return false
		}
		p.f079 = int32(c) - 203
		at += 91
	}
	if at+290 > end {
		return false
	}
	c = load(d, at+0, 10)
	if c > 795 {
		return false
	}
	p.f080 = int32(c)
	c = load(d, at+10, 17)
	if c > 114528 {
		return false
	}
	p.f081 = int32(c) - 57264
	c = load(d, at+27, 4)
	if c > 10 {
		return false
	}
	p.f082 = int32(c) - 5
	p.f083 = uint32(load(d, at+31, 30))
	c = load(d, at+61, 10)
	if c > 800 {
		return false
	}
	p.f084 = float32(float32(c)/800)*200 + -100
	p.f085 = math.Float64frombits(load(d, at+71, 64))
	p.f086 = load(d, at+135, 1) != 0
	p.f087 = load(d, at+136, 1) != 0
	p.f088 = uint32(load(d, at+137, 4))
	p.f089 = uint32(load(d, at+141, 30))
	c = load(d, at+171, 17)
	if c > 107046 {
		return false
	}
	p.f090 = int32(c)
	c = load(d, at+188, 2)
	if c > 2 {
		return false
	}
	p.f091 = int32(c)
	p.f092 = uint32(load(d, at+190, 12))
	p.f093 = math.Float32frombits(uint32(load(d, at+202, 32)))
	c = load(d, at+234, 20)
	if c > 858690 {
		return false
	}
	p.f094 = int32(c) - 429345
	p.f095 = uint32(load(d, at+254, 4))
	c = load(d, at+258, 7)
	if c > 78 {
		return false
	}
	p.f096 = int32(c) - 39
	p.f097 = uint32(load(d, at+265, 25))
	at += 290
	return end-at < 8
}
