package zoo_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

// list is what the zoo has to hold: the mistake in words, its animal, its oracle.
var list = []struct {
	mistake, name string
	oracle        zoo.Oracle
}{
	{"count copied unchecked from the wire", "count-unchecked", zoo.Crash},
	{"6 bits for 0..32 with no range check", "count-too-wide", zoo.Verdict},
	{"a sentinel loop that reads zeros past the end and never stops", "sentinel-past-end", zoo.Hang},
	{"relative indexes checked in the last tier only", "relative-last-tier-only", zoo.Crash},
	{"quantised integer above its last step", "quantised-unchecked", zoo.Verdict},
	{"smallest-three radicand below zero", "radicand-unchecked", zoo.Verdict},
	{"alignment padding ignored", "padding-ignored", zoo.Verdict},
	{"string length without room for the terminator", "no-terminator-room", zoo.Crash},
	{"NUL inside a string", "nul-inside", zoo.Verdict},
	{"CRC computed without the id", "crc-without-id", zoo.Verdict},
	{"CRC read but not compared", "crc-not-compared", zoo.Verdict},
	{"end check skipped", "end-check-skipped", zoo.Verdict},
	{"truncated tail accepted as empty lists", "tail-taken-for-empty", zoo.Verdict},
	{"64-bit field swapped through 32 bits", "swapped-through-32", zoo.ByValue},
	{"signed range whose span overflows", "signed-span", zoo.Verdict},
	{"count signed", "count-signed", zoo.Verdict},
	{"count × size overflow", "count-times-size", zoo.Crash},
	{"enum cast unchecked", "enum-unchecked", zoo.Verdict},
	{"NaN position accepted", "nan-accepted", zoo.Verdict},
	{"index repeated", "index-repeated", zoo.Verdict},
	{"varint without a length limit", "varint-unlimited", zoo.Verdict},
	{"window length past the packet", "window-past-packet", zoo.Crash},
	{"quadratic work from nested counts", "quadratic-work", zoo.Cost},
	{"allocation from a declared count", "allocation-from-count", zoo.Allocation},
	{"state kept after a refused packet", "state-kept", zoo.Sequence},
	{"last word truncated in the wrong byte order", "last-word-order", zoo.ByValue},
	{"off-by-one range width", "width-off-by-one", zoo.ByBits},
	{"min and max swapped for one field", "min-max-swapped", zoo.ByValue},
	{"one branch reads what the other wrote", "branch-crossed", zoo.ByBits},
	// From the articles' own lists of bugs.
	{"the forgotten overflow check in the loop", "overflow-forgotten", zoo.Verdict},
	{"the maximum raised without the bit count", "max-raised", zoo.ByValue},
	// Rules that no other animal breaks.
	{"undefined flags kept", "flags-unchecked", zoo.Verdict},
	{"bytes behind the last field ignored", "trailing-ignored", zoo.Verdict},
	{"text that is no UTF-8", "utf8-unchecked", zoo.Verdict},
	{"overlong varint", "varint-overlong", zoo.Verdict},
	// Text of a length that another field says.
	{"text behind a length of its own unchecked", "software-unchecked", zoo.Verdict},
	{"half of a surrogate pair", "half-pair-kept", zoo.Verdict},
	{"an odd size of UTF-16", "half-unit-dropped", zoo.Verdict},
	// Newer forms.
	{"CRC over one byte too few", "crc-byte-short", zoo.Verdict},
	{"CRC_EXTRA forgotten", "extra-forgotten", zoo.Verdict},
	{"zero-fill skipped", "zero-fill-skipped", zoo.ByValue},
	{"padding count 0", "padding-count-zero", zoo.Verdict},
	{"option number wrapping at 65535", "option-number-wraps", zoo.Verdict},
	{"DNS pointer loop", "pointer-loop", zoo.Hang},
	{"index repeated under any", "repeat-refused", zoo.Verdict},
	{"window and packet cut short together", "window-cut-short", zoo.Verdict},
}

func TestListIsComplete(t *testing.T) {
	animals := zoo.Animals()
	for _, want := range list {
		i := slices.IndexFunc(animals, func(a zoo.Animal) bool { return a.Name == want.name })
		if i < 0 {
			t.Errorf("%s: want %s, got no such animal", want.mistake, want.name)
		} else if animals[i].Oracle != want.oracle {
			t.Errorf("%s: want oracle %s, got %s", want.name, want.oracle, animals[i].Oracle)
		}
	}
	if len(animals) != len(list) {
		t.Errorf("want %d animals, got %d", len(list), len(animals))
	}
	kebab := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for _, a := range animals {
		if !kebab.MatchString(a.Name) || seen[a.Name] {
			t.Errorf("%q: want a name in kebab-case that no other has", a.Name)
		}
		seen[a.Name] = true
		if a.About == "" || strings.ContainsAny(a.About, "\n") || len(a.Seeds) == 0 || len(a.Witness) == 0 {
			t.Errorf("%s: about %q, %d seeds, %d witnesses", a.Name, a.About, len(a.Seeds), len(a.Witness))
		}
	}
}

// Each mistake is made in one place of the sources, so twins differ in one.
func TestOnePlace(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source, doc string
	for _, file := range files {
		text, err := os.ReadFile(file)
		switch {
		case err != nil:
			t.Fatal(err)
		case file == "doc.go":
			doc = string(text)
		case !strings.HasSuffix(file, "_test.go"):
			source += string(text)
		}
	}
	names := regexp.MustCompile(`mistake: (\w+),`).FindAllStringSubmatch(source, -1)
	if len(names) != len(list) {
		t.Fatalf("want %d mistakes, got %d", len(list), len(names))
	}
	for _, name := range names {
		if n := strings.Count(source, "makes("+name[1]+")"); n != 1 {
			t.Errorf("%s: want one place, got %d", name[1], n)
		}
	}
	for _, a := range list {
		if !regexp.MustCompile(`\b` + a.name + `\b`).MatchString(doc) {
			t.Errorf("doc.go does not map %s", a.name)
		}
	}
}

func TestNames(t *testing.T) {
	a := zoo.Animal{Rule: reject.OutOfRange, Field: "objects[].position"}
	packet := zoo.Animal{Rule: reject.TrailingBytes}
	value := zoo.Animal{Field: "bonus"}
	for _, row := range []struct {
		animal zoo.Animal
		kind   reject.Kind
		path   string
		want   bool
	}{
		{a, reject.PastEnd, "objects[3].position", false},
		{a, reject.OutOfRange, "objects[3].positions", false},
		{a, reject.OutOfRange, "objects[3]", false},
		{a, reject.OutOfRange, "", false},
		{packet, reject.TrailingBytes, "body", false},
		{value, reject.None, "score", false},
		{a, reject.OutOfRange, "objects[3].position", true},
		{a, reject.OutOfRange, "objects[3].position.x", true},
		{a, reject.OutOfRange, "objects[].position", true},
		{a, reject.None, "objects[3].position.z", true}, // a crash has no kind
		{packet, reject.TrailingBytes, "", true},
		{value, reject.None, "bonus", true},
		{value, reject.OutOfRange, "bonus", true},
	} {
		if got := row.animal.Names(row.kind, row.path); got != row.want {
			t.Errorf("%v %q: want %v, got %v", row.kind, row.path, row.want, got)
		}
	}
}

// Check sees each kind of fault, and none where there is none.
func TestCheck(t *testing.T) {
	mixer := find(t, "width-off-by-one")
	d := compile(t, &mixer)
	var valid, refused decode.Trace
	if err := d.Decode([]byte{20, 33}, decode.FromUnknown, &valid); err != nil {
		t.Fatal(err)
	}
	if d.Decode([]byte{20}, decode.FromUnknown, &refused) == nil {
		t.Fatal("half a packet was accepted")
	}
	good := []zoo.Value{{Path: "ping", Number: 20}, {Path: "volume", Number: 33}}
	for _, row := range []struct {
		what   string
		trace  *decode.Trace
		answer zoo.Answer
		want   []zoo.Oracle
	}{
		{"crash", &valid, zoo.Answer{End: zoo.Crashed}, []zoo.Oracle{zoo.Crash}},
		{"hang", &refused, zoo.Answer{End: zoo.Hung}, []zoo.Oracle{zoo.Hang, zoo.Cost}},
		{"exhausted", &refused, zoo.Answer{End: zoo.Exhausted}, []zoo.Oracle{zoo.Allocation}},
		{"accepted", &refused, zoo.Answer{Accepted: true}, []zoo.Oracle{zoo.Verdict}},
		{"rejected", &valid, zoo.Answer{Bits: -1}, []zoo.Oracle{zoo.Verdict}},
		{"work", &refused, zoo.Answer{Bits: -1, Cost: zoo.FairCost(1) + 1}, []zoo.Oracle{zoo.Cost}},
		{"memory", &refused, zoo.Answer{Bits: -1, Memory: zoo.FairMemory(1) + 1}, []zoo.Oracle{zoo.Allocation}},
		{"bits", &valid, zoo.Answer{Accepted: true, Bits: 14, Values: good}, []zoo.Oracle{zoo.ByBits}},
		{"value", &valid, zoo.Answer{Accepted: true, Bits: 15, Values: good[:1]}, []zoo.Oracle{zoo.ByValue}},
		{"other path", &valid, zoo.Answer{Accepted: true, Bits: 15, Values: []zoo.Value{good[0], {Path: "loudness", Number: 33}}}, []zoo.Oracle{zoo.ByValue}},
		{"one more", &valid, zoo.Answer{Accepted: true, Bits: 15, Values: append(slices.Clone(good), good[0])}, []zoo.Oracle{zoo.ByValue}},
		{"right", &valid, zoo.Answer{Accepted: true, Bits: 15, Values: good, Cost: zoo.FairCost(2), Memory: zoo.FairMemory(2)}, nil},
		{"rightly refused", &refused, zoo.Answer{Bits: -1}, nil},
	} {
		if got := zoo.Check(row.trace, row.answer); !slices.Equal(got, row.want) {
			t.Errorf("%s: want %v, got %v", row.what, row.want, got)
		}
	}
}

// A loose reader does what it does in the wild.
func TestLoose(t *testing.T) {
	a := find(t, "count-unchecked")
	if got := a.Flawed().Read(a.Witness[0]); got.End != zoo.Crashed {
		t.Errorf("want a crash, got %v", got.End)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("want a panic, got none")
			}
		}()
		zoo.Loose(a.Flawed()).Read(a.Witness[0])
	}()
	// What is asked for is asked for: 40 MB, where the cage stops at four.
	a = find(t, "allocation-from-count")
	packet := []byte{0, 0, 10, 0}
	if got := a.Flawed().Read(packet); got.End != zoo.Exhausted {
		t.Errorf("want an exhausted reader, got %v", got.End)
	}
	if got := zoo.Loose(a.Flawed()).Read(packet); got.End != zoo.Answered || got.Accepted || got.Memory < 40<<20 {
		t.Errorf("want a refusal and 40 MB, got %+v", got)
	}
}

func find(t *testing.T, name string) zoo.Animal {
	t.Helper()
	for _, a := range zoo.Animals() {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no animal %s", name)
	return zoo.Animal{}
}
