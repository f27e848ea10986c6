package fuzz

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseStack(t *testing.T) {
	const asan = `=================================================================
==14928==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffd04ccbd84 at pc 0x7f9681048061 bp 0x7ffd04ccbd10 sp 0x7ffd04ccb4c0
WRITE of size 9 at 0x7ffd04ccbd84 thread T0
    #0 0x7f9681048060 in __interceptor_memcpy ../../../../src/libsanitizer/sanitizer_common/sanitizer_common_interceptors.inc:827
    #1 0x55f2e3e4922f in copy /home/a b/r.c:4
    #2 0x55f2e3e492c5 in parse /home/a b/r.c:6
    #3 0x55f2e3e493ea in main /home/a b/r.c:10
    #4 0x7f9680645249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #5 0x55f2e3e49110 in _start (/tmp/c/r+0x1110)

Address 0x7ffd04ccbd84 is located in stack of thread T0 at offset 36 in frame
    #0 0x55f2e3e49242 in other /tmp/c/r.c:5
`
	const clang = `==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60200000001a
READ of size 1 at 0x60200000001a thread T0
    #0 0x4c3a5c in __asan_memcpy (/src/reader+0x4c3a5c) (BuildId: 0123)
    #1 0x4f8b21 in std::vector<unsigned char, std::allocator<unsigned char> >::operator[](unsigned long) /usr/include/c++/12/bits/stl_vector.h:1046:9
    #2 0x4f8b2c in Reader::u8(unsigned char const*, unsigned long) reader.cpp:12:9
    #3 0x4f8b2c in Reader::head() src/reader.cpp:40:3
    #4 0x4f8c00 in pks_run harness.cpp:90:20
    #5 0x4f8c00 in main harness.cpp:120:20
`
	const aborts = `AddressSanitizer:DEADLYSIGNAL
==19076==ERROR: AddressSanitizer: ABRT on unknown address 0x000000004a84 (pc 0x7f700f65eeec bp 0x7f700f5d1780 sp 0x7ffe135ff050 T0)
    #0 0x7f700f65eeec in __pthread_kill_implementation nptl/./nptl/pthread_kill.c:44:76
    #1 0x7f700f60ffb1 in raise signal/../sysdeps/posix/raise.c:26:13
    #2 0x7f700f5fa471 in abort stdlib/./stdlib/abort.c:79:7
    #3 0x5645ceda927a in read_options /tmp/c/./body.h:19:17
    #4 0x5645ceda83e9 in main /tmp/c/hh.c:185:23
`
	const golang = `panic: runtime error: index out of range [20] with length 16 [recovered]

goroutine 1 [running]:
main.main.func1()
	/home/u/harness.go:70 +0x2f
panic({0x4a1b20?, 0xc000012345?})
	/usr/local/go/src/runtime/panic.go:792 +0x132
encoding/binary.littleEndian.Uint32(...)
	/usr/local/go/src/encoding/binary/binary.go:73
example.org/game.(*Reader).u8(0xc000010000, {0xc00001, 0x4})
	/home/u/game/reader.go:33 +0x1d
text.Read({0xc00001, 0x4})
	/home/u/text/text.go:7 +0x20
main.readPacket(...)
	/home/u/harness.go:22
main.main()
	/home/u/harness.go:80 +0x2f
exit status 2
`
	const tsan = `WARNING: ThreadSanitizer: data race (pid=14939)
  Write of size 4 at 0x55b813fd6054 by main thread:
    #0 store /tmp/c/t.c:4 (t+0x1242)
    #1 handle /tmp/c/t.c:9 (t+0x1300)
    #2 main /tmp/c/t.c:20 (t+0x1400)
`
	for _, c := range []struct {
		name, report string
		want         []Frame
		place        string
	}{
		{"gcc's", asan, []Frame{{"copy", "/home/a b/r.c", 4}, {"parse", "/home/a b/r.c", 6}}, "copy, r.c:4, called by parse"},
		{"of abort, in libc with names of files", aborts, []Frame{{"read_options", "/tmp/c/./body.h", 19}}, "read_options, body.h:19"},
		{"clang's", clang, []Frame{{"Reader::u8(unsigned char const*, unsigned long)", "reader.cpp", 12}, {"Reader::head()", "src/reader.cpp", 40}},
			"Reader::u8(unsigned char const*, unsigned long), reader.cpp:12"},
		{"Go's", golang, []Frame{{"example.org/game.(*Reader).u8", "/home/u/game/reader.go", 33}, {"text.Read", "/home/u/text/text.go", 7}, {"main.readPacket", "/home/u/harness.go", 22}},
			"example.org/game.(*Reader).u8, reader.go:33"},
		{"a race", tsan, []Frame{{"store", "/tmp/c/t.c", 4}, {"handle", "/tmp/c/t.c", 9}}, "store, t.c:4, called by handle"},
		{"an undefined behaviour with its stack", "r.c:9:25: runtime error: signed integer overflow\n    #0 0x559128a463d5 in sum /tmp/c/r.c:9\n    #1 0x7f7ade645249 in main /tmp/c/r.c:20\n",
			[]Frame{{"sum", "/tmp/c/r.c", 9}}, "sum, r.c:9"},
		{"an undefined write", "r.c:9:25: runtime error: store to address 0x7ffc with insufficient space for an object of type 'uint8_t'\n0x7ffc: note: pointer points here\n 00 00\n             ^ \n" +
			"    #0 0x559128a463d5 in put /tmp/c/r.c:9\n    #1 0x7f7ade645249 in text r.c:20\n", []Frame{{"put", "/tmp/c/r.c", 9}, {"text", "r.c", 20}}, "put, r.c:9, called by text"},
		{"an undefined behaviour alone", "src/r.c:9:25: runtime error: signed integer overflow\n", []Frame{{"", "src/r.c", 9}}, "r.c:9"},
		{"an assertion", "killed by SIGABRT (aborted)\nharness: src/r.c:14: take: Assertion `n < 4' failed.\n", []Frame{{"take", "src/r.c", 14}}, "take, r.c:14"},
		{"Rust's", "thread 'main' panicked at src/main.rs:5:10:\nindex out of bounds: the len is 3 but the index is 9\n", []Frame{{"", "src/main.rs", 5}}, "main.rs:5"},
		{"Rust's with its calls", "thread 'main' (7) panicked at src/main.rs:5:10:\nindex out of bounds\nstack backtrace:\n   0: __rustc::rust_begin_unwind\n             at /rustc/5980/library/std/src/panicking.rs:689:5\n" +
			"   1: core::panicking::panic_bounds_check\n   2: game::Reader::take\n             at ./src/main.rs:5:10\n   3: <game::Packet as core::convert::TryFrom<&[u8]>>::try_from\n             at ./src/packet.rs:9:1\n" +
			"   4: game::main\n             at ./src/main.rs:99:1\n   5: core::ops::function::FnOnce::call_once\nnote: Some details are omitted\n",
			[]Frame{{"game::Reader::take", "./src/main.rs", 5}, {"<game::Packet as core::convert::TryFrom<&[u8]>>::try_from", "./src/packet.rs", 9}}, "game::Reader::take, main.rs:5"},
		{".NET's", "Unhandled exception. System.IndexOutOfRangeException: Index was outside the bounds of the array.\n   at System.Array.Get(Int32 i)\n   at Game.Reader.Take(Byte[] data) in /home/a b/reader.cs:line 14\n   at Harness.ReadPacket(Byte[] packet, Values read) in /home/a b/harness.cs:line 20\n   at Harness.Main(String[] args) in /home/a b/harness.cs:line 120\n",
			[]Frame{{"Game.Reader.Take", "/home/a b/reader.cs", 14}, {"Harness.ReadPacket", "/home/a b/harness.cs", 20}}, "Game.Reader.Take, reader.cs:14"},
		{"Mono's", "Unhandled exception. System.IndexOutOfRangeException: Index was outside the bounds of the array.\n  at Game.Reader.Take (System.Byte[] data) [0x00003] in /home/u/reader.cs:14 \n  at Game.Reader.All () [0x00003] in <5ac1e8>:0 \n",
			[]Frame{{"Game.Reader.Take", "/home/u/reader.cs", 14}, {"Game.Reader.All", "", 0}}, "Game.Reader.Take, reader.cs:14"},
		{"Node's", "node:internal/buffer:86\n  throw new ERR_BUFFER_OUT_OF_BOUNDS(type);\n  ^\n\nRangeError [ERR_BUFFER_OUT_OF_BOUNDS]: Attempt to access memory outside buffer bounds\n    at boundsError (node:internal/buffer:86:11)\n" +
			"    at Buffer.readUInt16BE (node:internal/buffer:334:5)\n    at new Reader (/home/a b/reader.js:5:53)\n    at Array.map (<anonymous>)\n    at /home/a b/reader.js:9:14\n    at async take (file:///home/u/take.mjs:3:9)\n    at node:internal/main/run:51:3 {\n  code: 'X'\n}\n",
			[]Frame{{"new Reader", "/home/a b/reader.js", 5}, {"", "/home/a b/reader.js", 9}, {"async take", "file:///home/u/take.mjs", 3}}, "new Reader, reader.js:5"},
		{"Node's of its parser of JSON", "SyntaxError: Unexpected end\n    at JSON.parse (<anonymous>)\n    at readA (/r.js:1:6)\n", []Frame{{"readA", "/r.js", 1}}, "readA, r.js:1"},
		{"Java's", "Exception in thread \"main\" java.lang.IndexOutOfBoundsException\n\tat java.base/jdk.internal.util.Preconditions.outOfBounds(Preconditions.java:64)\n\tat java.nio.Buffer.checkIndex(Buffer.java:743)\n\tat game.Reader.take(Reader.java:14)\n",
			[]Frame{{"game.Reader.take", "Reader.java", 14}}, "game.Reader.take, Reader.java:14"},
		{".NET's of its spans", "   at System.ThrowHelper.ThrowArgumentOutOfRangeException()\n   at Microsoft.Win32.X.Y(Int32 n) in /_/src/x.cs:line 3\n   at Game.Take(Byte[] d) in /home/u/g.cs:line 4\n", []Frame{{"Game.Take", "/home/u/g.cs", 4}}, "Game.Take, g.cs:4"},
		{"libc's with names of files", "    #0 0x1 in printf stdio-common/./stdio-common/printf.c:3\n    #1 0x2 in malloc ./malloc/malloc.c:3375\n    #2 0x3 in take /tmp/./string/r.c:4\n", []Frame{{"take", "/tmp/./string/r.c", 4}}, "take, r.c:4"},
		{"libc++'s", "    #0 0x1 in void boost::f<int>() /usr/lib/llvm-14/bin/../include/c++/v1/vector:3:1\n    #1 0x3 in read ./src/r.c:4\n", []Frame{{"read", "./src/r.c", 4}}, "read, r.c:4"},
		{"Rust's without places", "stack backtrace:\n   0: rust_begin_unwind\n   1: <usize as core::slice::index::SliceIndex<[T]>>::index\n   2: <[T] as core::ops::Index<I>>::index\n   3: <u8 as game::Read>::read\n", []Frame{{"<u8 as game::Read>::read", "", 0}}, "<u8 as game::Read>::read"},
		{"Rust's place in its library", "thread 'main' panicked at /rustc/5980/library/core/src/slice/index.rs:5:10:\nboom\n", nil, ""},
		{"Go's of a generic function", "goroutine 1 [running]:\nslices.Grow[go.shape.struct { example.org/game.x }]({0x0})\n\t/usr/local/go/src/slices/slices.go:9 +0x1\nmain.take(0x1)\n\t/r.go:3 +0x1\n", []Frame{{"main.take", "/r.go", 3}}, "main.take, r.go:3"},
		{"two processes", "    #0 0x1 in take r.c:4\n    #1 0x2 in parse r.c:9\n    #0 0x1 in other r.c:40\n    #1 0x2 in more r.c:44\n    #2 0x3 in most r.c:50\n", []Frame{{"take", "r.c", 4}, {"parse", "r.c", 9}}, "take, r.c:4"},
		{"a reader that is its own main", "==1==ERROR: AddressSanitizer: SEGV on unknown address\n    #0 0x559128a463d5 in main /tmp/c/r.c:9\n", []Frame{{"main", "/tmp/c/r.c", 9}}, "main, r.c:9"},
		{"a recursion", "==1==ERROR: AddressSanitizer: stack-overflow on address 0x7ffd\n    #0 0x1 in node r.c:9\n    #1 0x2 in list r.c:7\n    #2 0x3 in node r.c:4\n    #3 0x2 in list r.c:7\n",
			[]Frame{{"node", "r.c", 9}, {"list", "r.c", 7}, {"node", "r.c", 4}, {"list", "r.c", 7}}, "list, a recursion"},
		{"without names", "==1==ERROR: AddressSanitizer: SEGV\n    #0 0x7f0474648060  (/lib/libasan.so.8+0x48060)\n    #1 0x56070f8f222f  (/tmp/c/r+0x122f)\n", nil, ""},
		{"killed", "killed by SIGSEGV (segmentation fault)", nil, ""},
		{"what a terminal obeys", "    #0 0x1 in \x1b[31mevil r.c:9\n    #1 0x2 in good r.c:10\n", []Frame{{"good", "r.c", 10}}, "good, r.c:10"},
		{"no end", "    #0 0x1 in " + strings.Repeat("x", 1<<20) + " r.c:9\n", nil, ""},
		{"a line that is none", "    #0 0x1 in f r.c:99999999999999999999\n    #1 0x1 in g r.c:-1\n", []Frame{{"f r.c:99999999999999999999", "", 0}, {"g r.c:-1", "", 0}}, "f r.c:99999999999999999999"},
	} {
		got := parseStack(c.report)
		if !reflect.DeepEqual(got.Frames, c.want) {
			t.Errorf("%s: want %v, got %v", c.name, c.want, got.Frames)
		}
		if place := got.Place(); place != c.place {
			t.Errorf("%s: want the place %q, got %q", c.name, c.place, place)
		}
	}
	var deep strings.Builder
	for range 5000 {
		deep.WriteString("main.f(0x1)\n\t/r.go:3 +0x1\n")
	}
	if got := parseStack("fatal error: stack overflow\n\ngoroutine 1 [running]:\n" + deep.String()); len(got.Frames) != MaxFrames {
		t.Errorf("want %d frames of a recursion, got %d", MaxFrames, len(got.Frames))
	}
}

// One line can have two mistakes, and one function that copies can be called with two wrong sizes.
func TestPlacesOfTwoMistakes(t *testing.T) {
	report := func(access, caller string) string {
		return "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n" + access + " of size 9 at 0x1 thread T0\n    #0 0x1 in copy r.c:4\n    #1 0x2 in " + caller + " r.c:6\n"
	}
	places := map[string]bool{}
	for _, r := range []string{report("WRITE", "name"), report("WRITE", "text"), report("READ", "name"), report("READ", "text")} {
		s := parseStack(r)
		places[s.Place()] = true
	}
	// What a line reads after the packet's end is its own mistake, whoever called it.
	if len(places) != 3 {
		t.Errorf("want the places of name's copy, of text's copy, and of the read, got %v", places)
	}
}
