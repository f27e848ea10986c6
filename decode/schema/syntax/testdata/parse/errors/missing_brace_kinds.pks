protocol missing
order lsb
enum A : uint8 {
    X = 1 //! missing `}`: the `{` at 3:16 is not closed
open flags B : uint8 {
    Y = 1 //! missing `}`: the `{` at 5:22 is not closed
const C = 1
struct D {
    a uint8 //! missing `}`: the `{` at 8:10 is not closed
expect timeout 20ms
packet {
    a [2]{
        b uint8 //! missing `}`: the `{` at 12:10 is not closed
