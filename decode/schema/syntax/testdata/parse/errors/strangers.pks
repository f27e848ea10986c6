protocol strangers
order lsb
port udp 5 //! all ports are of UDP; write `port 5`
packet {
    uint8_t team : 2; //! the name comes first, and no `;` comes after a field; write `team bits(2)`
    unsigned alive : 1; //! the name comes first, and no `;` comes after a field; write `alive bits(1)`
    int16_t yaw : 9; //! the name comes first, and no `;` comes after a field; write `yaw sbits(9)`
    a bool:1 //! the number of bits is in parentheses; write `bool`
    b uint8:7 //! the number of bits is in parentheses; write `bits(7)`
    c uint(7) //! unknown type `uint`; did you mean `bits(7)`?
    d uint:7 //! unknown type `uint`; did you mean `bits(7)`?
    e i:7 //! unknown type `i`; did you mean `sbits(7)`?
    f int(0-100) //! `int` takes a range; write `int(0..100)`
    g int(-100) //! `int` takes a range; write `int(-100..0)`
    crc32(prefix 5 : uint32) //! want a type, got `(`; write a name before `crc32`
    end check 0x51A7E0FF //! want a type, got `check`; write `check VALUE` on a line of its own, without a name
    h: int(0..12) in 1..2 //! no `:` between a name and its type; write `h int(0..12) in 1..2`
    i: [3]uint8 //! no `:` between a name and its type; write `i [3]uint8`
    j: { k bool } //! no `:` between a name and its type; write `j {`
    l float(-256..256) //! `float` needs its step; write `float(-256..256, 0.01)`
    m float(0..1e3, 0.5) //! a number has no exponent; write `1000`
    serialize_check 5 //! want a type, got `5`; write `check 5`, without a name
    magic "ABCD" //! want a type, got a string; write `check "ABCD"`, without a name
    pad 3 //! want a type, got `3`; write `reserved(3)`, or `align`, without a name
}
