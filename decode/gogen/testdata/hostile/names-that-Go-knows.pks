protocol go
order lsb
struct Binary { math uint8, bits uint8 }
struct String { byte uint8, string string(3) }
struct Testing { bytes bytes(2), t uint8, b uint8, f uint8 }
enum Error : uint8 { Nil = 0, True = 1, String = 2, Iota = 3 }
enum Errors : uint8 { Error = 1, String = 2 }
flags Uint8 : uint8 { A = 1, Ab = 4, B = 2, String = 128 }
packet { binary Binary, strconv String, testing Testing, error Error, errors Errors, uint8 Uint8, int sbits(7), uint64 uint8, cap uint8, min uint8, make uint8, new uint8, clear uint8, decode uint8, settled uint8 }
