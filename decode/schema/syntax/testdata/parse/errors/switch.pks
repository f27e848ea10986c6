protocol arms
order lsb
packet {
    t uint8
    body switch t {
        case 1: uint8 //! an arm is written without `case`; write `1: …`
        2 uint8 //! missing `:` before what the arm holds; an arm is `A: T`
        3 => uint8 //! there is no `=>`; an arm is written `A: T`
        4: unit8 //! did you mean `uint8`?
        5: { a u8 } //! did you mean `uint8`?
        6: //! the arm holds nothing; write `empty` where nothing is sent
        7, 8: uint8[4] //! write `[4]uint8`
        10: none //! unknown type `none`
        11: uint8 = 3 //! write `==`
        12..14: empty
        15: 16 //! want a type, got `16`
        17: uint8
        else: empty //! the arm for all other values is `default`; write `default:`
        default empty //! missing `:` before what the arm holds
    }
    other switch (t) { 1: u8, 2: i8 } //! did you mean `uint8`? //! did you mean `int8`?
    third switch t { 1: , 2: uint8, 3 -> uint8 } //! want a type, got `,` //! there is no `->`
    fourth switch { 1: uint8 } //! want a value, got `{`
    last unit8 //! did you mean `uint8`?
}
