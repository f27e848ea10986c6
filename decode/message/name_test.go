package message_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// A name is text. Its pointer stands beside it, and is written where it still leads to that text.
func TestNames(t *testing.T) {
	const items = "n uint8\na dnsname\nb dnsname\nwithin(n) { c dnsname }\n"
	l := newWriter(t, "protocol t\norder msb\npacket {\n"+items+"}\n")
	packet, _ := hex.DecodeString("04" + "0161" + "0162" + "00" + "0163c003" + "0164" + "c001")
	var tr decode.Trace
	if err := l.decoder.Decode(packet, decode.FromUnknown, &tr); err != nil {
		t.Fatal(err)
	}
	var b []byte
	for f := range tr.Fields() {
		b = f.Value().AppendJSON(append(b, `,"`+f.Path()+`":`...))
	}
	fields := string(b[1:])
	const want = `"n":4,"a":"a.b.","b":{"value":"c.b.","raw":"0163c003"},"c":{"value":"d.a.b.","raw":"0164c001"}`
	if fields != want {
		t.Fatalf("want %s, got %s", want, fields)
	}
	for _, row := range []struct{ was, is, want, err string }{
		{"", "", hex.EncodeToString(packet), ""},
		{`"n":4,`, "", hex.EncodeToString(packet), ""},
		{`"n":4,`, `"n":9,`, "", "trailing-bytes"},
		{`"a":"a.b."`, `"a":"a.b"`, hex.EncodeToString(packet), ""},
		// Another length moves the labels: the pointers lead elsewhere and go.
		{`"n":4,"a":"a.b."`, `"a":"aa.b."`, "07" + "026161" + "0162" + "00" + "0163" + "0162" + "00" + "0164" + "0161" + "0162" + "00", ""},
		// Another name at the same place.
		{`"n":4,"a":"a.b."`, `"a":"x.b."`, "07" + "0178" + "0162" + "00" + "0163c003" + "0164" + "0161" + "0162" + "00", ""},
		{`"value":"c.b.",`, ``, hex.EncodeToString(packet), ""},
		{`"value":"c.b.","raw":"0163c003"`, `"raw":"0163c007"`, "", "b: bad-string"},
		{`"value":"c.b.","raw":"0163c003"`, `"raw":""`, "", "no encoding"},
		{`{"value":"c.b.","raw":"0163c003"}`, `"c..b"`, "", "b: an empty label, at byte 2"},
		{`{"value":"c.b.","raw":"0163c003"}`, `7`, "", "b: want a string, got 7"},
		{`"raw":"0163c003"`, `"raw":"0163c0"`, "04" + "0161" + "0162" + "00" + "0163" + "0162" + "00" + "0164c001", ""},
	} {
		given := strings.Replace(fields, row.was, row.is, 1)
		got, err := writeJSON(t, l, `{"fields":{`+given+`}}`)
		switch {
		case row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)):
			t.Errorf("%s: want %q, got %s, %v", given, row.err, got, err)
		case row.err == "" && (err != nil || got != row.want):
			t.Errorf("%s: want %s, got %s, %v", given, row.want, got, err)
		}
	}
}
