package wirediff_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report/wirediff"
)

// drawn are the options of so many packets.
func drawn(n int64) wirediff.Options { return wirediff.Options{Seed: 1, Count: n} }

func load(t testing.TB, src string) *decode.Decoder {
	t.Helper()
	if !strings.HasPrefix(src, "protocol") {
		src = "protocol p\norder lsb\n" + src
	}
	d, err := decode.Load("p.pks", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return d
}

const (
	read  = wirediff.Same
	open  = wirediff.Undecided
	broke = wirediff.Breaks
)

// changes are what people do to schemas: what the new reader does with old packets, and the old reader with new ones.
var changes = []struct {
	name, old, new string
	wantOld        wirediff.Verdict
	wantNew        wirediff.Verdict
	text           string // in the first change
}{
	{"nothing", "packet { a uint8, b bits(3) }", "packet { a uint8, b bits(3) }", read, read, ""},
	{"a field renamed", "packet { a uint8, b bits(3) }", "packet { speed uint8, b bits(3) }", read, read, ""},
	{"two renamed", "packet { a uint8, b uint8 }", "packet { c uint8, d uint8 }", read, read, ""},
	{"a struct renamed", "struct A { x uint8 }\npacket { a A }", "struct B { x uint8 }\npacket { a B }", read, read, ""},
	{"a struct inlined", "struct A { x uint8 }\npacket { a A }", "packet { a { x uint8 } }", read, read, ""},
	{"a const for a number", "packet { a int(0..7) }", "const Seven = 7\npacket { a int(0..Seven) }", read, read, ""},
	{"comments and units", "packet { a uint8 }", "packet {\n // how far\n a uint8 @unit(\"m\") }", read, read, ""},
	{"a computed let", "packet { a uint8 }", "packet { a uint8, let b = a * 2 }", read, read, ""},
	{"places changed, one type", "packet { a uint8, b uint8 }", "packet { b uint8, a uint8 }", broke, broke, "a and b change places"},
	{"places changed, two types", "packet { a uint8, b uint16 }", "packet { b uint16, a uint8 }", broke, broke, "a and b change places"},
	{"the old name elsewhere", "packet { a uint8, b uint8 }", "packet { b uint8, c uint8 }", broke, broke, "a is gone, before b"},
	{"a range widened, same bits", "packet { a int(0..5) }", "packet { a int(0..7) }", read, broke, "a may now also be 6"},
	{"a range narrowed, same bits", "packet { a int(0..7) }", "packet { a int(0..5) }", broke, read, "a may no longer be 6"},
	{"a range widened, more bits", "packet { a int(0..5), b bits(3) }", "packet { a int(0..9), b bits(3) }", broke, broke, "a is read otherwise"},
	{"a range moved", "packet { a int(0..7) }", "packet { a int(1..8) }", broke, broke, "a is read otherwise"},
	{"a rule widened", "packet { a uint8 in 0..100 }", "packet { a uint8 in 0..200 }", read, broke, "a may now also be 101"},
	{"a rule gone", "packet { a uint8 in 1..6 }", "packet { a uint8 }", read, broke, "a may now also be 0"},
	{"a rule new", "packet { a int16 }", "packet { a int16 in -5..5 }", broke, read, "a may no longer be"},
	{"a constant changed", "packet { a uint8 == 3, b uint8 }", "packet { a uint8 == 4, b uint8 }", broke, broke, "a may no longer be 3"},
	{"a sign", "packet { a uint8 }", "packet { a int8 }", broke, broke, "a is read otherwise"},
	{"a type of the same bits", "packet { a bits(8) }", "packet { a uint8 }", read, read, ""},
	{"a bool of a bit", "packet { a bits(1) }", "packet { a bool }", read, read, ""},
	{"a float for a number", "packet { a uint32 }", "packet { a float32 }", broke, broke, "a is read otherwise"},
	{"another resolution", "packet { a float(0..10, 0.01) }", "packet { a float(0..10, 0.02) }", broke, broke, "a is read otherwise"},
	{"another resolution, same bits", "packet { a float(0..10, 0.01) }", "packet { a float(0..10, 0.0099) }", broke, broke, "a is read otherwise"},
	{"finite", "packet { a float32 }", "packet { a float32 finite }", broke, read, "another rule"},
	{"an enum's case new", "enum K : uint8 { A = 1, B = 2 }\npacket { k K }", "enum K : uint8 { A = 1, B = 2, C = 3 }\npacket { k K }", read, broke, "k may now also be C"},
	{"an enum opened", "enum K : uint8 { A = 1, B = 2 }\npacket { k K }", "open enum K : uint8 { A = 1, B = 2 }\npacket { k K }", read, broke, "k may now also be"},
	{"an enum's case renamed", "enum K : uint8 { A = 1, B = 2 }\npacket { k K }", "enum K : uint8 { A = 1, C = 2 }\npacket { k K }", read, read, ""},
	{"an enum's values swapped", "enum K : uint8 { A = 1, B = 2 }\npacket { k K }", "enum K : uint8 { A = 2, B = 1 }\npacket { k K }", broke, broke, "A has another value"},
	{"a flag new", "flags K : uint8 { A = 1 }\npacket { k K }", "flags K : uint8 { A = 1, B = 2 }\npacket { k K }", read, broke, "k may now also be"},
	{"flags swapped", "flags K : uint8 { A = 1, B = 2 }\npacket { k K }", "flags K : uint8 { A = 2, B = 1 }\npacket { k K }", broke, broke, "A has another value"},
	{"reserved bits used", "packet { a uint8, reserved(8) }", "packet { a uint8, b uint8 }", read, broke, "reserved bits are now b"},
	{"a field after the last", "packet { a uint8 }", "packet { a uint8, b uint8 }", broke, broke, "b is new"},
	{"an optional field after the last", "packet { a uint8 }", "packet { a uint8\n if rest > 0 { b uint8 } }", read, broke, "b is new"},
	{"with a default", "packet { a uint8 }", "packet { a uint8\n if rest > 0 { b uint8 } else { let b = 1 } }", read, broke, "is new"},
	{"a list to the end", "packet { a uint8 }", "packet { a uint8, more [rest, max 4]uint16 }", read, broke, "more is new"},
	{"bytes to the end", "packet { a uint8 }", "packet { a uint8, more bytes(rest, max 9) }", read, broke, "more is new"},
	{"read by bytes to the end", "packet { a uint8, more bytes(rest, max 9) }", "packet { a uint8, b uint8, more bytes(rest, max 9) }", broke, broke, "b is new, before more"},
	{"an optional field in the middle", "packet { a uint8, b uint8 }", "packet { a uint8\n if rest > 1 { c uint8 }\n b uint8 }", read, broke, "is new, before b"},
	{"an optional field in a window", "packet { n uint8 in 1..9\n within(n) { a uint8 }\n b uint8 }", "packet { n uint8 in 1..9\n within(n) { a uint8\n if rest > 0 { c uint8 } }\n b uint8 }", read, broke, "is new"},
	{"an optional field in an element", "packet { l [2]{ a uint8 } }", "packet { l [2]{\n a uint8\n if rest > 0 { b uint8 } } }", broke, broke, "is new"},
	{"an optional field in a branch", "packet { c bool\n if c { a uint8 }\n z uint8 }", "packet { c bool\n if c { a uint8\n if rest > 0 { b uint8 } }\n z uint8 }", broke, broke, "is new"},
	{"an optional field in the last branch", "packet { c bool\n if c { a uint8 } }", "packet { c bool\n if c { a uint8\n if rest > 0 { b uint8 } } }", read, broke, "is new"},
	{"the optional field gone", "packet { a uint8\n if rest > 0 { b uint8 } }", "packet { a uint8 }", broke, read, "is gone"},
	{"a field gone", "packet { a uint8, b uint8, c uint8 }", "packet { a uint8, c uint8 }", broke, broke, "b is gone, before c"},
	{"a field new in the middle", "packet { a uint8, c uint8 }", "packet { a uint8, b uint8, c uint8 }", broke, broke, "b is new, before c"},
	{"a flag that decides", "packet { a bool\n if a { b uint8 } }", "packet { a bool\n if !a { b uint8 } }", broke, broke, "read otherwise"},
	{"a condition", "packet { a uint8\n if a > 3 { b uint8 } }", "packet { a uint8\n if a > 4 { b uint8 } }", broke, broke, "read otherwise"},
	{"the same condition of a renamed field", "packet { a uint8\n if a > 3 { b uint8 } }", "packet { x uint8\n if x > 3 { b uint8 } }", read, read, ""},
	{"more elements, same bits", "packet { l [..5]uint8 }", "packet { l [..7]uint8 }", read, broke, "l"},
	{"more elements, more bits", "packet { l [..5]uint8 }", "packet { l [..9]uint8 }", broke, broke, "l"},
	{"a limit of a list", "packet { n uint8\n l [n, max 5]uint8 }", "packet { n uint8\n l [n, max 7]uint8 }", read, broke, "at most 5 → 7"},
	{"a limit of bytes", "packet { n uint8\n l bytes(n, max 5) }", "packet { n uint8\n l bytes(n, max 3) }", broke, read, "at most 5 → 3"},
	{"a count by another field", "packet { n int(0..3), m int(0..3)\n l [n]uint8 }", "packet { n int(0..3), m int(0..3)\n l [m]uint8 }", broke, broke, "l is read otherwise"},
	{"a relation new", "packet { a uint8, b uint8 }", "packet { a uint8, b uint8\n require a <= b }", broke, read, "a relation is new"},
	{"a relation gone", "packet { a uint8, b uint8\n require a <= b }", "packet { a uint8, b uint8 }", read, broke, "a relation is gone"},
	{"a relation changed", "packet { a uint8, b uint8\n require a <= b }", "packet { a uint8, b uint8\n require a < b }", broke, read, "a relation is another"},
	{"a case new", "packet { t uint8 in 0..3\n b switch t { 0: uint8, 1: uint16 } }", "packet { t uint8 in 0..3\n b switch t { 0: uint8, 1: uint16, 2: uint8 } }", read, broke, "is new"},
	{"a case gone", "packet { t uint8\n b switch t { 0: uint8, 1: uint16 } }", "packet { t uint8\n b switch t { 0: uint8 } }", broke, read, "is gone"},
	{"one case changed", "packet { t uint8\n b switch t { 0: uint8, 1: uint16 } }", "packet { t uint8\n b switch t { 0: uint8, 1: uint32 } }", broke, broke, "read otherwise"},
	{"cases in another order", "packet { t uint8\n b switch t { 0: uint8, 1: uint16 } }", "packet { t uint8\n b switch t { 1: uint16, 0: uint8 } }", read, read, ""},
	{"a default for two cases", "packet { t int(0..2)\n b switch t { 0: uint8, 1: uint16, 2: uint16 } }", "packet { t int(0..2)\n b switch t { 0: uint8, default: uint16 } }", read, read, ""},
	{"another checksum", "packet { a uint16\n s crc32 }", "packet { a uint16\n s crc32c }", broke, broke, "s is read otherwise"},
	{"another protocol id", "packet { s crc32(prefix 0x11 : uint32)\n a uint16 }", "packet { s crc32(prefix 0x12 : uint32)\n a uint16 }", broke, broke, "s is read otherwise"},
	{"less is covered", "packet { a uint16, b uint16\n s crc32(over b) }", "packet { a uint16, b uint16\n s crc32(over a) }", broke, broke, "s is read otherwise"},
	{"a check's label", "packet { a uint16\n check \"one\" }", "packet { a uint16\n check \"two\" }", broke, broke, "read otherwise"},
	{"the bytes' order", "packet { a uint16 }", "protocol p\norder msb\npacket { a uint16 }", broke, broke, "a is read otherwise"},
	{"a field's bytes", "packet { a uint16 }", "packet { a uint16 be }", broke, broke, "a is read otherwise"},
	{"aligned", "packet { a bits(3), b uint8 }", "packet { a bits(3)\n align\n b uint8 }", broke, broke, "before b"},
	{"max datagram, smaller", "max datagram 100\npacket { a bytes(rest, max 90) }", "max datagram 50\npacket { a bytes(rest, max 90) }", broke, read, "max datagram 100 → 50"},
	{"max datagram, without effect", "max datagram 100\npacket { a uint8 }", "max datagram 50\npacket { a uint8 }", read, read, ""},
	{"who sends it", "port 1\npacket { t uint8\n b switch t { 0: uint8 @from(client), 1: uint16 } }", "port 2\npacket { t uint8\n b switch t { 0: uint8 @from(server), 1: uint16 } }", read, read, ""},
	{"text", "packet { s string(9) }", "packet { s string(20) }", open, broke, "s.length is read otherwise"},
	{"an encoding", "packet { n uint8\n s bytes(n) utf8 }", "packet { n uint8\n s bytes(n) }", read, broke, "s: another rule"},
	{"a message's field", "packet { n uint8\n m bytes(n) @message(M) }\nmessage M max 9 { a uint8 }", "packet { n uint8\n m bytes(n) @message(M) }\nmessage M max 9 { a uint16 }", broke, broke, "a is read otherwise"},
	{"a subset's size", "packet { s subset(index) [8]uint8 }", "packet { s subset(index) [9]uint8 }", broke, broke, "s"},
	{"the same list until", "packet { l [until l == 0, max 9]uint8\n z uint8 }", "packet { m [until m == 0, max 9]uint8\n z uint8 }", read, read, ""},
	{"a list until another", "packet { l [until l == 0, max 9]uint8 }", "packet { l [until l == 1, max 9]uint8 }", broke, broke, "l is read otherwise"},
	{"flags with a rule", "flags K : uint8 { A = 1, B = 2 }\npacket { k K in {K.A} }", "flags K : uint8 { A = 1, B = 2 }\npacket { x K in {K.A} }", read, read, ""},
	{"flags with a rule, declared otherwise", "flags K : uint8 { A = 1, B = 2 }\npacket { k K != 1 }", "flags K : uint8 { A = 1 }\npacket { k K != 1 }", broke, open, "other flags"},
	{"some reserved bits used", "packet { a uint8, reserved(8) }", "packet { a uint8, b bool, c bits(2), reserved(5) }", read, broke, "reserved bits are now b"},
	{"reserved bits that may not be 0", "packet { a uint8, reserved(8) }", "packet { a uint8, b uint8 in 1..9 }", broke, broke, "reserved bits are now b"},
	{"reserved bits of any code used", "packet { a uint8, reserved(8) any }", "packet { a uint8, b uint8 in 0..9 }", open, broke, "reserved bits are now b"},
	{"reserved bits by two fields that do not fit", "packet { a uint8, reserved(8), z uint8 }", "packet { a uint8, b bits(5), c bits(11) }", broke, broke, "reserved bits are now b"},
	{"a field given up", "packet { a uint8, b uint8 }", "packet { a uint8, reserved(8) }", broke, read, "b is now reserved bits"},
	{"reserved bits joined", "packet { reserved(3), reserved(5), a uint8 }", "packet { reserved(8), a uint8 }", read, read, ""},
	{"reserved bits that may be set", "packet { a uint8, reserved(8) }", "packet { a uint8, reserved(8) any }", read, open, "reserved bits may now be set"},
	{"a condition on the rest, in bits", "packet { a bits(4), b bits(13) }", "packet { a bits(4)\n if rest > 2 { c uint8 }\n b bits(13) }", read, broke, "c is new, before b"},
	{"a condition on the rest that old packets meet", "packet { a uint8, b bits(13) }", "packet { a uint8\n if rest > 1 { c bits(3) }\n b bits(13) }", broke, broke, "c is new, before b"},
	{"an optional field gone in the middle", "packet { a uint8\n if rest > 1 { c uint8 }\n b uint8 }", "packet { a uint8, b uint8 }", broke, read, "c is gone, before b"},
	{"a condition on the rest, before a list", "packet { n uint8\n l [n, max 9]uint8 }", "packet { n uint8\n if rest > 3 { c uint8 }\n l [n, max 9]uint8 }", broke, broke, "c is new, before l"},
	{"two optional fields after the last", "packet { a uint8 }", "packet { a uint8\n if rest > 0 { b uint8, c uint8 }\n if rest > 0 { d uint8 } }", read, broke, "b and c are new"},
	{"an optional field in a case", "packet { t uint8 in 0..1\n b switch t { 0: { x uint8 }, 1: empty } }", "packet { t uint8 in 0..1\n b switch t { 0: { x uint8\n if rest > 0 { armor uint8 } }, 1: empty } }", read, broke, "b<0>.armor is new"},
	{"a relation's bound", "packet { a uint8, b uint8\n require a + b < 300 }", "packet { a uint8, b uint8\n require a + b < 350 }", read, broke, "a relation is another"},
	{"a relation's lower bound", "packet { a uint8, b uint8\n require 300 < a + b }", "packet { a uint8, b uint8\n require 250 <= a + b }", read, broke, "a relation is another"},
	{"a relation's set", "packet { a uint8, b uint8\n require a + b in 3..7 }", "packet { a uint8, b uint8\n require a + b in 2..9 }", read, broke, "a relation is another"},
	{"another relation", "packet { a uint8, b uint8\n require a < b }", "packet { a uint8, b uint8\n require b < a }", broke, broke, "a relation is another"},
	{"a relation that always holds", "packet { a uint8, b uint8\n require 1 < 2 }", "packet { a uint8, b uint8 }", read, read, ""},
	{"after a relation", "packet { a uint8, b uint8\n require a <= b\n c int(0..5) }", "packet { a uint8, b uint8\n require a < b\n c int(0..7) }", broke, broke, "a relation is another"},
	{"a float's range", "packet { a float32 in 0.0..1.0 }", "packet { a float32 in -1.0..2.0 }", read, broke, "another rule"},
	{"a float's range for finite", "packet { a float32 in 0.0..1.0 }", "packet { a float32 finite }", read, broke, "another rule"},
	{"a message's pieces", pieces("id s, index k, count n"), pieces("id s, index k, count n + 1"), broke, broke, "d: message M is put together otherwise"},
	{"a message's pieces renamed", pieces("id s, index k, count n"), strings.NewReplacer("k ", "kk ", "k,", "kk,").Replace(pieces("id s, index k, count n")), read, read, ""},
	{"another message", pieces("id s, index k, count n") + "\nmessage N max 9 { a uint8 }", strings.Replace(pieces("id s, index k, count n"), "fragment(M", "fragment(N", 1) + "\nmessage N max 9 { a uint8 }", broke, broke, "message M → N"},
	{"a varint for a number", "packet { a uint8 }", "packet { a varint(7) }", broke, open, "a is read otherwise"},
}

// pieces is a schema whose packets hold pieces of a message.
func pieces(what string) string {
	return "packet { s uint16, k uint8, n uint8 in 1..9\n require k < n\n d bytes(rest, max 9) @fragment(M, " + what + ") }\nmessage M max 80 { a uint8 }"
}

// Every change of the table has its verdict on both sides, and what breaks is shown by a packet.
func TestChanges(t *testing.T) {
	for _, one := range changes {
		r := wirediff.Compare(load(t, one.old), load(t, one.new), drawn(600))
		old, new := r.Worst()
		if old != one.wantOld || new != one.wantNew {
			t.Errorf("%s: old packets %s, new packets %s; want %s and %s\n%+v", one.name, old, new, one.wantOld, one.wantNew, r.Cases)
			continue
		}
		if got := firstText(r); !strings.Contains(got, one.text) || one.text == "" && got != "" {
			t.Errorf("%s: want %q, got %q", one.name, one.text, got)
		}
	}
}

// differ judges one datagram by both readers, without what Compare is made of.
func differ(old, new *decode.Decoder, data []byte, from decode.Direction, a, b *decode.Trace) bool {
	return (old.Decode(data, from, a) == nil) != (new.Decode(data, from, b) == nil)
}

// held is what must hold of every report: no packet contradicts what the plans prove, and where both sides are proved, both
// readers have one verdict about packets that nobody writes as well. It gives how many were tried.
func held(t *testing.T, name string, old, new *decode.Decoder, r *wirediff.Report, n int64) (tried int) {
	t.Helper()
	for _, c := range r.Cases {
		for _, side := range []wirediff.Side{c.Old, c.New} {
			if side.Proved && side.Verdict != read {
				t.Errorf("%s, case %q: the plans prove what %x contradicts: %s", name, c.Name, side.Packet, side.Why)
			}
			if side.Verdict == broke && (side.Packet == nil || side.Why == "") {
				t.Errorf("%s, case %q: it breaks without a packet", name, c.Name)
			}
		}
	}
	if a, b := r.Worst(); a != read || b != read || len(old.Sections()) > 0 {
		return 0
	}
	var x, y decode.Trace
	random := rand.New(rand.NewPCG(7, uint64(n)))
	for _, d := range []*decode.Decoder{old, new} {
		for p, err := range fuzz.NewGenerator(d).Packets(1, n, func(fuzz.Missed) {}) {
			if err != nil {
				break
			}
			data := bytes.Clone(p.Data)
			for range 4 {
				tried++
				if differ(old, new, data, p.From, &x, &y) {
					t.Fatalf("%s: both sides read all, but not %x", name, data)
				}
				if len(data) == 0 {
					break
				}
				data[random.IntN(len(data))] ^= 1 << random.IntN(8)
				data = data[:len(data)-random.IntN(2)*random.IntN(len(data))]
			}
		}
	}
	return tried
}

// What is proved holds for tens of thousands of packets, also of those that nobody writes.
func TestProofs(t *testing.T) {
	n, tried := need.Rounds[int64](3000, 200), 0
	for _, one := range changes {
		old, new := load(t, one.old), load(t, one.new)
		tried += held(t, one.name, old, new, wirediff.Compare(old, new, drawn(n)), n)
	}
	if tried < 10000 {
		t.Errorf("only %d packets tried", tried)
	}
}

// edit changes a schema as somebody might, at random.
func edit(src string, r *rand.Rand) string {
	lines := strings.Split(src, "\n")
	at := r.IntN(len(lines))
	switch r.IntN(6) {
	case 0:
		if digits := regexp.MustCompile(`[0-9]+`).FindAllStringIndex(src, -1); len(digits) > 0 {
			d := digits[r.IntN(len(digits))]
			number, _ := strconv.Atoi(src[d[0]:d[1]])
			return src[:d[0]] + strconv.Itoa(max(number+r.IntN(5)-2, 0)) + src[d[1]:]
		}
	case 1:
		lines[at], lines[(at+1)%len(lines)] = lines[(at+1)%len(lines)], lines[at]
	case 2:
		lines = slices.Delete(lines, at, at+1)
	case 3:
		name := regexp.MustCompile(`\b[a-z]+[0-9]+\b`).FindAllString(src, -1)
		if len(name) > 0 {
			one := name[r.IntN(len(name))]
			return regexp.MustCompile(`\b`+one+`\b`).ReplaceAllString(src, one+"_now")
		}
	case 4:
		other := r.IntN(len(lines))
		lines[at] = lines[other]
	case 5:
		words := [][2]string{{"uint8", "int8"}, {"uint16", "uint32"}, {"lsb", "msb"}, {" le", " be"}, {"bool", "bits(1)"}, {"==", "!="}, {"open ", ""}}
		w := words[r.IntN(len(words))]
		return strings.Replace(src, w[0], w[1], 1)
	}
	return strings.Join(lines, "\n")
}

// Random changes of random schemas: nothing that is proved is contradicted. ANYSCHEMA=5000+300 draws 300 from seed 5000
// on, for a soak.
func TestRandomChanges(t *testing.T) {
	from, seeds := uint64(0), need.RoundsIn[uint64](t, need.Long, 50, 15, 6)
	if soak := os.Getenv("ANYSCHEMA"); soak != "" {
		if _, err := fmt.Sscanf(soak, "%d+%d", &from, &seeds); err != nil {
			t.Fatalf("ANYSCHEMA: want FROM+COUNT, got %q", soak)
		}
	}
	pairs, tried, verdicts := 0, 0, map[wirediff.Verdict]int{}
	for seed := from; seed < from+seeds; seed++ {
		src := anyschema.Source(anyschema.Seeded(seed), 30)
		old, err := decode.Load("p.pks", []byte(src))
		if err != nil {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 1))
		for range 4 {
			changed := edit(src, r)
			new, err := decode.Load("p.pks", []byte(changed))
			if err != nil || changed == src {
				continue
			}
			pairs++
			report := wirediff.Compare(old, new, drawn(120))
			tried += held(t, fmt.Sprintf("seed %d:\n%s\n----\n%s", seed, src, changed), old, new, report, 40)
			a, b := report.Worst()
			verdicts[a]++
			verdicts[b]++
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d pairs, %d packets of same ones, verdicts %v", pairs, tried, verdicts)
	if pairs < int(seeds)/4 || verdicts[read] == 0 || verdicts[broke] == 0 {
		t.Errorf("%d pairs, verdicts %v", pairs, verdicts)
	}
}

func firstText(r *wirediff.Report) string {
	for _, c := range r.Cases {
		for _, change := range c.Changes {
			return change.Text
		}
	}
	return ""
}

// Nested structs have as many boundaries as fields, and all fields in the packet of each: what is read of them is bounded.
func TestDrawnIsBounded(t *testing.T) {
	const fields = 1 << 10
	schema := func(last string) *decode.Decoder {
		src := "protocol p\norder msb\nstruct S0 { a " + last + " }\n"
		for i := range 10 {
			src += fmt.Sprintf("struct S%d { a S%d, b S%d }\n", i+1, i, i)
		}
		d, err := decode.Load("p.pks", []byte(src+"packet { a S10 }\n"))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	r := wirediff.Compare(schema("uint8"), schema("uint8 in 0..254"), drawn(1000))
	for _, side := range []wirediff.Side{r.Cases[0].Old, r.Cases[0].New} {
		if most := 1<<19/fields + 1; side.Drawn == 0 || side.Drawn > most {
			t.Errorf("%d packets of %d fields were read, want at most %d", side.Drawn, fields, most)
		}
	}
	if old, new := r.Worst(); old != wirediff.Breaks || new != wirediff.Same {
		t.Errorf("old packets %s, new packets %s", old, new)
	}
}
