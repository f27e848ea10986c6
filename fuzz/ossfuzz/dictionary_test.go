package ossfuzz

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

var errEntry = errors.New(`not NAME="…" with \\, \" and \xAB`)

// entry reads a line of a dictionary as libFuzzer does: nothing, a comment, or perhaps a name and `=`, and a quoted
// text in which `\\`, `\"` and `\xAB` stand for bytes.
func entry(line string) (text string, ok bool, err error) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", false, nil
	}
	begin, end := strings.IndexByte(line, '"'), strings.LastIndexByte(line, '"')
	if begin < 0 || begin == end || end != len(line)-1 || begin > 0 && !regexp.MustCompile(`^[A-Za-z0-9_@]+=$`).MatchString(line[:begin]) {
		return "", false, errEntry
	}
	var b []byte
	for rest := line[begin+1 : end]; rest != ""; {
		switch {
		case rest[0] == '\\' && len(rest) > 1 && (rest[1] == '\\' || rest[1] == '"'):
			b, rest = append(b, rest[1]), rest[2:]
		case rest[0] == '\\' && len(rest) > 3 && rest[1] == 'x':
			c, err := strconv.ParseUint(rest[2:4], 16, 8)
			if err != nil {
				return "", false, errEntry
			}
			b, rest = append(b, byte(c)), rest[4:]
		case rest[0] == '\\', rest[0] == '"', rest[0] < ' ', rest[0] > '~':
			return "", false, errEntry
		default:
			b, rest = append(b, rest[0]), rest[1:]
		}
	}
	if len(b) == 0 {
		return "", false, errEntry
	}
	return string(b), true, nil
}

func TestEntry(t *testing.T) {
	for _, bad := range []string{`x`, `"`, `""`, `"a`, `a"b`, `"a"b"`, `"\n"`, `"\x1"`, `"\xg0"`, `"a" # no`, `1 ="a"`, "\"\xff\"", `a"b"`} {
		if text, ok, err := entry(bad); err == nil {
			t.Errorf("%s: got %q, %v", bad, text, ok)
		}
	}
	if text, ok, err := entry(` kw1="a\\\"\x0A" `); text != "a\\\"\n" || !ok || err != nil {
		t.Errorf("got %q, %v, %v", text, ok, err)
	}
}

// dictionary reads a file.
func dictionary(t *testing.T, path string) map[string]bool {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for n, line := range strings.Split(string(src), "\n") {
		text, ok, err := entry(line)
		switch {
		case err != nil:
			t.Errorf("%s:%d: %v: %s", path, n+1, err, line)
		case ok && words[text]:
			t.Errorf("%s:%d: %q is there twice", path, n+1, text)
		case ok && len(text) > 64:
			t.Errorf("%s:%d: longer than libFuzzer takes", path, n+1)
		case ok:
			words[text] = true
		}
	}
	return words
}

func TestDictionaries(t *testing.T) {
	files, err := filepath.Glob("*.dict")
	if err != nil || len(files) != 5 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		if n := len(dictionary(t, file)); n < 8 {
			t.Errorf("%s has %d entries", file, n)
		}
	}
}

// The dictionary of schemas has every word of the grammar.
func TestSchemaDictionary(t *testing.T) {
	words := dictionary(t, "pks.dict")
	_, grammar, ok := strings.Cut(schema.Language, "## Grammar")
	if !ok {
		t.Fatal("the language page has no grammar")
	}
	n := 0
	for _, m := range regexp.MustCompile(`"([a-z0-9]{2,})"`).FindAllStringSubmatch(grammar, -1) {
		if n++; !words[m[1]] {
			t.Errorf("%q is missing", m[1])
		}
	}
	if n < 80 {
		t.Errorf("the grammar has only %d words", n)
	}
}

// The dictionary of JSON has every key that a decoded packet has but for its fields' names.
func TestJSONDictionary(t *testing.T) {
	words := dictionary(t, "json.dict")
	for _, protocol := range corpus.Protocols() {
		d, err := protocols.Load(protocol)
		if err != nil {
			t.Fatal(err)
		}
		j := report.NewJSON(d.Plan())
		for _, seed := range corpus.Seeds(protocol)[:3] {
			var tr decode.Trace
			_ = d.Decode(seed.Data[:len(seed.Data)-1], decode.Client, &tr) // refused, for the keys of a reject
			var object, rejected map[string]json.RawMessage
			line := j.Append(nil, &scan.Packet{Envelope: decode.Envelope{N: 1, File: "a", Time: 1}, Trace: &tr})
			if err := errors.Join(json.Unmarshal(line, &object), json.Unmarshal(object["reject"], &rejected)); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			for _, keys := range []map[string]json.RawMessage{object, rejected} {
				for key := range keys {
					if !words[`"`+key+`":`] {
						t.Errorf("%q is missing", key)
					}
				}
			}
		}
	}
}
