package filter_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
)

// What holds of messages holds of one of those that the packet brings: all that is asked for together of one.
func TestMessages(t *testing.T) {
	d, err := decode.Load("m.pks", []byte(`protocol m
order msb
packet { kind uint8, data bytes(rest, max 9) @message(Game) }
message Game max 9 { a uint8 in 0..9, list [2]uint8, key uint8 @secret }
message Chat max 9 { verdict uint8, a uint8, text bytes(rest, max 9) @text }
`))
	if err != nil {
		t.Fatal(err)
	}
	sections := d.Sections()
	brought := func(secret bool, list ...string) (messages []decode.Message) {
		for _, s := range list {
			section := 0
			if s[0] == 'C' {
				section = 1
			}
			m := decode.Message{Section: section, Trace: &decode.Trace{}, Secret: secret}
			_ = sections[section].Decode([]byte(s[1:]), decode.FromUnknown, m.Trace)
			messages = append(messages, m)
		}
		return append(messages, decode.Message{Lost: "end"})
	}
	two := brought(false, "G\x01\x05\x06\x07", "G\x02\x07\x08\x07", "C\x09\x03hello", "G\x0b")
	var trace decode.Trace
	if err := d.Decode([]byte{4}, decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]bool{
		"msg.a == 1":                                 true,
		"msg.a == 3":                                 true, // of a Chat
		"msg.a == 1 && msg.list[0] == 5":             true,
		"msg.a == 1 && msg.list[0] == 7":             false,
		"msg.a == 1 && kind == 4 && msg.a == 2":      true, // kind is no message's: two questions
		"any(msg.list, # == 8)":                      true,
		"any(msg.list, # == 9)":                      false,
		"!(msg.a == 1)":                              true,
		"kind == 5 || msg.text startsWith b\"hell\"": true,
		"msg.section == \"Chat\" && msg.verdict > 8": true,
		"msg.section == \"Game\" && msg.rejected":    true,
		"msg.section == \"Chat\" && msg.rejected":    false,
		"msg.reject.kind == \"out-of-range\"":        true,
		"msg.bits == 56":                             true,
		"msg.bits == 57":                             false,
		"msg.key != nil":                             true,
		"not (msg.a >= 0)":                           false,
	} {
		p, err := filter.Compile(d.Plan(), src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		m := p.NewMatcher()
		m.Bring(two)
		if got := m.Match(&trace, &decode.Envelope{}); got != want {
			t.Errorf("%s: %t", src, got)
		}
		if m.Match(&trace, &decode.Envelope{}) && strings.HasPrefix(src, "msg") {
			t.Errorf("%s of a packet without messages", src)
		}
		m.Bring(brought(true, "G\x01\x05\x06\x07", "C\x09\x03hello"))
		if m.Match(&trace, &decode.Envelope{}) && strings.HasPrefix(src, "msg") {
			t.Errorf("%s of messages that are a secret", src)
		}
	}
	for src, want := range map[string]string{
		"msg.nothing == 1":  "unknown path `msg.nothing`",
		"msg.a == kind":     "a message's field compares with constants",
		"msg.key == 7":      "@secret",
		"msg.text == 7":     "msg.text",
		"msg == 1":          "no field",
		"msg.a == \"text\"": "",
	} {
		if _, err := filter.Compile(d.Plan(), src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
	// What a packet does not have and its messages do is named with them.
	for src, want := range map[string]string{
		"a == 1":      "the message Game has it: write `msg.a`, or `a` with --section Game",
		"text != nil": "the message Chat has it: write `msg.text`, or `text` with --section Chat",
		"knd == 1":    "did you mean `kind`?",
	} {
		wrong := new(filter.Error)
		if _, err := filter.Compile(d.Plan(), src); !errors.As(err, &wrong) || wrong.Diagnostic.Fix != want {
			t.Errorf("%s: %v, %q, want %q", src, err, wrong.Diagnostic.Fix, want)
		}
		path, _, _ := strings.Cut(src, " ")
		if _, err := filter.NewSelector(d.Plan(), path); !errors.As(err, &wrong) || wrong.Diagnostic.Fix != want {
			t.Errorf("the column %s: %v, %q, want %q", path, err, wrong.Diagnostic.Fix, want)
		}
	}
	// What filters name of messages is what they can name, and a packet needs context that has one which does.
	paths := 0
	for _, path := range filter.MessagePaths(d.Plan()) {
		if paths++; strings.HasSuffix(path.Path, "[*]") {
			continue // a column
		}
		if _, err := filter.Compile(d.Plan(), path.Path+" == nil || "+path.Path+" != nil"); err != nil {
			t.Errorf("%s: %v", path.Path, err)
		}
	}
	if paths != 9 {
		t.Errorf("%d paths: %v", paths, filter.MessagePaths(d.Plan()))
	}
	context, err := filter.Compile(d.Plan(), "pkt.context")
	if err != nil {
		t.Fatal(err)
	}
	for i, list := range [][]decode.Message{two, two[:len(two)-1], nil} {
		m := context.NewMatcher()
		m.Bring(list)
		if got := m.Match(&trace, &decode.Envelope{}); got != (i == 0) {
			t.Errorf("%d messages: pkt.context is %t", len(list), got)
		}
	}
	plain, err := decode.Load("p.pks", []byte("protocol p\norder msb\npacket { msg uint8 }\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := filter.Compile(plain.Plan(), "msg == 4"); err != nil || plain.Decode([]byte{4}, decode.FromUnknown, &trace) != nil || !p.NewMatcher().Match(&trace, &decode.Envelope{}) {
		t.Errorf("a field that is called msg: %v", err)
	}
}
