package mutatorgen_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/mutatorgen"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
)

var warnings = []string{"-Wall", "-Wextra", "-Wpedantic", "-Werror"}

// build compiles a mutator with the program in it that the tests ask, under sanitizers.
func build(t testing.TB, compiler string, p *plan.Plan, flags ...string) string {
	t.Helper()
	need.Program(t, need.CXX, compiler)
	dir := t.TempDir()
	source := filepath.Join(dir, mutatorgen.FileName)
	if err := os.WriteFile(source, []byte(mutatorgen.Source(p, "-p x", mutatorgen.FileName)), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-g", "-O" + fmt.Sprint(need.Rounds(1, 0)), "-DPKTSCOPE_MUTATOR_MAIN"}, warnings...)
	args = append(append(args, flags...), source, "-o", filepath.Join(dir, "mutator"))
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		if strings.Contains(string(out), "cannot find") {
			need.Skip(t, need.CXX, fmt.Sprintf("%s: %.200s", compiler, out))
		}
		t.Fatalf("%s: %v\n%.3000s", compiler, err, out)
	}
	return filepath.Join(dir, "mutator")
}

var sanitized = []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}

// line is what the program says of a packet.
type line struct {
	data            []byte
	mutation, field string
	aim             string // the kind that was aimed at, "none" or "any"
	aimBit          int
	kind            string // the kind that it is refused with as the C file has it, or "none"
	bit             int
	path            string
}

// ask gives the program packets and reads what it says.
func ask(t testing.TB, program string, packets [][]byte, args ...string) (lines []line) {
	t.Helper()
	var in bytes.Buffer
	for _, packet := range packets {
		in.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(packet))))
		in.Write(packet)
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%.4000s", args, err, stderr.String())
	}
	for text := range strings.Lines(string(out)) {
		words := strings.Split(strings.TrimSuffix(text, "\n"), "\t")
		if len(words) != 8 {
			t.Fatalf("line %q", text)
		}
		l := line{mutation: words[1], field: words[2], aim: words[3], kind: words[5], path: words[7]}
		if words[0] != "-" {
			if l.data, err = hex.DecodeString(words[0]); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Sscan(words[4], &l.aimBit)
		fmt.Sscan(words[6], &l.bit)
		lines = append(lines, l)
	}
	return lines
}

// verdict is what the interpreter says of a packet.
func verdict(d *decode.Decoder, t *decode.Trace, data []byte) (kind string, bit int) {
	err := d.Decode(data, decode.FromUnknown, t)
	if err == nil {
		return "none", -1
	}
	r := err.(*reject.Reject)
	return r.Kind.String(), r.Bit
}

// known are packets of a built-in: seeds, or the first of a capture.
func known(t testing.TB, name string) (all [][]byte) {
	t.Helper()
	for _, s := range corpus.Seeds(name) {
		all = append(all, s.Data)
	}
	file, err := os.ReadFile("../../corpus/" + name + ".pcap")
	if err != nil {
		t.Fatal(err)
	}
	for datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file))); len(all) < 24; {
		dg, err := datagrams.Next()
		if err != nil {
			break
		}
		all = append(all, bytes.Clone(dg.Payload))
	}
	return all
}

// packets are what mutations begin with: those that are known, nothing, and bytes that mean nothing.
func packets(known [][]byte, most int) [][]byte {
	all := append([][]byte{{}, {0}, {0xff, 0xff, 0xff, 0xff}}, known...)
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		noise := make([]byte, r.IntN(min(most, 64)+1))
		for i := range noise {
			noise[i] = byte(r.Uint32())
		}
		all = append(all, noise)
	}
	return all
}

// tally is how packets turned out.
type tally struct {
	packets, accepted int // mutated; of these accepted
	whole, good       int // made of a valid packet without a rule broken on purpose; of these accepted
	aimed, hit        int // broken so that one kind is to be expected; of these refused with it
	repaired, made    int // given to be repaired; of these accepted
}

// hold asks a program for mutated and repaired packets and holds what it says of each against the interpreter.
func hold(t testing.TB, program string, d *decode.Decoder, from [][]byte, rounds int) (sum tally) {
	t.Helper()
	var trace decode.Trace
	failed := 0
	check := func(l line, what string) (kind string) {
		kind, bit := verdict(d, &trace, l.data)
		if l.kind == "too-large" { // a tape does not hold it, and the file says so
			return kind
		}
		if kind != l.kind || kind != "none" && bit != l.bit {
			if failed++; failed < 6 {
				t.Errorf("%s %s of %q: %x: the interpreter says %s at bit %d, the C file %s at bit %d (%s)", what, l.mutation, l.field, l.data, kind, bit, l.kind, l.bit, l.path)
			}
		}
		return kind
	}
	for _, l := range ask(t, program, from, "judge") {
		check(l, "judge")
	}
	for i, l := range ask(t, program, from, "repair") {
		was, _ := verdict(d, &trace, from[i])
		sum.repaired++
		if l.data == nil {
			continue
		}
		if check(l, "repair") == "none" {
			sum.made++
		}
		if was == "none" && !bytes.Equal(l.data, from[i]) && trailing(from[i], l.data) {
			if failed++; failed < 6 {
				t.Errorf("repair of the valid packet %x: %x", from[i], l.data)
			}
		}
	}
	for i, l := range ask(t, program, from, "mutate", fmt.Sprint(rounds), fmt.Sprint(min(d.Plan().Schema.MaxDatagram, 1500))) {
		kind := check(l, "mutate")
		sum.packets++
		if kind == "none" {
			sum.accepted++
		}
		switch l.aim {
		case "any":
		case "none":
			if was, _ := verdict(d, &trace, from[i/rounds]); was != "none" {
				continue
			}
			if sum.whole++; kind == "none" {
				sum.good++
			} else if failed++; failed < 6 {
				t.Errorf("%s of %q of the valid packet %x: %x is refused: %s", l.mutation, l.field, from[i/rounds], l.data, kind)
			}
		default:
			if sum.aimed++; kind == l.aim {
				sum.hit++
			}
		}
	}
	if 10*sum.hit < 9*sum.aimed {
		t.Errorf("too many packets are refused with another kind than was aimed at: %+v", sum)
	}
	return sum
}

// trailing reports whether two packets differ in more than the bits after the last field, which mean nothing.
func trailing(a, b []byte) bool {
	return len(a) != len(b) || len(a) == 0 || !bytes.Equal(a[:len(a)-1], b[:len(b)-1])
}

// Of every built-in, what the C file says of a packet is what the interpreter says, kind and bit: of seeds, of noise,
// of what it repaired and of what it mutated. What it repairs is accepted.
func TestBuiltins(t *testing.T) {
	names := append([]string{"packets"}, slices.DeleteFunc(protocols.Names(), func(name string) bool { return name == "packets" })...)
	for _, name := range names[:need.Rounds(len(names), 1)] { // the compilers take most of the time
		t.Run(name, func(t *testing.T) {
			d, err := protocols.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			program := build(t, "gcc", d.Plan(), append(sanitized, "-std=c99")...)
			from := packets(known(t, name), d.Plan().Schema.MaxDatagram)
			sum := hold(t, program, d, from, need.Rounds(10000, 1000)/len(from)+1)
			t.Logf("%+v of %d", sum, len(from))
		})
	}
}

// The same of schemas that were drawn.
func TestAnySchema(t *testing.T) {
	all, with := tally{}, 0
	for seed := range need.Rounds(uint64(16), 1) {
		src := anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%40)
		s, _ := schema.Load("any.pks", []byte(src), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		with++
		program := build(t, "gcc", p, append(sanitized, "-std=c99")...)
		sum := hold(t, program, decode.New(p), packets(nil, p.Schema.MaxDatagram), 100)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, src)
		}
		for i, n := range []int{sum.packets, sum.accepted, sum.whole, sum.good, sum.aimed, sum.hit, sum.repaired, sum.made} {
			*[]*int{&all.packets, &all.accepted, &all.whole, &all.good, &all.aimed, &all.hit, &all.repaired, &all.made}[i] += n
		}
	}
	t.Logf("%d schemas: %+v", with, all)
}

// The file is clean for compilers that share little, as C99 and as C++11, and all make the same packets of a seed.
func TestCompilers(t *testing.T) {
	d, err := protocols.Load("gaffer")
	if err != nil {
		t.Fatal(err)
	}
	var first []line
	rows := []struct{ compiler, std string }{{"g++", "c++11"}, {"gcc", "c99"}, {"clang", "c99"}, {"clang++", "c++11"}}
	for _, row := range rows[:need.Rounds(len(rows), 1)] {
		flags := []string{"-std=" + row.std}
		if strings.HasSuffix(row.compiler, "++") {
			flags = append(flags, "-x", "c++")
		}
		lines := ask(t, build(t, row.compiler, d.Plan(), append(flags, sanitized...)...), packets(known(t, "gaffer"), 256), "mutate", "20", "200")
		if first == nil {
			first = lines
		}
		if len(lines) == 0 || !reflect.DeepEqual(lines, first) {
			t.Errorf("%s makes %d packets, or other ones than g++", row.compiler, len(lines))
		}
	}
}

// Each repair can be switched off, and then what it repairs stays wrong.
func TestRepairs(t *testing.T) {
	const all = 15
	for _, row := range []struct {
		name, items, packet string
		repair              int
		kind                string // without it
	}{
		{"values", "a uint8 in 1..3", "\x09", 1, "out-of-range"},
		{"counts", "n uint8\nwithin(n) { a uint8 }", "\x04\x07", 2, "past-end"},
		{"sums", "c crc16_xmodem\na uint8", "\x00\x00\x07", 4, "crc-mismatch"},
		{"padding", "a bits(3)\nalign\nb uint8", "\xff\x01", 8, "nonzero-padding"},
	}[:need.Rounds(4, 2)] {
		t.Run(row.name, func(t *testing.T) {
			s, diags := schema.Load("x.pks", []byte("protocol x\norder lsb\nmax datagram 16\npacket {\n"+row.items+"\n}\n"), nil)
			if s == nil {
				t.Fatal(diags)
			}
			p, _ := plan.Compile(s)
			program := build(t, "gcc", p, "-std=c99")
			for repairs, want := range map[int]string{all: "none", all &^ row.repair: row.kind} {
				l := ask(t, program, [][]byte{[]byte(row.packet)}, "repair", "1", "16", fmt.Sprint(repairs))[0]
				if kind, _ := verdict(decode.New(p), new(decode.Trace), l.data); kind != want || l.kind != want {
					t.Errorf("repairs %d: %x: want %s, the interpreter says %s, the C file %s", repairs, l.data, want, kind, l.kind)
				}
			}
		})
	}
}
