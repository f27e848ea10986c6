package scan_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/pcap"
)

// The capture netcode.pcap is of the netcode library's client and server, with the reliable library above it: 300 messages
// each way, in fragments inside what is sealed. netcode.truth.jsonl is what these libraries delivered.

// privateKey is the netcode library's own key for tests.
const privateKey = "606abe6ec91910ea9a6562f66f2b30e44371d62cd19927266b3c60f4b715aba1"

// netcode is the example, whose payloads are packets of the reliable library where above is set.
func netcode(t testing.TB, above bool) *decode.Decoder {
	t.Helper()
	source, ok := examples.Source("netcode")
	if !ok {
		t.Fatal("there is no example netcode")
	}
	text := string(source)
	if above {
		const game = "message Game max 1200 {\n    data bytes(rest, max 1200)\n}\n"
		if strings.Count(text, game) != 1 {
			t.Fatalf("%q is not in netcode", game)
		}
		text = strings.Replace(text, game, reliable, 1)
	}
	d, err := decode.Load("netcode.pks", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// reliable is a packet of the library, after the example of that name.
const reliable = `
struct Header {
    has bits(4)
    short_ack bool
    reserved(2) any
    sequence uint16
    if short_ack { after uint8 } else { ack uint16 }
    let _bytes = (has & 1) + (has >> 1 & 1) + (has >> 2 & 1) + (has >> 3)
    bits bytes(_bytes)
}

message Game max 1200 {
    fragment bool
    if fragment {
        reserved(7)
        sequence uint16
        id       uint8
        last     uint8 in id..255
        if id == 0 {
            reserved(1)
            header Header
        }
        data bytes(rest, max 1000) @fragment(Whole, sequence, index id, count last + 1)
    } else {
        header Header
        payload bytes(rest, max 1200) @message(Whole)
    }
}

message Whole max 262144 { data bytes(rest, max 262144) }
`

// keysOf is a file of keys.
func keysOf(t testing.TB, text string) *keys.File {
	t.Helper()
	f, err := keys.Read("keys", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run decodes datagrams and tells of each message that was opened or put together; it fails where a packet or a message
// is refused.
func run(t testing.TB, d *decode.Decoder, file *keys.File, list []pcap.Datagram, each func(from decode.Direction, section string, data []byte)) flow.Counts {
	t.Helper()
	s := flow.New(d, flow.Limits{})
	if file != nil {
		s.Open(file)
	}
	var trace decode.Trace
	for i := range list {
		dg := &list[i]
		from := decode.DirectionOf(d.Schema(), dg.Src.Port(), dg.Dst.Port())
		e := &decode.Envelope{N: dg.N, Time: dg.Time, Src: dg.Src, Dst: dg.Dst, Cut: dg.Cut}
		_ = s.Decode(&decode.Packet{Data: dg.Payload, Size: dg.Size, From: from}, e, &trace)
		if e.Verdict(&trace) == decode.Refused {
			t.Fatalf("packet %d is refused: %v", dg.N, trace.Reject())
		}
		for _, m := range s.Messages() {
			if m.Verdict() == decode.Refused {
				t.Fatalf("packet %d: a %s is refused: %v", dg.N, d.Schema().Sections[m.Section].Name, m.Reject())
			}
			if m.Trace != nil && each != nil {
				each(from, d.Schema().Sections[m.Section].Name, m.Trace.Payload)
			}
		}
	}
	s.Flush()
	return s.Counts()
}

// truth is what the libraries delivered: how often, by who had sent it and what it was.
func truth(t *testing.T, what string) (map[string]int, int) {
	t.Helper()
	b, err := os.ReadFile("testdata/netcode.truth.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want, n := map[string]int{}, 0
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var row struct{ Side, What, SHA256 string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.What == what {
			want[row.Side+row.SHA256]++
			n++
		}
	}
	return want, n
}

func digest(from decode.Direction, data []byte) string {
	sum := sha256.Sum256(data)
	side := "c"
	if from == decode.Server {
		side = "s"
	}
	return side + hex.EncodeToString(sum[:8])
}

// TestNetcode opens all payloads, and puts all messages together, that the libraries delivered: byte for byte. Two
// payloads and no more were under way when the capture ended.
func TestNetcode(t *testing.T) {
	list := datagrams(t, "testdata/netcode.pcap")
	private := keysOf(t, "private "+privateKey)
	payloads, nPayloads := truth(t, "payload")
	messages, nMessages := truth(t, "message")
	if nPayloads != 938 || nMessages != 598 || len(list) != 955 {
		t.Fatalf("the truth has %d payloads and %d messages of %d packets", nPayloads, nMessages, len(list))
	}
	games, wholes := 0, 0
	counts := run(t, netcode(t, true), private, list, func(from decode.Direction, section string, data []byte) {
		switch section {
		case "Game":
			games++
			payloads[digest(from, data)]--
		case "Whole":
			wholes++
			messages[digest(from, data)]--
		}
	})
	short := func(left map[string]int) (missing, more int) {
		for _, n := range left {
			missing, more = missing+max(n, 0), more+max(-n, 0)
		}
		return missing, more
	}
	if missing, more := short(payloads); games != 940 || missing != 0 || more != 2 {
		t.Errorf("%d payloads: %d are missing, %d are more", games, missing, more)
	}
	if missing, more := short(messages); missing != 0 || more > 2 {
		t.Errorf("%d messages: %d are missing, %d are more", wholes, missing, more)
	}
	if counts.Sealed != [4]int64{955, 0, 0, 0} {
		t.Errorf("%d sealed texts", counts.Sealed)
	}
}

// TestNetcodeRefusesNothing decodes the capture with what can be missing or in the way: nothing that is kept, and no key,
// makes a packet or a message a bad one.
func TestNetcodeRefusesNothing(t *testing.T) {
	whole := datagrams(t, "testdata/netcode.pcap")
	private := keysOf(t, "private "+privateKey)
	stranger := slices.Clone(whole)
	for i := range stranger { // who comes from the same address, later, with the same token
		for _, end := range []*netip.AddrPort{&stranger[i].Src, &stranger[i].Dst} {
			if end.Port() == 50000 {
				*end = netip.AddrPortFrom(end.Addr(), 50001)
			}
		}
	}
	cut := slices.Clone(whole)
	for i := range cut {
		if i%5 == 3 {
			cut[i].Size, cut[i].Cut = len(cut[i].Payload), true
			cut[i].Payload = cut[i].Payload[:len(cut[i].Payload)*(i%7)/7]
		}
	}
	flipped := slices.Clone(whole)
	for i := range flipped {
		if i%5 == 3 {
			flipped[i].Payload = bytes.Clone(flipped[i].Payload)
			flipped[i].Payload[len(flipped[i].Payload)-1-i%16] ^= 1
		}
	}
	between := func(list []pcap.Datagram, others ...pcap.Datagram) []pcap.Datagram {
		return slices.Concat(list[:300], others, list[300:])
	}
	for _, row := range []struct {
		name string
		file *keys.File
		list []pcap.Datagram
		want [4]int64
	}{
		{"no keys", nil, whole, [4]int64{}},
		{"no key", keysOf(t, ""), whole, [4]int64{0, 955}},
		{"another key", keysOf(t, "private 01"+privateKey[2:]), whole, [4]int64{0, 954, 1}},
		{"a key of another length", keysOf(t, "private 01"), whole, [4]int64{0, 955}},
		{"the token is missing", private, whole[1:], [4]int64{0, 954}},
		{"the token comes late", private, slices.Concat(whole[1:10], whole[:1], whole[10:]), [4]int64{946, 9}},
		{"the token twice", private, between(whole, whole[0]), [4]int64{956}},
		{"two clients at one address", private, slices.Concat(whole[:400], stranger[:500], whole[400:], stranger[500:]), [4]int64{1910}},
		{"a server without its client", private, stranger[1:], [4]int64{0, 954}},
		{"cut", private, cut, [4]int64{955 - 191}},
		{"flipped", private, flipped, [4]int64{955 - 191, 0, 0, 191}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := netcode(t, true)
			if row.file == nil {
				run(t, d, nil, row.list, nil)
				return
			}
			if got := run(t, d, row.file, row.list, nil).Sealed; got != row.want {
				t.Errorf("%v sealed texts, want %v", got, row.want)
			}
		})
	}
}

// TestNetcodeDropped drops each record in turn.
func TestNetcodeDropped(t *testing.T) {
	list := datagrams(t, "testdata/netcode.pcap")
	private, d := keysOf(t, "private "+privateKey), netcode(t, true)
	step := 1
	if testing.Short() {
		step = 37
	}
	for n := 0; n < len(list); n += step {
		want := int64(954)
		if n == 0 {
			want = 0
		}
		if got := run(t, d, private, slices.Concat(list[:n], list[n+1:]), nil).Sealed[decode.Opened]; got != want {
			t.Fatalf("without packet %d %d texts open, want %d", n+1, got, want)
		}
	}
}
