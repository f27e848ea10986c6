// Frames of serial lines, as bridges send them over UDP: each has the checksum of its own world.
//
// From CCSDS 133.0-B-2 with the checksum of 132.0-B-3 (space packets), the description of CRSF in Betaflight (radio
// control), the Modbus serial line protocol 1.02 and RFC 1071 (a header that sums itself).
//
// Not here: what frames hold, kinds of CRSF but those listed, and Modbus over TCP.
protocol serial
order msb
port 5511
max datagram 1500

struct SpacePacket {
    version  bits(3) == 0
    command  bool
    header   bool
    process  bits(11)
    grouping bits(2)
    sequence bits(14) @seq
    length   uint16 in 0..1023
    data     bytes(length + 1)
    sum      crc16_ibm_3740(over before)
}

packet {
    frame switch peek(8) {
        0x08..0x1F: SpacePacket
        // CRSF: several may follow each other.
        0xC8: {
            frames [rest, max 32]{
                sync   uint8 == 0xC8
                length uint8 in 2..62
                type   uint8
                data   bytes(length - 2)
                sum    crc8_dvb_s2(over type..data)
            }
        }
        // Modbus: the device, a function, and a CRC whose low byte comes first.
        0x01..0x07: {
            device   uint8
            function uint8
            data     bytes(rest - 2, max 252)
            sum      crc16_modbus(over device..data) le
        }
        // Modbus in ASCII has a complement of the sum in the place of the CRC, between a colon and the end of the line.
        ':': {
            begin uint8 == ':'
            block {
                device   uint8
                function uint8
                data     bytes(rest - 3, max 252)
            }
            sum lrc8(over block)
            end uint16 == 0x0D0A
        }
        // A header whose words add up to 0, as that of IPv4, and what it is in front of.
        0x45: {
            within(20) {
                version_size uint8 == 0x45
                service      uint8
                size         uint16
                id           uint16
                fragment     uint16
                hops         uint8
                protocol     uint8
                sum          inet16
                from         uint32 @ipv4
                to           uint32 @ipv4
            }
            payload bytes(rest, max 1480)
        }
    }
}
