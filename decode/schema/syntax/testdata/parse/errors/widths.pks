protocol widths
order lsb
packet {
    a uint2 //! unknown type `uint2`; did you mean `bits(2)`?
    b uint63 //! did you mean `bits(63)`?
    c int5 //! did you mean `sbits(5)`?
    d u24 //! did you mean `bits(24)`?
    e uint128 //! did you mean `bytes(16)`?
    f uint24le //! did you mean `bits(24) le`?
    g uint65 //! did you mean `uint64`?
    uint12 h //! the name comes first; write `h bits(12)`
    i uint0 //! did you mean `uint8`?
    u10 uint8
    j zork //! unknown type `zork`; a type is like `uint8`, `bits(4)`
}
