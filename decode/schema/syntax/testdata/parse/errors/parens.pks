protocol parens
order lsb
packet {
    a bits(4 //! missing `)`: the `(` at 4:11 is not closed
    b [4 uint8 //! want `]`, got `uint8`
    c uint8 in {1, 2 //! missing `}`: the `{` at 6:16 is not closed
    d vec3(float(0..1, 0.1) //! missing `)`
    e float(
        0..1,
        bogus bogus //! want `)`, got `bogus`
    )
    f uint8 @unit("x" //! missing `)`
    g uint8 @unit() //! want a value, got `)`
    h [4] //! want a type, got the end of the line
    i unit8 //! did you mean `uint8`?
}
