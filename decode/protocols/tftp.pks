// TFTP: RFC 1350 with the options of RFC 2347. A server answers from a port of its own, so all but the first packet of
// a transfer need -p tftp.
//
// Not here: what options mean (RFC 2348, 2349, 7440), and the translation of netascii.
protocol tftp
order msb
port 69
max datagram 65468 // RFC 2348: a block has at most 65,464 bytes

enum Op : uint16 {
    Rrq   = 1
    Wrq   = 2
    Data  = 3
    Ack   = 4
    Error = 5
    Oack  = 6
}

struct Option {
    name  cstring(64)
    value cstring(64)
}

packet {
    op Op
    body switch op {
        Rrq, Wrq: {
            filename cstring(256)
            mode     cstring(16)
            options  [rest, max 16]Option
        }
        Data: {
            block uint16 @seq
            data  bytes(rest, max 65464)
        }
        Ack: {
            block uint16
        }
        Error: {
            code    uint16
            message cstring(256)
        }
        Oack: {
            options [rest, max 16]Option
        }
    }
}
