package syntax

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// grammarDecls has every production above the items of a body.
var grammarDecls = []struct{ source, tree string }{
	{`import "stun.pks"`, `import "stun.pks"`},
	{`import "\x61.pks" // text`, `import "a.pks"`},
	{"order lsb", "order lsb"},
	{"order msb", "order msb"},
	{"order bousk", "order bousk"},
	{"port 4124", "port {4124}"},
	{"port 4124, Base + 1", "port {4124,(Base + 1)}"},
	{"port 9, 27015..27030", "port {9,27015..27030}"},
	{"max datagram 1200", "max datagram 1200"},
	{"max fields 4*4", "max fields (4 * 4)"},
	{"max steps 0x10", "max steps 16"},
	{"const MaxPlayers = 4", "const MaxPlayers 4"},
	{"const MAX_2 =\n-1", "const MAX_2 (- 1)"},
	{`const Magic = "a\x00\"\n"`, `const Magic "a\x00\"\n"`},
	{"const Pi = 3.1_4", "const Pi 3.14"},
	{"const Extra = switch { 0: 50, 1..3, 9: -1, default: A + 1 }", "const Extra switch{{0}: 50; {1..3,9}: (- 1); default: (A + 1)}"},
	{"const Extra = switch {\n0:\n50 // text\nMode.A..Mode.B: 0x10\n}", "const Extra switch{{0}: 50; {Mode.A..Mode.B}: 16}"},
	{"param Max = 4 in 1..8", "param Max 4 {1..8}"},
	{"param Max = 4 in 4", "param Max 4 {4}"},
	{"enum E : uint8 {}", "open=false flags=false E uint8"},
	{"enum E : uint16 be { A = 1, B = A + 1 }", "open=false flags=false E uint16 be A=1 B=(A + 1)"},
	{"open enum E : bits(4) le {\n A = 1\n B = 2\n}", "open=true flags=false E bits 4 le A=1 B=2"},
	{"open flags F : varint(14) { A = 'A', }", "open=true flags=true F varint 14 A=65"},
	{"flags F : int(0..3) { A = 0b11 }", "open=false flags=true F int 0 3 A=3"},
	{"struct S {}", "struct S{}"},
	{"struct S(a in 0..4, b bool, c in 1) order msb { x bits(a) }", "struct S (a {0..4}) (b bool=true) (c {1}) order msb{x:bits a}"},
	{"packet { a bool }", "packet{a:bool}"},
	{"packet order bousk { a bool }", "packet order bousk{a:bool}"},
	{"message Game max 32768 { a bool }", "message Game max 32768{a:bool}"},
	{"message Game max 2 * N order bousk {\n message Message\n}", "message Game max (2 * N) order bousk{message:Message}"},
	{"flow by address", "flow address"},
	{"flow by address, peer_id, header.id", "flow address peer_id header.id"},
	{"state { room int(0..99) once\n each tick uint32, each key bytes(32) @secret\n}",
		"state{each=false room:int 0 99 once=true; each=true tick:uint32 once=false; each=true key:bytes 32 - once=false @secret}"},
	{"state { each bool once, once bool, state Mode once }", "state{each=false each:bool once=true; each=false once:bool once=false; each=false state:Mode once=true}"},
	{"expect timeout 2000ms", "expect timeout 2000000000"},
	{"expect timeout 1_0us", "expect timeout 10000"},
	{"expect timeout 2s", "expect timeout 2000000000"},
}

// grammarItems has every production of the items of a body and below.
var grammarItems = []struct{ source, tree string }{
	{"if a { b bool }", "if a{b:bool}"},
	{"if a {} else {}", "if a{} else{}"},
	{"if a {\n}\nelse if b {\n}\n\n// why\nelse {\n}", "if a{} else if b{} else{}"},
	{"if x in {1, 2} { b bool }", "if (x in {1,2}){b:bool}"},
	{"if x in 1..2 { b bool }", "if (x in {1..2}){b:bool}"},
	{"r relative(a\n.\nb\n.c)", "r:relative a.b.c"},
	{"within(4) { b bool }", "within 4 bits=false{b:bool}"},
	{"within(n * 2 bits) {}", "within (n * 2) bits=true{}"},
	{"within(n zeros) { zeros uint8 }", "within n bits=false zeros{zeros:uint8}"},
	{"within(zeros) {}", "within zeros bits=false{}"},
	{"within(zeros zeros) {}", "within zeros bits=false zeros{}"},
	{"within(bits bits) {}", "within bits bits=true{}"},
	{"within(not bits) {}", "within not bits=true{}"},
	{"let n = a + 1", "let n (a + 1)"},
	{"let n =\n a +\n 1", "let n (a + 1)"},
	{"let _n in 0..9 = a @unit(\"px\") @secret", "let _n in {0..9} a @unit,\"px\" @secret"},
	{"let n in 3 = a", "let n in {3} a"},
	{"require header.sequence == sequence", "require (header.sequence == sequence)"},
	{"align", "align - any=false"},
	{"align any", "align - any=true"},
	{"align(32)", "align 32 any=false"},
	{"align(32) any", "align 32 any=true"},
	{"reserved(3)", "reserved 3 any=false"},
	{"reserved(3) any", "reserved 3 any=true"},
	{"check 0x12345678", "check 305419896"},
	{`check "end of packet"`, `check "end of packet"`},
	{"f switch t { 1: empty, 2, 3: A, 4..5, 7: { b bool } }", "f:switch t [{1} empty] [{2,3} A] [{4..5,7} {b:bool}]"},
	{"f switch (t) {\n A, B: T @x\n default:\n empty @y\n} @z", "f:switch <t> [{A,B} T @x] [default empty @y] @z"},
	{"f switch from(client) { true: A, false: B }", "f:switch from(client) [{true} A] [{false} B]"},
	{"f switch t { E.A: A }", "f:switch t [{E.A} A]"},
	{"f A", "f:A"},
	{"f A(n, true)", "f:A n true"},
	{"f bool", "f:bool"},
	{"f bool8 == true", "f:bool8 ==true"},
	{"f float32 finite", "f:float32 finite"},
	{"f dnsname, dnsname dnsname", "f:dnsname; dnsname:dnsname"},
	{"f float64 in -1.5..1.5", "f:float64 in{(- 1.5)..1.5}"},
	{"f uint8 in 0..100", "f:uint8 in{0..100}"},
	{"f uint16 le in {1, 2, 4..8}", "f:uint16 le in{1,2,4..8}"},
	{"f uint32 be == 3", "f:uint32 be ==3"},
	{"f uint64 != 0", "f:uint64 !=0"},
	{"f int8, g int16, h int32, i int64", "f:int8; g:int16; h:int32; i:int64"},
	{"f bits(e + 1)", "f:bits (e + 1)"},
	{"f sbits(4)", "f:sbits 4"},
	{"f varint(32), g zigzag(32)", "f:varint 32; g:zigzag 32"},
	{"f int(-1..n - 1)", "f:int (- 1) (n - 1)"},
	{"f float(-1..1, 0.01)", "f:float (- 1) 1 0.01"},
	{"f vec2(A), g vec3(uint8 le in 0..4), h vec4({ x bool })", "f:vec2/false(A); g:vec3/false(uint8 le in{0..4}); h:vec4/false({x:bool})"},
	{"f quat(float32)", "f:vec4/true(float32)"},
	{"f quat smallest3(9)", "f:smallest3 9"},
	{"f string(16), g wstring(N), h cstring(4), i char(16) utf8", "f:string 16; g:wstring N; h:cstring 4; i:char 16 utf8"},
	{`f bytes(13) == "NETCODE 1.02\0"`, `f:bytes 13 - =="NETCODE 1.02\x00"`},
	{"f bytes(n * 4, max 1024), g bytes(rest, max 9)", "f:bytes (n * 4) 1024; g:bytes rest 9"},
	{"f relative(a.b.c)", "f:relative a.b.c"},
	{"f crc32, g crc32c", "f:crc crc32; g:crc crc32c"},
	{"f crc16_modbus(over rest)", "f:crc crc16_modbus over=true  false "},
	{"f crc32(prefix 0x44 : uint32, over rest)", "f:crc crc32 prefix=68:uint32 over=true  false "},
	{"f crc32c(over rest, prefix Id : uint64 be)", "f:crc crc32c prefix=Id:uint64be over=true  false "},
	{"f crc32(over a), g crc32(over a.b..), h crc32(over ..c.d), i crc32(over a..b, xor 1), j crc32(over before)",
		"f:crc crc32 over=false a false ; g:crc crc32 over=false a.b true ; h:crc crc32 over=false  true c.d; i:crc crc32 xor=1 over=false a true b; j:crc crc32 over=false before false "},
	{"f inet16(suffix a + 1 : int8, xor 5, check 0xF62A) le", "f:crc inet16 suffix=(a + 1):int8 xor=5 check=63018 le"},
	{"f crc(16, 0x1021, 0xFFFF, false, true, 0, check 0x29B1, over rest) be", "f:crc (16 4129 65535 false true 0) check=10673 over=true  false  be"},
	{"crc crc(8, 7, 0, true, true, 0), prefix uint8", "crc:crc (8 7 0 true true 0); prefix:uint8"},
	{"f { a bool, b bool }", "f:{a:bool; b:bool}"},
	{"f optional A", "f:[optional - -]A"},
	{"f [4]A", "f:[count 4 -]A"},
	{"f [a.b + 1][2]optional uint8 in 1..2", "f:[count (a.b + 1) -][count 2 -][optional - -]uint8 in{1..2}"},
	{"f [1..4]A", "f:[range 1 4]A"},
	{"f [..4]A", "f:[range - 4]A"},
	{"f [rest, max 64]A", "f:[max rest 64]A"},
	{"f [until kind == 0, max 8]{ kind uint8 }", "f:[until (kind == 0) 8]{kind:uint8}"},
	{"f [while rest > 2, max 8]A", "f:[while (rest > 2) 8]A"},
	{"f subset(bitmap) [64]A", "f:[subset 64 - bitmap]A"},
	{"f subset(index) [4]A, g subset(sentinel) [4]A, h subset(relative) [4]A", "f:[subset 4 - index]A; g:[subset 4 - sentinel]A; h:[subset 4 - relative]A"},
	{"f sealed(rest - 16, max 1200) chacha20poly1305 {\n key state.key\n nonce uint32 0, uint64 sequence\n ad \"A\\0\", uint16 be a + 1, b.c\n open Game\n}",
		`f:sealed (rest - 16) 1200 chacha20poly1305 key=state.key nonce=[uint32 0; uint64 sequence] ad=["A\x00"; uint16 be (a + 1); b.c] at=- open=Game`},
	{"sealed sealed(n) xor { key key.pad, at start % 4 }, key bool, state bool, has bool, sealed2 switch a { 1: sealed(4) xor {} }",
		"sealed:sealed n - xor key=key.pad nonce=[] ad=[] at=(start % 4) open=; key:bool; state:bool; has:bool; " +
			"sealed2:switch a [{1} sealed 4 - xor key= nonce=[] ad=[] at=- open=]"},
	{"let state.a = b + 1, let state.key.client = c2s, let state = none, let state = nothing, if has { c bool }",
		"let state.a (b + 1); let state.key.client c2s; let state none; let state nothing; if has{c:bool}"},
	{`f A @unit("px") @scale(0.01) @time(ms) @every(50ms) @budget(96 bits) @x(4 bytes, -1) @ack(S.f) @seq`,
		`f:A @unit,"px" @scale,0.01 @time,ms @every,50000000ns @budget,96bits @x,4bytes,(- 1) @ack,S.f @seq`},
	{"f A @message(Game) @fragment(Game, a << 16 | b, index number, count count + 1)", "f:A @message,Game @fragment,Game,((a << 16) | b),index=number,count=(count + 1)"},
	{"f A @fragment(Game, id id, offset (a), last length < 1300 && !more)", "f:A @fragment,Game,id=id,offset=<a>,last=((length < 1300) && (! more))"},
	{"f A @fragment(Game, id (a), index index, last !last), g A @fragment(Game, id - 1, offset\noffset\n,\ntotal total)", "f:A @fragment,Game,id=<a>,index=index,last=(! last); g:A @fragment,Game,(id - 1),offset=offset,total=total"},
	{"message Game, flow Flow, by By, message bool", "message:Game; flow:Flow; by:By; message:bool"},
	{"type A, port B, flags C, max D, bits E, empty F, any G, order H", "type:A; port:B; flags:C; max:D; bits:E; empty:F; any:G; order:H"},
	{"uint8 uint8, bits bits(4), optional optional A, subset bool, crc32 crc32, le uint16 le, bool bool8", "uint8:uint8; bits:bits 4; optional:[optional - -]A; subset:bool; crc32:crc crc32; le:uint16 le; bool:bool8"},
	{"struct A, enum B, const { x bool }, unsigned [4]uint8, for T, case T, not bool, elif [4]T, for optional T, elif switch for { _: T }", "struct:A; enum:B; const:{x:bool}; unsigned:[count 4 -]uint8; for:T; case:T; not:bool; elif:[count 4 -]T; for:[optional - -]T; elif:switch for [{_} T]"},
	{"struct uint8 le, bytes bytes(4), string string(4), float float32, _ bool, _9 bool", "struct:uint8 le; bytes:bytes 4 -; string:string 4; float:float32; _:bool; _9:bool"},
	{"f switch case { case: A, bits, max: B, case - 1..case.x: C }", "f:switch case [{case} A] [{bits,max} B] [{(case - 1)..case.x} C]"},
	{"a A\n\n\n\tb B,\n\n c C\n", "a:A; b:B; c:C"},
	{"a [\n4\n]A", "a:[count 4 -]A"},
	{"a bits(\n 4\n + 1\n)\nb B", "a:bits (4 + 1); b:B"},
	{"a uint8 in {\n 1,\n 2\n ..3 }\nb B", "a:uint8 in{1,2..3}; b:B"},
	{"a vec2({\n x X\n y Y\n})\nb B", "a:vec2/false({x:X; y:Y}); b:B"},
	{"a A @x(\n1\n,\n2\n)", "a:A @x,1,2"},
}

// grammarExprs has every production of the expressions, in `require`.
var grammarExprs = []struct{ source, tree string }{
	{"a || b && c", "(a || (b && c))"},
	{"a && b || c && d || e", "(((a && b) || (c && d)) || e)"},
	{"a == 1 && b != 2", "((a == 1) && (b != 2))"},
	{"a < 1 || a <= 1 || a > 1 || a >= 1", "((((a < 1) || (a <= 1)) || (a > 1)) || (a >= 1))"},
	{"a + b * c - d | e ^ f", "((((a + (b * c)) - d) | e) ^ f)"},
	{"a / b % c & d << e >> f", "(((((a / b) % c) & d) << e) >> f)"},
	{"-a + !b", "((- a) + (! b))"},
	{"--a == !!b", "((- (- a)) == (! (! b)))"},
	{"(a + b) * c", "(<(a + b)> * c)"},
	// Inside parentheses the end of a line means nothing, wherever it is.
	{"(a\n.\nb.\nc\n== Mode\n.\nIdle)", "<(a.b.c == Mode.Idle)>"},
	{"(from\n(\nserver\n)\n)", "<from(server)>"},
	{"(!\n(from\n(client)) &&\na)", "<((! <from(client)>) && a)>"},
	{"a & 0xF == 0b1", "((a & 15) == 1)"},
	{`'A' + '\n' + '\'' + '\x7f' + '\\'`, "((((65 + 10) + 39) + 127) + 92)"},
	{"1_000 + 0xff_ff + 0b1_0", "((1000 + 65535) + 2)"},
	{"18446744073709551615", "18446744073709551615"},
	{"0.5", "0.5"},
	{"true == false", "(true == false)"},
	{"rest * 8", "(rest * 8)"},
	{"from(server)", "from(server)"},
	{"from(a == b)", "from((a == b))"},
	{"x.y.z.Up", "x.y.z.Up"},
	{"Mode.Idle", "Mode.Idle"},
	{"Mode.idle.x", "Mode.idle.x"},
	{"Limit", "Limit"},
	{"Extra(a.b + 1) * 2", "(Extra((a.b + 1)) * 2)"},
	{"Extra(\nExtra(1))", "Extra(Extra(1))"},
	{"a in 4", "(a in {4})"},
	{"a + 1 in {1, 2..3, Four} && b", "(((a + 1) in {1,2..3,Four}) && b)"},
	{"(a in {1,\n2}) ==\ntrue", "(<(a in {1,2})> == true)"},
	{"!(a in 1..2)", "(! <(a in {1..2})>)"},
}

const grammarHeader = "protocol t\norder lsb\n"

func TestGrammar(t *testing.T) {
	check := func(src, want string, dump func(*File) string) {
		t.Helper()
		f, diags := Parse("t.pks", []byte(src))
		if len(diags) > 0 {
			t.Errorf("%s\n%s", src, render(diags, "t.pks", []byte(src)))
		} else if got := dump(f); got != want {
			t.Errorf("%s\n got %s\nwant %s", src, got, want)
		}
	}
	for _, row := range grammarDecls {
		check("protocol t\n"+row.source, row.tree, func(f *File) string { return dumpDecl(f.Decls[0]) })
	}
	for _, row := range grammarItems {
		tree := "packet{" + row.tree + "}"
		last := func(f *File) string { return dumpDecl(f.Decls[1]) }
		check(grammarHeader+"packet {"+row.source+"}", tree, last)
		check(grammarHeader+"packet { // text\r\n"+strings.ReplaceAll(row.source, "\n", "\t// text\r\n")+"\r\n}", tree, last)
	}
	for _, row := range grammarExprs {
		check(grammarHeader+"packet { require "+row.source+" }", "packet{require "+row.tree+"}",
			func(f *File) string { return dumpDecl(f.Decls[1]) })
	}
}

// TestFile reads a whole file, with the header in all the places where newlines may be.
func TestFile(t *testing.T) {
	f, diags := Parse("t.pks", []byte("\n\n// one\n// two\nprotocol if // three\n\n\norder lsb"))
	if len(diags) > 0 || f.Protocol.Text != "if" || f.Doc != "one\ntwo\nthree" || len(f.Decls) != 1 || f.Name != "t.pks" {
		t.Errorf("got %q %q %d declarations %v", f.Protocol.Text, f.Doc, len(f.Decls), diags)
	}
}

// TestTruncated cuts every valid source at every byte: no panic, and every complaint has a place in what is left.
func TestTruncated(t *testing.T) {
	for _, src := range validSources(t) {
		for n := 0; n < len(src); n += need.Rounds(1, 7) {
			checkParse(t, src[:n])
		}
	}
}
