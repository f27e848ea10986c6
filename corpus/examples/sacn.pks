// sACN: ANSI E1.31, lighting data over UDP, each layer with the length of all that follows.
//
// From ANSI E1.31-2018. Its packets are those of sacn (npm), held against tshark.
//
// Not here: RDMnet (E1.33), and what data of other start codes than 0 means.
protocol sacn
order msb
port 5568
max datagram 1472

enum Root : uint32 { Data = 4, Extended = 8 }

// Receivers ignore the other bits (section 6.2.6).
open flags Options : uint8 { ForceSync = 0x20, Terminated = 0x40, Preview = 0x80 }

// Flags and the length of a layer, with these two bytes.
struct Layer {
    flags  bits(4) == 0x7
    length bits(12) in 2..1472
}

packet {
    preamble   uint16 == 0x0010
    postamble  uint16 == 0
    identifier bytes(12) == "ASC-E1.17\0\0\0"
    root       Layer
    within(root.length - 2) {
        vector  Root
        sender  bytes(16) @uuid
        framing Layer
        within(framing.length - 2) {
            body switch vector {
                Data: {
                    vector      uint32 == 2
                    source      char(64) utf8
                    priority    uint8 in 0..200
                    synced_with uint16
                    sequence    uint8 @seq
                    options     Options
                    universe    uint16 in 1..63999
                    dmp         Layer
                    within(dmp.length - 2) {
                        vector2   uint8 == 0x02
                        type      uint8 == 0xA1
                        first     uint16 == 0
                        increment uint16 == 1
                        count     uint16 in 1..513
                        start     uint8 // 0 for levels
                        levels    bytes(count - 1)
                    }
                }
                Extended: {
                    vector uint32 in 1..2
                    if vector == 1 {
                        sequence    uint8 @seq
                        synced_with uint16 in 1..63999
                        reserved(16) any
                    } else {
                        source char(64) utf8
                        reserved(32) any
                        list Layer
                        within(list.length - 2) {
                            vector2   uint32 == 1
                            page      uint8
                            last      uint8 in page..255
                            universes [rest, max 512]uint16 in 1..63999
                        }
                    }
                }
            }
        }
    }
}
