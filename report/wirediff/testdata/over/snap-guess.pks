protocol guess
order lsb
packet {
    crc crc32(prefix 0x676962b4 : uint32)
    sequence uint16
    ack_bits bits(48)
    position vec3(bits(21))
    orientation quat smallest3(10)
    velocity vec3(bits(12))
    at_rest bool
    health bits(7)
    ammo bits(5)
    weapon bits(3) in 0..4
    score bits(17)
    left bytes(rest, max 3)
}
