package infer_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/infer"
	"github.com/pktscope/pktscope/decode/infer/sessions"
	"github.com/pktscope/pktscope/decode/protocols"
)

// kept is a schema as it is given to a run.
func kept(t *testing.T, source string) *infer.Kept {
	t.Helper()
	d, err := decode.Load("guess.pks", []byte(source))
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	k, err := infer.NewKept(d)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// session makes a capture of one of the sessions.
func session(t *testing.T, name string, seed uint64, n int) (packets [][]byte) {
	t.Helper()
	made, err := sessions.Of(name).Packets(n, seed)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range made {
		packets = append(packets, p.Data)
	}
	return packets
}

// places are where a name is in packets: packet, bit and width.
func places(t *testing.T, source, name string, packets [][]byte) (list [][3]int) {
	t.Helper()
	d, err := decode.Load("guess.pks", []byte(source))
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	var trace decode.Trace
	for i, p := range packets {
		if d.Decode(p, decode.FromUnknown, &trace) != nil {
			continue
		}
		for f := range trace.Fields() {
			if f.Name() == name {
				list = append(list, [3]int{i, f.Bit(), f.Width()})
			}
		}
	}
	return list
}

// A name that a person gave stays at its bits, whichever field has it and whichever packets come next, and all of these
// are accepted.
func TestKeepNames(t *testing.T) {
	for _, name := range []string{"list", "bits", "bytes", "bousk"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "bytes" {
				t.Skip("-short edits one")
			}
			first := string(proved(t, session(t, name, 7, 300), infer.Options{}).Source)
			next := session(t, name, 8, 300)
			names := regexp.MustCompile(`(?m)^ *(\w+) +(?:bits|uint|int|bool|float|crc)\S* .*~`).FindAllStringSubmatch(first, -1)
			if len(names) < 4 {
				t.Fatalf("%d fields\n%s", len(names), first)
			}
			if testing.Short() {
				names = names[len(names)/2:][:1]
			}
			for _, name := range names {
				edited := regexp.MustCompile(`\b`+name[1]+`\b`).ReplaceAllString(first, "mine")
				res := proved(t, next, infer.Options{Keep: kept(t, edited)})
				if res.Kept == 0 || res.Refused > 0 {
					t.Errorf("%s: %d lines kept, %d of %d refused: %v\n%s", name[1], res.Kept, res.Refused, res.Packets, res.Outliers, res.Source)
				}
				before, after := places(t, edited, "mine", next), places(t, string(res.Source), "mine", next)
				if len(after) == 0 || !containsAll(after, before) {
					t.Errorf("%s: at %v, was at %v\n%s", name[1], after[:min(4, len(after))], before[:min(4, len(before))], res.Source)
				}
			}
			res := proved(t, next, infer.Options{Keep: kept(t, first)})
			if res.Kept != 0 || res.Refused != 0 {
				t.Errorf("nobody changed it: %d lines kept, %d refused\n%s", res.Kept, res.Refused, res.Source)
			}
		})
	}
}

func containsAll(list, of [][3]int) bool {
	return !slices.ContainsFunc(of, func(x [3]int) bool { return !slices.Contains(list, x) })
}

// What a person changes in a draft stays, whatever it is; where one line alone is his, the rest is drafted anew.
func TestKeepEdits(t *testing.T) {
	packets := session(t, "game", 3, 360)
	draft := string(proved(t, packets, infer.Options{}).Source)
	line := func(pattern string) string {
		m := regexp.MustCompile(`(?m)^ *` + pattern + `.*$`).FindString(draft)
		if m == "" {
			t.Fatalf("no %s\n%s", pattern, draft)
		}
		return strings.TrimSpace(m)
	}
	kind, body := line(`kind +bits\(2\)`), line(`body switch kind`)
	top := line(`n1 +uint8`)
	for _, e := range []struct {
		name    string
		edit    []string // old and new, in turn
		want    []string // in the result, blanks as one
		refused int64
	}{
		{"a name", []string{top, "sequence uint8 @seq"}, []string{"sequence uint8 @seq\n", "kind bits(2) // "}, 0},
		{"a comment", []string{top, top + " of each client"}, []string{"of each client\n"}, 0},
		{"a comment above", []string{top, "// it wraps\n" + top}, []string{"// it wraps\n"}, 0},
		{"a split", []string{top, "low bits(3), high bits(5)"}, []string{"low bits(3)", "high bits(5)"}, 0},
		{"a merge", []string{top + "\n", "both bits(10)\n", "    " + kind + "\n", ""}, nil, 0},
		{"an enum", []string{kind, "kind Kind", "packet {", "enum Kind : bits(2) { Move = 0, List = 1, Fire = 2 }\n\npacket {", "0: {", "Move: {", "1: {", "List: {", "2: {", "Fire: {"},
			[]string{"enum Kind : bits(2) { Move = 0, List = 1, Fire = 2 }", "kind Kind\n", "Move: {", "List: {"}, 0},
		{"a range that is too small", []string{top, "number uint8 in 0..99"}, []string{"number uint8 in 0..99\n"}, 156 + 4},
		{"a constant that is none", []string{top, strings.Replace(top, "uint8", "uint8 == 1", 1)}, []string{"n1 uint8 == 1 //"}, 358},
		{"a name of the choice", []string{body, "payload switch kind {"}, []string{"payload switch kind {\n"}, 0},
		{"a condition", []string{top, "number uint8\nrequire number != 7"}, []string{"require number != 7\n"}, 2},
	} {
		t.Run(e.name, func(t *testing.T) {
			edited := draft
			for i := 0; i < len(e.edit); i += 2 {
				if !strings.Contains(edited, e.edit[i]) {
					t.Fatalf("no %q\n%s", e.edit[i], edited)
				}
				edited = strings.Replace(edited, e.edit[i], e.edit[i+1], 1)
			}
			if e.name == "a merge" { // the choice goes, too: its tag is in another field
				at := strings.Index(edited, "    body switch")
				edited = edited[:at] + "    align any\n    tail bytes(rest, max 1200) // ~\n}\n"
				e.want = []string{"both bits(10)\n", "tail bytes(rest, max 1200) // ~"}
			}
			res := proved(t, packets, infer.Options{Keep: kept(t, edited)})
			got := blanks.ReplaceAllString(string(res.Source), " ")
			for _, want := range e.want {
				if !strings.Contains(got, want) {
					t.Errorf("want %q\n%s\nof\n%s", want, res.Source, edited)
				}
			}
			if res.Refused != e.refused || res.Kept == 0 {
				t.Errorf("%d refused, want %d; %d lines kept: %v\n%s", res.Refused, e.refused, res.Kept, res.Outliers, res.Source)
			}
			again := proved(t, packets, infer.Options{Keep: kept(t, string(res.Source))})
			if again.Kept != res.Kept {
				t.Errorf("the next run keeps %d lines, this one %d\n%s", again.Kept, res.Kept, again.Source)
			}
		})
	}
}

var blanks = regexp.MustCompile(` +`)

// What is called a secret stays one, though its line ends with the mark that a draft would give it, and no value of it is said.
func TestKeepForgedSecret(t *testing.T) {
	packets := session(t, "game", 3, 360)
	draft := string(proved(t, packets, infer.Options{}).Source)
	lines := regexp.MustCompile(`(?m)^ +\w+ +(?:bits\(\d+\)|uint\d+)[^@\n]* // .* ~\w+$`).FindAllString(draft, -1)
	if len(lines) < 3 {
		t.Fatal(draft)
	}
	for i, line := range lines {
		if testing.Short() && i%3 > 0 {
			continue
		}
		code, said, _ := strings.Cut(line, " //")
		name := strings.Fields(code)[0]
		for _, annotation := range []string{"@secret", "@ secret", "@unit(\"px\") @secret"} {
			forged := code + " " + annotation + " //" + said[:strings.LastIndex(said, " ")] + " "
			forged += infer.Mark(forged)
			edited := strings.Replace(draft, line, forged, 1)
			if annotation[1] == ' ' {
				if _, err := decode.Load("guess.pks", []byte(edited)); err != nil {
					continue // no such annotation in this language
				}
			}
			res := proved(t, packets, infer.Options{Keep: kept(t, edited)})
			if !regexp.MustCompile(`(?m)^ *`+name+`\b.*@\s*secret`).Match(res.Source) || res.Kept == 0 {
				t.Errorf("%s is no secret any more\n%s", forged, res.Source)
			}
			for _, f := range res.Fields {
				if f.Name == name && (f.Seen > 0 || f.Most > 0 || len(f.Examples) > 0 || f.Bytes > 0) {
					t.Errorf("%s: %+v is said of a secret", forged, f)
				}
			}
		}
	}
}

// A name after a tag does not cost what the tag decides.
func TestKeepBehindTag(t *testing.T) {
	var packets [][]byte
	for i, p := range session(t, "game", 3, 360) {
		packets = append(packets, append([]byte{byte(i % 3), byte(i)}, p[1:]...))
	}
	draft := string(proved(t, packets, infer.Options{Tag: infer.Tag{At: 0, Width: 2}}).Source)
	before, arms, _ := strings.Cut(draft, "    body switch")
	some := regexp.MustCompile(`(?m)^ *(same|n\d+) +\w.*\n`).FindString(arms) // as it was drafted
	edited := before + "    sequence uint8\n" + some + "}\n"
	if len(before) == len(draft) || some == "" {
		t.Fatal(draft)
	}
	res := proved(t, packets, infer.Options{Keep: kept(t, edited)})
	if res.Refused > 0 || !regexp.MustCompile(`(?m)^    sequence `).Match(res.Source) || !regexp.MustCompile(`switch`).Match(res.Source) {
		t.Errorf("%d refused\n%s\nof\n%s", res.Refused, res.Source, edited)
	}
}

// A kind of packet that a draft has not yet gets an arm, beside an arm in which a person named a field.
func TestKeepNewKind(t *testing.T) {
	packets := session(t, "game", 3, 360)
	var few [][]byte
	for i, p := range packets {
		if i%3 != 2 {
			few = append(few, p)
		}
	}
	draft := string(proved(t, few, infer.Options{Tag: infer.Tag{At: 8, Width: 2}}).Source)
	edited := regexp.MustCompile(`\bcount\b`).ReplaceAllString(draft, "players")
	res := proved(t, packets, infer.Options{Keep: kept(t, edited)})
	if res.Refused > 0 || !strings.Contains(string(res.Source), "[players, ") || !regexp.MustCompile(`\b2: \{`).Match(res.Source) {
		t.Errorf("%d refused\n%s\nof\n%s", res.Refused, res.Source, edited)
	}
}

// A schema that nobody drafted stays as it is, and says of any capture which packets it refuses.
func TestKeepForeign(t *testing.T) {
	sources := map[string]string{}
	for _, name := range protocols.Names() {
		src, _ := protocols.Source(name)
		sources[name] = string(src)
	}
	for _, name := range examples.Names() {
		src, _ := examples.Source(name)
		sources[name] = string(src)
	}
	rounds := 150
	if testing.Short() {
		rounds = 8
	}
	for seed := range rounds {
		sources[fmt.Sprint("random ", seed)] = anyschema.Source(anyschema.Seeded(uint64(seed)), 3+seed%40)
	}
	tried := 0
	for name, source := range sources {
		d, err := decode.Load(name, []byte(source))
		if err != nil {
			continue
		}
		k, err := infer.NewKept(d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		packets := rough(rand.New(rand.NewPCG(1, uint64(len(name)))), tried)
		res, err := infer.Infer(sample(packets), infer.Options{Keep: k})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		now, err := decode.Load(name, res.Source)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, res.Source)
		}
		tried++
		var a, b decode.Trace
		for i, p := range packets {
			if x, y := d.Decode(p, decode.FromUnknown, &a), now.Decode(p, decode.FromUnknown, &b); (x == nil) != (y == nil) {
				t.Fatalf("%s: packet %d: %v, and as it was kept: %v", name, i+1, x, y)
			}
		}
	}
	if tried < rounds {
		t.Errorf("%d schemas tried", tried)
	}
}
