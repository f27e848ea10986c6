// Art-Net 4: lighting, DMX512 over UDP. From "Specification for the Art-Net 4 Ethernet Communication Protocol"; numbers are
// little-endian where it says nothing else. Opcodes that are not here are refused.
//
// Not here: all opcodes but three: RDM, firmware, time codes, triggers and the rest of the specification.
protocol artnet
order lsb
port 6454
max datagram 600

enum OpCode : uint16 {
    Poll      = 0x2000
    PollReply = 0x2100
    Dmx       = 0x5000
}

packet {
    id     bytes(8) == "Art-Net\0"
    opcode OpCode
    body switch opcode {
        Poll: {
            version  uint16 be in 14..65535
            flags    uint8
            priority uint8
            targets  bytes(rest, max 8) // the ports and the maker that shall answer
        }
        PollReply: {
            address      bytes(4) @ipv4
            port         uint16
            firmware     uint16 be
            net_switch   uint8
            sub_switch   uint8
            oem          uint16 be
            ubea_version uint8
            status       uint8
            maker        uint16
            short_name   bytes(18) @text
            long_name    bytes(64) @text
            report       bytes(64) @text
            ports        uint16 be in 0..4
            port_types   [4]uint8
            good_input   [4]uint8
            good_output  [4]uint8
            sw_in        [4]uint8
            sw_out       [4]uint8
            video        uint8
            macro        uint8
            remote       uint8
            spare        bytes(3)
            style        uint8
            mac          bytes(6) @mac
            bind_address bytes(4) @ipv4
            bind_index   uint8
            status2      uint8
            newer        bytes(rest, max 40) // grows from version to version
        }
        Dmx: {
            version  uint16 be in 14..65535
            sequence uint8 // 1..255 for each universe, 0 where there is none
            physical uint8
            universe uint16 in 0..0x7FFF
            length   uint16 be in 2..512
            require length % 2 == 0
            data bytes(length)
        }
    }
}
