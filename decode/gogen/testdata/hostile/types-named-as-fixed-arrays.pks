protocol arrays
order lsb
enum Text8 : uint8 { Len = 0, At = 1 }
struct Bytes4 { len uint8, at [..3]uint8, slice bytes(4), add char(8) }
struct Uint8List3 { set bool, string string(3), uint8list3 [..3]uint8 }
packet { a Text8, b Bytes4, c [..2]Uint8List3, d [..2][..2]bytes(1), e [2]{ }, f [100]bool, g [..2][2]{ h char(8) } }
