package message_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
)

// A tree that was edited encodes to what it says now. With Rederive the counts follow; without, the old ones
// contradict.
func TestEditedTree(t *testing.T) {
	p := compile(t, game)
	m, e, d := message.New(p), decode.NewEncoder(decode.New(p)), decode.New(p)
	if err := m.FromJSON([]byte(`{"fields":{` + state + `}}`)); err != nil {
		t.Fatal(err)
	}
	packet, err := m.Encode(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	var trace decode.Trace
	for _, row := range []struct {
		name string
		edit func(body *message.Value)
		want string // JSON of the same packet; or the error without Rederive
		err  string
	}{
		{"a player more", func(body *message.Value) {
			players := body.Member("players")
			players.Items = append(players.Items, players.Items[0])
		}, `"count":2,"players":[{"health":7,"x":1.5,"mood":"Calm"},{"health":7,"x":1.5,"mood":"Calm"}],"tags":[1,2],"size":1,"data":"abcd","more":"0102","objects":[{"index":3,"value":9}]`,
			"body.players: 2 elements given, want 1 (body.count)"},
		{"no player", func(body *message.Value) { body.Member("players").Items = nil },
			`"count":0,"players":[],"tags":[1,2],"size":1,"data":"abcd","more":"0102","objects":[{"index":3,"value":9}]`,
			"body.players: 0 elements given, want 1 (body.count)"},
		{"a tag less, in another order", func(body *message.Value) {
			slices.Reverse(body.Items)
			body.Member("tags").Items = body.Member("tags").Items[1:]
		},
			`"count":1,"players":[{"health":7,"x":1.5,"mood":"Calm"}],"tags":[2],"size":1,"data":"abcd","more":"0102","objects":[{"index":3,"value":9}]`, ""},
		{"longer bytes", func(body *message.Value) {
			body.Member("data").Data, body.Member("more").Data = []byte("abcd"), []byte("efgh")
		}, `"count":1,"players":[{"health":7,"x":1.5,"mood":"Calm"}],"tags":[1,2],"size":2,"data":"61626364","more":"65666768","objects":[{"index":3,"value":9}]`,
			"body.data: 4 bytes given, want 2 (body.size)"},
		{"another object", func(body *message.Value) { body.Member("objects").Items[0].Member("index").Code = 7 },
			`"count":1,"players":[{"health":7,"x":1.5,"mood":"Calm"}],"tags":[1,2],"size":1,"data":"abcd","more":"0102","objects":[{"index":7,"value":9}]`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := m.FromJSON([]byte(`{"fields":{"kind":"State","body":{` + row.want + `}}}`)); err != nil {
				t.Fatal(err)
			}
			want, err := m.Encode(e, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil {
				t.Fatal(err)
			}
			m.FromTrace(&trace)
			row.edit(m.Root.Member("body"))
			if _, err := m.Encode(e, nil); row.err != "" && (err == nil || err.Error() != row.err) || row.err == "" && err != nil {
				t.Errorf("want %q, got %v", row.err, err)
			}
			m.Rederive = true
			defer func() { m.Rederive = false }()
			if got, err := m.Encode(e, nil); err != nil || !bytes.Equal(got, want) {
				t.Errorf("want %x, got %x, %v", want, got, err)
			}
		})
	}
}

// Bits that may have any value stay in a tree that comes from a trace.
func TestIgnoredBitsStay(t *testing.T) {
	p := compile(t, "protocol t\norder msb\npacket {\na [2]{ reserved(3) any\nb bits(5) }\nreserved(72) any\nreserved(70) any\nc bits(2) }")
	m, e := message.New(p), decode.NewEncoder(decode.New(p))
	packet := []byte{0xa1, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18}
	var trace decode.Trace
	if err := decode.New(p).Decode(packet, decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	m.FromTrace(&trace)
	if got, err := m.Encode(e, nil); err != nil || !bytes.Equal(got, packet) {
		t.Errorf("want %x, got %x, %v", packet, got, err)
	}
}

// An object with very many members, in an order that nobody asks in, costs no more than its size times a logarithm: a
// quadratic search would not come to an end here.
func TestManyMembers(t *testing.T) {
	var items, members []string
	const n = 8000
	for i := range n {
		items = append(items, fmt.Sprintf("f%d bool", i))
		members = append(members, fmt.Sprintf(`"f%d":true`, n-1-i))
	}
	for i := range need.Rounds(1_000_000, 100_000) {
		members = append(members, fmt.Sprintf(`"x%d":1`, i))
	}
	p := compile(t, "protocol t\norder msb\npacket {\n"+strings.Join(items, "\n")+"\n}")
	m := message.New(p)
	if err := m.FromJSON([]byte(`{"fields":{` + strings.Join(members, ",") + `}}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Encode(decode.NewEncoder(decode.New(p)), nil); err == nil || err.Error() != "x0: no such field; did you mean f0?" {
		t.Errorf("want x0 refused, got %v", err)
	}
	if err := m.FromJSON([]byte(`{"fields":{"a":[` + strings.Repeat("1,", message.MaxValues) + `1]}}`)); err == nil || !strings.Contains(err.Error(), "want at most") {
		t.Errorf("want too many values refused, got %v", err)
	}
}

// Nulls for a branch that is not taken are looked up once per place, not once per element: each lookup goes through the
// whole tree and the whole plan.
func TestManyNulls(t *testing.T) {
	p := compile(t, "protocol t\norder msb\npacket {\nl [..60000]{\na bool\nif a {\nb uint8\n}\n}\n}")
	m := message.New(p)
	const n = 60000
	line := `{"fields":{"l":[` + strings.Repeat(`{"a":false,"b":null},`, n-1) + `{"a":false,"LAST":null}]}}`
	for _, row := range []struct{ last, want string }{
		{"b", ""},
		{"other", "l[59999].other: no such field"},
	} {
		if err := m.FromJSON([]byte(strings.Replace(line, "LAST", row.last, 1))); err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := m.Encode(decode.NewEncoder(decode.New(p)), nil); err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("want %q, got %q", row.want, got)
		}
	}
}
