// sFlow 5: samples of the packets that a switch forwards, and of its counters, in XDR.
//
// From sflow_version_5.txt (sflow.org). No sender was at hand: generated packets are held against tshark, the datagram's
// own fields.
//
// What fills up a sampled header is zero in XDR (RFC 4506 section 4.10). Switches send what their buffer held, and
// collectors skip it, since the size has said where the header ends: so it is taken, with a note, and not refused.
// Not here: records of other enterprises, those of sflow_80211, sflow_http and the like, MIB counters of other media, all
// of which are bytes.
protocol sflow
order msb
port 6343
max datagram 1500

// A format is that of an enterprise: 0 is sflow.org.
enum Sample : uint32 { Flow = 1, Counters = 2, ExpandedFlow = 3, ExpandedCounters = 4 }
enum FlowRecord : uint32 { Header = 1, Ethernet = 2, Ipv4 = 3, Switch = 1001, Router = 1002 }
enum CounterRecord : uint32 { Interface = 1, Ethernet = 2, Processor = 1001 }

open enum Header : uint32 { Ethernet = 1, Ppp = 7, Ipv4 = 11, Ipv6 = 12 }

struct Address {
    kind uint32 in 1..2
    if kind == 1 { ipv4 uint32 @ipv4 } else { ipv6 bytes(16) @ipv6 }
}

struct FlowRecords {
    count uint32 in 0..16
    records [count]{
        format uint32
        length uint32 in 0..1400
        within(length) {
            value switch format {
                FlowRecord.Header: {
                    protocol Header
                    frame    uint32 @unit("bytes")
                    stripped uint32 @unit("bytes")
                    size     uint32 in 0..1344
                    bytes_   bytes(size)
                    align(32) any // XDR's padding; see above
                }
                FlowRecord.Ethernet: {
                    length uint32
                    from   bytes(6) @mac
                    reserved(16) any
                    to bytes(6) @mac
                    reserved(16) any
                    type uint32 @hex
                }
                FlowRecord.Ipv4: {
                    length    uint32
                    protocol  uint32
                    from      uint32 @ipv4
                    to        uint32 @ipv4
                    from_port uint32 in 0..65535
                    to_port   uint32 in 0..65535
                    tcp_flags uint32 @hex
                    tos       uint32
                }
                FlowRecord.Switch: {
                    in_vlan      uint32
                    in_priority  uint32
                    out_vlan     uint32
                    out_priority uint32
                }
                FlowRecord.Router: {
                    next      Address
                    from_bits uint32 in 0..128
                    to_bits   uint32 in 0..128
                }
                default: bytes(rest, max 1400)
            }
        }
    }
}

struct CounterRecords {
    count uint32 in 0..16
    records [count]{
        format uint32
        length uint32 in 0..1400
        within(length) {
            value switch format {
                CounterRecord.Interface: {
                    index        uint32
                    type         uint32
                    speed        uint64 @unit("bit/s")
                    direction    uint32 in 0..4
                    status       uint32
                    in_octets    uint64
                    in_packets   [3]uint32 // unicast, multicast, broadcast
                    in_discards  uint32
                    in_errors    uint32
                    in_unknown   uint32
                    out_octets   uint64
                    out_packets  [3]uint32
                    out_discards uint32
                    out_errors   uint32
                    promiscuous  uint32
                }
                CounterRecord.Ethernet: [13]uint32
                CounterRecord.Processor: {
                    load_5s uint32 @scale(0.01) @unit("%")
                    load_1m uint32 @scale(0.01) @unit("%")
                    load_5m uint32 @scale(0.01) @unit("%")
                    memory  uint64 @unit("bytes")
                    free    uint64 @unit("bytes")
                }
                default: bytes(rest, max 1400)
            }
        }
    }
}

packet {
    version   uint32 == 5
    agent     Address
    sub_agent uint32
    sequence  uint32
    uptime    uint32 @unit("ms")
    count     uint32 in 0..32
    samples [count]{
        format uint32
        length uint32 in 0..1472
        within(length) {
            sample switch format {
                Sample.Flow: {
                    sequence     uint32
                    source_type  uint8
                    source_index bits(24)
                    rate         uint32 != 0
                    pool         uint32
                    drops        uint32
                    input        uint32 @hex // the highest two bits say what the others are
                    output       uint32 @hex
                    flow         FlowRecords
                }
                Sample.ExpandedFlow: {
                    sequence      uint32
                    source_type   uint32
                    source_index  uint32
                    rate          uint32 != 0
                    pool          uint32
                    drops         uint32
                    input_format  uint32
                    input         uint32
                    output_format uint32
                    output        uint32
                    flow          FlowRecords
                }
                Sample.Counters: {
                    sequence     uint32
                    source_type  uint8
                    source_index bits(24)
                    counters     CounterRecords
                }
                Sample.ExpandedCounters: {
                    sequence     uint32
                    source_type  uint32
                    source_index uint32
                    counters     CounterRecords
                }
                default: bytes(rest, max 1472)
            }
        }
    }
}
