// CoAP: RFC 7252, with its blocks (RFC 7959) and observations (RFC 7641).
//
// Not here: the options of RFC 8613 (OSCORE), RFC 8768 and RFC 9175, RFC 7967, which are bytes; what codes and formats
// of content mean; CoAP over TCP (RFC 8323).
protocol coap
order msb
port 5683
max datagram 1500

enum Type : bits(2) { Con = 0, Non = 1, Ack = 2, Rst = 3 }

struct Option {
    delta  bits(4) in 0..14
    length bits(4) in 0..14
    if delta == 13 {
        delta8 uint8
        let _step = delta8 + 13
    } else if delta == 14 {
        delta16 uint16
        let _step = delta16 + 269
    } else {
        let _step = delta
    }
    if length == 13 {
        length8 uint8
        let _size = length8 + 13
    } else if length == 14 {
        length16 uint16
        let _size = length16 + 269
    } else {
        let _size = length
    }
    let number in 0..65535 = prev(number, 0) + _step
    // Numbers without a name here are bytes.
    value switch number {
        // Observe, Uri-Port, Content-Format, Max-Age, Accept, Size2, Size1: leading zero bytes may be left out,
        // all of them where it is 0
        6, 7, 12, 14, 17, 28, 60: {
            if _size in 0..4 { uint bits(_size * 8) } else { odd bytes(_size, max 1034) }
        }
        // Block2, Block1
        23, 27: {
            if _size == 0 {
                let block = 0
                let more = false
                let size = 0
            } else if _size in 1..3 {
                block bits(_size * 8 - 4)
                more  bool
                size  bits(3) // of a block: 2 to the power of this and 4 more
            } else {
                odd bytes(_size, max 1034)
            }
        }
        // Uri-Host, Location-Path, Uri-Path, Uri-Query, Location-Query, Proxy-Uri, Proxy-Scheme
        3, 8, 11, 15, 20, 35, 39: bytes(_size, max 1034) utf8
        default:                  bytes(_size, max 1034)
    }
}

packet {
    version      bits(2) == 1
    type         Type
    token_length bits(4) in 0..8
    code_class   bits(3)
    code_detail  bits(5)
    let code = code_class * 32 + code_detail
    message_id uint16
    token      bytes(token_length)
    options    [while rest > 0 && peek(8) != 0xFF, max 64]Option
    if rest > 0 {
        marker uint8 // 255: at nothing else do the options end
        require rest > 0
        payload bytes(rest, max 1400)
    }
}
