package slow

import (
	"fmt"
	"math/big"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// The checksums, from their polynomials and one bit at a time (wire.md, "Checks and checksums").

// crcs are the cyclic redundancy checks by their words, with the parameters of their catalogue.
var crcs = map[string]crc{
	"crc8_smbus":        {8, 0x7, 0, false, 0},
	"crc8_dvb_s2":       {8, 0xD5, 0, false, 0},
	"crc8_maxim_dow":    {8, 0x31, 0, true, 0},
	"crc8_sae_j1850":    {8, 0x1D, 0xFF, false, 0xFF},
	"crc8_autosar":      {8, 0x2F, 0xFF, false, 0xFF},
	"crc8_bluetooth":    {8, 0xA7, 0, true, 0},
	"crc8_rohc":         {8, 0x7, 0xFF, true, 0},
	"crc8_i_432_1":      {8, 0x7, 0, false, 0x55},
	"crc8_nrsc_5":       {8, 0x31, 0xFF, false, 0},
	"crc8_wcdma":        {8, 0x9B, 0, true, 0},
	"crc8_darc":         {8, 0x39, 0, true, 0},
	"crc16_arc":         {16, 0x8005, 0, true, 0},
	"crc16_modbus":      {16, 0x8005, 0xFFFF, true, 0},
	"crc16_usb":         {16, 0x8005, 0xFFFF, true, 0xFFFF},
	"crc16_maxim_dow":   {16, 0x8005, 0, true, 0xFFFF},
	"crc16_umts":        {16, 0x8005, 0, false, 0},
	"crc16_cms":         {16, 0x8005, 0xFFFF, false, 0},
	"crc16_ibm_3740":    {16, 0x1021, 0xFFFF, false, 0},
	"crc16_xmodem":      {16, 0x1021, 0, false, 0},
	"crc16_kermit":      {16, 0x1021, 0, true, 0},
	"crc16_mcrf4xx":     {16, 0x1021, 0xFFFF, true, 0},
	"crc16_ibm_sdlc":    {16, 0x1021, 0xFFFF, true, 0xFFFF},
	"crc16_genibus":     {16, 0x1021, 0xFFFF, false, 0xFFFF},
	"crc16_gsm":         {16, 0x1021, 0, false, 0xFFFF},
	"crc16_spi_fujitsu": {16, 0x1021, 0x1D0F, false, 0},
	"crc16_dnp":         {16, 0x3D65, 0, true, 0xFFFF},
	"crc16_en_13757":    {16, 0x3D65, 0, false, 0xFFFF},
	"crc16_t10_dif":     {16, 0x8BB7, 0, false, 0},
	"crc16_teledisk":    {16, 0xA097, 0, false, 0},
	"crc16_profibus":    {16, 0x1DCF, 0xFFFF, false, 0xFFFF},
	"crc16_dect_x":      {16, 0x589, 0, false, 0},
	"crc24_openpgp":     {24, 0x864CFB, 0xB704CE, false, 0},
	"crc24_ble":         {24, 0x65B, 0x555555, true, 0},
	"crc24_lte_a":       {24, 0x864CFB, 0, false, 0},
	"crc24_os_9":        {24, 0x800063, 0xFFFFFF, false, 0xFFFFFF},
	"crc24_interlaken":  {24, 0x328B63, 0xFFFFFF, false, 0xFFFFFF},
	"crc32":             {32, 0x4C11DB7, 0xFFFFFFFF, true, 0xFFFFFFFF},
	"crc32c":            {32, 0x1EDC6F41, 0xFFFFFFFF, true, 0xFFFFFFFF},
	"crc32_bzip2":       {32, 0x4C11DB7, 0xFFFFFFFF, false, 0xFFFFFFFF},
	"crc32_mpeg_2":      {32, 0x4C11DB7, 0xFFFFFFFF, false, 0},
	"crc32_cksum":       {32, 0x4C11DB7, 0, false, 0xFFFFFFFF},
	"crc32_jamcrc":      {32, 0x4C11DB7, 0xFFFFFFFF, true, 0},
	"crc32_autosar":     {32, 0xF4ACFB13, 0xFFFFFFFF, true, 0xFFFFFFFF},
	"crc32_aixm":        {32, 0x814141AB, 0, false, 0},
	"crc32_base91_d":    {32, 0xA833982B, 0xFFFFFFFF, true, 0xFFFFFFFF},
	"crc32_xfer":        {32, 0xAF, 0, false, 0},
	"crc40_gsm":         {40, 0x4820009, 0, false, 0xFFFFFFFFFF},
	"crc64_xz":          {64, 0x42F0E1EBA9EA3693, 0xFFFFFFFFFFFFFFFF, true, 0xFFFFFFFFFFFFFFFF},
	"crc64_ecma_182":    {64, 0x42F0E1EBA9EA3693, 0, false, 0},
	"crc64_go_iso":      {64, 0x1B, 0xFFFFFFFFFFFFFFFF, true, 0xFFFFFFFFFFFFFFFF},
	"crc64_we":          {64, 0x42F0E1EBA9EA3693, 0xFFFFFFFFFFFFFFFF, false, 0xFFFFFFFFFFFFFFFF},
	"crc64_nvme":        {64, 0xAD93D23594C93659, 0xFFFFFFFFFFFFFFFF, true, 0xFFFFFFFFFFFFFFFF},
	"crc64_redis":       {64, 0xAD93D23594C935A9, 0, true, 0},
	"crc64_ms":          {64, 0x259C84CBA6426349, 0xFFFFFFFFFFFFFFFF, true, 0},
}

// crc is the parameters of a cyclic redundancy check; the highest power of the polynomial is left out.
type crc struct {
	width               int
	polynomial, initial uint64
	reflected           bool // the lowest bit of a byte first, and the register reversed at the end
	final               uint64
}

// of takes the bits one at a time into a register whose highest bit falls out.
func (c crc) of(data []byte) uint64 {
	r := c.initial
	for _, b := range data {
		for i := range 8 {
			bit := uint64(b>>(7-i)) & 1
			if c.reflected {
				bit = uint64(b>>i) & 1
			}
			falls := r>>(c.width-1)&1 ^ bit
			r <<= 1
			if falls == 1 {
				r ^= c.polynomial
			}
		}
	}
	if c.reflected {
		r = reversed(r, c.width)
	}
	return (r ^ c.final) & (1<<c.width - 1)
}

// reversed is the width low bits the other way round.
func reversed(v uint64, width int) (out uint64) {
	for i := range width {
		out |= v >> i & 1 << (width - 1 - i)
	}
	return out
}

// sums are the checksums that are no CRC, by their words.
var sums = map[string]struct {
	width int
	of    func(data []byte) uint64
}{
	"sum8":  {8, func(data []byte) uint64 { return total(data) % (1 << 8) }},
	"lrc8":  {8, func(data []byte) uint64 { return (1<<8 - total(data)%(1<<8)) % (1 << 8) }},
	"sum16": {16, func(data []byte) uint64 { return total(data) % (1 << 16) }},
	"sum32": {32, func(data []byte) uint64 { return total(data) % (1 << 32) }},
	"xor8": {8, func(data []byte) (x uint64) {
		for _, b := range data {
			x ^= uint64(b)
		}
		return x
	}},
	"fletcher16": {16, func(data []byte) uint64 {
		a, b := uint64(0), uint64(0)
		for _, c := range data {
			a = (a + uint64(c)) % 255
			b = (b + a) % 255
		}
		return b*256 + a
	}},
	"fletcher32": {32, func(data []byte) uint64 {
		a, b := uint64(0), uint64(0)
		for _, w := range words(data) {
			a = (a + uint64(w[0]) + 256*uint64(w[1])) % 65535
			b = (b + a) % 65535
		}
		return b*65536 + a
	}},
	"adler32": {32, func(data []byte) uint64 { // RFC 1950
		a, b := uint64(1), uint64(0)
		for _, c := range data {
			a = (a + uint64(c)) % 65521
			b = (b + a) % 65521
		}
		return b*65536 + a
	}},
	"inet16": {16, func(data []byte) uint64 { // RFC 1071
		sum := uint64(0)
		for _, w := range words(data) {
			sum += 256*uint64(w[0]) + uint64(w[1])
			if sum > 65535 {
				sum -= 65535
			}
		}
		return 65535 - sum
	}},
}

func total(data []byte) (sum uint64) {
	for _, b := range data {
		sum += uint64(b)
	}
	return sum
}

// words is data in pairs; a zero completes the last.
func words(data []byte) (w [][2]byte) {
	for i := 0; i < len(data); i += 2 {
		pair := [2]byte{data[i]}
		if i+1 < len(data) {
			pair[1] = data[i+1]
		}
		w = append(w, pair)
	}
	return w
}

// Checksum is a checksum of data, by its word in the language, and its number of bits.
func Checksum(word string, data []byte) (sum uint64, width int) {
	if a, ok := crcs[word]; ok {
		return a.of(data), a.width
	}
	a, ok := sums[word]
	if !ok {
		panic(fmt.Sprintf("pktscope: internal error: slow: unknown checksum %q", word))
	}
	return a.of(data), a.width
}

// algorithm is a checksum of data, and its number of bits: by its word, or by the parameters of crc(…).
func algorithm(t *schema.ChecksumType) (of func(data []byte) uint64, width int) {
	a := t.Algorithm
	if a.Name == "" {
		return func(data []byte) uint64 {
			r := crc{a.Width, a.Polynomial, a.Initial, a.RefIn, a.Final}.of(data)
			if a.RefIn != a.RefOut { // the register is turned before the final value is added
				r = reversed(r^a.Final, a.Width) ^ a.Final
			}
			return r
		}, a.Width
	}
	_, width = Checksum(a.Name, nil)
	return func(data []byte) uint64 { sum, _ := Checksum(a.Name, data); return sum }, width
}

// unsent is the bytes of prefixes or suffixes.
func (w *walk) unsent(f frame, values []schema.SumValue) (data []byte) {
	for _, v := range values {
		code := new(big.Int).And(w.eval(f.scope, v.Value), new(big.Int).SetUint64(1<<v.Width-1)).Uint64()
		for i := range v.Width / 8 {
			at := 8 * i
			if v.BigEndian {
				at = v.Width - 8 - at
			}
			data = append(data, byte(code>>at))
		}
	}
	return data
}

// checksum reads a checksum, which is on a byte, and compares it at once: nothing after it is believed before.
func (w *walk) checksum(f frame, t *schema.ChecksumType, swap bool) bool {
	sum, width := algorithm(t)
	n, ok := w.code(f, width, swap)
	if !ok {
		return false
	}
	covered := w.unsent(f, t.Prefix)
	for at, to := w.covers(f, t, n.bit); at < to; at++ {
		if n.bit/8 <= at && at < w.bit/8 { // its own bytes count as zeros
			covered = append(covered, 0)
		} else {
			covered = append(covered, w.data[at])
		}
	}
	want, got := sum(append(covered, w.unsent(f, t.Suffix)...)), n.raw^t.Xor
	if want != got {
		return w.refuse(f, reject.CRCMismatch, n.bit, n.width)
	}
	w.read(f, n.bit, n.width, n.raw)
	return true
}

// covers is the first byte that a checksum covers, which is at a bit and has been read, and the one after the
// last.
func (w *walk) covers(f frame, t *schema.ChecksumType, bit int) (from, to int) {
	all := (w.end + 7) / 8
	switch t.Over() {
	case "":
		return w.window / 8, all
	case "rest":
		return w.bit / 8, all
	case "before":
		return w.element / 8, bit / 8
	}
	from, to = w.element, bit
	if path := t.From.Path; path != nil {
		from = f.scope.find(path).first
	}
	if path := t.To.Path; path != nil {
		to = f.scope.find(path).behind
	}
	return from / 8, to / 8
}
