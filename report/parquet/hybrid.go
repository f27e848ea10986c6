package parquet

import "encoding/binary"

// hybrid writes small numbers as Parquet's mix of runs and packed groups of eight: levels, and numbers of words in a
// dictionary.
type hybrid struct {
	out   []byte
	width int      // bits of a number, 1..32
	group []uint32 // that are not written yet: whole groups of eight, and less than eight after them
}

// add adds a number n times.
func (h *hybrid) add(v uint32, n int) {
	for n > 0 {
		if len(h.group)%8 == 0 && n >= 8 {
			h.pack()
			h.out = binary.AppendUvarint(h.out, uint64(n)<<1)
			for i := 0; i < h.width; i += 8 {
				h.out = append(h.out, byte(v>>i))
			}
			return
		}
		h.group = append(h.group, v)
		n--
	}
}

// pack writes the groups; what the last one lacks is 0, which readers count no more.
func (h *hybrid) pack() {
	if len(h.group) == 0 {
		return
	}
	for len(h.group)%8 != 0 {
		h.group = append(h.group, 0)
	}
	h.out = binary.AppendUvarint(h.out, uint64(len(h.group)/8)<<1|1)
	bits, filled := uint64(0), 0
	for _, v := range h.group {
		bits |= uint64(v) << filled
		for filled += h.width; filled >= 8; filled -= 8 {
			h.out, bits = append(h.out, byte(bits)), bits>>8
		}
	}
	h.group = h.group[:0]
}

// levels appends one of the two levels of runs, after its size; nothing where the highest is 0.
func (h *hybrid) levels(b []byte, runs []run, width int, level func(*run) uint8) []byte {
	if width == 0 {
		return b
	}
	start := len(b)
	h.out, h.width = append(b, 0, 0, 0, 0), width
	for i := range runs {
		h.add(uint32(level(&runs[i])), int(runs[i].n))
	}
	h.pack()
	b = h.out
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}
