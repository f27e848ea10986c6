protocol extra
order lsb
struct A {
    a uint8
    }
    b uint8 //! unknown declaration `b`; fields are inside `struct Name { … }` or `packet { … }`
    c uint8
}
struct B {
    c unit8 //! did you mean `uint8`?
}
