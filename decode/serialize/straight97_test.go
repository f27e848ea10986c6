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
func (f *flat97) readStraight(d []byte) bool {
	var c uint64
	at, end := uint(0), 8*uint(len(d))
	if at+103 > end {
		return false
	}
	c = load(d, at+0, 3)
	if c > 5 {
		return false
	}
	f.f001 = int32(c)
	c = load(d, at+3, 13)
	if c > 4768 {
		return false
	}
	f.f002 = int32(c) - 2384
	c = load(d, at+16, 2)
	if c > 2 {
		return false
	}
	f.f003 = int32(c)
	c = load(d, at+18, 13)
	if c > 5494 {
		return false
	}
	f.f004 = int32(c) - 2747
	c = load(d, at+31, 13)
	if c > 7320 {
		return false
	}
	f.f005 = int32(c) - 3660
	c = load(d, at+44, 18)
	if c > 161321 {
		return false
	}
	f.f006 = int32(c)
	f.f007 = int32(load(d, at+62, 3))
	c = load(d, at+65, 7)
	if c > 74 {
		return false
	}
	f.f008 = int32(c) - 37
	c = load(d, at+72, 8)
	if c > 222 {
		return false
	}
	f.f009 = int32(c)
	c = load(d, at+80, 13)
	if c > 7630 {
		return false
	}
	f.f010 = int32(c) - 3815
	c = load(d, at+93, 9)
	if c > 344 {
		return false
	}
	f.f011 = int32(c) - 172
	f.f012 = load(d, at+102, 1) != 0
	at += 103
	if f.f012 {
		if at+86 > end {
			return false
		}
		c = load(d, at+0, 13)
		if c > 7156 {
			return false
		}
		f.f013 = int32(c) - 3578
		f.f014 = uint64(load(d, at+13, 64))
		f.f015 = load(d, at+77, 1) != 0
		c = load(d, at+78, 6)
		if c > 60 {
			return false
		}
		f.f016 = float32(float32(c)/60)*30 + 0
		c = load(d, at+84, 2)
		if c > 2 {
			return false
		}
		f.f017 = int32(c)
		at += 86
	}
	if at+459 > end {
		return false
	}
	f.f018 = load(d, at+0, 1) != 0
	f.f019 = int64(load(d, at+1, 64))
	c = load(d, at+65, 9)
	if c > 500 {
		return false
	}
	f.f020 = float32(float32(c)/500)*10 + 0
	f.f021 = uint32(load(d, at+74, 12))
	f.f022 = uint32(load(d, at+86, 4))
	c = load(d, at+90, 6)
	if c > 60 {
		return false
	}
	f.f023 = float32(float32(c)/60)*30 + 0
	f.f024 = load(d, at+96, 1) != 0
	f.f025 = int32(load(d, at+97, 3))
	c = load(d, at+100, 13)
	if c > 6640 {
		return false
	}
	f.f026 = int32(c) - 3320
	f.f027 = int64(load(d, at+113, 64))
	c = load(d, at+177, 11)
	if c > 1416 {
		return false
	}
	f.f028 = int32(c) - 708
	c = load(d, at+188, 18)
	if c > 234397 {
		return false
	}
	f.f029 = int32(c)
	f.f030 = uint32(load(d, at+206, 30))
	f.f031 = math.Float32frombits(uint32(load(d, at+236, 32)))
	c = load(d, at+268, 14)
	if c > 10402 {
		return false
	}
	f.f032 = int32(c)
	f.f033 = uint32(load(d, at+282, 21))
	f.f034 = load(d, at+303, 1) != 0
	f.f035 = load(d, at+304, 1) != 0
	f.f036 = uint32(load(d, at+305, 25))
	f.f037 = load(d, at+330, 1) != 0
	f.f038 = uint32(load(d, at+331, 9))
	f.f039 = math.Float64frombits(load(d, at+340, 64))
	c = load(d, at+404, 13)
	if c > 4618 {
		return false
	}
	f.f040 = int32(c) - 2309
	f.f041 = uint32(load(d, at+417, 9))
	f.f042 = math.Float32frombits(uint32(load(d, at+426, 32)))
	f.f043 = load(d, at+458, 1) != 0
	at += 459
	if f.f043 {
		if at+94 > end {
			return false
		}
		c = load(d, at+0, 2)
		if c > 2 {
			return false
		}
		f.f044 = int32(c)
		f.f045 = int64(load(d, at+2, 64))
		c = load(d, at+66, 18)
		if c > 252755 {
			return false
		}
		f.f046 = int32(c)
		c = load(d, at+84, 10)
		if c > 800 {
			return false
		}
		f.f047 = float32(float32(c)/800)*200 + -100
		at += 94
	}
	if at+51 > end {
		return false
	}
	f.f048 = math.Float32frombits(uint32(load(d, at+0, 32)))
	f.f049 = uint32(load(d, at+32, 18))
	f.f050 = load(d, at+50, 1) != 0
	at += 51
	if f.f050 {
		if at+35 > end {
			return false
		}
		f.f051 = load(d, at+0, 1) != 0
		f.f052 = math.Float32frombits(uint32(load(d, at+1, 32)))
		f.f053 = load(d, at+33, 1) != 0
		f.f054 = load(d, at+34, 1) != 0
		at += 35
	}
	if at+410 > end {
		return false
	}
	f.f055 = int64(load(d, at+0, 64))
	c = load(d, at+64, 9)
	if c > 509 {
		return false
	}
	f.f056 = int32(c)
	c = load(d, at+73, 4)
	if c > 12 {
		return false
	}
	f.f057 = int32(c) - 6
	f.f058 = math.Float32frombits(uint32(load(d, at+77, 32)))
	f.f059 = load(d, at+109, 1) != 0
	f.f060 = math.Float32frombits(uint32(load(d, at+110, 32)))
	c = load(d, at+142, 24)
	if c > 12004418 {
		return false
	}
	f.f061 = int32(c) - 6002209
	c = load(d, at+166, 9)
	if c > 454 {
		return false
	}
	f.f062 = int32(c) - 227
	f.f063 = math.Float64frombits(load(d, at+175, 64))
	c = load(d, at+239, 17)
	if c > 87142 {
		return false
	}
	f.f064 = int32(c)
	c = load(d, at+256, 9)
	if c > 395 {
		return false
	}
	f.f065 = int32(c)
	c = load(d, at+265, 24)
	if c > 9750524 {
		return false
	}
	f.f066 = int32(c) - 4875262
	f.f067 = math.Float32frombits(uint32(load(d, at+289, 32)))
	f.f068 = math.Float32frombits(uint32(load(d, at+321, 32)))
	c = load(d, at+353, 24)
	if c > 16376156 {
		return false
	}
	f.f069 = int32(c) - 8188078
	f.f070 = uint32(load(d, at+377, 5))
	c = load(d, at+382, 3)
	if c > 5 {
		return false
	}
	f.f071 = int32(c)
	c = load(d, at+385, 5)
	if c > 16 {
		return false
	}
	f.f072 = float32(float32(c)/16)*4 + -2
	f.f073 = uint32(load(d, at+390, 19))
	f.f074 = load(d, at+409, 1) != 0
	at += 410
	if f.f074 {
		if at+91 > end {
			return false
		}
		c = load(d, at+0, 8)
		if c > 194 {
			return false
		}
		f.f075 = int32(c)
		f.f076 = uint64(load(d, at+8, 64))
		c = load(d, at+72, 9)
		if c > 262 {
			return false
		}
		f.f077 = int32(c) - 131
		f.f078 = load(d, at+81, 1) != 0
		c = load(d, at+82, 9)
		if c > 406 {
			return false
		}
		f.f079 = int32(c) - 203
		at += 91
	}
	if at+290 > end {
		return false
	}
	c = load(d, at+0, 10)
	if c > 795 {
		return false
	}
	f.f080 = int32(c)
	c = load(d, at+10, 17)
	if c > 114528 {
		return false
	}
	f.f081 = int32(c) - 57264
	c = load(d, at+27, 4)
	if c > 10 {
		return false
	}
	f.f082 = int32(c) - 5
	f.f083 = uint32(load(d, at+31, 30))
	c = load(d, at+61, 10)
	if c > 800 {
		return false
	}
	f.f084 = float32(float32(c)/800)*200 + -100
	f.f085 = math.Float64frombits(load(d, at+71, 64))
	f.f086 = load(d, at+135, 1) != 0
	f.f087 = load(d, at+136, 1) != 0
	f.f088 = uint32(load(d, at+137, 4))
	f.f089 = uint32(load(d, at+141, 30))
	c = load(d, at+171, 17)
	if c > 107046 {
		return false
	}
	f.f090 = int32(c)
	c = load(d, at+188, 2)
	if c > 2 {
		return false
	}
	f.f091 = int32(c)
	f.f092 = uint32(load(d, at+190, 12))
	f.f093 = math.Float32frombits(uint32(load(d, at+202, 32)))
	c = load(d, at+234, 20)
	if c > 858690 {
		return false
	}
	f.f094 = int32(c) - 429345
	f.f095 = uint32(load(d, at+254, 4))
	c = load(d, at+258, 7)
	if c > 78 {
		return false
	}
	f.f096 = int32(c) - 39
	f.f097 = uint32(load(d, at+265, 25))
	at += 290
	return end-at < 8
}
