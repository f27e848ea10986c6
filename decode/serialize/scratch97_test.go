package serialize_test

// readScratch reads the whole packet by hand; false as soon as something is wrong.
func (p *flat97) readScratch(b *scratchReader) bool {
	if !(b.integer(&p.f001, 0, 5, 3) &&
		b.integer(&p.f002, -2384, 2384, 13) &&
		b.integer(&p.f003, 0, 2, 2) &&
		b.integer(&p.f004, -2747, 2747, 13) &&
		b.integer(&p.f005, -3660, 3660, 13) &&
		b.integer(&p.f006, 0, 161321, 18) &&
		b.integer(&p.f007, 0, 7, 3) &&
		b.integer(&p.f008, -37, 37, 7) &&
		b.integer(&p.f009, 0, 222, 8) &&
		b.integer(&p.f010, -3815, 3815, 13) &&
		b.integer(&p.f011, -172, 172, 9) &&
		b.boolean(&p.f012)) {
		return false
	}
	if p.f012 {
		if !(b.integer(&p.f013, -3578, 3578, 13) &&
			b.bits64(&p.f014) &&
			b.boolean(&p.f015) &&
			b.quantized(&p.f016, 0, 30, 60, 6) &&
			b.integer(&p.f017, 0, 2, 2)) {
			return false
		}
	}
	if !(b.boolean(&p.f018) &&
		b.int64(&p.f019) &&
		b.quantized(&p.f020, 0, 10, 500, 9) &&
		b.bits(&p.f021, 12) &&
		b.bits(&p.f022, 4) &&
		b.quantized(&p.f023, 0, 30, 60, 6) &&
		b.boolean(&p.f024) &&
		b.integer(&p.f025, 0, 7, 3) &&
		b.integer(&p.f026, -3320, 3320, 13) &&
		b.int64(&p.f027) &&
		b.integer(&p.f028, -708, 708, 11) &&
		b.integer(&p.f029, 0, 234397, 18) &&
		b.bits(&p.f030, 30) &&
		b.float32(&p.f031) &&
		b.integer(&p.f032, 0, 10402, 14) &&
		b.bits(&p.f033, 21) &&
		b.boolean(&p.f034) &&
		b.boolean(&p.f035) &&
		b.bits(&p.f036, 25) &&
		b.boolean(&p.f037) &&
		b.bits(&p.f038, 9) &&
		b.float64(&p.f039) &&
		b.integer(&p.f040, -2309, 2309, 13) &&
		b.bits(&p.f041, 9) &&
		b.float32(&p.f042) &&
		b.boolean(&p.f043)) {
		return false
	}
	if p.f043 {
		if !(b.integer(&p.f044, 0, 2, 2) &&
			b.int64(&p.f045) &&
			b.integer(&p.f046, 0, 252755, 18) &&
			b.quantized(&p.f047, -100, 200, 800, 10)) {
			return false
		}
	}
	if !(b.float32(&p.f048) &&
		b.bits(&p.f049, 18) &&
		b.boolean(&p.f050)) {
		return false
	}
	if p.f050 {
		if !(b.boolean(&p.f051) &&
			b.float32(&p.f052) &&
			b.boolean(&p.f053) &&
			b.boolean(&p.f054)) {
			return false
		}
	}
	if !(b.int64(&p.f055) &&
		b.integer(&p.f056, 0, 509, 9) &&
		b.integer(&p.f057, -6, 6, 4) &&
		b.float32(&p.f058) &&
		b.boolean(&p.f059) &&
		b.float32(&p.f060) &&
		b.integer(&p.f061, -6002209, 6002209, 24) &&
		b.integer(&p.f062, -227, 227, 9) &&
		b.float64(&p.f063) &&
		b.integer(&p.f064, 0, 87142, 17) &&
		b.integer(&p.f065, 0, 395, 9) &&
		b.integer(&p.f066, -4875262, 4875262, 24) &&
		b.float32(&p.f067) &&
		b.float32(&p.f068) &&
		b.integer(&p.f069, -8188078, 8188078, 24) &&
		b.bits(&p.f070, 5) &&
		b.integer(&p.f071, 0, 5, 3) &&
		b.quantized(&p.f072, -2, 4, 16, 5) &&
		b.bits(&p.f073, 19) &&
		b.boolean(&p.f074)) {
		return false
	}
	if p.f074 {
		if !(b.integer(&p.f075, 0, 194, 8) &&
			b.bits64(&p.f076) &&
			b.integer(&p.f077, -131, 131, 9) &&
			b.boolean(&p.f078) &&
			b.integer(&p.f079, -203, 203, 9)) {
			return false
		}
	}
	if !(b.integer(&p.f080, 0, 795, 10) &&
		b.integer(&p.f081, -57264, 57264, 17) &&
		b.integer(&p.f082, -5, 5, 4) &&
		b.bits(&p.f083, 30) &&
		b.quantized(&p.f084, -100, 200, 800, 10) &&
		b.float64(&p.f085) &&
		b.boolean(&p.f086) &&
		b.boolean(&p.f087) &&
		b.bits(&p.f088, 4) &&
		b.bits(&p.f089, 30) &&
		b.integer(&p.f090, 0, 107046, 17) &&
		b.integer(&p.f091, 0, 2, 2) &&
		b.bits(&p.f092, 12) &&
		b.float32(&p.f093) &&
		b.integer(&p.f094, -429345, 429345, 20) &&
		b.bits(&p.f095, 4) &&
		b.integer(&p.f096, -39, 39, 7) &&
		b.bits(&p.f097, 25)) {
		return false
	}
	return b.left < 8
}

// writeScratch writes it; false when a value does not fit.
func (p *flat97) writeScratch(b *scratchWriter) bool {
	if !(b.integer(p.f001, 0, 5, 3) &&
		b.integer(p.f002, -2384, 2384, 13) &&
		b.integer(p.f003, 0, 2, 2) &&
		b.integer(p.f004, -2747, 2747, 13) &&
		b.integer(p.f005, -3660, 3660, 13) &&
		b.integer(p.f006, 0, 161321, 18) &&
		b.integer(p.f007, 0, 7, 3) &&
		b.integer(p.f008, -37, 37, 7) &&
		b.integer(p.f009, 0, 222, 8) &&
		b.integer(p.f010, -3815, 3815, 13) &&
		b.integer(p.f011, -172, 172, 9) &&
		b.boolean(p.f012)) {
		return false
	}
	if p.f012 {
		if !(b.integer(p.f013, -3578, 3578, 13) &&
			b.bits64(p.f014) &&
			b.boolean(p.f015) &&
			b.quantized(p.f016, 0, 30, 60, 6) &&
			b.integer(p.f017, 0, 2, 2)) {
			return false
		}
	}
	if !(b.boolean(p.f018) &&
		b.int64(p.f019) &&
		b.quantized(p.f020, 0, 10, 500, 9) &&
		b.bits(p.f021, 12) &&
		b.bits(p.f022, 4) &&
		b.quantized(p.f023, 0, 30, 60, 6) &&
		b.boolean(p.f024) &&
		b.integer(p.f025, 0, 7, 3) &&
		b.integer(p.f026, -3320, 3320, 13) &&
		b.int64(p.f027) &&
		b.integer(p.f028, -708, 708, 11) &&
		b.integer(p.f029, 0, 234397, 18) &&
		b.bits(p.f030, 30) &&
		b.float32(p.f031) &&
		b.integer(p.f032, 0, 10402, 14) &&
		b.bits(p.f033, 21) &&
		b.boolean(p.f034) &&
		b.boolean(p.f035) &&
		b.bits(p.f036, 25) &&
		b.boolean(p.f037) &&
		b.bits(p.f038, 9) &&
		b.float64(p.f039) &&
		b.integer(p.f040, -2309, 2309, 13) &&
		b.bits(p.f041, 9) &&
		b.float32(p.f042) &&
		b.boolean(p.f043)) {
		return false
	}
	if p.f043 {
		if !(b.integer(p.f044, 0, 2, 2) &&
			b.int64(p.f045) &&
			b.integer(p.f046, 0, 252755, 18) &&
			b.quantized(p.f047, -100, 200, 800, 10)) {
			return false
		}
	}
	if !(b.float32(p.f048) &&
		b.bits(p.f049, 18) &&
		b.boolean(p.f050)) {
		return false
	}
	if p.f050 {
		if !(b.boolean(p.f051) &&
			b.float32(p.f052) &&
			b.boolean(p.f053) &&
			b.boolean(p.f054)) {
			return false
		}
	}
	if !(b.int64(p.f055) &&
		b.integer(p.f056, 0, 509, 9) &&
		b.integer(p.f057, -6, 6, 4) &&
		b.float32(p.f058) &&
		b.boolean(p.f059) &&
		b.float32(p.f060) &&
		b.integer(p.f061, -6002209, 6002209, 24) &&
		b.integer(p.f062, -227, 227, 9) &&
		b.float64(p.f063) &&
		b.integer(p.f064, 0, 87142, 17) &&
		b.integer(p.f065, 0, 395, 9) &&
		b.integer(p.f066, -4875262, 4875262, 24) &&
		b.float32(p.f067) &&
		b.float32(p.f068) &&
		b.integer(p.f069, -8188078, 8188078, 24) &&
		b.bits(p.f070, 5) &&
		b.integer(p.f071, 0, 5, 3) &&
		b.quantized(p.f072, -2, 4, 16, 5) &&
		b.bits(p.f073, 19) &&
		b.boolean(p.f074)) {
		return false
	}
	if p.f074 {
		if !(b.integer(p.f075, 0, 194, 8) &&
			b.bits64(p.f076) &&
			b.integer(p.f077, -131, 131, 9) &&
			b.boolean(p.f078) &&
			b.integer(p.f079, -203, 203, 9)) {
			return false
		}
	}
	if !(b.integer(p.f080, 0, 795, 10) &&
		b.integer(p.f081, -57264, 57264, 17) &&
		b.integer(p.f082, -5, 5, 4) &&
		b.bits(p.f083, 30) &&
		b.quantized(p.f084, -100, 200, 800, 10) &&
		b.float64(p.f085) &&
		b.boolean(p.f086) &&
		b.boolean(p.f087) &&
		b.bits(p.f088, 4) &&
		b.bits(p.f089, 30) &&
		b.integer(p.f090, 0, 107046, 17) &&
		b.integer(p.f091, 0, 2, 2) &&
		b.bits(p.f092, 12) &&
		b.float32(p.f093) &&
		b.integer(p.f094, -429345, 429345, 20) &&
		b.bits(p.f095, 4) &&
		b.integer(p.f096, -39, 39, 7) &&
		b.bits(p.f097, 25)) {
		return false
	}
	b.finish()
	return true
}
