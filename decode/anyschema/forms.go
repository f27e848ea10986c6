package anyschema

// Form is a schema that was written by hand for what drawn ones seldom have, with packets that it accepts.
type Form struct {
	Name    string
	Source  string
	Packets []string // in hex, each of another length or shape
}

// Open are forms in which a look (`rest`, `peek(n)`, `tail(n)`) decides how large or whether something is: a writer
// that is given nothing but the values has to find the sizes.
var Open = []Form{
	{"bytes before a trailer", `protocol a
order lsb
packet { a uint8, data bytes(rest - 4, max 9), crc uint32 }`,
		[]string{"0111223344", "01aa11223344", "01aabbcc11223344", "01aabbccddeeff00112211223344"}},
	{"messages whose payloads are cut where only zeros follow", `protocol messages
order lsb
packet {
  messages [rest, max 9]{
    magic uint8 == 0xFD
    length uint8
    id bits(24)
    within(length zeros) {
      payload switch id {
        0: { mode uint32, kind uint8, version uint8 }
        30: { time uint32, roll float32, rates vec2(int16) }
        1, 24: bytes(rest, max 255)
      }
    }
    crc uint16
  }
}`,
		[]string{"", "fd00000000aaaa", "fd0600000001000000020311ff", "fd011e00000744bb" + "fd0201000000ff0000", "fd081e0000070000000000000100bb", "fd0c1e00000700000000000000ffff0180bbbb"}},
	{"a length with a least value and words of four", `protocol words
order msb
packet {
  words uint8 in 1..3
  within(words * 4 zeros) { a uint16, b [3]{ c bits(4), d bits(12) }, e char(4) }
  tail uint8
}`,
		[]string{"01000100020c", "02000100020003000433", "03000000000000000078790000" + "07"}},
	{"lists in an array, one way of a switch", `protocol lists
order lsb
packet { body switch rest { 1..3: { pre bits(5), lists [2][..3]uint8 }, 4: uint32 } }`,
		[]string{"12345678", "0000", "1f00", "200000"}},
	{"looks in windows", `protocol command
order msb
packet {
  size uint8
  within(size) {
    command switch peek(8) {
      0..99: { code uint8, name bytes(rest - 1, max 9), end uint8 }
      100..199: { numbers [while peek(8) > 99, max 9]uint8, end uint8 }
      default: bytes(rest, max 9)
    }
  }
  within(3) { require peek(8) < 200, kind uint8, if peek(8) > 3 { a uint16 } else { b bits(16) } }
}`,
		[]string{"022f0a" + "070400", "052f6162630a" + "0703ff", "0378ff0a" + "07ffff", "02ff0a" + "070000"}},
	{"padding in a window that its last byte counts", `protocol inner
order lsb
packet {
  size uint8
  within(size) {
    let pad = tail(8)
    require pad != 0
    payload bytes(rest - pad, max 40)
    fill bytes(pad - 1, max 254)
    pad_count uint8
  }
  tail uint8
}`,
		[]string{"010109", "020001" + "09", "02aa0109", "06aabb0000000409"}},
	{"padding that its last byte counts", `protocol padded
order msb
packet {
  padded bool
  sequence bits(15)
  if padded {
    let pad = tail(8)
    require pad != 0
    payload bytes(rest - pad, max 40)
    fill bytes(pad - 1, max 254)
    pad_count uint8
  } else {
    data bytes(rest, max 40)
  }
}`,
		[]string{"0001", "0001aabb", "800101", "8001aa01", "8001aabb000003", "8001aabbccdd00000000000006"}},
	{"the first bits say what follows", `protocol tagged
order msb
packet {
  count uint8 in 1..3
  bodies [count]{
    body switch peek(3) {
      0: { kind bits(4), level bits(4) }
      1, 2: { kind bits(3), level bits(5), name bytes(rest & 1, max 1) }
      4..7: uint16
    }
  }
}`,
		[]string{"0105", "018001", "020520", "0120aa", "0300008001"}},
	{"records up to a zero", `protocol ended
order lsb
packet {
  records [while peek(8) != 0, max 5]{ tag uint8, value bytes(tag & 3, max 3) }
  end bool
  more bits(7)
}`,
		[]string{"00", "01aa00", "02aabb0400", "04040404" + "0400"}},
	{"the last bits of a window say what they are", `protocol ending
order lsb
packet {
  within(rest - 1) {
    data bytes(rest - 1, max 9)
    last switch tail(2) { 0: { a bits(6), b bits(2) }, 1, 2: uint8, 3: { c int8 } }
  }
  end uint8
}`,
		[]string{"0107", "aabb0207", "aa0300", "4000"}},
	{"the order of the bytes of a look", `protocol ahead
order bousk
packet {
  a bits(3)
  if peek(12) <= 7 { c bits(13) } else { b bits(5) != 0 }
  list [while tail(10) != 15 && rest > 1, max 4]uint8
  d bytes(rest, max 9)
}`,
		[]string{"1f07", "ffff010207", "1f0f07"}},
	{"NTP with extensions and a MAC", `protocol ntp
order msb
port 123
packet {
  leap bits(2)
  version bits(3) in 3..4
  mode bits(3)
  stratum uint8
  poll int8
  precision int8
  root [2]uint32
  id char(4)
  times [4]uint64
  extensions [while rest > 24, max 8]Extension
  if rest > 0 {
    require rest == 4 || rest == 20 || rest == 24
    key uint32
    digest bytes(rest, max 20)
  }
}
struct Extension {
  type uint8
  length uint8 in 16..252
  require length % 4 == 0
  within(length - 2) { value bytes(rest, max 252) }
}`,
		[]string{
			"230206ec0000010000000200474e5353" + "0000000000000001000000000000000200000000000000030000000000000004",
			"230206ec0000010000000200474e5353" + "0000000000000001000000000000000200000000000000030000000000000004" + "00000007",
			"230206ec0000010000000200474e5353" + "0000000000000001000000000000000200000000000000030000000000000004" + "00000007" + "000102030405060708090a0b0c0d0e0f",
			"230206ec0000010000000200474e5353" + "0000000000000001000000000000000200000000000000030000000000000004" + "00000007" + "000102030405060708090a0b0c0d0e0f10111213",
			"230206ec0000010000000200474e5353" + "0000000000000001000000000000000200000000000000030000000000000004" + "021c" + "1111111111111111111111111111111111111111111111111111" + "00000007",
		}},
	{"netcode's payload with its tag after", `protocol netcode
order lsb
packet {
  type bits(4) == 5
  size bits(4) in 1..8
  sequence bytes(size, max 8)
  payload bytes(rest - 16, max 1200)
  tag bytes(16)
}`,
		[]string{
			"15ff" + "000102030405060708090a0b0c0d0e0f",
			"25ffee" + "01" + "000102030405060708090a0b0c0d0e0f",
			"15ff" + "010203040506" + "000102030405060708090a0b0c0d0e0f",
		}},
	{"QUIC Retry", `protocol quic
order msb
packet {
  form bits(1) == 1
  fixed bits(1)
  type bits(2) == 3
  unused bits(4)
  version uint32
  dcid_size uint8 in 0..20
  dcid bytes(dcid_size, max 20)
  scid_size uint8 in 0..20
  scid bytes(scid_size, max 20)
  token bytes(rest - 16, max 1200)
  integrity bytes(16)
}`,
		[]string{
			"f0000000010000" + "000102030405060708090a0b0c0d0e0f",
			"ff00000001000201ff746f6b656e" + "000102030405060708090a0b0c0d0e0f",
		}},
	{"fields that older versions lack", `protocol older
order lsb
packet {
  id uint16
  if rest > 0 { level uint8 }
  if rest > 1 { team uint8, name bytes(rest, max 16) } else if rest > 0 { bot uint8 }
}`,
		[]string{"0100", "010005", "01000509", "0100050961", "0100050961626364"}},
	{"a switch on the rest", `protocol sized
order lsb
packet {
  id uint8
  body switch rest { 0: Empty, 1: Small, 4: Large, 2..3, 5..9: Other }
}
struct Empty { }
struct Small { a uint8 }
struct Large { b uint32 }
struct Other { c uint16, d bytes(rest, max 7) }`,
		[]string{"01", "0105", "0102030405", "010203", "01020304", "010203040506", "0102030405060708090a"}},
	{"let n = rest", `protocol named
order lsb
packet {
  let n = rest
  a uint8
  data bytes(n - 3, max 8)
  let m = n - 3
  if m > 2 { b bits(4), c bits(4) } else { d bits(8) }
  e uint8
}`,
		[]string{"010203", "01aa0203", "01aabbccdd0203"}},
	{"a length that includes itself", `protocol total
order lsb
packet {
  total uint8
  require total == rest + 1
  kind uint8
  data bytes(rest - 2, max 40)
  end uint16 == 0xBEEF
}`,
		[]string{"0401efbe", "0501aaefbe", "0a01aabbccddeeffefbe"}},
	{"a length in words, after a let", `protocol words
order msb
packet {
  version uint8 == 1
  words varint(16)
  let left = rest
  id uint32
  data bytes(rest, max 1999)
  require left == words * 4
}`,
		[]string{"010100000007", "01030000000700000000aabbccdd", "0181010000" + "0007" + zeros(2*512)}},
	{"a window before a trailer", `protocol window
order lsb
packet {
  within(rest - 4) { a uint8, items [rest, max 4]uint16 }
  crc uint32
}`,
		[]string{"0111223344", "01aabb11223344", "01aabbccddeeff001111223344"}},
	{"lists before trailers", `protocol lists
order msb
packet {
  count uint8 in 1..3
  groups [count]{ size uint8 in 1..30, within(size) { ids [(rest + 1) / 2 & 7]uint16 } }
  tail [while rest > 4, max 6]Item
  crc uint32
}
struct Item { kind bits(4), n bits(4), data bytes(n, max 15) }`,
		[]string{"01" + "020001" + "11223344", "02" + "020101" + "0400010002" + "11aa" + "10" + "11223344"}},
	{"nested windows", `protocol nested
order lsb
packet {
  size uint8
  within(size) {
    a uint8
    within(rest - 2) { data bytes(rest - 1, max 9), b uint8 }
    c uint16
  }
  within(rest - 1) { list [rest, max 9]uint8 }
  end uint8
}`,
		[]string{"0401020304" + "05", "06" + "01" + "aabb" + "02" + "0304" + "0708" + "05"}},
	{"a list until little is left", `protocol until
order lsb
packet {
  list [until list == 0 || rest <= 2, max 9]uint8
  end uint16
}`,
		[]string{"010203", "01020304050607", "01020300ffff"}},
	{"numbers as wide as the rest", `protocol wide
order lsb
packet {
  y int(0..rest + 250)
  x bits((rest & 3) * 8)
}`,
		[]string{"04", "04ff", "03ff00ff"}},
	{"a struct that is told the rest", `protocol told
order lsb
packet {
  a uint8
  body Body(rest - 2)
  end uint16
}
struct Body(n in -2..65505) { first uint8, if n > 3 { flags uint8 == 7 }, data bytes(rest - 2, max 9) }`,
		[]string{"01" + "05" + "0203", "01" + "05aabb" + "0203", "01" + "0507aabb" + "0203"}},
	{"an if with an else", `protocol either
order msb
packet {
  if rest == 4 { a uint32 } else { b uint16, c bytes(rest, max 9) }
}`,
		[]string{"0000", "000011", "00001122", "0000112233"}},
}

// SFlow is a datagram as sFlow has them: a list of windows, in each an arm with a list of windows of its own.
const SFlow = `protocol sflow
order msb
port 6343
max datagram 1400
packet {
  version uint32 == 5
  address_type uint32 in 1..2
  address switch address_type { 1: { v4 bytes(4) }, 2: { v6 bytes(16) } }
  agent uint32
  sequence uint32
  uptime uint32
  count uint32 in 0..64
  samples [count]Sample
}
struct Sample {
  format uint32 in 1..4
  length uint32 in 0..1372
  within(length) {
    body switch format { 1: Flow, 2: Counters, 3: ExpandedFlow, 4: ExpandedCounters }
  }
}
struct Flow {
  sequence uint32
  source uint32
  rate uint32
  pool uint32
  drops uint32
  input uint32
  output uint32
  count uint32 in 0..32
  records [count]FlowRecord
}
struct ExpandedFlow {
  sequence uint32
  source_type uint32
  source_index uint32
  rate uint32
  pool uint32
  drops uint32
  input [2]uint32
  output [2]uint32
  count uint32 in 0..32
  records [count]FlowRecord
}
struct FlowRecord {
  format uint32 in {1, 2, 3, 1001, 1002}
  length uint32 in 0..1300
  within(length) {
    data switch format {
      1: { protocol uint32, frame uint32, stripped uint32, size uint32 in 0..128, header bytes(size, max 128), fill bytes(rest, max 3) }
      2: { size uint32, source bytes(6), reserved(16), destination bytes(6), reserved(16), type uint32 }
      3: { size uint32, protocol uint32, source bytes(4), destination bytes(4), ports [2]uint32, flags uint32, tos uint32 }
      1001: { vlan uint32, priority uint32, out_vlan uint32, out_priority uint32 }
      1002: { hop_type uint32 in 1..2, hop switch hop_type { 1: { v4 bytes(4) }, 2: { v6 bytes(16) } }, source_mask uint32, destination_mask uint32 }
    }
  }
}
struct Counters { sequence uint32, source uint32, count uint32 in 0..32, records [count]CounterRecord }
struct ExpandedCounters { sequence uint32, source_type uint32, source_index uint32, count uint32 in 0..32, records [count]CounterRecord }
struct CounterRecord {
  format uint32 in {1, 2, 5, 1001}
  length uint32 in 0..1300
  within(length) {
    data switch format {
      1: { index uint32, type uint32, speed uint64, direction uint32, status uint32, in_octets uint64, counters [12]uint32 }
      2: { errors [13]uint32 }
      5: { vlan uint32, octets uint64, packets [4]uint32 }
      1001: { loads [3]uint32, memory [2]uint64 }
    }
  }
}
`

func zeros(digits int) string {
	b := make([]byte, digits)
	for i := range b {
		b[i] = '0'
	}
	return string(b)
}
