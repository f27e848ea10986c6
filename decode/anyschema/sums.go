package anyschema

// Sums are forms of checksums that say what they cover: between fields, before and after themselves, in windows,
// structs and elements, and over each other.
var Sums = []Form{
	{"three, two of which cover others", `protocol frames
order lsb
packet {
  magic uint16 == 0x55AA
  own subset(index any) [64]uint8
  align
  kind uint8
  within(rest - 7) {
    head uint8
    words [rest, max 100]uint16 be in head..head * 256
  }
  sum crc(16, 0x1021, 0xFFFF, false, false, 0, check 0x29B1, over kind..words) be
  eight lrc8(over before)
  old crc32(prefix 0x44551177 : uint32, over rest)
}`,
		[]string{"aa55080220000802a2000420480800100001013e1f48e6a2357c", "aa5584a22020200806020000000000000e104de6a2357c", "aa550000010d2ec5e6a2357c", "aa5501c001dc00000063f10fe6a2357c", "aa55020120d80509df386d16c98549c7e6a2357c"}},
	{"messages that are cut, each with its own", `protocol mavlink
order lsb
const Extra = switch { 0: 50, 1: 124, 30: 39, default: 0 }
flags Incompat : uint8 { Signed = 1 }
packet {
  messages [rest, max 9]{
    magic uint8 == 0xFD
    length uint8
    incompat Incompat
    msgid bits(24)
    within(length zeros) {
      payload switch msgid { 0: { mode uint32, kind uint8 }, 30: { time uint32, roll float32 }, 1: bytes(rest, max 20) }
    }
    crc crc16_mcrf4xx(over length.., suffix Extra(msgid) : uint8)
    if incompat.Signed { signature bytes(13) }
  }
}`,
		[]string{"fd08001e00008acea55d533395c35f7bfd08001e00001f00000070416c43114efd07001e000000000000bc010006e9", "fd08001e0000ec02000031000000eab5", "", "fd06011e000038728568df03053113a2b59b186eb8a8a210fae656fd08001e00000000000000000000b2f4", "fd0400010000a94c84d7d253fd020001000049fe53b6fd0a00010000a02c2d07ea90b834a3994728fd0c000100005dac75decf4dc7da58c081161d9c"}},
	{"the last attribute of a window, after a branch", `protocol stun
order msb
packet {
  method uint16
  length uint16
  require length % 4 == 0
  cookie uint32 == 0x2112A442
  within(length) {
    attributes [while rest > 0 && peek(16) != 0x8028, max 12]{
      type uint16
      size uint16
      within(size) { data bytes(rest, max 40) }
      align(32)
    }
    if method != 0 {
      fingerprint_type uint16 == 0x8028
      fingerprint_size uint16 == 4
      fingerprint crc32(over ..attributes, xor 0x5354554E)
    }
  }
}`,
		[]string{"985500082112a44280280004de1b4ea6", "2a5100282112a442ffff0011a55a9e6efbc419231480bed4f61ea5bb7e0000003a12000266fa0000802800044f9da3df", "03c800242112a44202d70007b8f6610a6d0c5400002f00035e300d00ffff0002a3a9000080280004a44f0c69", "09c200102112a442011100020629000080280004ba8401c8", "02a600202112a442039a0011ed75cabdbfeb3bb37a2729900dc0ae2593000000802800047e3c0299"}},
	{"one over all, one over what it covers", `protocol all
order msb
packet {
  all crc32c
  x uint8
  head sum8(over x)
  y bytes(2)
  tail crc16_arc(over x.., suffix x : uint16 be)
  z uint8
}`,
		[]string{"dfc9d01f555580b9133851"}},
	{"windows in windows, each with what is in it", `protocol windows
order lsb
packet {
  size uint8
  within(size) {
    outer inet16
    inner_size uint8
    within(inner_size) { a bytes(rest - 3, max 9), inner fletcher16(over rest), b uint8 }
    c uint8
    last crc24_openpgp(over inner_size..c)
  }
  d uint8
}`,
		[]string{"13939a0c61e499ff80b942f315dadadad93ae2d8db", "0b1ed50479000000011d670900", "125d790b9578f268c0c26fcfcfcfcf00e9366200", "0fd5cd08720e0887456b6b6b002cfe9100", "11ed920aa66980640e6b8acecece001a83723e"}},
	{"structs, twice, and a path into one", `protocol structs
order msb
struct Part { kind uint8, size uint8 in 0..9, data bytes(size), sum adler32(over kind.., prefix kind : uint64) le }
packet {
  first Part
  second Part
  both crc16_xmodem(over first.size..second.data)
  after crc8_autosar(over ..first)
}`,
		[]string{"550242f3e201d906090013007600b16ed6", "000001000a00ac0154ae01c9091f7252", "9e036fcfb02e03d00e6807aae63ca4886c7cb8048b1b4040a0", "3301066e00dd02a3022da81e02440bd3826d", "ff03b86aa4c803a715fe041c13a2b587039c1670615c"}},
	{"elements of every array", `protocol elements
order lsb
struct Pair { a uint8, b uint8, c xor8(over before) }
packet {
  n uint8 in 0..3
  pairs [n]Pair
  some subset(sentinel) [255]{ v uint16, w crc8_smbus(over v) }
  lists [2]{ m uint8 in 0..2, inner [m]{ p uint8, q sum8(over ..p) }, r sum16(over before), s lrc8(over inner) }
  sized [rest, max 5]{ length uint8, within(length) { t inet16, u bytes(rest, max 4) }, x crc16_kermit(over ..length) }
}`,
		[]string{"02024644da459f00ffff24018ace5002000000ff0000000000000000", "0147c087c0d401e9c5000000ff000000000102020500fc0684039db55ec6366505d9b9d22574ad5706787c27605c27366503ffd52a9b32", "000000010701b5000eff02000001010400fe0146468d007406802ffaf7d5873665", "000056ad38010000000201001503ffff24041353d6ff0000000000000000069f302af0a4703665", "030302010202000253510200000003000000ff0000000002abab00005801aa06b17b4ee535693665"}},
	{"either way of a branch, and arms", `protocol branches
order msb
packet {
  k uint8 in 0..2
  if k == 0 {
    a uint16
    c crc8_rohc(over a)
  } else {
    a uint8
    b uint8
    c inet16(over a..b)
  }
  body switch k {
    0: crc16_modbus(over k)
    1: { v uint8, s xor8(over before) }
    2: { t fletcher32(over rest) }
  }
  z uint16
}`,
		[]string{"010146feb9dadb01bd", "0247c0b83f7d007d00007d", "00ffffcf40bf44f6"}},
	{"fields with padding in front, and an optional one", `protocol padding
order lsb
packet {
  f bits(3)
  data bytes(3)
  g bits(5)
  name cstring(9)
  list [..3]uint8
  align
  one crc40_gsm(over data)
  two crc16_dnp(over data..name) be
  three crc8_darc(over name..one)
  seven bits(7)
  four optional sum8(over before)
  five crc64_xz(over one.., prefix f : uint8)
}`,
		[]string{"0580b94205001100f69cf8094f221b5b7f4a4aaf6915a18de1", "017450c60033250000ba27f37c7b20d18b80aa1e4d1edcdd25695b", "008014b60135e282ac3a000f000000b05e1171af3e6ac13584b4ac2d81778293", "018ab8f600330000a79110a25df26fb580494745f214d99980de", "06c0c26f004e520001009a36a3c91aad07d880faaf6acf52483a1ade"}},
	{"order bousk, in which nothing aligns", `protocol bousk
order bousk
packet {
  a bits(4)
  b bits(12)
  size uint8 in 0..5
  data bytes(size)
  c crc32_mpeg_2(over data) le
  d crc16_gsm(over ..b)
  within(32 bits) { e sum16, f uint16 }
}`,
		[]string{"5500038f9e6ecfc4943db50e00000000", "1fff055a9e6efbc4954f317b42f2c000457b", "0ef004b4843ef50ef1cf2aef3352005200", "900000ffffffff14e700000000", "e03101b0ca3236f33fc9dd006875"}},
}
