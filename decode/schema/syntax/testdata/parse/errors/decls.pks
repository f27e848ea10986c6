protocol Decls //! the protocol's name is in lower case; write `decls`
order big //! unknown order `big`; did you mean `msb`?
order = lsb //! no `=` after `order`; remove it
order //! want `lsb`, `msb` or `bousk`, got the end of the line
port: 4124 //! no `:` after `port`; remove it
port //! want a value, got the end of the line
max datagramm 1200 //! unknown limit `datagramm`; did you mean `datagram`?
max 1200 //! want `datagram`, `fields` or `steps`, got `1200`; write `max datagram 1200`
const max_players = 4 //! a constant's name is in UpperCamel; write `MaxPlayers`
const Five == 5 //! a constant is `const Name = value`; write `=`
const Six 6 //! a constant is `const Name = value`; got `6`
param Count = 4 //! a parameter has a range that the command line must keep to; write `in a..b` after the value
enum Kind { A = 1 } //! Kind has no base type; write `enum Kind : uint8 {`
enum Kind2 uint8 { A = 1 } //! missing `:` before the base type; write `enum Kind2 : uint8`
enum : uint8 { A = 1 } //! the enum has no name; write `enum Name`
enum class Kind3 : uint8 { A = 1 } //! no `class` after `enum`; remove it
enum Kind4 : float32 { A = 1 } //! a base type is an integer, not `float32`
enum Kind5 : u8 { A = 1 } //! unknown type `u8`; did you mean `uint8`?
flags keys : uint8 { Up = 1 } //! a type's name is in UpperCamel; write `Keys`
enum Cases : uint8 {
    A //! the case `A` has no value; write `A = 0`
    B: 2 //! a case is `Name = value`; write `=`
    C == 3 //! a case is `Name = value`; write `=`
    dee = 4 //! a case's name is in UpperCamel; write `Dee`
    E = 5; //! no semicolons
    case F = 6 //! no `case` before a case's name
    G = 7 @text //! a case has no annotation
    H = //! want a value, got `}`
}
enum Short : uint8 { A, B = 2, C } //! the case `A` has no value //! the case `C` has no value
open struct Foo { a uint8 } //! want `enum` or `flags` after `open`, got `struct`
struct { a uint8 } //! the struct has no name; write `struct Name`
struct player { a uint8 } //! a type's name is in UpperCamel; write `Player`
struct Derived : Base { a uint8 } //! there is no inheritance
struct Params(n uint8, m: in 0..4) { a uint8 } //! a parameter has a range, not a type; write `n in a..b` or `n bool`
struct Params2(n in 0..4, m: bool) { a uint8 } //! no `:` between a name and its type
struct Params3(n) { a uint8 } //! want `in a..b` or `bool` after the parameter, got `)`
struct NoBody //! want `{`, got the end of the line
struct Allman
{ //! the `{` is at the end of the line that it belongs to
    a unit8 //! did you mean `uint8`?
};  //! no semicolons
packet Root { a uint8 } //! the packet has no name: there is one in a file; write `packet {`
expect timeout 2000 //! a duration has a unit: `ms`, `s` or `us`; write `2000ms`
expect timeout 2000 ms //! no blank between a duration and its unit; write `2000ms`
expect timeout = 20ms //! no `=` after `expect timeout`
expect timeout 1.5s //! a duration is a whole number
expect timeout 5min //! malformed number `5min`; the units of a duration are
message Login { string name = 1; } //! write `message Login max 4096 {`, or `struct Login {` for a part of a packet //! the name comes first, and no `;`
class Foo { a uint8 } //! unknown declaration `class`; did you mean `struct`?
strcut Foo { a uint8 } //! unknown declaration `strcut`; did you mean `struct`?
import "other.pks"
import //! want the name of a file in quotes, got the end of the line; write `import "stun.pks"`
import other.pks //! want the name of a file in quotes, got `other`; write `import "stun.pks"`
import = "other.pks" //! no `=` after `import`; remove it
import "a.pks", "b.pks" //! an `import` names one file; write a line for each
import "a.pks" as a //! want the end of the line, got `as`
import "a.pks //! the string has no closing quote on its line
include "a.pks" //! unknown declaration `include`; did you mean `import`?
imprt "a.pks" //! unknown declaration `imprt`; did you mean `import`?
health uint8 //! fields are inside `struct Name { … }` or `packet { … }`
protocol again //! a file describes one protocol
@secret struct Foo { a uint8 } //! annotations belong to fields and arms
42 //! want a declaration, got `42`
const A = 1 const B = 2 //! `const` follows on the same line
const C = 1, //! want the end of the line, got `,`
} //! this `}` closes nothing
struct Fine { a unit8 } //! did you mean `uint8`?
