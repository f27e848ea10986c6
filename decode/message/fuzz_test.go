package message_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
)

// jsonTexts are values of JSON, and what nearly is one.
var jsonTexts = strings.Fields("0 -0 -1.5e+3 1E9 0.0e-0 12 01 -01 - -a 1. .5 1.e1 1e 1e+ 1ee1 +1 0x1 NaN tru true truex trueé nul null false fals [] [ ] [,] [1,] [1,,2] [1][2] [1 [1} {} { } {,} {\"a\"} " +
	`{"a":} {"a":1,} {"a":1,"b"} {"a"1} {a:1} {1:1} {"":1} " "" "\" "\u" "\u1" "\u12g4" "\uD800" "\uDC00\uD800" "\uD83D\uDE00" "\uD83D\u12" "\x" "\'" '' "` + "\x1f\" \"\x7f\" \x00 , : // /**/ \ufeff\"\"")

// TestJSON holds what is taken for JSON to encoding/json, at every cut of the texts.
func TestJSON(t *testing.T) {
	m := message.New(compile(t, game))
	for _, text := range jsonTexts {
		for _, whole := range []string{`{"fields":{},"x":` + text + `}`, `{"fields":{}}` + text, text, ` {"x": [ ` + text + ` , ` + text + " ] ,\r\n\t\"fields\":{}}\n"} {
			for n := range len(whole) + 1 {
				asJSON(t, m, []byte(whole[:n]))
			}
		}
	}
}

// asJSON fills a message, and holds whether the line is JSON to encoding/json.
func asJSON(t *testing.T, m *message.Message, line []byte) bool {
	t.Helper()
	if err := m.FromLine(line); err != nil && fmt.Sprint(m.FromJSON(line)) != err.Error() {
		t.Fatalf("%q: as a line %v", line, err)
	}
	err := m.FromJSON(line)
	if valid := json.Valid(line); !valid && err == nil || valid && err != nil && strings.HasPrefix(err.Error(), "not JSON") {
		t.Fatalf("%q: %v", line, err)
	}
	return err == nil
}

// writeLine makes a packet of an object, through the tree, and holds to that what Encode makes of the line itself.
func writeLine(t testing.TB, m *message.Message, e *decode.Encoder, line []byte) ([]byte, error) {
	t.Helper()
	streamed, of := []byte(nil), m.FromLine(line)
	if of == nil {
		streamed, of = m.Encode(e, nil)
	}
	beside := []any{m.From, m.Case, m.Src, m.Dst, m.Time, m.Verdict}
	var packet []byte
	err := m.FromJSON(line)
	if err == nil {
		packet, err = m.Encode(e, nil)
	}
	if !bytes.Equal(packet, streamed) || fmt.Sprint(err) != fmt.Sprint(of) {
		t.Fatalf("%q: the tree gives %x, %v, the line %x, %v", line, packet, err, streamed, of)
	}
	if want := []any{m.From, m.Case, m.Src, m.Dst, m.Time, m.Verdict}; !reflect.DeepEqual(beside, want) {
		t.Fatalf("%q: beside the fields the tree has %v, the line %v", line, want, beside)
	}
	return packet, err
}

// FuzzMessage reads any bytes as JSON: it never panics, takes for JSON what encoding/json does, and what it makes a packet of is that packet's own content, so
// that the packet's trace makes the same packet. What the packet's JSON makes, package report holds.
func FuzzMessage(f *testing.F) {
	p := compile(f, game)
	for _, row := range refusedJSON {
		f.Add([]byte(row.json))
	}
	for _, row := range refusedValues {
		f.Add([]byte(row.line()))
	}
	for _, row := range derived {
		f.Add([]byte(row.line()))
	}
	for _, text := range jsonTexts {
		f.Add([]byte(`{"fields":{},"x":` + text + `}`))
		f.Add([]byte(`{"fields":{}}` + text))
	}
	m, e, d := message.New(p), decode.NewEncoder(decode.New(p)), decode.New(p)
	var t1 decode.Trace
	f.Fuzz(func(t *testing.T, line []byte) {
		asJSON(t, m, line)
		packet, err := writeLine(t, m, e, line)
		if err != nil {
			if bytes.ContainsAny([]byte(err.Error()), "\x00\x1b\n\r") {
				t.Fatalf("an error that a terminal obeys: %q", err)
			}
			return
		}
		if err := d.Decode(packet, m.From, &t1); err != nil {
			t.Fatalf("%s\nencodes to %x, which is refused: %v", line, packet, err)
		}
		m.FromTrace(&t1)
		again, err := m.Encode(e, nil)
		if err != nil || !bytes.Equal(again, packet) {
			t.Fatalf("%s\nencodes to %x, whose trace encodes to %x, %v", line, packet, again, err)
		}
	})
}
