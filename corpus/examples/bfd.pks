// BFD: RFC 5880, control packets, with their authentication.
//
// From the RFC. Its packets are BIRD's, held against tshark.
//
// Not here: the echo packets, whose content is local, and what RFC 5880 says of sessions; diagnostics of later RFCs
// (6428), points to many (8562).
protocol bfd
order msb
port 3784, 4784
max datagram 9216

open enum Diagnostic : bits(5) {
    None             = 0
    DetectionExpired = 1
    EchoFailed       = 2
    NeighborDown     = 3
    PlaneReset       = 4
    PathDown         = 5
    ConcatPathDown   = 6
    AdminDown        = 7
    ReversePathDown  = 8
}

enum State : bits(2) { AdminDown = 0, Down = 1, Init = 2, Up = 3 }

enum Authentication : uint8 { Password = 1, Md5 = 2, MeticulousMd5 = 3, Sha1 = 4, MeticulousSha1 = 5 }

packet {
    version            bits(3) == 1
    diagnostic         Diagnostic
    state              State
    poll               bool
    final              bool
    control_plane      bool
    authenticated      bool
    demand             bool
    multipoint         bool == false
    multiplier         uint8 != 0
    length             uint8 in 24..255
    my_discriminator   uint32 != 0 @hex
    your_discriminator uint32      @hex
    min_tx             uint32      @unit("us")
    min_rx             uint32      @unit("us")
    min_echo_rx        uint32      @unit("us")
    // Who knows no discriminator of the other can only be down.
    require your_discriminator != 0 || state == State.Down || state == State.AdminDown
    within(length - 24) {
        if authenticated {
            auth_type   Authentication
            auth_length uint8 in 4..28
            require auth_length == length - 24
            key_id uint8
            auth switch auth_type {
                Password:             { password bytes(rest, max 16) @secret }
                Md5, MeticulousMd5:   { reserved(8) any, sequence uint32 @seq, digest bytes(16) }
                Sha1, MeticulousSha1: { reserved(8) any, sequence uint32 @seq, hash bytes(20) }
            }
        }
    }
    // RFC 5880 section 6.8.6 discards no packet for it; large packets are filled so (RFC 9764).
    if rest > 0 { padding bytes(rest, max 9192) }
}
