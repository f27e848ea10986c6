package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// Two files of keys open one capture to messages that differ in their secrets alone: whatever a command shows is the same,
// and has nothing of the keys. What is sealed is not shown beside what a key made of it: the two tell the pad.
func TestSecretKeys(t *testing.T) {
	const schema = `protocol hidden
order msb
port 4000
state { each pad bytes(4) @secret }
packet {
    number uint8
    body switch number {
        0: sealed(4) xor { key key.pad, open Word }
        1: sealed(4) xor { key key.pad, open Pad }
        2: sealed(4) xor { key state.pad, open Word }
        3: sealed(4) xor { key key.pad, open Word } @secret
        4: sealed(4) xor { key key.gone, open Word }
    }
}
message Word max 4 { shown uint8, hidden uint16 @secret, also uint8 }
message Pad max 4 { next bytes(4) @secret, let state.pad = next }
`
	capture := pcapHeader()
	for i, line := range []string{"00 11223344", "01 a1a2a3a4", "02 55667788", "03 01020304", "04 99999999", "00 1122"} {
		capture = appendPacket(check{t}, capture, i, "50000>4000 "+line)
	}
	var dirs [2]string
	for i, pad := range []string{"0b16c2de", "0bd7e5de"} { // its first and last bytes open what is shown
		dirs[i] = t.TempDir()
		for name, data := range map[string][]byte{"h.pks": []byte(schema), "p.pcap": capture, "k": []byte("pad " + pad + "\n")} {
			check{t}.Check(os.WriteFile(filepath.Join(dirs[i], name), data, 0o600))
		}
	}
	secrets := []string{"16c2", "d7e5", "22 194", "215 229", fmt.Sprint(0x2233 ^ 0x16c2), fmt.Sprint(0x2233 ^ 0xd7e5)}
	for i, line := range []string{
		"decode -p h.pks --keys k p.pcap", "decode -p h.pks --keys k -V p.pcap", "decode -p h.pks --keys k -x p.pcap", "decode -p h.pks --keys k -T json p.pcap",
		"decode -p h.pks --keys k --only rejects p.pcap", "decode -p h.pks --keys k -T csv -e number -e notes p.pcap", "explain -p h.pks --keys k -r p.pcap -n 1",
		"explain -p h.pks --keys k -T json -r p.pcap -n 3",
		"diff -p h.pks --keys k p.pcap:1 p.pcap:3", "report -p h.pks --keys k -T html p.pcap", "report -p h.pks --keys k -T json p.pcap", "stats -p h.pks --keys k p.pcap",
	} {
		if i%need.Rounds(1, 3) > 0 {
			continue
		}
		args := strings.Fields(line)
		a, b := runIn(t, dirs[0], args), runIn(t, dirs[1], args)
		if a != b {
			t.Errorf("%s: %s", line, firstDifference(a, b))
		} else if len(a) < 20 || strings.Contains(a, "exit status 2") {
			t.Errorf("%s: %s", line, a)
		}
		for _, secret := range append(secrets, "11 22", `"1122"`, "11 22 33 44", "112233", "556677", "999999", "00010001 00100010") {
			if strings.Contains(a, secret) {
				t.Errorf("%s shows %s: %s", line, secret, a)
			}
		}
	}
	if out := runIn(t, dirs[0], strings.Fields("decode -p h.pks --keys k -T json p.pcap")); strings.Count(out, `"shown":`) != 2 || !strings.Contains(out, `"reason":"no key"`) {
		t.Errorf("the messages are not opened: %s", out)
	}
}
