package harness_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/harness"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// A packet of 28 bytes: each type that holds text or bytes, and a number that is shown as another.
const valuesSchema = `protocol values
order lsb
max datagram 64
packet {
    c     char(6)
    e     [2]char(4)
    z     cstring(5)
    align
    b     bytes(4)
    t     bytes(2) @text
    speed uint16 @scale(0.1)
}
`

// valuesReaders are correct readers, as users write them, in each language; mistake is what a wrong one gives besides.
var valuesReaders = map[string]func(mistake string) string{
	"c": func(mistake string) string {
		return `if (size < 14) return 0;
    char text[7] = {0};
    memcpy(text, data, 6);
    pks_text("c", text);
    for (int i = 0; i < 2; i++) pks_chars(pks_path("e[%d]", i), (const char *)data + 6 + 4 * i, 4);
    const uint8_t *at = data + 14, *end = data + size;
    const uint8_t *nul = (const uint8_t *)memchr(at, 0, end - at < 5 ? (size_t)(end - at) : 5);
    if (!nul || end - nul != 9) return 0;
    pks_bytes("z", at, nul - at);
    pks_bytes("b", nul + 1, 4);
    pks_bytes("t", nul + 5, 2);
    pks_float("speed", 0.1 * (nul[7] | nul[8] << 8));
    ` + mistake + `
    return 1;`
	},
	"go": func(mistake string) string {
		return `	if len(packet) < 14 {
		return false, nil
	}
	var e [2][4]byte
	copy(e[0][:], packet[6:])
	copy(e[1][:], packet[10:])
	z, rest, ok := strings.Cut(string(packet[14:]), "\x00")
	if !ok || len(z) > 4 || len(rest) != 8 {
		return false, nil
	}
	type word string
	values = map[string]any{
		"c": string(packet[:6]), "e": e, "z": word(z), "b": []byte(rest[:4]), "t": rest[4:6],
		"speed": 0.1 * float64(uint(rest[6])|uint(rest[7])<<8),
	}
	` + mistake + `
	return true, values
`
	},
	"rust": func(mistake string) string {
		return `if packet.len() < 14 {
        return Refused;
    }
    read.text("c", &packet[..6]);
    for i in 0..2 {
        read.bytes(&format!("e[{i}]"), &packet[6 + 4 * i..10 + 4 * i]);
    }
    let rest = &packet[14..];
    let nul = match rest.iter().take(5).position(|&b| b == 0) {
        Some(nul) if rest.len() == nul + 9 => nul,
        _ => return Refused,
    };
    read.text("z", &rest[..nul]);
    let rest = &rest[nul + 1..];
    read.bytes("b", &rest[..4]);
    read.text("t", &rest[4..6]);
    read.float("speed", 0.1 * f64::from(u16::from_le_bytes([rest[6], rest[7]])));
    ` + mistake + `
    Accepted`
	},
	"cs": func(mistake string) string {
		return `if (packet.Length < 14) return Verdict.Refused;
        read.Bytes("c", new ArraySegment<byte>(packet, 0, 6));
        for (int i = 0; i < 2; i++) read.Bytes("e[" + i + "]", new ArraySegment<byte>(packet, 6 + 4 * i, 4));
        int nul = Array.IndexOf(packet, (byte)0, 14, Math.Min(5, packet.Length - 14));
        if (nul < 0 || packet.Length != nul + 9) return Verdict.Refused;
        read.Bytes("z", new ArraySegment<byte>(packet, 14, nul - 14));
        read.Bytes("b", new ArraySegment<byte>(packet, nul + 1, 4));
        read.Bytes("t", new ArraySegment<byte>(packet, nul + 5, 2));
        read.Float("speed", 0.1 * BitConverter.ToUInt16(packet, nul + 7));
        ` + mistake + `
        return Verdict.Accepted;`
	},
}

// buildReader builds a reader of values in a language.
func buildReader(t *testing.T, language, body string) string {
	t.Helper()
	return buildFilled(t, language, harness.Source(language, compile(t, "values", valuesSchema), "values", harness.FileName(language)), body)
}

// hostileTexts are what a field of bytes may hold and JSON may not, or not as it is.
var hostileTexts = []string{
	"", "ab", "abcdef", "\x1b[2J\xff\xfe", "\"\\\"\\/\x7f", "\x01\x1f\n\r\t\b", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80", "\xed\xb2\x80",
	"\xc0\x80", "\xf4\x90\x80\x80", "\xef\xbf\xbd", "\xef\xbf\xbd\xff", "\xff\xef\xbf\xbd", "é", "😀", "\\u0041", "{\"raw\"", "‹", "\u2028", "\ufeff",
	"\x80\x80\x80\x80\x80\x80", "a\xffb\xfec",
}

// A correct reader is right about every text there can be, through the harness of each language.
func TestAnyBytes(t *testing.T) {
	p := compile(t, "values", valuesSchema)
	for _, language := range harness.Languages() {
		t.Run(language, func(t *testing.T) {
			body := valuesReaders[language]
			if language == "cpp" {
				body = valuesReaders["c"]
			}
			target, err := process.New(t.Context(), process.Options{Args: []string{buildReader(t, language, body(""))}})
			if err != nil {
				t.Fatal(err)
			}
			defer target.Close()
			judge := fuzz.NewJudge(decode.New(p), false)
			for _, text := range hostileTexts {
				packet := valuesPacket(text)
				if _, answer := judge.Truth(packet, decode.FromUnknown); answer.Kind != 0 {
					t.Fatalf("%q: %v", text, answer)
				}
				r, err := target.Send(packet, decode.FromUnknown)
				if err != nil || r.Outcome != oracle.Accepted || r.Fields == nil {
					t.Fatalf("%q: %v %s, %v", text, r.Outcome, r.Fields, err)
				}
				for _, f := range judge.Judge(&fuzz.Mutation{Data: packet, Node: plan.NoNode}, decode.FromUnknown, target, r) {
					t.Errorf("false alarm about %q: %s (%s)", text, f.What(), r.Fields)
				}
			}
		})
	}
}

// valuesPacket has as much of a text in each field as fits.
func valuesPacket(text string) []byte {
	field := func(n int) []byte { return append([]byte(text[:min(n, len(text))]), make([]byte, n)...)[:n] }
	packet := append(append(field(6), field(4)...), field(4)...)
	packet = append(append(packet, strings.ReplaceAll(text[:min(4, len(text))], "\x00", "")...), 0)
	return append(append(append(packet, field(4)...), field(2)...), 0xd2, 0x04) // 123.4
}

// A reader that gives another byte, or that forgets the scale, is wrong in each language; nothing else is said about
// it.
func TestWrongValues(t *testing.T) {
	d := decode.New(compile(t, "values", valuesSchema))
	for language, mistakes := range map[string][]struct{ path, code string }{
		"c": {
			{"c", `text[0] ^= 1; pks_text("c", text);`}, {"e[1]", `pks_chars("e[1]", "no", 2);`}, {"z", `pks_bytes("z", "no", 2);`},
			{"b", `pks_bytes("b", data, 3);`}, {"t", `pks_bytes("t", "no", 2);`}, {"speed", `pks_int("speed", nul[7] | nul[8] << 8);`},
		},
		"go": {
			{"c", `values["c"] = "no"`}, {"e[1]", `values["e"] = [][]byte{e[0][:], []byte("no")}`}, {"z", `values["z"] = []byte("no")`},
			{"b", `values["b"] = rest[1:4]`}, {"t", `values["t"] = "no"`}, {"speed", `values["speed"] = int(rest[6]) | int(rest[7])<<8`},
		},
		"rust": {
			{"c", `read.text("c", "no");`}, {"e[1]", `read.text("e[1]", "no");`}, {"z", `read.bytes("z", b"no");`},
			{"b", `read.bytes("b", &rest[..3]);`}, {"t", `read.text("t", "no");`}, {"speed", `read.int("speed", rest[6]);`},
		},
		"cs": {
			{"c", `read.Text("c", "no");`}, {"e[1]", `read.Text("e[1]", "no");`}, {"z", `read.Text("z", "\ud800");`},
			{"b", `read.Bytes("b", new byte[3]);`}, {"t", `read.Text("t", "no");`}, {"speed", `read.Int("speed", packet[nul + 7]);`},
		},
	} {
		for _, row := range mistakes[:need.Rounds(len(mistakes), 1)] {
			t.Run(fmt.Sprintf("%s %s", language, row.path), func(t *testing.T) {
				target, err := process.New(t.Context(), process.Options{Args: []string{buildReader(t, language, valuesReaders[language](row.code))}})
				if err != nil {
					t.Fatal(err)
				}
				defer target.Close()
				judge, packet := fuzz.NewJudge(d, false), valuesPacket("\xff\"ok")
				r, err := target.Send(packet, decode.FromUnknown)
				if err != nil {
					t.Fatal(err)
				}
				found := judge.Judge(&fuzz.Mutation{Data: packet, Node: plan.NoNode}, decode.FromUnknown, target, r)
				if len(found) != 1 || found[0].Kind != oracle.FoundWrongValue || found[0].Path != row.path {
					t.Errorf("want a wrong value at %s, got %+v of %s", row.path, found, r.Fields)
				}
			})
		}
	}
}

// A reader without a verdict is not asked for one: its crashes, and the values that it gives, are what it can do wrong.
func TestNoVerdict(t *testing.T) {
	d := decode.New(compile(t, "one", "protocol one\norder lsb\nmax datagram 4\npacket { n uint8 in 0..3\n x uint8 }\n"))
	// What a handler without a result does, and gives when it has read a second byte: right, wrong, or not at all.
	readers := map[string]struct{ call, right, wrong, crash, deadly string }{
		"c": {"if (size > 1) {\n        pks_int(\"n\", data[0] & 3);\n        pks_int(\"x\", %s);\n    }\n    return PKS_NO_VERDICT;",
			"data[1]", "data[1] & 127", "data[0] == 3 ? *(volatile int *)0 : data[1]", "\x03\x02"},
		"go": {"if len(packet) > 1 { return noVerdict(map[string]any{\"n\": packet[0]&3, \"x\": %s}) }\nreturn noVerdict(nil)\n",
			"packet[1]", "packet[1] & 127", "packet[1+packet[0]&4]", "\x07\x02"},
		"rust": {"if packet.len() > 1 {\n        read.int(\"n\", packet[0] & 3);\n        read.int(\"x\", %s);\n    }\n    NoVerdict",
			"packet[1]", "packet[1] & 127", "packet[1 + (packet[0] & 4) as usize]", "\x07\x02"},
		"cs": {"if (packet.Length > 1) { read.Int(\"n\", packet[0] & 3); read.Int(\"x\", %s); }\n        return Verdict.None;",
			"packet[1]", "packet[1] & 127", "packet[1 + (packet[0] & 4)]", "\x07\x02"},
	}
	readers["cpp"] = readers["c"]
	for l, language := range harness.Languages() {
		does := readers[language]
		for r, row := range []struct {
			name, say string
			want      map[oracle.FindingKind]bool
		}{
			{"right", does.right, nil}, {"wrong", does.wrong, map[oracle.FindingKind]bool{oracle.FoundWrongValue: true}},
			{"crash", does.crash, map[oracle.FindingKind]bool{oracle.FoundCrash: true}},
		} {
			t.Run(language+" "+row.name, func(t *testing.T) {
				if testing.Short() && r != (l+2)%3 {
					t.Skip("-short builds one of the three in each language")
				}
				reader := buildReader(t, language, fmt.Sprintf(does.call, row.say))
				run := fuzz.Audit{Decoder: d, Seed: 1, Workers: 2, NewTarget: func(ctx context.Context) (oracle.Target, error) {
					return process.New(ctx, process.Options{Args: []string{reader}})
				}}
				r, err := run.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range r.Findings {
					if !row.want[f.Kind] {
						t.Errorf("false alarm: %v %s", f.Kind, f.What())
					}
				}
				if (len(r.Findings) > 0) != (row.want != nil) || r.Refused+r.Accepted != 0 || r.SurvivedHostile == 0 || r.SurvivedValid == 0 {
					t.Errorf("%d findings; %d refused, %d accepted, %d hostile and %d valid survived", len(r.Findings), r.Refused, r.Accepted, r.SurvivedHostile, r.SurvivedValid)
				}
				// A process per packet does not say, either.
				single, err := process.NewSingle(t.Context(), process.Options{Args: []string{reader, "--once"}})
				if err != nil {
					t.Fatal(err)
				}
				defer single.Close()
				for _, packet := range []string{"", "\x01\x02", "\x07\x02", "\x03\x02"} {
					crashes := row.name == "crash" && packet == does.deadly
					if r, err := single.Send([]byte(packet), decode.FromUnknown); err != nil || (r.Outcome == oracle.Crashed) != crashes || !crashes && r.Outcome != oracle.Survived {
						t.Errorf("%x: %v %s, %v", packet, r.Outcome, r.Report, err)
					}
				}
			})
		}
	}
}
