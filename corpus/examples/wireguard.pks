// WireGuard: the four messages of its protocol, version 1. What they seal stays sealed.
//
// From the page "Protocol & Cryptography" of wireguard.com and its whitepaper. No sender was at hand: generated packets are held against
// tshark.
//
// Not here: whether a packet is authentic: its MACs and what is sealed are bytes.
protocol wireguard
order lsb
port 51820
max datagram 65507

enum Kind : uint8 { Initiation = 1, Response = 2, Cookie = 3, Data = 4 }

packet {
    kind Kind
    reserved(24)
    body switch kind {
        Initiation: {
            sender    uint32 @hex
            ephemeral bytes(32)
            static    bytes(48)
            timestamp bytes(28)
            mac1      bytes(16)
            mac2      bytes(16)
        }
        Response: {
            sender    uint32 @hex
            receiver  uint32 @hex
            ephemeral bytes(32)
            nothing   bytes(16)
            mac1      bytes(16)
            mac2      bytes(16)
        }
        Cookie: {
            receiver uint32 @hex
            nonce    bytes(24)
            cookie   bytes(32)
        }
        Data: {
            receiver uint32 @hex
            counter  uint64 @seq
            // The packet inside is padded to a multiple of 16 bytes, but not beyond the MTU (whitepaper, section 5.4.6).
            sealed bytes(rest - 16, max 65475)
            tag    bytes(16)
        }
    }
}
