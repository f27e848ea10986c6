package message_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
)

const shownSchema = `protocol shown
order msb
packet {
    a uint32 @ipv4
    b bytes(6) @mac
    h int16 @hex
    c uint16 @bcd
    t uint64 @time(ntp)
    l [2]uint32 @ipv4
    o optional bytes(4) @ipv4
    n uint8
    u bytes(n, max 9) utf8
    w bytes(rest, max 8) le utf16
}
`

// What is shown of a value, and the value itself, make the same packet, which reads as what is shown. Texts in an
// encoding have their size derived.
func TestShownAndBack(t *testing.T) {
	d, err := decode.Load("shown.pks", []byte(shownSchema))
	if err != nil {
		t.Fatal(err)
	}
	const shown = `{"a":"192.0.2.1","b":"00:00:5e:00:53:01","h":"-0x1f","c":"0042","t":"2023-09-05T15:08:03.5000000000Z","l":["1.2.3.4","5.6.7.8"],"o":"10.0.0.1","n":6,"u":"a\u0000🚀","w":"é€"}`
	const want = "\xc0\x00\x02\x01\x00\x00\x5e\x00\x53\x01\xff\xe1\x00\x42\xe8\xa1\xc2\xd3\x80\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08\x80\x0a\x00\x00\x01\x06a\x00\xf0\x9f\x9a\x80\xe9\x00\xac\x20"
	encode := func(fields string) (string, error) {
		packet, err := writeLine(t, message.New(d.Plan()), decode.NewEncoder(d), []byte(`{"fields":`+fields+`}`))
		return string(packet), err
	}
	for _, fields := range []string{shown,
		strings.Replace(shown, `"n":6,`, ``, 1),
		strings.NewReplacer(`"192.0.2.1"`, `3221225985`, `"00:00:5e:00:53:01"`, `"00005e005301"`, `"-0x1f"`, `-31`, `"0042"`, `66`,
			`"2023-09-05T15:08:03.5000000000Z"`, `"16762893501691068416"`, `"5.6.7.8"`, `84281096`, `"10.0.0.1"`, `"0a000001"`,
			`"é€"`, `{"value":"é€","raw":"e900ac20"}`).Replace(shown)} {
		if got, err := encode(fields); err != nil || got != want {
			t.Errorf("%s: got %x, %v", fields, got, err)
		}
	}
	var trace decode.Trace
	if err := d.Decode([]byte(want), decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	for f := range trace.Fields() {
		if v := string(f.Value().AppendJSON(nil)); f.Path() != "n" && f.Path() != "o" && !strings.Contains(shown, v) {
			t.Errorf("%s is shown as %s", f.Path(), v)
		}
	}
	for _, row := range [][3]string{
		{`"192.0.2.1"`, `"192.0.2"`, `a: want an integer, or a text as @ipv4 shows it, got "192.0.2"`},
		{`"192.0.2.1"`, `true`, `a: want an integer, or a text as @ipv4 shows it, got true`},
		{`"00:00:5e:00:53:01"`, `"00:00"`, `b: want hex`},
		{`"é€"`, `{"value":"","raw":"00d8"}`, `w: bad-string: want surrogates in pairs`},
		{`"n":6`, `"n":5`, `u: 6 bytes given, want 5`},
	} {
		if got, err := encode(strings.Replace(shown, row[0], row[1], 1)); err == nil || !strings.Contains(err.Error(), row[2]) {
			t.Errorf("%s: want %s, got %x, %v", row[1], row[2], got, err)
		}
	}
}
