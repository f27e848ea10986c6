protocol names
order lsb
enum Kind : uint8 { None = 0, PastEnd = 1, String = 2 }
enum RejectKind : uint8 { None = 0, PastEnd = 1 }
enum From : uint8 { Client = 0, Reject = 1 }
struct PacketReader { reject uint8 }
struct PacketReject { path uint8 }
struct PacketRelative { value uint8 }
struct RejectNone { x uint8 }
flags Side : uint8 { Client = 1, Server = 2 }
struct Packet { reader Reader, bits Bits }
struct Reader { reject uint8 }
struct Bits { decode uint8 }
struct Relative { value uint8 }
struct Reject { path uint8 }
struct MaxBits { error uint8 }
packet { a Kind, b Side, c Packet, d Relative, e Reject, f MaxBits, g RejectKind, k From, l PacketReader, m PacketReject, n PacketRelative, o RejectNone, reader { x2 uint8 }, reject { x3 uint8 }, h vec3(uint8), i uint8, j relative(i) }
