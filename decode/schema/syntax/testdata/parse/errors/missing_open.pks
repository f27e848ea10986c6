protocol missing
order lsb
struct A //! want `{`, got the end of the line
    a uint8
    b unit8 //! did you mean `uint8`?
}
packet {
    a A
    if a.a == 1 //! want `{`, got the end of the line
        c unit8 //! did you mean `uint8`?
    }
    d unit8 //! did you mean `uint8`?
}
