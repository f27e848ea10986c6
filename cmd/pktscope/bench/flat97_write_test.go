package main

// write writes the whole packet as somebody would by hand; false when a value does not fit.
func (p *flatPacket) write(w *scratchWriter) bool {
	if !(w.integer(p.f001, 0, 5, 3) &&
		w.integer(p.f002, -2384, 2384, 13) &&
		w.integer(p.f003, 0, 2, 2) &&
		w.integer(p.f004, -2747, 2747, 13) &&
		w.integer(p.f005, -3660, 3660, 13) &&
		w.integer(p.f006, 0, 161321, 18) &&
		w.integer(p.f007, 0, 7, 3) &&
		w.integer(p.f008, -37, 37, 7) &&
		w.integer(p.f009, 0, 222, 8) &&
		w.integer(p.f010, -3815, 3815, 13) &&
		w.integer(p.f011, -172, 172, 9) &&
		w.boolean(p.f012)) {
		return false
	}
	if p.f012 {
		if !(w.integer(p.f013, -3578, 3578, 13) &&
			w.bits64(p.f014) &&
			w.boolean(p.f015) &&
			w.quantized(p.f016, 0, 30, 60, 6) &&
			w.integer(p.f017, 0, 2, 2)) {
			return false
		}
	}
	if !(w.boolean(p.f018) &&
		w.int64(p.f019) &&
		w.quantized(p.f020, 0, 10, 500, 9) &&
		w.bits(p.f021, 12) &&
		w.bits(p.f022, 4) &&
		w.quantized(p.f023, 0, 30, 60, 6) &&
		w.boolean(p.f024) &&
		w.integer(p.f025, 0, 7, 3) &&
		w.integer(p.f026, -3320, 3320, 13) &&
		w.int64(p.f027) &&
		w.integer(p.f028, -708, 708, 11) &&
		w.integer(p.f029, 0, 234397, 18) &&
		w.bits(p.f030, 30) &&
		w.float32(p.f031) &&
		w.integer(p.f032, 0, 10402, 14) &&
		w.bits(p.f033, 21) &&
		w.boolean(p.f034) &&
		w.boolean(p.f035) &&
		w.bits(p.f036, 25) &&
		w.boolean(p.f037) &&
		w.bits(p.f038, 9) &&
		w.float64(p.f039) &&
		w.integer(p.f040, -2309, 2309, 13) &&
		w.bits(p.f041, 9) &&
		w.float32(p.f042) &&
		w.boolean(p.f043)) {
		return false
	}
	if p.f043 {
		if !(w.integer(p.f044, 0, 2, 2) &&
			w.int64(p.f045) &&
			w.integer(p.f046, 0, 252755, 18) &&
			w.quantized(p.f047, -100, 200, 800, 10)) {
			return false
		}
	}
	if !(w.float32(p.f048) &&
		w.bits(p.f049, 18) &&
		w.boolean(p.f050)) {
		return false
	}
	if p.f050 {
		if !(w.boolean(p.f051) &&
			w.float32(p.f052) &&
			w.boolean(p.f053) &&
			w.boolean(p.f054)) {
			return false
		}
	}
	if !(w.int64(p.f055) &&
		w.integer(p.f056, 0, 509, 9) &&
		w.integer(p.f057, -6, 6, 4) &&
		w.float32(p.f058) &&
		w.boolean(p.f059) &&
		w.float32(p.f060) &&
		w.integer(p.f061, -6002209, 6002209, 24) &&
		w.integer(p.f062, -227, 227, 9) &&
		w.float64(p.f063) &&
		w.integer(p.f064, 0, 87142, 17) &&
		w.integer(p.f065, 0, 395, 9) &&
		w.integer(p.f066, -4875262, 4875262, 24) &&
		w.float32(p.f067) &&
		w.float32(p.f068) &&
		w.integer(p.f069, -8188078, 8188078, 24) &&
		w.bits(p.f070, 5) &&
		w.integer(p.f071, 0, 5, 3) &&
		w.quantized(p.f072, -2, 4, 16, 5) &&
		w.bits(p.f073, 19) &&
		w.boolean(p.f074)) {
		return false
	}
	if p.f074 {
		if !(w.integer(p.f075, 0, 194, 8) &&
			w.bits64(p.f076) &&
			w.integer(p.f077, -131, 131, 9) &&
			w.boolean(p.f078) &&
			w.integer(p.f079, -203, 203, 9)) {
			return false
		}
	}
	if !(w.integer(p.f080, 0, 795, 10) &&
		w.integer(p.f081, -57264, 57264, 17) &&
		w.integer(p.f082, -5, 5, 4) &&
		w.bits(p.f083, 30) &&
		w.quantized(p.f084, -100, 200, 800, 10) &&
		w.float64(p.f085) &&
		w.boolean(p.f086) &&
		w.boolean(p.f087) &&
		w.bits(p.f088, 4) &&
		w.bits(p.f089, 30) &&
		w.integer(p.f090, 0, 107046, 17) &&
		w.integer(p.f091, 0, 2, 2) &&
		w.bits(p.f092, 12) &&
		w.float32(p.f093) &&
		w.integer(p.f094, -429345, 429345, 20) &&
		w.bits(p.f095, 4) &&
		w.integer(p.f096, -39, 39, 7) &&
		w.bits(p.f097, 25)) {
		return false
	}
	w.finish()
	return true
}
