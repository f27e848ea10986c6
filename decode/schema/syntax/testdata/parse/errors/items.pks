protocol items
order lsb
packet {
    else { f uint8 } //! `else` without an `if`
    align 32 //! the number of bits is in parentheses; write `align(32)`
    reserved 4 //! write `reserved(4)`
    reserved //! `reserved` has a number of bits; write `reserved(n)`
    check(0x1234) //! no parentheses after `check`; write `check 0x1234`
    check uint8 //! want a number or a string after `check`, got `uint8`
    check -1 //! want a number or a string after `check`, got `-`
    let x == 4 //! a computed value is `let name = …`; write `=`
    let Y = 4 //! a name is in snake_case; write `y`
    let z //! a computed value is `let name = …`; got the end of the line
    require //! want a value, got the end of the line
    if x = 1 { a uint8 } //! a comparison is written `==`; write `==`
    if x == 1 and y == 2 or z == 3 { } //! there is no operator `and`; write `&&` //! there is no operator `or`; write `||`
    if not x { b uint8 } //! there is no operator `not`; write `!`
    if 0 < x < 5 { c uint8 } //! comparisons do not chain
    if x == 1..5 { d uint8 } //! a range comes after `in`; write `x in a..b`
    if (x == 1 { e uint8 } //! missing `)`: the `(` at 20:8 is not closed
    if x //! want `{`, got the end of the line
    else { f uint8 }
    elif x { } //! unknown word `elif`; write `else if`
    switch x { 1: uint8 } //! a switch has a name in front; write `body switch …`
    default: uint8 //! an arm outside a switch
    while x { a uint8 } //! `while` is no item; a loop is an array
    for i in 4 { a uint8 } //! there are no loops; an array is `name [count]T`
    within 4 { g uint8 } //! want `(` after `within`, got `4`; write `within(4) {`
    within(4 bytes) { h uint8 } //! a window is in bytes unless it says `bits`
    within(h bits zeros) { hz uint8 } //! a window of bits is not filled with zeros; remove it
    # a comment //! `#` starts no comment; comments start with `//`
    i uint8 /* why */ //! `/*` starts no comment
    if x
    { //! the `{` is at the end of the line that it belongs to; put it on the line above
        j unit8 //! did you mean `uint8`?
    }
    require x.1 //! a path does not reach into an array
    require x[1] == 2 //! a path does not reach into an array
    require Kind.Up.down //! a path ends with the case `Up`
    require x ~ 4 //! there is no operator `~`
    require x &^ 4 //! there is no operator `&^`
    require (x == ) //! want a value, got `)`
    require x == "a" //! want a value, got a string
    require x == 50ms //! a duration is in annotations and after `expect` only
    require x not in 3..4 //! there is no operator `not`; write `!(x in …)`
    require x. //! want a name after the `.`, got the end of the line
    require x.rest == 1 //! got `rest`, which is a reserved word
    require if == 1 //! want a value, got `if`, which is a reserved word
    , k uint8 //! want an item, got `,`
    "text" //! want an item, got a string
    require (x == Kind.
        Up) && from
    (server) //! want an item, got `(`
    last uint8
}
