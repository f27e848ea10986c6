// sFlow: "sFlow Version 5" (sFlow.org, July 2004), with the samples and the records that most agents send, and "sFlow
// Dropped Packet Notification Structures". All is XDR (RFC 4506): integers have 32 bits, bytes are padded to four. What is
// not known here is skipped by its length, and a structure may grow at its end.
protocol sflow
order msb
port 6343
max datagram 1500

struct Address {
    type uint32 in 0..2
    value switch type {
        0: empty // unknown
        1: bytes(4) @ipv4
        2: bytes(16) @ipv6
    }
}

// Records of flows.
struct FlowRecord {
    company bits(20)
    format  bits(12)
    let kind = company << 12 | format
    length uint32
    require length % 4 == 0
    within(length) {
        data switch kind {
            1: {
                protocol uint32
                frame    uint32 @unit("bytes")
                stripped uint32 @unit("bytes")
                size     uint32
                header   bytes(size, max 1500)
                align(32)
            }
            2: {
                frame  uint32
                source bytes(6) @mac
                reserved(16)
                destination bytes(6) @mac
                reserved(16)
                type uint32
            }
            3: {
                frame            uint32
                protocol         uint32
                source           bytes(4) @ipv4
                destination      bytes(4) @ipv4
                source_port      uint32
                destination_port uint32
                tcp_flags        uint32
                service          uint32
            }
            4: {
                frame            uint32
                protocol         uint32
                source           bytes(16) @ipv6
                destination      bytes(16) @ipv6
                source_port      uint32
                destination_port uint32
                tcp_flags        uint32
                priority         uint32
            }
            1001: {
                source_vlan          uint32
                source_priority      uint32
                destination_vlan     uint32
                destination_priority uint32
            }
            1002: {
                next_hop         Address
                source_mask      uint32
                destination_mask uint32
            }
            1003: {
                next_hop    Address
                as          uint32
                source_as   uint32
                source_peer uint32
                path_count  uint32
                paths       [path_count, max 180]{
                    type  uint32 in 1..2
                    count uint32
                    as    [count, max 375]uint32
                }
                community_count uint32
                communities     [community_count, max 375]uint32
                preference      uint32
            }
            1036: { queue uint32 }
            1037: {
                number uint32
                size   uint32
                name   bytes(size, max 1500) ascii
                align(32)
                direction uint32
            }
            1038: {
                size   uint32
                symbol bytes(size, max 1500) ascii
                align(32)
            }
            default: empty
        }
        newer bytes(rest, max 1500)
    }
}

struct CounterRecord {
    company bits(20)
    format  bits(12)
    let kind = company << 12 | format
    length uint32
    require length % 4 == 0
    within(length) {
        data switch kind {
            1: {
                index              uint32
                type               uint32
                speed              uint64
                direction          uint32
                status             uint32
                in_octets          uint64
                in_unicast         uint32
                in_multicast       uint32
                in_broadcast       uint32
                in_discards        uint32
                in_errors          uint32
                in_unknown         uint32
                out_octets         uint64
                out_unicast        uint32
                out_multicast      uint32
                out_broadcast      uint32
                out_discards       uint32
                out_errors         uint32
                promiscuous        uint32
            }
            2: {
                alignment_errors  uint32
                fcs_errors        uint32
                single_collision  uint32
                many_collisions   uint32
                sqe_test_errors   uint32
                deferred          uint32
                late_collisions   uint32
                excessive         uint32
                internal_transmit uint32
                carrier_sense     uint32
                too_long          uint32
                internal_receive  uint32
                symbol_errors     uint32
            }
            default: empty
        }
        newer bytes(rest, max 1500)
    }
}

packet {
    version   uint32 == 5
    agent     Address
    sub_agent uint32
    sequence  uint32 @seq
    uptime    uint32 @unit("ms")
    count     uint32
    samples   [count, max 184]{
        company bits(20)
        format  bits(12)
        let kind = company << 12 | format
        length uint32
        require length % 4 == 0
        within(length) {
            body switch kind {
                1: {
                    sequence      uint32
                    source_type   uint8
                    source_index  bits(24)
                    rate          uint32
                    pool          uint32
                    drops         uint32
                    input_format  bits(2)
                    input         bits(30)
                    output_format bits(2)
                    output        bits(30)
                    record_count  uint32
                    records       [record_count, max 184]FlowRecord
                }
                2: {
                    sequence     uint32
                    source_type  uint8
                    source_index bits(24)
                    record_count uint32
                    records      [record_count, max 184]CounterRecord
                }
                3: {
                    sequence      uint32
                    source_type   uint32
                    source_index  uint32
                    rate          uint32
                    pool          uint32
                    drops         uint32
                    input_format  uint32
                    input         uint32
                    output_format uint32
                    output        uint32
                    record_count  uint32
                    records       [record_count, max 184]FlowRecord
                }
                4: {
                    sequence     uint32
                    source_type  uint32
                    source_index uint32
                    record_count uint32
                    records      [record_count, max 184]CounterRecord
                }
                5: {
                    sequence     uint32
                    source_type  uint32
                    source_index uint32
                    drops        uint32
                    input        uint32
                    output       uint32
                    reason       uint32
                    record_count uint32
                    records      [record_count, max 184]FlowRecord
                }
                default: empty
            }
            newer bytes(rest, max 1500)
        }
    }
}
