package dialogue_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz/dialogue"
)

func rtype(t testing.TB) *decode.Decoder {
	t.Helper()
	d, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// head is a dialogue of rtype that is right, for tests that add a line.
const head = `dialogue d
param Token bytes(32) @secret
param N uint8
automatic { sequence_num = next(uint16), timestamp = now(ms) }
send JoinGame { token = Token, ship_skin = 1, room_code = "NOVA42" }
expect JoinGameAck { player_id -> me }
state Joined
`

// What is refused, with its place, and what is wanted.
func TestRefused(t *testing.T) {
	for _, row := range []struct{ src, want string }{
		{"", "1:1: error: want `dialogue`, got the end of file"},
		{"dialogue", "1:9: error: want the dialogue's name, got the end of file"},
		{"dialogue d", "1:10: error: the last step names no state"},
		{"dialogue d\nsent JoinGame", "2:1: error: no line begins with `sent`; did you mean `send`?"},
		{"dialogue d\n42", "2:1: error: no line begins with `42`"},
		{"dialogue d\n\x00", "2:1: error: a NUL byte"},
		{head + "attack PlayerInput, section Game", "8:29: error: no packet that a client sends has a message Game sealed in it"},
		{head + "attack section", "want the name of a message"},
		{head + "attack section Game { x = 1 }", "want the end of the line"},
		{head + "param x uint8", "8:7: error: the name of a param begins with a capital letter"},
		{head + "param X float", "8:9: error: want a type, uint8, uint16"},
		{head + "param X bytes(0)", "8:15: error: want a number of bytes, 1..1200, got `0`"},
		{head + "param X bytes(1201)", "8:15: error: want a number of bytes, 1..1200, got `1201`"},
		{head + "param N uint8", "8:7: error: there is a param N already"},
		{head + "param X uint8 @shown", "8:16: error: want `secret`, got `shown`"},
		{head + "identity lost", "8:10: error: want keep or fresh, got `lost`"},
		{head + "identity keep\nidentity fresh", "9:1: error: the identity is said already"},
		{head + "keep HeartBeat", "8:15: error: want `every`, got the end of file"},
		{head + "keep HeartBeat every 11s", "8:22: error: want 1ms..10s, got `11s`"},
		{head + "keep HeartBeat every 900us", "8:22: error: want 1ms..10s, got `900us`"},
		{head + "keep HeartBeat every 500", "8:22: error: want a duration such as 200ms, got `500`"},
		{head + "keep HeartBeat every 5s 1", "8:25: error: want the end of the line, got `1`"},
		{head + "keep HeartBat every 5s", "8:6: error: rtype has no case HeartBat; did you mean `HeartBeat`?"},
		{head + "keep HeartBeatAck every 5s", "8:6: error: want a case that the client sends, HeartBeatAck is @from(server)"},
		{head + "alive JoinGame", "8:7: error: want a case that the server sends, JoinGame is @from(client)"},
		{head + "before Joind only HeartBeat", "8:8: error: no line names a state Joind; did you mean `Joined`?"},
		{head + "state Joined", "8:7: error: there is a state Joined already"},
		{head + "state Start", "8:7: error: there is a state Start already"},
		{head + "state Ended", "8:7: error: there is a state Ended already"},
		{head + "end HeartBeat times 101", "8:21: error: want how often, 1..100, got `101`"},
		{head + "attack PlayerInput { keys = 1", "8:30: error: want `,` or `}`, got the end of file"},
		{head + "attack PlayerInput { key = 1 }", "8:22: error: PlayerInput has no field key"},
		{head + "attack PlayerInput { keys = 1, keys = 2 }", "8:32: error: body.keys is set already"},
		{head + "attack PlayerInput { keys = 65536 }", "8:29: error: body.keys takes 0..65535, the value can be 65536..65536"},
		{head + "attack PlayerInput { sequence_num = -1 }", "8:37: error: body.sequence_num takes 0..65535, the value can be -1..-1"},
		{head + "attack PlayerInput { keys = you }", "8:29: error: no name you is bound here; a name is bound by `-> you`"},
		{head + "attack PlayerInput { keys = Token }", "8:29: error: the value is @secret, and body.keys is not"},
		{head + "attack PlayerInput { keys = mee }", "8:29: error: no name mee is bound here; did you mean `me`?"},
		{head + "attack PlayerInput { keys = Up }", "8:29: error: no name Up is bound here; a case of an enum is in quotes"},
		{head + "attack PlayerInput { keys = fresh(bytes(2)) }", "8:29: error: body.keys takes a number, the value is bytes"},
		{head + "attack PlayerInput { keys = fresh(string(2)) }", "8:35: error: want a type, uint8, uint16, uint32, uint64 or bytes(n), got `string`"},
		{head + "attack PlayerInput { keys = next(bytes(2)) }", "error: want a type"},
		{head + "attack PlayerInput { keys = now(h) }", "8:33: error: want s, ms, us or ns, got `h`"},
		{head + "attack PlayerInput { keys = open(1) }", "8:29: error: no function open: want next, now, fresh or target"},
		{head + "attack PlayerInput { keys = me % 0 }", "8:34: error: want more than 0 behind `%`"},
		{head + "attack PlayerInput { keys = me + \"1\" }", "8:34: error: want a whole number beside `+`"},
		{head + "attack PlayerInput { keys = last JoinGame.token }", "8:34: error: want a case that the server sends, JoinGame is @from(client)"},
		{head + "attack PlayerInput { keys = last Snapshot.players }", "8:43: error: body.players is a struct or a list: a value is one field"},
		{head + "attack PlayerInput { keys = last Snapshot.players[0].sex }", "8:43: error: Snapshot has no field players[0].sex"},
		{head + "attack PlayerInput { keys = last Snapshot }", "8:43: error: want `.`, got `}`; name a field: `last Ack.block`"},
		{head + "send JoinGame { ship_skin = 7, token = Token, room_code = \"A\" }\nstate B", "8:6: error: JoinGame: body.ship_skin: out-of-range: want 1..6"},
		{head + "send JoinGame { ship_skin = 1, token = Token }\nstate B", "8:6: error: JoinGame: body.room_code: "},
		{head + "send JoinGame { ship_skin = 1, token = Token, room_code = \"1234567\" }\nstate B", "8:6: error: JoinGame: body.room_code: "},
		{head + "expect Snapshot { player_count < }\nstate B", "8:34: error: want a value, got `}`"},
		{head + "expect Snapshot { player_count }\nstate B", "8:32: error: want `->` and a name, or a comparison, got `}`"},
		{head + "expect Snapshot { players -> all }\nstate B", "8:30: error: body.players is a struct or a list: a name takes one field"},
		{head + "expect Snapshot { player_count -> N }\nstate B", "8:35: error: N is a param"},
		{head + "expect Snapshot from old port\nstate B", "8:22: error: want `new`, got `old`; the one source is `from new port`"},
		{head + "expect JoinGameNack { reason -> me }\nstate B", "8:33: error: me was a number before, and is a text here"},
		{"dialogue d\nsend HeartBeat { sequence_num = me, timestamp = 0 }\nexpect JoinGameAck { player_id -> me }\nstate B", "2:33: error: no name me is bound here"},
		{head + "attack PlayerInput { keys = " + strings.Repeat("(", 20) + "1", "values nest at most 16 deep"},
		{head + "attack PlayerInput { keys = " + strings.Repeat("[", 20) + "1", "values nest at most 16 deep"},
		{head + "attack PlayerInput { keys = 1" + strings.Repeat("+1", 20) + " }", "a sum has at most 16 operators"},
		{head + strings.Repeat("alive any\n", 64), "a dialogue has at most 64 steps"},
		{"dialogue d\n" + names(65) + "send HeartBeat { sequence_num = 1, timestamp = 0 }\nstate B", "a dialogue has at most 64 names"},
		{"dialogue d\n" + strings.Repeat("//"+strings.Repeat("x", 100)+"\n", 700), "a dialogue has at most 65536 bytes"},
	} {
		_, err := dialogue.Load("d.pkd", []byte(row.src), rtype(t))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%.300s\nwant %q\ngot  %v", row.src, row.want, err)
		}
	}
}

func names(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("param P" + strings.Repeat("x", i) + " uint8\n")
	}
	return b.String()
}

// Two mistakes are two complaints: a line with one does not hide those that follow.
func TestGoesOn(t *testing.T) {
	_, diags := dialogue.Parse("d.pkd", []byte("dialogue d\nsent {\n a = 1\n}\nkeep HeartBeat\nstate B\n"))
	if len(diags) != 2 || diags[0].Pos.Line != 2 || diags[1].Pos.Line != 5 {
		t.Errorf("got %v", diags)
	}
}

// A protocol without cases has no dialogue.
func TestNoCases(t *testing.T) {
	d, err := protocols.Load("ntp")
	if err != nil {
		t.Fatal(err)
	}
	_, err = dialogue.Load("d.pkd", []byte(head), d)
	if err == nil || !strings.Contains(err.Error(), "ntp has no cases with names") {
		t.Errorf("got %v", err)
	}
}

// The examples of the page are dialogues of built-ins, and say what is in them.
func TestPage(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```pkd ([a-z]+)\n(.*?)```").FindAllStringSubmatch(dialogue.Language, -1)
	if len(blocks) < 2 {
		t.Fatal("no examples")
	}
	for _, b := range blocks {
		d, err := protocols.Load(b[1])
		if err != nil {
			t.Fatal(err)
		}
		talk, err := dialogue.Load(b[1]+".pkd", []byte(b[2]), d)
		if err != nil {
			t.Error(err)
			continue
		}
		if text := string(talk.AppendText(nil)); !strings.Contains(text, "dialogue "+b[1]+" with "+b[1]) {
			t.Errorf("%s", text)
		}
	}
}

// A literal that is given to a secret is masked wherever the source is shown; what a name stands for is not in it.
func TestMasked(t *testing.T) {
	src := strings.Replace(head, "token = Token", "token = \""+strings.Repeat("5ec7e7", 11)[:64]+"\"", 1)
	talk, err := dialogue.Load("d.pkd", []byte(src), rtype(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{talk.Text(), string(talk.AppendText(nil))} {
		if strings.Contains(text, "5ec7e7") || !strings.Contains(text, "token = ‹secret›, ship_skin = 1") {
			t.Errorf("%s", text)
		}
	}
}

// The values of params are judged, and no error holds one.
func TestValues(t *testing.T) {
	talk, err := dialogue.Load("d.pkd", []byte(head), rtype(t))
	if err != nil {
		t.Fatal(err)
	}
	v := talk.NewValues()
	for _, row := range []struct {
		name string
		text []string
		want string
	}{
		{"Tokn", []string{"secretvalue"}, "Tokn: want one of Token, N"},
		{"Token", []string{"secretvalue"}, "Token: want 32 bytes in hexadecimal"},
		{"Token", []string{strings.Repeat("00", 32), "secretvalue"}, "Token: line 2: want 32 bytes in hexadecimal"},
		{"Token", nil, "Token: want 1..65536 values, got 0"},
		{"N", []string{"256"}, "N: want a number, 0..255"},
	} {
		if err := v.Set(row.name, row.text...); err == nil || err.Error() != row.want {
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
	}
	if v.Missing() != "Token" {
		t.Errorf("missing %q", v.Missing())
	}
	if err := v.Set("Token", strings.Repeat("00", 32), strings.Repeat("11", 32)); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Of(0); err == nil || err.Error() != "param N has no value: want --set N=VALUE" {
		t.Errorf("got %v", err)
	}
	if err := v.SetMaker("N", func() (string, error) { return "0x07", nil }); err != nil {
		t.Fatal(err)
	}
	for n, first := range []byte{0, 0x11, 0} {
		got, err := v.Of(n)
		if err != nil || got[0].Data[0] != first || string(got[1].Data) != "7" {
			t.Errorf("session %d: %v, %v", n, got, err)
		}
	}
}

// Whatever is read ends, with complaints that have a place in the source, and what is right is right again as its text
// says.
func FuzzDialogue(f *testing.F) {
	d := rtype(f)
	for _, b := range regexp.MustCompile("(?s)```pkd [a-z]+\n(.*?)```").FindAllStringSubmatch(dialogue.Language, -1) {
		f.Add(b[1])
	}
	f.Add(head + "on Snapshot { player_count >= 1, players[0].id -> x } send HeartBeat\nend HeartBeat times 3\n")
	f.Fuzz(func(t *testing.T, src string) {
		talk, err := dialogue.Load("d.pkd", []byte(src), d)
		if err == nil {
			if len(talk.States()) < 2 || len(talk.AppendText(nil)) == 0 {
				t.Fatalf("%q", talk.States())
			}
			return
		}
		wrong, ok := err.(*syntax.Diagnostics)
		if !ok || len(wrong.List) == 0 || len(wrong.List) > 2*syntax.MaxErrors {
			t.Fatalf("%T %v", err, err)
		}
		for _, one := range wrong.List {
			if one.Message == "" || int(one.Pos.Off) > len(src) || strings.Contains(one.Message, "\n") {
				t.Fatalf("%+v", one)
			}
		}
	})
}
