package serialize_test

// readScratch reads the whole packet by hand; false as soon as something is wrong.
func (f *flat97) readScratch(b *scratchReader) bool {
	if !(b.integer(&f.f001, 0, 5, 3) &&
		b.integer(&f.f002, -2384, 2384, 13) &&
		b.integer(&f.f003, 0, 2, 2) &&
		b.integer(&f.f004, -2747, 2747, 13) &&
		b.integer(&f.f005, -3660, 3660, 13) &&
		b.integer(&f.f006, 0, 161321, 18) &&
		b.integer(&f.f007, 0, 7, 3) &&
		b.integer(&f.f008, -37, 37, 7) &&
		b.integer(&f.f009, 0, 222, 8) &&
		b.integer(&f.f010, -3815, 3815, 13) &&
		b.integer(&f.f011, -172, 172, 9) &&
		b.boolean(&f.f012)) {
		return false
	}
	if f.f012 {
		if !(b.integer(&f.f013, -3578, 3578, 13) &&
			b.bits64(&f.f014) &&
			b.boolean(&f.f015) &&
			b.quantized(&f.f016, 0, 30, 60, 6) &&
			b.integer(&f.f017, 0, 2, 2)) {
			return false
		}
	}
	if !(b.boolean(&f.f018) &&
		b.int64(&f.f019) &&
		b.quantized(&f.f020, 0, 10, 500, 9) &&
		b.bits(&f.f021, 12) &&
		b.bits(&f.f022, 4) &&
		b.quantized(&f.f023, 0, 30, 60, 6) &&
		b.boolean(&f.f024) &&
		b.integer(&f.f025, 0, 7, 3) &&
		b.integer(&f.f026, -3320, 3320, 13) &&
		b.int64(&f.f027) &&
		b.integer(&f.f028, -708, 708, 11) &&
		b.integer(&f.f029, 0, 234397, 18) &&
		b.bits(&f.f030, 30) &&
		b.float32(&f.f031) &&
		b.integer(&f.f032, 0, 10402, 14) &&
		b.bits(&f.f033, 21) &&
		b.boolean(&f.f034) &&
		b.boolean(&f.f035) &&
		b.bits(&f.f036, 25) &&
		b.boolean(&f.f037) &&
		b.bits(&f.f038, 9) &&
		b.float64(&f.f039) &&
		b.integer(&f.f040, -2309, 2309, 13) &&
		b.bits(&f.f041, 9) &&
		b.float32(&f.f042) &&
		b.boolean(&f.f043)) {
		return false
	}
	if f.f043 {
		if !(b.integer(&f.f044, 0, 2, 2) &&
			b.int64(&f.f045) &&
			b.integer(&f.f046, 0, 252755, 18) &&
			b.quantized(&f.f047, -100, 200, 800, 10)) {
			return false
		}
	}
	if !(b.float32(&f.f048) &&
		b.bits(&f.f049, 18) &&
		b.boolean(&f.f050)) {
		return false
	}
	if f.f050 {
		if !(b.boolean(&f.f051) &&
			b.float32(&f.f052) &&
			b.boolean(&f.f053) &&
			b.boolean(&f.f054)) {
			return false
		}
	}
	if !(b.int64(&f.f055) &&
		b.integer(&f.f056, 0, 509, 9) &&
		b.integer(&f.f057, -6, 6, 4) &&
		b.float32(&f.f058) &&
		b.boolean(&f.f059) &&
		b.float32(&f.f060) &&
		b.integer(&f.f061, -6002209, 6002209, 24) &&
		b.integer(&f.f062, -227, 227, 9) &&
		b.float64(&f.f063) &&
		b.integer(&f.f064, 0, 87142, 17) &&
		b.integer(&f.f065, 0, 395, 9) &&
		b.integer(&f.f066, -4875262, 4875262, 24) &&
		b.float32(&f.f067) &&
		b.float32(&f.f068) &&
		b.integer(&f.f069, -8188078, 8188078, 24) &&
		b.bits(&f.f070, 5) &&
		b.integer(&f.f071, 0, 5, 3) &&
		b.quantized(&f.f072, -2, 4, 16, 5) &&
		b.bits(&f.f073, 19) &&
		b.boolean(&f.f074)) {
		return false
	}
	if f.f074 {
		if !(b.integer(&f.f075, 0, 194, 8) &&
			b.bits64(&f.f076) &&
			b.integer(&f.f077, -131, 131, 9) &&
			b.boolean(&f.f078) &&
			b.integer(&f.f079, -203, 203, 9)) {
			return false
		}
	}
	if !(b.integer(&f.f080, 0, 795, 10) &&
		b.integer(&f.f081, -57264, 57264, 17) &&
		b.integer(&f.f082, -5, 5, 4) &&
		b.bits(&f.f083, 30) &&
		b.quantized(&f.f084, -100, 200, 800, 10) &&
		b.float64(&f.f085) &&
		b.boolean(&f.f086) &&
		b.boolean(&f.f087) &&
		b.bits(&f.f088, 4) &&
		b.bits(&f.f089, 30) &&
		b.integer(&f.f090, 0, 107046, 17) &&
		b.integer(&f.f091, 0, 2, 2) &&
		b.bits(&f.f092, 12) &&
		b.float32(&f.f093) &&
		b.integer(&f.f094, -429345, 429345, 20) &&
		b.bits(&f.f095, 4) &&
		b.integer(&f.f096, -39, 39, 7) &&
		b.bits(&f.f097, 25)) {
		return false
	}
	return b.left < 8
}

// writeScratch writes it; false when a value does not fit.
func (f *flat97) writeScratch(b *scratchWriter) bool {
	if !(b.integer(f.f001, 0, 5, 3) &&
		b.integer(f.f002, -2384, 2384, 13) &&
		b.integer(f.f003, 0, 2, 2) &&
		b.integer(f.f004, -2747, 2747, 13) &&
		b.integer(f.f005, -3660, 3660, 13) &&
		b.integer(f.f006, 0, 161321, 18) &&
		b.integer(f.f007, 0, 7, 3) &&
		b.integer(f.f008, -37, 37, 7) &&
		b.integer(f.f009, 0, 222, 8) &&
		b.integer(f.f010, -3815, 3815, 13) &&
		b.integer(f.f011, -172, 172, 9) &&
		b.boolean(f.f012)) {
		return false
	}
	if f.f012 {
		if !(b.integer(f.f013, -3578, 3578, 13) &&
			b.bits64(f.f014) &&
			b.boolean(f.f015) &&
			b.quantized(f.f016, 0, 30, 60, 6) &&
			b.integer(f.f017, 0, 2, 2)) {
			return false
		}
	}
	if !(b.boolean(f.f018) &&
		b.int64(f.f019) &&
		b.quantized(f.f020, 0, 10, 500, 9) &&
		b.bits(f.f021, 12) &&
		b.bits(f.f022, 4) &&
		b.quantized(f.f023, 0, 30, 60, 6) &&
		b.boolean(f.f024) &&
		b.integer(f.f025, 0, 7, 3) &&
		b.integer(f.f026, -3320, 3320, 13) &&
		b.int64(f.f027) &&
		b.integer(f.f028, -708, 708, 11) &&
		b.integer(f.f029, 0, 234397, 18) &&
		b.bits(f.f030, 30) &&
		b.float32(f.f031) &&
		b.integer(f.f032, 0, 10402, 14) &&
		b.bits(f.f033, 21) &&
		b.boolean(f.f034) &&
		b.boolean(f.f035) &&
		b.bits(f.f036, 25) &&
		b.boolean(f.f037) &&
		b.bits(f.f038, 9) &&
		b.float64(f.f039) &&
		b.integer(f.f040, -2309, 2309, 13) &&
		b.bits(f.f041, 9) &&
		b.float32(f.f042) &&
		b.boolean(f.f043)) {
		return false
	}
	if f.f043 {
		if !(b.integer(f.f044, 0, 2, 2) &&
			b.int64(f.f045) &&
			b.integer(f.f046, 0, 252755, 18) &&
			b.quantized(f.f047, -100, 200, 800, 10)) {
			return false
		}
	}
	if !(b.float32(f.f048) &&
		b.bits(f.f049, 18) &&
		b.boolean(f.f050)) {
		return false
	}
	if f.f050 {
		if !(b.boolean(f.f051) &&
			b.float32(f.f052) &&
			b.boolean(f.f053) &&
			b.boolean(f.f054)) {
			return false
		}
	}
	if !(b.int64(f.f055) &&
		b.integer(f.f056, 0, 509, 9) &&
		b.integer(f.f057, -6, 6, 4) &&
		b.float32(f.f058) &&
		b.boolean(f.f059) &&
		b.float32(f.f060) &&
		b.integer(f.f061, -6002209, 6002209, 24) &&
		b.integer(f.f062, -227, 227, 9) &&
		b.float64(f.f063) &&
		b.integer(f.f064, 0, 87142, 17) &&
		b.integer(f.f065, 0, 395, 9) &&
		b.integer(f.f066, -4875262, 4875262, 24) &&
		b.float32(f.f067) &&
		b.float32(f.f068) &&
		b.integer(f.f069, -8188078, 8188078, 24) &&
		b.bits(f.f070, 5) &&
		b.integer(f.f071, 0, 5, 3) &&
		b.quantized(f.f072, -2, 4, 16, 5) &&
		b.bits(f.f073, 19) &&
		b.boolean(f.f074)) {
		return false
	}
	if f.f074 {
		if !(b.integer(f.f075, 0, 194, 8) &&
			b.bits64(f.f076) &&
			b.integer(f.f077, -131, 131, 9) &&
			b.boolean(f.f078) &&
			b.integer(f.f079, -203, 203, 9)) {
			return false
		}
	}
	if !(b.integer(f.f080, 0, 795, 10) &&
		b.integer(f.f081, -57264, 57264, 17) &&
		b.integer(f.f082, -5, 5, 4) &&
		b.bits(f.f083, 30) &&
		b.quantized(f.f084, -100, 200, 800, 10) &&
		b.float64(f.f085) &&
		b.boolean(f.f086) &&
		b.boolean(f.f087) &&
		b.bits(f.f088, 4) &&
		b.bits(f.f089, 30) &&
		b.integer(f.f090, 0, 107046, 17) &&
		b.integer(f.f091, 0, 2, 2) &&
		b.bits(f.f092, 12) &&
		b.float32(f.f093) &&
		b.integer(f.f094, -429345, 429345, 20) &&
		b.bits(f.f095, 4) &&
		b.integer(f.f096, -39, 39, 7) &&
		b.bits(f.f097, 25)) {
		return false
	}
	b.finish()
	return true
}
