package main

// write writes the whole packet as somebody would by hand; false when a value does not fit.
func (f *flatPacket) write(w *scratchWriter) bool {
	if !(w.integer(f.f001, 0, 5, 3) &&
		w.integer(f.f002, -2384, 2384, 13) &&
		w.integer(f.f003, 0, 2, 2) &&
		w.integer(f.f004, -2747, 2747, 13) &&
		w.integer(f.f005, -3660, 3660, 13) &&
		w.integer(f.f006, 0, 161321, 18) &&
		w.integer(f.f007, 0, 7, 3) &&
		w.integer(f.f008, -37, 37, 7) &&
		w.integer(f.f009, 0, 222, 8) &&
		w.integer(f.f010, -3815, 3815, 13) &&
		w.integer(f.f011, -172, 172, 9) &&
		w.boolean(f.f012)) {
		return false
	}
	if f.f012 {
		if !(w.integer(f.f013, -3578, 3578, 13) &&
			w.bits64(f.f014) &&
			w.boolean(f.f015) &&
			w.quantized(f.f016, 0, 30, 60, 6) &&
			w.integer(f.f017, 0, 2, 2)) {
			return false
		}
	}
	if !(w.boolean(f.f018) &&
		w.int64(f.f019) &&
		w.quantized(f.f020, 0, 10, 500, 9) &&
		w.bits(f.f021, 12) &&
		w.bits(f.f022, 4) &&
		w.quantized(f.f023, 0, 30, 60, 6) &&
		w.boolean(f.f024) &&
		w.integer(f.f025, 0, 7, 3) &&
		w.integer(f.f026, -3320, 3320, 13) &&
		w.int64(f.f027) &&
		w.integer(f.f028, -708, 708, 11) &&
		w.integer(f.f029, 0, 234397, 18) &&
		w.bits(f.f030, 30) &&
		w.float32(f.f031) &&
		w.integer(f.f032, 0, 10402, 14) &&
		w.bits(f.f033, 21) &&
		w.boolean(f.f034) &&
		w.boolean(f.f035) &&
		w.bits(f.f036, 25) &&
		w.boolean(f.f037) &&
		w.bits(f.f038, 9) &&
		w.float64(f.f039) &&
		w.integer(f.f040, -2309, 2309, 13) &&
		w.bits(f.f041, 9) &&
		w.float32(f.f042) &&
		w.boolean(f.f043)) {
		return false
	}
	if f.f043 {
		if !(w.integer(f.f044, 0, 2, 2) &&
			w.int64(f.f045) &&
			w.integer(f.f046, 0, 252755, 18) &&
			w.quantized(f.f047, -100, 200, 800, 10)) {
			return false
		}
	}
	if !(w.float32(f.f048) &&
		w.bits(f.f049, 18) &&
		w.boolean(f.f050)) {
		return false
	}
	if f.f050 {
		if !(w.boolean(f.f051) &&
			w.float32(f.f052) &&
			w.boolean(f.f053) &&
			w.boolean(f.f054)) {
			return false
		}
	}
	if !(w.int64(f.f055) &&
		w.integer(f.f056, 0, 509, 9) &&
		w.integer(f.f057, -6, 6, 4) &&
		w.float32(f.f058) &&
		w.boolean(f.f059) &&
		w.float32(f.f060) &&
		w.integer(f.f061, -6002209, 6002209, 24) &&
		w.integer(f.f062, -227, 227, 9) &&
		w.float64(f.f063) &&
		w.integer(f.f064, 0, 87142, 17) &&
		w.integer(f.f065, 0, 395, 9) &&
		w.integer(f.f066, -4875262, 4875262, 24) &&
		w.float32(f.f067) &&
		w.float32(f.f068) &&
		w.integer(f.f069, -8188078, 8188078, 24) &&
		w.bits(f.f070, 5) &&
		w.integer(f.f071, 0, 5, 3) &&
		w.quantized(f.f072, -2, 4, 16, 5) &&
		w.bits(f.f073, 19) &&
		w.boolean(f.f074)) {
		return false
	}
	if f.f074 {
		if !(w.integer(f.f075, 0, 194, 8) &&
			w.bits64(f.f076) &&
			w.integer(f.f077, -131, 131, 9) &&
			w.boolean(f.f078) &&
			w.integer(f.f079, -203, 203, 9)) {
			return false
		}
	}
	if !(w.integer(f.f080, 0, 795, 10) &&
		w.integer(f.f081, -57264, 57264, 17) &&
		w.integer(f.f082, -5, 5, 4) &&
		w.bits(f.f083, 30) &&
		w.quantized(f.f084, -100, 200, 800, 10) &&
		w.float64(f.f085) &&
		w.boolean(f.f086) &&
		w.boolean(f.f087) &&
		w.bits(f.f088, 4) &&
		w.bits(f.f089, 30) &&
		w.integer(f.f090, 0, 107046, 17) &&
		w.integer(f.f091, 0, 2, 2) &&
		w.bits(f.f092, 12) &&
		w.float32(f.f093) &&
		w.integer(f.f094, -429345, 429345, 20) &&
		w.bits(f.f095, 4) &&
		w.integer(f.f096, -39, 39, 7) &&
		w.bits(f.f097, 25)) {
		return false
	}
	w.finish()
	return true
}
