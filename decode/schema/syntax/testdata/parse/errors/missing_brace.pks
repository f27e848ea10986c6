protocol missing
order lsb
struct A {
    a uint8
    if a == 1 {
        b uint8
    } //! missing `}`: the `{` at 3:10 is not closed
struct B {
    c unit8 //! did you mean
}
packet { a A }
