package filter

import (
	"strings"
	"testing"
)

// refused are filters over R-Type that must not compile, with the place and the words.
var refused = []struct{ src, want string }{
	// Misspelt and unknown.
	{`body.player_cuont > 2`, "filter:1:6: error: unknown path `body.player_cuont`; did you mean `body.player_count`?"},
	{`player_count > 2`, "filter:1:1: error: unknown path `player_count`; did you mean `body.player_count`?"},
	{`health > 2`, "filter:1:1: error: unknown path `health`; did you mean `any(body.players, .health …)`?"},
	{`any(body.players, health > 2)`, "filter:1:19: error: unknown path `health`; did you mean `.health`?"},
	{`timestmap == 1`, "filter:1:1: error: unknown path `timestmap`; did you mean `timestamp`?"},
	{`zzz == 1`, "filter:1:1: error: unknown path `zzz`"},
	{`case == Snapshot`, "filter:1:9: error: unknown path `Snapshot`; did you mean \"Snapshot\", in quotes?"},
	{`body.keys == Up`, "filter:1:14: error: unknown path `Up`; did you mean \"Up\", in quotes?"},
	{`pkt.direction == client`, "filter:1:18: error: unknown path `client`; did you mean \"client\", in quotes?"},
	{`src_port == 1`, "filter:1:1: error: unknown path `src_port`; did you mean `pkt.src_port`?"},
	{`pkt.srcport == 1`, "filter:1:1: error: unknown path `pkt.srcport`; did you mean `pkt.src_port`?"},
	{`reject.foo == 1`, "filter:1:1: error: unknown path `reject.foo`; there are reject.kind, reject.path, reject.bit, reject.width, reject.want, reject.got"},
	{`any(body.players, .helth < 3)`, "filter:1:20: error: unknown path `.helth`; did you mean `.health`?"},
	{`body.players[0].helth < 3`, "filter:1:17: error: unknown path `body.players[0].helth`; did you mean `body.players[0].health`?"},
	{`body.player_count.x == 1`, "filter:1:19: error: unknown path `body.player_count.x`: `body.player_count` has no fields"},
	{`ayn(body.players, true)`, "filter:1:1: error: unknown function `ayn`; did you mean `any`?"},
	{`case == "Snapshoot"`, "filter:1:9: error: `case` is an enum MessageType: it has no case `Snapshoot`; did you mean \"Snapshot\"?"},
	{`"Jump" in body.keys`, "filter:1:1: error: `body.keys` has no flag `Jump`; there are Up, Down, Left, Right, Shoot"},
	{`body.keys.up`, "filter:1:1: error: `body.keys` has no flag `up`; did you mean \"Up\"?"},
	{`reject.kind == "past_end"`, "filter:1:16: error: `reject.kind` is a word: it is never `past_end`; did you mean \"past-end\"?"},
	{`pkt.verdict == "rejected"`, "filter:1:16: error: `pkt.verdict` is a word: it is never `rejected`; did you mean \"reject\"?"},
	{`"wrong-direktion" in notes`, "filter:1:1: error: there is no note `wrong-direktion`; did you mean \"wrong-direction\"?"},

	// Wrong types.
	{`body.player_count == "x"`, "filter:1:22: error: `body.player_count` is a number: it does not compare with text"},
	{`body.reason == 5`, "filter:1:16: error: `body.reason` is text: it does not compare with a number"},
	{`body.reason < "x"`, "filter:1:15: error: `body.reason` is text: text and names compare only by == and !="},
	{`body.keys == "Up"`, "filter:1:14: error: `body.keys` is flags InputKeys: it does not compare with text; write \"Up\" in …"},
	{`body.players[0].alive == 1`, "filter:1:26: error: `body.players[0].alive` is a bool: it does not compare with a number"},
	{`body.players == 3`, "filter:1:1: error: cannot compare a list with a number"},
	{`body == 3`, "filter:1:1: error: cannot compare a struct with a number"},
	{`body.players.x == 3`, "filter:1:14: error: `body.players` is a list; write body.players[0].x or any(body.players, .x …)"},
	{`sequence_num`, "filter:1:1: error: `sequence_num` is a number: want a condition, such as a comparison"},
	{`"x"`, "filter:1:1: error: `\"x\"` is text: want a condition, such as a comparison"},
	{`not sequence_num == 1`, "filter:1:1: error: `sequence_num` is a number: want a condition after not; not binds tighter than a comparison: write not (…)"},
	{`type == body.reason`, "filter:1:1: error: cannot compare an enum MessageType with text by =="},
	{`1 == 1`, "filter:1:1: error: both sides are constants"},
	{`len(body.players) == "3"`, "filter:1:1: error: `len(body.players)` is a number and `\"3\"` is not"},
	{`(pkt.n == 1) == 3`, "filter:1:2: error: cannot compare a condition with a number"},
	{`(pkt.n == 1) < pkt.cut`, "filter:1:2: error: conditions compare only by == and !="},
	{`sequence_num + 0.5 == 1`, "filter:1:16: error: `0.5` is a number: want a whole number of 64 bits"},
	{`body.reason matches "("`, "filter:1:21: error: bad regular expression: missing closing )"},
	{`sequence_num matches "1"`, "filter:1:1: error: `sequence_num` is a number: matches wants text"},
	{`body.reason matches body.reason`, "filter:1:21: error: want a constant in quotes after matches"},
	{`sequence_num contains "1"`, "filter:1:1: error: `sequence_num` is a number: contains wants text"},
	{`pkt.time > "yesterday"`, "filter:1:12: error: `pkt.time` is a time: want a time such as \"2026-01-31T20:15:00.5Z\", or ns since 1970"},
	{`pkt.src == "10.0.0.1"`, "filter:1:12: error: `pkt.src` is an address: want an address with its port, such as \"10.0.0.1:4124\"; compare pkt.src_ip, pkt.src_port, pkt.dst_ip or pkt.dst_port"},
	{`pkt.src_ip in "10/8"`, "filter:1:15: error: want a network such as \"10.0.0.0/8\""},
	{`sequence_num in []`, "filter:1:1: error: nothing is in an empty list"},
	{`sequence_num in [timestamp]`, "filter:1:18: error: want constants in the list"},
	{`sequence_num in body.players`, "filter:1:1: error: want a constant before `in`, or a list of constants after it; write x in [1, 2]"},
	{`body.players[-1].x == 1`, "filter:1:14: error: an index is a number from 0 to 1048575"},
	{`body.players[9999999].x == 1`, "filter:1:14: error: an index is a number from 0 to 1048575"},
	{`body.players[sequence_num].x == 1`, "filter:1:14: error: an index is a number from 0 to 1048575"},
	{`body.players["x"].x == 1`, "filter:1:14: error: `body.players` is a list; write body.players[0].x or any(body.players, .x …)"},
	{`any(sequence_num, true)`, "filter:1:5: error: `sequence_num` is a number: want a list of the packet"},
	{`len(sequence_num) == 1`, "filter:1:1: error: `sequence_num` is a number: len wants a list, text or bytes"},
	{`notes.kind == "x"`, "filter:1:1: error: `notes` is a list; write \"wrong-direction\" in notes, or any(notes, .kind == …)"},
	{`any(notes, # == 1)`, "filter:1:12: error: a note is no value: use .kind, .path or .bit"},
	{`pkt == 1`, "filter:1:1: error: cannot compare no field with a number"},

	// Secrets.
	{`body.token == "00"`, "filter:1:1: error: `body.token` is @secret: what matches would tell what it holds; ask whether it is there: body.token != nil"},
	{`body.token startsWith "00"`, "filter:1:1: error: `body.token` is @secret: what matches would tell what it holds; ask whether it is there: body.token != nil"},
	{`len(body.token) == 32`, "filter:1:5: error: `body.token` is @secret: what matches would tell what it holds; ask whether it is there: body.token != nil"},

	// What expr has and filters have not.
	{``, "filter:1:1: error: the filter is empty"},
	{`sequence_num in 1..5`, "filter:1:18: error: `..` is not part of filters; write 1 <= x && x <= 5"},
	{`any(1..1000000000, # == 1)`, "filter:1:6: error: `..` is not part of filters; write 1 <= x && x <= 5"},
	{`let x = 1; x == 1`, "filter:1:1: error: `let` is not part of filters"},
	{`pkt.cut ? true : false`, "filter:1:9: error: `?` is not part of filters"},
	{`if pkt.cut { true }`, "filter:1:1: error: `if` is not part of filters"},
	{`any(body.players, {.x > 1})`, "filter:1:19: error: `{` is not part of filters; a closure is written without braces: any(list, .x > 1)"},
	{`{"a": 1}.a == 1`, "filter:1:1: error: `{` is not part of filters; a closure is written without braces: any(list, .x > 1)"},
	{`body.players | any(.x > 1)`, "filter:1:14: error: `|` is not part of filters; `or` is ||"},
	{`pkt.n ?? 1 == 1`, "filter:1:7: error: `??` is not part of filters; an absent field needs no `??`: its comparison is unknown"},
	{`sequence_num / 2 == 1`, "filter:1:14: error: `/` is not part of filters; filters compute with integers: + - * %"},
	{`2 ** 64 == 1`, "filter:1:3: error: `**` is not part of filters"},
	{`sequence_num = 1`, "filter:1:14: error: `=` is not part of filters; `equal` is =="},
	{`map(body.players, .x) == 1`, "filter:1:1: error: `map` is not part of filters"},
	{`repeat("x", 1000000000) == "x"`, "filter:1:1: error: `repeat` is not part of filters"},
	{`body.players[0:1] == 1`, "filter:1:15: error: `:` is not part of filters"},
	{`any(body.players, #index == 1)`, "filter:1:19: error: `#index` is not part of filters: # is the element"},
	{`$x == 1`, "filter:1:1: error: `$x` is not part of filters"},
	{`body.reason.trim() == ""`, "filter:1:1: error: unknown function `body.reason.trim`"},
	{`pkt.n == 1 &&`, "filter:1:14: error: the filter ends too early"},
	{`(pkt.n == 1`, "filter:1:12: error: the filter ends too early"},
	{`pkt.n == 1)`, "filter:1:11: error: `)` is not expected here"},
	{`pkt.n == 5x`, "filter:1:11: error: this is no number"},
	{`body.5 == 1`, "filter:1:5: error: `.5` is not expected here; an element is list[5]"},
	{"pkt.n == 1 \x00", "filter:1:12: error: unrecognized character: u+0000"},
	{"pkt.file == \"\xff\"", "filter:1:14: error: the filter is not UTF-8"},
	{"pkt.n == 1 &&\n  zzz == 1", "filter:2:3: error: unknown path `zzz`"},
	{"pkt.file == \"é\" && zzz == 1", "filter:1:21: error: unknown path `zzz`"},

	// Hostile ones.
	{strings.Repeat("(", 100) + "true" + strings.Repeat(")", 100), "filter:1:25: error: the filter is nested too deep: want 24 levels at most"},
	{strings.Repeat("!", 100) + "true", "filter:1:25: error: the filter is nested too deep: want 24 levels at most"},
	{strings.Repeat("not ", 300) + "true", "filter:1:97: error: the filter is nested too deep: want 24 levels at most"},
	{"true" + strings.Repeat(" && true", 150), "filter:1:401: error: the filter is too long: want 200 operators, names and constants at most"},
	{"true" + strings.Repeat("&&true", 600), "filter:1:1537: error: the filter is too long: want 512 words and signs at most"},
	{strings.Repeat(" ", 5000), "filter:1:4097: error: the filter is too long: want 4096 bytes at most, got 5000"},
	{"timestamp == " + strings.Repeat("9", 1000), "filter:1:14: error: the number is too long: want 80 characters at most"},
	{`timestamp == 1e999999999`, "filter:1:14: error: the number is no float64: it is too large or too small"},
	{`timestamp == 1e-999999999`, "filter:1:14: error: the number is no float64: it is too large or too small"},
	{`timestamp == 0x`, "filter:1:14: error: this is no number"},
	{`body.reason matches "` + strings.Repeat("a", 200) + `"`, "filter:1:21: error: the regular expression is too long: want 128 bytes at most, got 200"},
	{`body.reason matches "(a{30}){30}"`, "filter:1:21: error: the regular expression is too large: want 256 steps at most, got 962"},
	{`body.reason matches "a{1000}{1000}"`, "filter:1:21: error: bad regular expression: invalid nested repetition operator"},
	{`body.reason matches "` + strings.Repeat("(", 120) + `"`, "filter:1:21: error: bad regular expression: missing closing )"},
	{`body.reason matches "a{200}" && body.reason matches "b{200}" && body.reason matches "c{200}"`, "filter:1:1: error: the filter would do too much on one packet: 13130 steps of regular expressions, at most 2560 are allowed; use contains, startsWith or endsWith"},
	{`reject.want matches "0"`, "filter:1:1: error: the filter would do too much on one packet: 12291 steps of regular expressions, at most 2560 are allowed; use contains, startsWith or endsWith"},
	{`count(body.missiles, .x * .x * .y * .y > 1) in [` + strings.Repeat("50, ", 40) + `]`, "filter:1:1: error: the filter would do too much on one packet: 18119 steps, at most 3072 are allowed; use fewer comparisons inside closures"},
	{`any(body.players, any(body.missiles, any(body.enemies, true)))`, "filter:1:38: error: closures are nested too deep: want 2 at most"},
	{`any(body.missiles, ` + strings.Repeat(`.x * .x * .y * .y * .x * .y * .x * .y * `, 7) + `.x == 1)`, "filter:1:1: error: the filter would do too much on one packet: 3842 steps, at most 3072 are allowed; use fewer comparisons inside closures"},
}

func TestRefused(t *testing.T) {
	p := rtype(t)
	for _, row := range refused {
		prog, err := Compile(p, row.src)
		if err == nil {
			t.Errorf("%.80q compiled", row.src)
		} else if prog != nil || err.Error() != row.want {
			t.Errorf("%.80q\nwant %s\ngot  %s", row.src, row.want, err)
		}
	}
}

// Secrets inside secrets, and cases made of them.
func TestRefusedSecret(t *testing.T) {
	tagged := body("msb", "", "tag uint8 @secret\nv switch tag { 0: uint8, 1: uint16 }")
	for _, row := range []struct{ schema, src, want string }{
		{secrets, `key == "0102"`, "filter:1:1: error: `key` is @secret: what matches would tell what it holds; ask whether it is there: key != nil"},
		{secrets, `box.k == 1`, "filter:1:1: error: `box.k` is inside a @secret field, whose shape is not shown"},
		{secrets, `box.zz == 1`, "filter:1:1: error: `box.zz` is inside a @secret field, whose shape is not shown"},
		{secrets, `box.k != nil`, "filter:1:1: error: `box.k` is inside a @secret field, whose shape is not shown"},
		{secrets, `len(box.ks) == 2`, "filter:1:5: error: `box.ks` is inside a @secret field, whose shape is not shown"},
		{secrets, `last == key`, "filter:1:9: error: `key` is @secret: what matches would tell what it holds; ask whether it is there: key != nil"},
		{body("msb", "", "k uint16 @secret\nc crc32"), `c == 1`, "filter:1:1: error: `c` is computed from what is @secret: what matches would tell what it holds; ask whether it is there: c != nil"},
		{body("msb", "", "n uint8 @secret\nl [n]uint8"), `len(l) == 2`, "filter:1:5: error: `l` is inside a @secret field, whose shape is not shown"},
		{tagged, `v == 1`, "filter:1:1: error: `v` is computed from what is @secret: what matches would tell what it holds; ask whether it is there: v != nil"},
		{tagged, `case == 1`, "filter:1:1: error: `case` is made of a @secret field"},
		{body("msb", "", "k uint8 @secret\nlet t = k + 1\nv switch t { 1: uint8, default: empty }"), `case == 1`, "filter:1:1: error: `case` is made of a @secret field"},
		{wide, `case == 1`, "filter:1:1: error: the packets of test have no case: no switch is directly in `packet`"},
		{shared, `v > "Low"`, "filter:1:5: error: `v` is a number: text and names compare only by == and !="},
	} {
		if _, err := Compile(planOf(t, row.schema), row.src); err == nil || err.Error() != row.want {
			t.Errorf("%s\nwant %s\ngot  %v", row.src, row.want, err)
		}
	}
}

// A case that no secret goes into may be asked for, whatever the secrets around it are called.
func TestCaseBesideSecrets(t *testing.T) {
	for _, src := range []string{
		"k uint8 @secret\na uint8\nlet t = a + 1\nv switch t { 1: uint8, default: empty }",
		"s { k uint8 @secret }\nk uint8\nv switch k { 1: uint8, default: empty }",
	} {
		if _, err := Compile(planOf(t, body("msb", "", src)), `case == 1`); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// The caret is under the place, and a terminal obeys nothing of a hostile filter.
func TestErrorText(t *testing.T) {
	p := rtype(t)
	for _, row := range []struct{ src, want string }{
		{`pkt.n == 1 && body.player_cuont > 2`, "filter:1:20: error: unknown path `body.player_cuont`\n" +
			"pkt.n == 1 && body.player_cuont > 2\n                   ^^^^^^^^^^^^\nhelp: did you mean `body.player_count`?\n"},
		{"pkt.file == \"\x1b[31m\u202e\" || zzz", "filter:1:27: error: unknown path `zzz`\n" +
			"pkt.file == \"\\x1b[31m\\u202e\" || zzz\n" + strings.Repeat(" ", 32) + "^^^\n"},
		{"case == \"\x1b[31m\"", "filter:1:9: error: `case` is an enum MessageType: it has no case `\\x1b[31m`\n" +
			"case == \"\\x1b[31m\"\n        ^^^^^^^^^^\n"},
	} {
		_, err := Compile(p, row.src)
		if err == nil {
			t.Fatalf("%q compiled", row.src)
		}
		if got := string(err.(*Error).AppendText(nil)); got != row.want {
			t.Errorf("%q\nwant\n%s\ngot\n%s", row.src, row.want, got)
		}
	}
}
