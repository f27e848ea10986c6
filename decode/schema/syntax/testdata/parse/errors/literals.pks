protocol literals
order lsb
const A = 18446744073709551616 //! the number is too large; the largest is 2^64-1
const B = 0x1ffffffffffffffff //! the number is too large
const C = 1e9 //! a number has no exponent; write `1000000000`
const D = 1.5e-3 //! a number has no exponent
const E = 1. //! a number needs a digit after its point; write `1.0`
const F = .5 //! a number needs a digit before its point; write `0.5`
const G = 007 //! a number has no leading zero; there are no octal numbers: write `7`
const H = 0xZZ //! malformed hexadecimal number `0xZZ`
const I = 0X1F //! malformed hexadecimal number
const J = 0b12 //! malformed binary number
const K = 1__0 //! malformed number `1__0`; an underscore is between two digits
const L = 10u //! a number has no suffix; remove `u`
const M = 1.0f //! a number has no suffix; remove `f`
const N = 'AB' //! a character literal is one ASCII character
const O = 'A //! the character has no closing quote
const P = "abc //! the string has no closing quote on its line
const Q = "a\q" //! unknown escape in a string
const R = "a	b" //! a control character in a string
const S = "a\xZ1" //! unknown escape in a string
const T = é //! unexpected character `é`; names are made of ASCII letters
const U = $foo //! unexpected character `$`
const V = 18446744073709551615
const W = '' //! a character literal is one ASCII character
const X = 99999999999999999999999999.5
expect timeout 99999999999999999999s //! the duration is too long
