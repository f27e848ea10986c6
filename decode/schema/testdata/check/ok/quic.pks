// The headers of QUIC version 1: a short one does not say how long the id is that it is sent to.
protocol quic
order msb
port 443

enum Packed : bits(2) { Initial = 0, ZeroRTT = 1, Handshake = 2, Retry = 3 }

state {
    each cid_len int(0..20) once // of the ids by which this side is called
    moved        bool once
}

packet {
    long  bool
    fixed bool == true
    if long {
        kind     Packed
        packed   bits(4)
        version  uint32 == 1
        dcid_len uint8 in 0..20
        dcid     bytes(dcid_len)
        scid_len uint8 in 0..20
        scid     bytes(scid_len)
        let state.cid_len = scid_len
        if kind == Packed.Retry && !has state.moved { let state.moved = true }
        protected bytes(rest, max 1500)
    } else {
        packed    bits(6)
        dcid_2    bytes(state.cid_len.peer)
        protected bytes(rest, max 1500)
    }
}
