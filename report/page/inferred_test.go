package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// inferredJSON is what infer -T json writes, with a stranger's text wherever there is room for it.
const inferredJSON = `{"schema_version":1,"kind":"infer","packets":1200,"refused":3,"order":"lsb","order_undecided":true,
"checksum":{"algorithm":"crc32","byte":-4,"type":"crc32(prefix 0x12345678 : uint32)","match":398,"of":400},"end":"check 0x1","constant":0.1,"opaque":0.4,"bounded":true,
"fields":[{"name":"kind","kind":"number","bits":2,"bits_saved":0,"least":0,"most":2,"packets":1200,"why":"tells kinds of packets apart","examples":["2","1"]},
{"name":%[1]q,"kind":"number","bits":18,"bits_saved":213,"least":7,"most":18446744073709551615,"packets":600,"sure":"certain","why":%[1]q,"examples":[%[1]q]},
{"name":"mine","kind":"number","bits":5,"bits_saved":0,"least":1,"most":1,"packets":600,"kept":true},
{"name":"opaque","kind":"rest","bits":0,"bits_saved":0,"least":0,"most":0,"packets":600,"bytes":90000,"entropy":7.99},
{"name":"opaque2","kind":"rest","bits":0,"bits_saved":0,"least":0,"most":0,"packets":60,"bytes":900,"entropy":4.5}],
"outliers":[{"packet":17,"reason":%[1]q},{"packet":1100,"reason":"crc: crc-mismatch at bit 0"}]}`

const hostileText = "<script>alert(1)</script>\u202e"

func inferredReport(t testing.TB) *Report {
	t.Helper()
	i, err := ReadInferred(fmt.Appendf(nil, inferredJSON, hostileText))
	if err != nil {
		t.Fatal(err)
	}
	i.Source = []byte("protocol inferred\n// " + hostileText + "\npacket {\n    kind bits(2)\n}\n")
	r := fill(t, newMaker(builtin(t, "rtype"), 0), "rtype").report(t)
	return &Report{Title: "pktscope infer", Sources: []Source{{"game.pcap", "capture"}}, Inferred: i, Packets: r.Packets}
}

func TestInferred(t *testing.T) {
	need.OneGoroutine(t)
	page := write(t, inferredReport(t))
	held(t, page)
	text := textOf(string(page))
	for _, want := range []string{
		"The draft refuses 3 of 1,200 packets.", "crc32(prefix 0x12345678 : uint32)", "4 bytes before the end, in 398 of 400 packets looked at", "undecided: no order is better",
		"tells kinds of packets apart", "213", "certain", "7..18446744073709551615", "a person wrote it", "90,000", "8.0", "encrypted, compressed or random", "with a shape that was not found",
		"crc: crc-mismatch at bit 0", "1 more packet that the draft refuses.", "The search ended at its bound of work", "    kind bits(2)", `\u202e`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "There is nothing") {
		t.Error("the page says that something is missing")
	}
	for _, bad := range []string{"", "{}", `{"kind":"audit"}`, "no JSON", `{"kind":"infer","fields":7}`, `{"kind":"infer","x":"` + strings.Repeat("x", maxInferBytes) + `"}`} {
		if _, err := ReadInferred([]byte(bad)); err == nil {
			t.Errorf("%.40q is taken", bad)
		}
	}
}

// However much was found, the page is bounded.
func TestInferredIsBounded(t *testing.T) {
	i := &Inferred{Refused: 1 << 40, Source: make([]byte, maxDraft+1)}
	for range 5 * maxInferred {
		i.Fields = append(i.Fields, inferredField{Name: strings.Repeat("x", 2000)})
		i.Outliers = append(i.Outliers, struct {
			Packet int64
			Reason string
		}{1, strings.Repeat("y", 2000)})
	}
	page := write(t, &Report{Inferred: i})
	held(t, page)
	if len(page) > 4<<20 || !strings.Contains(string(page), "4,000 more fields") {
		t.Errorf("%d bytes", len(page))
	}
}
