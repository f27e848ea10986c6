protocol fields
order lsb
struct Player { id uint8 }
packet {
    uint8 id //! the name comes first; write `id uint8`
    Player player //! the name comes first; write `player Player`
    Player players[4] //! the name comes first; write `players [4]Player`
    Player[4] friends //! the name comes first; write `friends [4]Player`
    u8 b[16] //! the name comes first; write `b [16]uint8`
    bits(4) nibble //! the name comes first; write `nibble bits(4)`
    char name[16] //! the name comes first; write `name char(16)`
    repeated uint32 ids //! the name comes first; write `ids [..n]uint32`
    optional uint8 armor //! the name comes first; write `armor optional uint8`
    unsigned int flags //! the name comes first; write `flags uint32`
    uint16 x, y, z //! the name comes first; write `x uint16`
    int32 query = 1; //! the name comes first, and no `;` comes after a field; write `query int32`
    struct Inner { a uint8 } //! a named struct is declared at the top level
    semi uint8; //! no semicolons: the end of the line ends an item; remove the `;`
    colon: uint8 //! no `:` between a name and its type; write `colon uint8`
    playerCount uint8 //! a field's name is in snake_case; write `player_count`
    Health uint8 //! a field's name is in snake_case; write `health`
    player-count uint8 //! a name has `_`, not `-`; write `player_count`
    alone //! the field `alone` has no type; write `alone uint8`
    count = 5 //! the field `count` has no type; a computed value is `let count = …`
    fixed uint8 = 5 //! write `==` for a field that always has this value
    arr uint8[4] //! the count of an array comes before its type; write `[4]uint8`
    grid uint8[4][4] //! the count of an array //! the count of an array
    open []uint8 //! an array has a count; write `[n]T`, `[..n]T` to send the count, or `[rest, max n]T`
    nomax [rest max 4]uint8 //! missing `,` before `max`; write `[rest, max n]T`
    loops [until id == 3]uint8 //! the array has no bound; write `[until e, max n]T`
    bound [rest, 4]uint8 //! want `max` after the comma, got `4`; write `[rest, max n]T`
    less uint8 < 5 //! a rule is `in`, `==`, `!=`, `finite` or an encoding as `utf8`; write `in a..b`
    many uint8 in 1, 2, 3 //! several values of a rule are in braces: `in {1, 2}`
    both uint8 != 0 && many < 3 //! a field has one simple rule; write a `require` on a line of its own
    two float32 finite in 0..1 //! a field has one rule
    late uint16 in 0..5 be //! `be` comes right after the type
    note uint16 @unit("px") in 0..5 //! a rule comes before the annotations
    early @seq uint16 //! an annotation comes after the field's type
    @seq //! an annotation comes after what it is about
    under uint16
    opt uint8 optional //! `optional` comes before the type; write `optional uint8`
    maybe uint8? //! there is no operator `?`; a value that may be missing is `optional T`
    cond uint8 if opt //! write `if e { … }` around the field
    a uint8 b uint8 //! `b` follows on the same line
    rest uint8 //! want a field's name, got `rest`, which is a reserved word; call it `rest_`
    peek uint8
    trailer uint8
    dots uint8 in 0...5 //! a range has two dots; write `a..b`
    incl uint8 in 0..=5 //! the upper end of a range is always included
    [4]uint8 //! a field starts with its name
    square uint8 in [1, 2] //! a set is in braces
    cap uint8 @Unit("m") //! an annotation's name is in lower case; write `@unit`
    noname uint8 @ //! want an annotation's name, got the end of the line
    openrange uint8 in 0.. @seq //! want a value, got `@`
    trail uint8 "x" //! want the end of the line, got a string
    bare { uint8 } //! the field `uint8` has no type
    last uint8
}
