// Package filter decides which packets to show: display filters over decoded packets, and selectors of their fields.
//
//	case == "Snapshot" && body.player_count > 2
//	pkt.rejected && reject.kind == "past-end"
//	any(body.players, .health < 10 && not .alive)
//	"Up" in body.keys or body.players[0].x > 5
//
// A filter is an expression of expr-lang (github.com/expr-lang/expr, whose scanner and parser read it) in the words of
// one plan. It is checked against the plan's paths and types, so that a misspelt name or a comparison that can never
// hold is an error before the first packet, and compiled to slots: Compile makes a Program, NewMatcher the state of one
// goroutine, Match looks at a Trace.
//
// # Names
//
// Fields are at the root as in `fields` of the JSON: names joined by dots, elements as [i], no case names. Where the
// arms of a switch share a name, it is the field of whichever arm the packet has. A subset is a list of index and value
// (objects[k].index, objects[k].value.x), an optional without its value is absent, and a list's count or a text's
// length is len(list), len(text). What is not a field:
//
//	case       the tag of the first switch directly in the packet
//	pkt.       n file time src dst src_ip dst_ip src_port dst_port direction protocol bits verdict rejected accepted cut
//	reject.    kind path bit width want got; absent unless the verdict is reject
//	msg.       what is in a message that the packet brings, where the schema has messages: its fields, and section bits
//	           verdict rejected accepted case reject; a condition of such names alone asks for one message that fulfils it
//	notes      a list of kind, path and bit; empty without any
//	$env.      a field whose name is one of these, or a word of expr: $env.notes
//
// # Values
//
// Integers compare exactly, up to 2^64-1, with each other and with floats. A float literal (with a point or an
// exponent) is rounded to the width of the field that it is compared with, as in Go, so `x == 0.1` holds for the
// float32 shown as 0.1; "NaN", "Infinity" and "-Infinity" are written as in JSON. Enums compare with their cases' names
// and as numbers; flags as numbers, by name with `"Up" in keys` or `keys.Up`; bytes with hexadecimal or b"…"; text,
// without the NULs that pad it, with text; addresses with "10.0.0.1:4124" (src, dst) or "10.0.0.1" (src_ip, dst_ip) and
// by `pkt.src_ip in "10.0.0.0/8"`; times with RFC 3339 or ns since 1970. `+ - * %` compute with integers. `a <= x < b`
// means what it says.
//
// A result beyond ±(2^64-1) is unknown, as is % by 0: no comparison with it is true, and neither is its opposite. What
// is computed on the way counts too, so `u + 1 - 1 == u` is unknown of a packet whose u is 2^64-1, and not true.
//
// After `in` also stand a list of constants, a list of numbers of the packet, and notes by their kind. Text has
// contains, startsWith, endsWith and matches (a Go regular expression). Lists have any, all, none, one, count and len;
// in their closures `.x` is a field of the element and # the element itself.
//
// # Three values
//
// A comparison with what is not there (an absent field, an index beyond the end, all that lies after a reject) is
// neither true nor false but unknown, as in SQL. A filter matches where it is true.
//
//	a        b        !a       a && b   a || b
//	true     true     false    true     true
//	true     false    false    false    true
//	true     unknown  false    unknown  true
//	false    false    true     false    false
//	false    unknown  true     false    unknown
//	unknown  unknown  unknown  unknown  unknown
//
// So `body.x == 1` and `!(body.x == 1)` both leave out the packets that have no body.x. `body.x == nil` asks whether it
// is absent, and is never unknown. any is unknown where no element is true and one is unknown, all where none is false
// and one is unknown; of an absent list all are unknown, while an empty one makes any false and all true.
//
// # What an attacker may do
//
// A filter may come from a stranger. Its source, its tokens, its nesting, its names and constants, its closures (two
// deep, over the packet's own lists) and its regular expressions are bounded (limits.go), and its work on the largest
// packet is computed and bounded when it is compiled: ranges, variables, maps and every other loop of expr are refused.
// A closure that does not depend on the element around it runs once a packet, so lists never multiply.
//
// A filter that compares a @secret field would tell its content to whoever sees which packets match. So a secret may
// only be asked for with == nil and != nil, which the views show too; nothing inside a secret struct or list has a
// name.
package filter
