package protocols_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
)

const (
	handshake = "14" + "00112233445566778899aabbccddeeff00112233" // a length, and what is sealed
	v1        = "00000001" + "0101" + "0102"                      // and the ids
	v2        = "6b3343cf" + "0101" + "0102"
	check     = "000100002112a442000102030405060708090a0b" // of ICE
)

// What an RFC permits, or tells apart: the packet and some of the fields that it has, or the reject.
var permitted = []struct{ name, protocol, packet, want string }{
	{"the padding stops at the MTU", "wireguard", "04000000" + "01000000" + "0200000000000000" + strings.Repeat("00", 1420), "sealed=1404"},
	{"a packet without a tag", "wireguard", "04000000" + "01000000" + "0200000000000000" + strings.Repeat("00", 15), "out-of-range"},

	{"version 1, Initial", "quic", "c0" + v1 + "00" + handshake, "type=Initial payload=20"},
	{"version 1, Retry", "quic", "f0" + v1 + "aabb" + strings.Repeat("00", 16), "type=Retry retry_token=2"},
	{"version 2, Retry", "quic", "c0" + v2 + "aabb" + strings.Repeat("00", 16), "type=Retry retry_token=2"},
	{"version 2, Initial", "quic", "d0" + v2 + "00" + handshake, "type=Initial payload=20"},
	{"version 2, 0-RTT", "quic", "e0" + v2 + handshake, "type=ZeroRtt payload=20"},
	{"version 2, Handshake", "quic", "f0" + v2 + handshake, "type=Handshake payload=20"},
	{"draft 29, Handshake", "quic", "e0" + "ff00001d" + "0101" + "0102" + handshake, "type=Handshake payload=20"},
	{"another version", "quic", "ff" + "1a2a3a4a" + "0101" + "0102" + "99", "version=438975050 unknown=1"},
	{"negotiation", "quic", "8f" + "00000000" + "0101" + "0102" + "00000001" + "6b3343cf", "version=Negotiation supported[0]=1 supported[1]=1798521807"},
	{"negotiation, cut", "quic", "8f" + "00000000" + "0101" + "0102" + "000000", "rule-broken"},
	{"two versions' types in one datagram", "quic", "d0" + v2 + "00" + handshake + "f0" + v2 + handshake, "type=Initial payload=20 type=Handshake payload=20"},
	{"a stray byte", "quic", "e0" + v1 + handshake + "ff", "type=Handshake payload=20 ignored=1"},
	{"zeros", "quic", "e0" + v1 + handshake + strings.Repeat("00", 40), "type=Handshake payload=20 ignored=40"},
	{"bytes of no version", "quic", "e0" + v1 + handshake + strings.Repeat("ee", 40), "type=Handshake payload=20 ignored=40"},
	{"a packet behind that is cut", "quic", "e0" + v1 + handshake + "e0" + v1 + "4050" + strings.Repeat("00", 40), "past-end"},
	{"a stray byte alone", "quic", "40", "rule-broken"},

	{"USE-CANDIDATE", "stun", "000100042112a442000102030405060708090a0b" + "00250000", "type=1 type=UseCandidate"},
	{"Chrome's network", "stun", "000100082112a442000102030405060708090a0b" + "c057000400010001", "type=1 type=GoogNetworkInfo data=4"},
	{"password algorithms", "stun", "0111000c2112a442000102030405060708090a0b" + "80020008" + "0002000000010000",
		"type=273 type=PasswordAlgorithms algorithm=2 algorithm=1"},
	{"a cut SHA-256", "stun", "000100142112a442000102030405060708090a0b" + "001c0010" + strings.Repeat("aa", 16), "type=1 type=MessageIntegritySha256 hmac_sha256=16"},
	{"data of a channel", "stun", "40010003aabbcc", "channel=0x4001 payload=3"},
	{"with padding", "stun", "40010003aabbcc00", "channel=0x4001 payload=3 padding=1"},
	{"with more", "stun", "40010003aabbcc0000", "channel=0x4001 payload=3 padding=2"},
	{"with less", "stun", "40010004aabbcc", "past-end"},
	{"a number that is kept", "stun", "50000000", "reserved-nonzero"},

	{"RTCP", "webrtc", "80c90001000003eb388191cc", "type=201 sender=1003"},
	{"RTCP, the last type", "webrtc", "81df0001000003eb388191cc", "type=223 sender=1003"},
	{"RTP below them", "webrtc", "80bf00010000000200000003", "payload_type=63"},
	{"RTP above them", "webrtc", "80e000010000000200000003aa", "payload_type=96 payload=1"},
	{"RTP whose padding is sealed", "webrtc", "a06000010000000200000003ff", "payload_type=96 payload=1"},
	{"data with another start code", "artnet", "4172742d4e657400" + "0051" + "000e" + "01cf" + "0500" + "0002aabb", "opcode=Nzs start_code=207 data=2"},
	{"out of band, the id before the magic", "raknet", "0d" + "00000000deadbeef" + "00ffff00fefefefefdfdfdfd12345678" + "1d", "kind=OutOfBand sender=0x00000000deadbeef data=1"},

	{"data of a channel there", "webrtc", "40010003aabbcc", "channel=0x4001 payload=3"},
	{"DTLS", "webrtc", "16fefd00", "dtls=4"},
	{"no range", "webrtc", "c0c90001000003eb388191cc", "unknown-case"},

	{"an extension that ends early", "rtp", "906000010000000200000003" + "bede0002" + "10aa" + "f0" + "0102030405", "id=1 data=1 id=15 ignored=5"},
}

// Each packet is read as its RFC has it, and without a note but for a version of QUIC that has no name.
func TestPermitted(t *testing.T) {
	for _, row := range permitted {
		src, _ := protocols.Shipped(row.protocol)
		d, err := decode.LoadFS(protocols.Dir(), row.protocol+".pks", src)
		if err != nil {
			t.Fatal(err)
		}
		packet, err := hex.DecodeString(row.packet)
		if err != nil {
			t.Fatal(row.name, err)
		}
		var names []string
		for word := range strings.FieldsSeq(row.want) {
			name, _, _ := strings.Cut(word, "=")
			names = append(names, name)
		}
		var trace decode.Trace
		var got []string
		if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil {
			got = append(got, trace.Reject().Kind.String())
		} else {
			for f := range trace.Fields() {
				if name := f.Path()[strings.LastIndexByte(f.Path(), '.')+1:]; slices.Contains(names, name) {
					value := f.Value().String()
					if f.Value().Form() == decode.FormBytes {
						value = fmt.Sprint(f.Width() / 8)
					}
					got = append(got, name+"="+value)
				}
			}
		}
		if got := strings.Join(got, " "); got != row.want {
			t.Errorf("%s, %s: want %s, got %s", row.protocol, row.name, row.want, got)
		}
		if unnamed := strings.Contains(row.want, "unknown=") || row.name == "draft 29, Handshake"; (len(trace.Notes) > 0) != unnamed {
			t.Errorf("%s, %s: notes %v", row.protocol, row.name, trace.Notes)
		}
	}
}
