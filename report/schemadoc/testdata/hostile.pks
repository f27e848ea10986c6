// <script>alert(1)</script> <img src=x onerror=alert(2)> </style></body> <!-- & &amp; &#60;
//
// [link](http://evil.example/) ![image](http://evil.example/i.png) https://evil.example/x www.evil.example @everyone
//
// # heading ``` fence `code` | pipe ~~~ *bold* _under_ \ backslash $math$ {{.Policy}} ‮ override
protocol hostile
order msb

// 1. list
const Text = "`|</code><b>{{.}}"

// - item
const Number = 1 // === --- +++

// javascript:alert(1)
enum Kind : uint8 {
    A = 1 // </td></table> | a | b |
    B = 2 // `a` | b
}

// --- </pre>
struct Inner {
    bits_a  bits(1)
    bits_b  bits(7)
    label   char(8) == "`|</b>[x" // ``` | |
    amount  uint16 @unit("<b>|`µ`‮") @scale(0.5)
    a_name_that_is_much_longer_than_the_field_that_it_belongs_to_and_goes_on_for_a_while bits(3)
    reserved(5) // <i>|</i>
}

packet {
    kind  Kind
    count uint8 in 0..3
    if count != 0 || kind == Kind.A { // <u>
        check "<script>`|`</script>"
        require count < 3 || (count | 1) == 3 // | |
    }
    body switch kind {
        A: Inner                          // [a](javascript:alert(1)) |
        B: { x uint8 @unit("|"), y bool8 } // `|`
    }
    piece bytes(2) @fragment(Msg, count | 1, index count, count count | 3)
    seal sealed(4) chacha20poly1305 {
        key   state.key
        nonce uint32 0, "`|</b>[x"
        ad    "<script>`|`"
        open  Msg
    }
    rest_of_it bytes(rest, max 32) @secret // ‮ | \| \` end\
}

state {
    each key bytes(32) @secret // <u>|`</td>
}

// [msg](javascript:alert(2)) | `
message Msg max 9 {
    a uint8 in 1..2 // </article> | `
}
