#define Max 4 //! there is no preprocessor; a constant is `const Name = value`
protocol ranges
# a comment //! `#` starts no comment; comments start with `//`
#endif //! there is no preprocessor; remove the line
order lsb; port 5 //! no semicolons: the end of the line ends an item; begin a new line instead
port 41000 41001 //! a `,` is between two ports; write `port 41000, 41001`
packet {
    a uint8; b uint8 //! no semicolons: the end of the line ends an item; write `,` or a new line between items
    c uint8; } //! remove the `;`
struct S {
    a uint8(0..3) //! `uint8` takes no arguments; write `uint8 in 0..3` or `int(0..3)`
    b float32(0..1) //! write `float32 in 0..1`
    c uint8(3) //! remove the parentheses
    d bool(0..1) //! remove the parentheses
    e uint8 0..3 @seq //! a range comes after `in`; write `in 0..3`
    f int8 -1..Max //! write `in -1..Max`
    g float32 0.5..1.5 //! write `in 0.5..1.5`
    h uint8 3 //! want the end of the line, got `3`
    i int(1,120) //! a range is written with `..`; write `int(1..120)`
    j int(1, 120) in 3..4 //! write `int(1..120)`
    k float(0, 1, 0.01) //! write `float(0..1, 0.01)`
    l float(0, 1) //! write `float(0..1)` //! `float` needs its step
    m crc32(ProtocolId) //! want `prefix`, `suffix`, `over`, `xor` or `check`, got `ProtocolId`; write `crc32(prefix ProtocolId : uint32)`
    n crc32c(0x1234) //! write `crc32c(prefix 0x1234 : uint32)`
    n1 uint8 in (0..100) //! a range has no parentheses; write `in 0..100`
    n2 uint8 in ((1 + 1)..Max) @seq //! write `in (1 + 1)..Max`
    require a in (1..3) && b > 1 //! write `in 1..3`
    n3 uint8 in (1) + 2..(4)
    n4 uint8 in (1..2, 4) //! a set is in braces
    "hello" //! want an item, got a string; a fixed text is a field with a rule: `magic bytes(5) == "hello"`
    = 4 //! want an item, got `=`; an item is a field, like `id uint8`, or starts with `if`
    (x) //! want an item, got `(`; an item is a field
    @@ //! want an item, got `@`; an item is a field
    7 //! want an item, got `7`; an item is a field
    o uint8 in 1, 2 //! want an item, got `2`; several values of a rule are in braces: `in {1, 2}`
}
