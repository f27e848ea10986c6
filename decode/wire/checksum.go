package wire

import (
	"math/bits"
	"strconv"
	"sync"
)

// Algorithm is a checksum (wire.md, "Checks and checksums"). The zero Algorithm is none: use one of Algorithms, or set
// all parameters of a CRC.
type Algorithm struct {
	Name  string // the word of the language; "" for crc(…)
	Width int    // bits of the checksum: a multiple of 8 in 8..64
	// Of a CRC, as its catalogue has them: Polynomial without the highest power, RefIn when each byte comes lowest bit
	// first, RefOut when the register is reversed at the end, Final what is xor'ed to it then.
	Polynomial, Initial uint64
	RefIn, RefOut       bool
	Final               uint64
	Check               uint64 // of the bytes "123456789"

	sum  Summer // of what is no CRC; of a CRC once it was asked for
	once sync.Once
}

// Algorithms are the checksums of the language, a row each. The CRCs and their check values are those of the catalogue
// of parametrised CRC algorithms.
var Algorithms = [...]Algorithm{
	{Name: "crc8_smbus", Width: 8, Polynomial: 0x7, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0xF4},
	{Name: "crc8_dvb_s2", Width: 8, Polynomial: 0xD5, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0xBC},
	{Name: "crc8_maxim_dow", Width: 8, Polynomial: 0x31, Initial: 0, RefIn: true, RefOut: true, Final: 0, Check: 0xA1},
	{Name: "crc8_sae_j1850", Width: 8, Polynomial: 0x1D, Initial: 0xFF, RefIn: false, RefOut: false, Final: 0xFF, Check: 0x4B},
	{Name: "crc8_autosar", Width: 8, Polynomial: 0x2F, Initial: 0xFF, RefIn: false, RefOut: false, Final: 0xFF, Check: 0xDF},
	{Name: "crc8_bluetooth", Width: 8, Polynomial: 0xA7, Initial: 0, RefIn: true, RefOut: true, Final: 0, Check: 0x26},
	{Name: "crc8_rohc", Width: 8, Polynomial: 0x7, Initial: 0xFF, RefIn: true, RefOut: true, Final: 0, Check: 0xD0},
	{Name: "crc8_i_432_1", Width: 8, Polynomial: 0x7, Initial: 0, RefIn: false, RefOut: false, Final: 0x55, Check: 0xA1},
	{Name: "crc8_nrsc_5", Width: 8, Polynomial: 0x31, Initial: 0xFF, RefIn: false, RefOut: false, Final: 0, Check: 0xF7},
	{Name: "crc8_wcdma", Width: 8, Polynomial: 0x9B, Initial: 0, RefIn: true, RefOut: true, Final: 0, Check: 0x25},
	{Name: "crc8_darc", Width: 8, Polynomial: 0x39, Initial: 0, RefIn: true, RefOut: true, Final: 0, Check: 0x15},
	{Name: "crc16_arc", Width: 16, Polynomial: 0x8005, Initial: 0, RefIn: true, RefOut: true, Final: 0, Check: 0xBB3D},
	{Name: "crc16_modbus", Width: 16, Polynomial: 0x8005, Initial: 0xFFFF, RefIn: true, RefOut: true, Final: 0, Check: 0x4B37},
	{Name: "crc16_usb", Width: 16, Polynomial: 0x8005, Initial: 0xFFFF, RefIn: true, RefOut: true, Final: 0xFFFF, Check: 0xB4C8},
	{Name: "crc16_maxim_dow", Width: 16, Polynomial: 0x8005, Initial: 0, RefIn: true, RefOut: true, Final: 0xFFFF, Check: 0x44C2},
	{Name: "crc16_umts", Width: 16, Polynomial: 0x8005, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0xFEE8},
	{Name: "crc16_cms", Width: 16, Polynomial: 0x8005, Initial: 0xFFFF, RefIn: false, RefOut: false, Final: 0, Check: 0xAEE7},
	{Name: "crc16_ibm_3740", Width: 16, Polynomial: 0x1021, Initial: 0xFFFF, RefIn: false, RefOut: false, Final: 0, Check: 0x29B1},
	{Name: "crc16_xmodem", Width: 16, Polynomial: 0x1021, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0x31C3},
	{Name: "crc16_kermit", Width: 16, Polynomial: 0x1021, Initial: 0, RefIn: true, RefOut: true, Final: 0, Check: 0x2189},
	{Name: "crc16_mcrf4xx", Width: 16, Polynomial: 0x1021, Initial: 0xFFFF, RefIn: true, RefOut: true, Final: 0, Check: 0x6F91},
	{Name: "crc16_ibm_sdlc", Width: 16, Polynomial: 0x1021, Initial: 0xFFFF, RefIn: true, RefOut: true, Final: 0xFFFF, Check: 0x906E},
	{Name: "crc16_genibus", Width: 16, Polynomial: 0x1021, Initial: 0xFFFF, RefIn: false, RefOut: false, Final: 0xFFFF, Check: 0xD64E},
	{Name: "crc16_gsm", Width: 16, Polynomial: 0x1021, Initial: 0, RefIn: false, RefOut: false, Final: 0xFFFF, Check: 0xCE3C},
	{Name: "crc16_spi_fujitsu", Width: 16, Polynomial: 0x1021, Initial: 0x1D0F, RefIn: false, RefOut: false, Final: 0, Check: 0xE5CC},
	{Name: "crc16_dnp", Width: 16, Polynomial: 0x3D65, Initial: 0, RefIn: true, RefOut: true, Final: 0xFFFF, Check: 0xEA82},
	{Name: "crc16_en_13757", Width: 16, Polynomial: 0x3D65, Initial: 0, RefIn: false, RefOut: false, Final: 0xFFFF, Check: 0xC2B7},
	{Name: "crc16_t10_dif", Width: 16, Polynomial: 0x8BB7, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0xD0DB},
	{Name: "crc16_teledisk", Width: 16, Polynomial: 0xA097, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0xFB3},
	{Name: "crc16_profibus", Width: 16, Polynomial: 0x1DCF, Initial: 0xFFFF, RefIn: false, RefOut: false, Final: 0xFFFF, Check: 0xA819},
	{Name: "crc16_dect_x", Width: 16, Polynomial: 0x589, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0x7F},
	{Name: "crc24_openpgp", Width: 24, Polynomial: 0x864CFB, Initial: 0xB704CE, RefIn: false, RefOut: false, Final: 0, Check: 0x21CF02},
	{Name: "crc24_ble", Width: 24, Polynomial: 0x65B, Initial: 0x555555, RefIn: true, RefOut: true, Final: 0, Check: 0xC25A56},
	{Name: "crc24_lte_a", Width: 24, Polynomial: 0x864CFB, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0xCDE703},
	{Name: "crc24_os_9", Width: 24, Polynomial: 0x800063, Initial: 0xFFFFFF, RefIn: false, RefOut: false, Final: 0xFFFFFF, Check: 0x200FA5},
	{Name: "crc24_interlaken", Width: 24, Polynomial: 0x328B63, Initial: 0xFFFFFF, RefIn: false, RefOut: false, Final: 0xFFFFFF, Check: 0xB4F3E6},
	{Name: "crc32", Width: 32, Polynomial: 0x4C11DB7, Initial: 0xFFFFFFFF, RefIn: true, RefOut: true, Final: 0xFFFFFFFF, Check: 0xCBF43926},
	{Name: "crc32c", Width: 32, Polynomial: 0x1EDC6F41, Initial: 0xFFFFFFFF, RefIn: true, RefOut: true, Final: 0xFFFFFFFF, Check: 0xE3069283},
	{Name: "crc32_bzip2", Width: 32, Polynomial: 0x4C11DB7, Initial: 0xFFFFFFFF, RefIn: false, RefOut: false, Final: 0xFFFFFFFF, Check: 0xFC891918},
	{Name: "crc32_mpeg_2", Width: 32, Polynomial: 0x4C11DB7, Initial: 0xFFFFFFFF, RefIn: false, RefOut: false, Final: 0, Check: 0x376E6E7},
	{Name: "crc32_cksum", Width: 32, Polynomial: 0x4C11DB7, Initial: 0, RefIn: false, RefOut: false, Final: 0xFFFFFFFF, Check: 0x765E7680},
	{Name: "crc32_jamcrc", Width: 32, Polynomial: 0x4C11DB7, Initial: 0xFFFFFFFF, RefIn: true, RefOut: true, Final: 0, Check: 0x340BC6D9},
	{Name: "crc32_autosar", Width: 32, Polynomial: 0xF4ACFB13, Initial: 0xFFFFFFFF, RefIn: true, RefOut: true, Final: 0xFFFFFFFF, Check: 0x1697D06A},
	{Name: "crc32_aixm", Width: 32, Polynomial: 0x814141AB, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0x3010BF7F},
	{Name: "crc32_base91_d", Width: 32, Polynomial: 0xA833982B, Initial: 0xFFFFFFFF, RefIn: true, RefOut: true, Final: 0xFFFFFFFF, Check: 0x87315576},
	{Name: "crc32_xfer", Width: 32, Polynomial: 0xAF, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0xBD0BE338},
	{Name: "crc40_gsm", Width: 40, Polynomial: 0x4820009, Initial: 0, RefIn: false, RefOut: false, Final: 0xFFFFFFFFFF, Check: 0xD4164FC646},
	{Name: "crc64_xz", Width: 64, Polynomial: 0x42F0E1EBA9EA3693, Initial: 0xFFFFFFFFFFFFFFFF, RefIn: true, RefOut: true, Final: 0xFFFFFFFFFFFFFFFF, Check: 0x995DC9BBDF1939FA},
	{Name: "crc64_ecma_182", Width: 64, Polynomial: 0x42F0E1EBA9EA3693, Initial: 0, RefIn: false, RefOut: false, Final: 0, Check: 0x6C40DF5F0B497347},
	{Name: "crc64_go_iso", Width: 64, Polynomial: 0x1B, Initial: 0xFFFFFFFFFFFFFFFF, RefIn: true, RefOut: true, Final: 0xFFFFFFFFFFFFFFFF, Check: 0xB90956C775A41001},
	{Name: "crc64_we", Width: 64, Polynomial: 0x42F0E1EBA9EA3693, Initial: 0xFFFFFFFFFFFFFFFF, RefIn: false, RefOut: false, Final: 0xFFFFFFFFFFFFFFFF, Check: 0x62EC59E3F1A4F00A},
	{Name: "crc64_nvme", Width: 64, Polynomial: 0xAD93D23594C93659, Initial: 0xFFFFFFFFFFFFFFFF, RefIn: true, RefOut: true, Final: 0xFFFFFFFFFFFFFFFF, Check: 0xAE8B14860A799888},
	{Name: "crc64_redis", Width: 64, Polynomial: 0xAD93D23594C935A9, Initial: 0, RefIn: true, RefOut: true, Final: 0, Check: 0xE9C6D914C4B8D9CA},
	{Name: "crc64_ms", Width: 64, Polynomial: 0x259C84CBA6426349, Initial: 0xFFFFFFFFFFFFFFFF, RefIn: true, RefOut: true, Final: 0, Check: 0x75D4B74F024ECEEA},
	{Name: "sum8", Width: 8, Check: 0xDD, sum: NewByteSum(8, false)},
	{Name: "lrc8", Width: 8, Check: 0x23, sum: NewByteSum(8, true)},
	{Name: "xor8", Width: 8, Check: 0x31, sum: NewByteXor()},
	{Name: "sum16", Width: 16, Check: 0x1DD, sum: NewByteSum(16, false)},
	{Name: "sum32", Width: 32, Check: 0x1DD, sum: NewByteSum(32, false)},
	{Name: "fletcher16", Width: 16, Check: 0x1EDE, sum: NewFletcher(8, 0, 255)},
	{Name: "fletcher32", Width: 32, Check: 0xDF09D509, sum: NewFletcher32()},
	{Name: "adler32", Width: 32, Check: 0x91E01DE, sum: NewFletcher(16, 1, 65521)},
	{Name: "inet16", Width: 16, Check: 0xF62A, sum: NewInternet()},
}

// AlgorithmNamed returns the checksum of a word of the language, nil for another word.
func AlgorithmNamed(word string) *Algorithm {
	for i := range Algorithms {
		if Algorithms[i].Name == word {
			return &Algorithms[i]
		}
	}
	return nil
}

// Summer is what computes the checksum. That of a CRC is made when it is first asked for: a table of 2 KiB or more.
func (a *Algorithm) Summer() Summer {
	a.once.Do(func() {
		reflected := a.RefIn && a.RefOut
		switch {
		case a.sum != nil:
		case reflected && a.Width == 32:
			a.sum = NewCRC32(bits.Reverse32(uint32(a.Polynomial)), uint32(a.Initial), uint32(a.Final))
		case reflected && a.Width == 64:
			a.sum = NewCRC64(bits.Reverse64(a.Polynomial), a.Initial, a.Final)
		default:
			a.sum = NewCRC(a.Width, a.Polynomial, a.Initial, a.RefIn, a.RefOut, a.Final)
		}
	})
	return a.sum
}

// String is the algorithm as a schema has it.
func (a *Algorithm) String() string {
	if a.Name != "" {
		return a.Name
	}
	b := append([]byte("crc("), strconv.Itoa(a.Width)...)
	hex := func(v uint64) { b = strconv.AppendUint(append(b, ", 0x"...), v, 16) }
	hex(a.Polynomial)
	hex(a.Initial)
	b = strconv.AppendBool(append(b, ", "...), a.RefIn)
	b = strconv.AppendBool(append(b, ", "...), a.RefOut)
	hex(a.Final)
	return string(append(b, ')'))
}

// SumValue adds the size low bytes of v to s, the lowest first, with bigEndian the highest.
func SumValue(c Adder, s Sum, v uint64, size int, bigEndian bool) Sum {
	for i := range size {
		at := i
		if bigEndian {
			at = size - 1 - i
		}
		s = c.Byte(s, byte(v>>(8*at)))
	}
	return s
}

// StoreBytes stores the size low bytes of v, the lowest first, with bigEndian the highest.
func StoreBytes(data []byte, v uint64, size int, bigEndian bool) {
	for i := range size {
		at := i
		if bigEndian {
			at = size - 1 - i
		}
		data[at] = byte(v >> (8 * i))
	}
}

// SumCovered adds data[from:to] to s, where the size bytes at byte `at`, a checksum itself, count as zeros.
func SumCovered(c Adder, s Sum, data []byte, from, to, at, size int) Sum {
	if at < from || at+size > to {
		return c.Bytes(s, data[from:to])
	}
	s = c.Bytes(s, data[from:at])
	for range size {
		s = c.Byte(s, 0)
	}
	return c.Bytes(s, data[at+size:to])
}

// Checksum is an algorithm with its unsent prefix.
type Checksum struct {
	Algorithm *Algorithm
	OverRest  bool // only what is after the field is covered
	Prefix    [8]byte
	PrefixLen int // bytes: 0, 4 or 8
}

// Start is the sum of the prefix alone.
func (c *Checksum) Start() Sum {
	a := c.Algorithm.Summer()
	s := a.Begin()
	for _, b := range c.Prefix[:c.PrefixLen] {
		s = a.Byte(s, b)
	}
	return s
}

// Sum computes the checksum of a packet whose field is at byte at: over the prefix, then over the packet with the
// field's own bytes as zero, or with OverRest only over what follows the field.
func (c *Checksum) Sum(packet []byte, at int) uint64 {
	from, size := 0, c.Algorithm.Width/8
	if c.OverRest {
		from = at + size
	}
	a := c.Algorithm.Summer()
	return a.End(SumCovered(a, c.Start(), packet, from, len(packet), at, size))
}
