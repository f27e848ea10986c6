protocol half_typed
order lsb
struct A { a uint8 }
struct Sums {
    crc crc_32(prefix 0x12345678 : uint32) //! unknown type `crc_32`; did you mean `crc32`?
    crc crc23(prefix 0x12345678 : uint32) //! unknown type `crc23`; did you mean `crc32`?
    crc CRC32(prefix 0x12345678 : uint32) //! unknown type `CRC32`; did you mean `crc32`?
    crc Crc_32c(over rest) //! unknown type `Crc_32c`; did you mean `crc32c`?
    crc crc_32 //! unknown type `crc_32`; did you mean `crc32`?
    crc crc_16 //! unknown type `crc_16`; `crc16` is no one algorithm
    checksum crc_32 //! unknown type `crc_32`; did you mean `crc32`?
    checksum crc_32(prefix 1 : uint32) //! unknown type `crc_32`; did you mean `crc32`?
    crc key //! the name comes first; write `key crc32`
    crc32 key //! the name comes first; write `key crc32`
}
struct Open {
    a crc32( //! missing `)`: the `(` at 17:12 is not closed
    sequence uint16
    b crc32(prefix //! missing `)`: the `(` at 19:12 is not closed
    sequence2 uint16
    c crc32(prefix 1 : uint32, //! missing `)`
    d A
    e crc32(over //! missing `)`
    f [3]A
    g crc(16, //! missing `)`
    h crc32
    i int( //! missing `)`: the `(` at 27:10 is not closed
    weapon A
    j int(0.. //! missing `)`
    k int(0..3)
    l vec3( //! missing `)`
    m bits(3)
    n bits(4 + //! missing `)`
    o optional A
    p [ //! missing `]`: the `[` at 35:7 is not closed
    q A
    r [until //! missing `]`
    s A
    t [rest, //! missing `]`
    u A
    v subset( //! missing `)`
    w A
    x uint8 in {1, //! missing `}`: the `{` at 43:16 is not closed
    y A
    z uint8 == //! want a value, got the end of the line
    aa A
    let ab = //! want a value, got the end of the line
    ac A
    require a == b && //! want a value, got the end of the line
    ad uint8
    ae bytes( //! missing `)`
    if a == 1 { af uint8 }
    ag A( //! missing `)`
    ah switch a {
        1: int( //! want a value, got `}`
    }
    ai uint8 @scale( //! missing `)`
    require a == 1
    within( //! missing `)`
    aj uint8
}
