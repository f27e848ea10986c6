package filter

import (
	"net/netip"
	"testing"
)

func TestParsePeer(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.7": "10.0.0.7:0", "10.0.0.7:4124": "10.0.0.7:4124", "fd00::7": "[fd00::7]:0", "[fd00::7]:4124": "[fd00::7]:4124",
		"": "", "player": "", "player:4124": "", "10.0.0.7:": "", "10.0.0.7:0": "", "10.0.0.7:65536": "", "10.0.0.0/8": "",
		"fe80::1%eth0": "", "[fe80::1%eth0]:4124": "", "[fd00::7]": "", `10.0.0.7" || true || "`: "",
	} {
		peer, err := ParsePeer(text)
		got := ""
		if err == nil {
			got = peer.String()
		}
		if got != want {
			t.Errorf("%q: want %q, got %q, %v", text, want, got, err)
		}
	}
}

// A filter before, whatever it holds, is asked as a whole.
func TestFollow(t *testing.T) {
	for _, row := range []struct{ peer, before, want string }{
		{"10.0.0.7:4124", "", `(pkt.src == "10.0.0.7:4124" || pkt.dst == "10.0.0.7:4124")`},
		{"10.0.0.7:0", "", `(pkt.src_ip == "10.0.0.7" || pkt.dst_ip == "10.0.0.7")`},
		{"[fd00::7]:9", "a || b", `(a || b) && (pkt.src == "[fd00::7]:9" || pkt.dst == "[fd00::7]:9")`},
		{"10.0.0.7:0", "a // b", "(a // b\n) && " + `(pkt.src_ip == "10.0.0.7" || pkt.dst_ip == "10.0.0.7")`},
	} {
		if got := Follow(netip.MustParseAddrPort(row.peer), row.before); got != row.want {
			t.Errorf("want %s, got %s", row.want, got)
		}
	}
}
