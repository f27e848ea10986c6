protocol enums
order lsb
enum Kind { Hello, Input = 1, State } //! Kind has no base type; write `enum Kind : uint8 {` //! write `Hello = 0` //! write `State = 2`
enum Large { A = 300, B, C = -1 } //! write `enum Large : int16 {` //! write `B = 301`
enum Step { A = -1 } //! write `enum Step : int8 {`
enum Huge { A = 0xFFFF_FFFF_FF } //! write `enum Huge : uint64 {`
flags Keys { A, B, C = 1 << 9 } //! write `flags Keys : uint16 {` //! write `A = 1` //! write `B = 2`
enum Full : bits(2) { A = 1, B = 2, C = 3, D, E } //! write `D = 0` //! give it a value of its own, and the base type room for that
flags Full2 : bits(2) { A = 3, B, C, D } //! write `B = 1` //! write `C = 2` //! give it a value of its own
enum From : int(3..5) { A, B = 4, C } //! write `A = 3` //! write `C = 5`
enum Signed : int8 { A = 127, B } //! write `B = 0`
enum Wide : uint2 { A = 0 } //! unknown type `uint2`; did you mean `bits(2)`?
enum Wide5 : int5 { A = 0 } //! unknown type `int5`; write `int(-16..15)`
enum Wide24 : uint24be { A = 0 } //! did you mean `bits(24) be`?
enum Wide128 : uint128 { A = 0 } //! the widest are `uint64` and `int64`
