protocol types
order lsb
struct PlayerState { id uint8 }
packet {
    health unit8 //! unknown type `unit8`; did you mean `uint8`?
    a u8 //! unknown type `u8`; did you mean `uint8`?
    b i32 //! unknown type `i32`; did you mean `int32`?
    c byte //! unknown type `byte`; did you mean `uint8`?
    d double //! unknown type `double`; did you mean `float64`?
    e int //! `int` needs its range; write `int(0..100)`, or `int32` for a fixed width
    f float //! `float` needs its range and step; write `float32`, or `float(0..1, 0.01)`
    g string //! `string` needs its size; write `string(16)`
    h bytes @text //! `bytes` needs its size
    i uint32_t //! did you mean `uint32`?
    j u16le //! unknown type `u16le`; did you mean `uint16 le`?
    k uint16be //! did you mean `uint16 be`?
    l player_state //! unknown type `player_state`; did you mean `PlayerState`?
    m playerState //! did you mean `PlayerState`?
    n vec3 //! `vec3` needs the type of its components; write `vec3(float32)`
    o quat //! `quat` needs the type of its components
    p uint16 LE //! a byte order is `le` or `be`; write `le`
    q uint8(4) //! `uint8` takes no arguments; remove the parentheses
    r char[16] //! `char` needs its size in parentheses; write `char(16)`
    s int(0,10) //! a range is written with `..`; write `int(0..10)`
    t int(8) //! `int` takes a range; write `int(0..8)`, or `bits(8)` for a width
    u float(0, 1, 0.1) //! a range is written with `..`
    v float(0..1) //! `float` needs its step
    w union { a uint8, b uint8 } //! a union is `name switch tag { … }`
    x struct { a uint8 } //! an inline struct has no word in front; write `name { … }`
    y padding //! want a type, got `padding`; write `reserved(8)`, or `align`, without a name
    z boolean in 0..3 //! unknown type `boolean`; did you mean `bool`?
    aa trailer //! unknown type `trailer`
    bb 12 //! want a type, got `12`
    cc vec3(unit8) in 0..3 //! unknown type `unit8`
    dd quat smallest3 //! `smallest3` needs the bits of a component
    ee subset [4]uint8 //! want `(` after `subset`
    ff subset(bitmpa) [4]uint8 //! unknown subset `bitmpa`; did you mean `bitmap`?
    fg subset(bitmap any) [4]uint8 //! a bitmap has one order: `any` is for index and sentinel
    fh subset(relative any) [4]uint8 //! a relative has one order: `any` is for index and sentinel
    gg subset(index) uint8 //! a subset is of an array
    hh crc32(prefix 1) //! want `:` and the prefix's type, got `)`; write `prefix 1 : uint32`
    ii crc32(prefix 1 : bits(16)) //! the type of a prefix is like `uint32`, got `bits`
    jj crc32(over 7) //! want fields after `over`, got `7`
    kk crc32(poly 3) //! want `prefix`, `suffix`, `over`, `xor` or `check`, got `poly`
    ll crc32(over rest, over rest) //! `over` is here twice
    mm crc32(over rest, over rest) //! `over` is here twice
    nn (uint8) //! want a type, got `(`
    oo int(0 5) //! want `..`, got `5`
    pp optional<int(0..3)> //! want a type, got `<`; write `optional int(0..3)`
    qq optional<A> @text //! want a type, got `<`; write `optional A`
    rr optional<optional<A>> //! want a type, got `<`; write `optional optional A`
    ss optional < 3 //! want a type, got `<`; write `optional T`
    optional<uint8> tt //! want a type, got `<`; write `tt optional uint8`
    last uint8
}
