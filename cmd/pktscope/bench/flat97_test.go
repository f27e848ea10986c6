package main

// flatPacket is decode/testdata/flat97.pks as a struct, with the reader that somebody would write for it by hand.
type flatPacket struct {
	f001 int32
	f002 int32
	f003 int32
	f004 int32
	f005 int32
	f006 int32
	f007 int32
	f008 int32
	f009 int32
	f010 int32
	f011 int32
	f012 bool
	f013 int32
	f014 uint64
	f015 bool
	f016 float32
	f017 int32
	f018 bool
	f019 int64
	f020 float32
	f021 uint32
	f022 uint32
	f023 float32
	f024 bool
	f025 int32
	f026 int32
	f027 int64
	f028 int32
	f029 int32
	f030 uint32
	f031 float32
	f032 int32
	f033 uint32
	f034 bool
	f035 bool
	f036 uint32
	f037 bool
	f038 uint32
	f039 float64
	f040 int32
	f041 uint32
	f042 float32
	f043 bool
	f044 int32
	f045 int64
	f046 int32
	f047 float32
	f048 float32
	f049 uint32
	f050 bool
	f051 bool
	f052 float32
	f053 bool
	f054 bool
	f055 int64
	f056 int32
	f057 int32
	f058 float32
	f059 bool
	f060 float32
	f061 int32
	f062 int32
	f063 float64
	f064 int32
	f065 int32
	f066 int32
	f067 float32
	f068 float32
	f069 int32
	f070 uint32
	f071 int32
	f072 float32
	f073 uint32
	f074 bool
	f075 int32
	f076 uint64
	f077 int32
	f078 bool
	f079 int32
	f080 int32
	f081 int32
	f082 int32
	f083 uint32
	f084 float32
	f085 float64
	f086 bool
	f087 bool
	f088 uint32
	f089 uint32
	f090 int32
	f091 int32
	f092 uint32
	f093 float32
	f094 int32
	f095 uint32
	f096 int32
	f097 uint32
}

// read reads the whole packet; false as soon as something is wrong.
func (f *flatPacket) read(r *scratchReader) bool {
	if !r.integer(&f.f001, 0, 5, 3) {
		return false
	}
	if !r.integer(&f.f002, -2384, 2384, 13) {
		return false
	}
	if !r.integer(&f.f003, 0, 2, 2) {
		return false
	}
	if !r.integer(&f.f004, -2747, 2747, 13) {
		return false
	}
	if !r.integer(&f.f005, -3660, 3660, 13) {
		return false
	}
	if !r.integer(&f.f006, 0, 161321, 18) {
		return false
	}
	if !r.integer(&f.f007, 0, 7, 3) {
		return false
	}
	if !r.integer(&f.f008, -37, 37, 7) {
		return false
	}
	if !r.integer(&f.f009, 0, 222, 8) {
		return false
	}
	if !r.integer(&f.f010, -3815, 3815, 13) {
		return false
	}
	if !r.integer(&f.f011, -172, 172, 9) {
		return false
	}
	if !r.boolean(&f.f012) {
		return false
	}
	if f.f012 {
		if !r.integer(&f.f013, -3578, 3578, 13) {
			return false
		}
		if !r.bits64(&f.f014) {
			return false
		}
		if !r.boolean(&f.f015) {
			return false
		}
		if !r.quantized(&f.f016, 0, 30, 60, 6) {
			return false
		}
		if !r.integer(&f.f017, 0, 2, 2) {
			return false
		}
	}
	if !r.boolean(&f.f018) {
		return false
	}
	if !r.int64(&f.f019) {
		return false
	}
	if !r.quantized(&f.f020, 0, 10, 500, 9) {
		return false
	}
	if !r.bits(&f.f021, 12) {
		return false
	}
	if !r.bits(&f.f022, 4) {
		return false
	}
	if !r.quantized(&f.f023, 0, 30, 60, 6) {
		return false
	}
	if !r.boolean(&f.f024) {
		return false
	}
	if !r.integer(&f.f025, 0, 7, 3) {
		return false
	}
	if !r.integer(&f.f026, -3320, 3320, 13) {
		return false
	}
	if !r.int64(&f.f027) {
		return false
	}
	if !r.integer(&f.f028, -708, 708, 11) {
		return false
	}
	if !r.integer(&f.f029, 0, 234397, 18) {
		return false
	}
	if !r.bits(&f.f030, 30) {
		return false
	}
	if !r.float32(&f.f031) {
		return false
	}
	if !r.integer(&f.f032, 0, 10402, 14) {
		return false
	}
	if !r.bits(&f.f033, 21) {
		return false
	}
	if !r.boolean(&f.f034) {
		return false
	}
	if !r.boolean(&f.f035) {
		return false
	}
	if !r.bits(&f.f036, 25) {
		return false
	}
	if !r.boolean(&f.f037) {
		return false
	}
	if !r.bits(&f.f038, 9) {
		return false
	}
	if !r.float64(&f.f039) {
		return false
	}
	if !r.integer(&f.f040, -2309, 2309, 13) {
		return false
	}
	if !r.bits(&f.f041, 9) {
		return false
	}
	if !r.float32(&f.f042) {
		return false
	}
	if !r.boolean(&f.f043) {
		return false
	}
	if f.f043 {
		if !r.integer(&f.f044, 0, 2, 2) {
			return false
		}
		if !r.int64(&f.f045) {
			return false
		}
		if !r.integer(&f.f046, 0, 252755, 18) {
			return false
		}
		if !r.quantized(&f.f047, -100, 200, 800, 10) {
			return false
		}
	}
	if !r.float32(&f.f048) {
		return false
	}
	if !r.bits(&f.f049, 18) {
		return false
	}
	if !r.boolean(&f.f050) {
		return false
	}
	if f.f050 {
		if !r.boolean(&f.f051) {
			return false
		}
		if !r.float32(&f.f052) {
			return false
		}
		if !r.boolean(&f.f053) {
			return false
		}
		if !r.boolean(&f.f054) {
			return false
		}
	}
	if !r.int64(&f.f055) {
		return false
	}
	if !r.integer(&f.f056, 0, 509, 9) {
		return false
	}
	if !r.integer(&f.f057, -6, 6, 4) {
		return false
	}
	if !r.float32(&f.f058) {
		return false
	}
	if !r.boolean(&f.f059) {
		return false
	}
	if !r.float32(&f.f060) {
		return false
	}
	if !r.integer(&f.f061, -6002209, 6002209, 24) {
		return false
	}
	if !r.integer(&f.f062, -227, 227, 9) {
		return false
	}
	if !r.float64(&f.f063) {
		return false
	}
	if !r.integer(&f.f064, 0, 87142, 17) {
		return false
	}
	if !r.integer(&f.f065, 0, 395, 9) {
		return false
	}
	if !r.integer(&f.f066, -4875262, 4875262, 24) {
		return false
	}
	if !r.float32(&f.f067) {
		return false
	}
	if !r.float32(&f.f068) {
		return false
	}
	if !r.integer(&f.f069, -8188078, 8188078, 24) {
		return false
	}
	if !r.bits(&f.f070, 5) {
		return false
	}
	if !r.integer(&f.f071, 0, 5, 3) {
		return false
	}
	if !r.quantized(&f.f072, -2, 4, 16, 5) {
		return false
	}
	if !r.bits(&f.f073, 19) {
		return false
	}
	if !r.boolean(&f.f074) {
		return false
	}
	if f.f074 {
		if !r.integer(&f.f075, 0, 194, 8) {
			return false
		}
		if !r.bits64(&f.f076) {
			return false
		}
		if !r.integer(&f.f077, -131, 131, 9) {
			return false
		}
		if !r.boolean(&f.f078) {
			return false
		}
		if !r.integer(&f.f079, -203, 203, 9) {
			return false
		}
	}
	if !r.integer(&f.f080, 0, 795, 10) {
		return false
	}
	if !r.integer(&f.f081, -57264, 57264, 17) {
		return false
	}
	if !r.integer(&f.f082, -5, 5, 4) {
		return false
	}
	if !r.bits(&f.f083, 30) {
		return false
	}
	if !r.quantized(&f.f084, -100, 200, 800, 10) {
		return false
	}
	if !r.float64(&f.f085) {
		return false
	}
	if !r.boolean(&f.f086) {
		return false
	}
	if !r.boolean(&f.f087) {
		return false
	}
	if !r.bits(&f.f088, 4) {
		return false
	}
	if !r.bits(&f.f089, 30) {
		return false
	}
	if !r.integer(&f.f090, 0, 107046, 17) {
		return false
	}
	if !r.integer(&f.f091, 0, 2, 2) {
		return false
	}
	if !r.bits(&f.f092, 12) {
		return false
	}
	if !r.float32(&f.f093) {
		return false
	}
	if !r.integer(&f.f094, -429345, 429345, 20) {
		return false
	}
	if !r.bits(&f.f095, 4) {
		return false
	}
	if !r.integer(&f.f096, -39, 39, 7) {
		return false
	}
	if !r.bits(&f.f097, 25) {
		return false
	}
	return r.left < 8
}
