protocol open
order lsb
struct A {
    a bytes(3) == "abc } //! the string has no closing quote on its line
struct B { a A, check "end } //! the string has no closing quote on its line
packet {
    b B
    c uint8 @unit("px) //! the string has no closing quote on its line
    if c == 1 { //! missing `}`
