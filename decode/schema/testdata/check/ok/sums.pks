// A checksum over what follows it, between a value of the header and a byte that both ends know for it.
protocol sums
order lsb
port 9000

packet {
    id     uint8
    length uint8
    let extra = id % 7 + 3
    sum    crc16_mcrf4xx(over rest, prefix length : uint8, suffix extra : uint8, xor 0x1234, check 0x6F91) be
    data   bytes(length, max 20)
}
