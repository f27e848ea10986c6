package display_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"

	"github.com/pktscope/pktscope/decode/display"
)

// What is shown of a number is read back as it, and what is not shown so is refused.
func TestNumbers(t *testing.T) {
	for _, row := range []struct {
		word, arg string
		v         uint64
		bits      int
		signed    bool
		text      string
	}{
		{"ipv4", "", 0xc0000201, 32, false, "192.0.2.1"},
		{"mac", "", 0x00005e005301, 48, false, "00:00:5e:00:53:01"},
		{"hex", "", 0x1f, 16, false, "0x001f"},
		{"hex", "", math.MaxUint64, 64, false, "0xffffffffffffffff"},
		{"hex", "", uint64(1 << 63), 64, true, "-0x8000000000000000"},
		{"hex", "", 31, 16, true, "0x1f"},
		{"bcd", "", 0x0042, 16, false, "0042"},
		{"bcd", "", 0x123, 12, false, "0123"},
		{"bcd", "", 0x12fa, 16, false, "0x12fa"},
		{"time", "ntp", 0xe8a1c2d380000000, 64, false, "2023-09-05T15:08:03.5000000000Z"},
		{"time", "ntp", math.MaxUint64, 64, false, "2036-02-07T06:28:15.9999999998Z"},
		{"time", "ntp", 0, 64, false, "2036-02-07T06:28:16.0000000000Z"},
		{"time", "ntp", math.MaxInt64, 64, false, "2104-02-26T09:42:23.9999999998Z"},
		{"time", "ntp", 1 << 63, 64, false, "1968-01-20T03:14:08.0000000000Z"},
	} {
		d := display.Of(row.word, row.arg)
		if got := string(d.AppendNumber(nil, row.v, row.bits, row.signed)); got != row.text {
			t.Errorf("@%s of %#x: want %s, got %s", row.word, row.v, row.text, got)
		}
		if v, ok := d.Number(row.text, row.bits, row.signed); !ok || v != row.v {
			t.Errorf("@%s: want %#x of %s, got %#x, %v", row.word, row.v, row.text, v, ok)
		}
	}
	// Ten digits are enough for every fraction of NTP.
	ntp := display.Of("time", "ntp")
	for v := uint64(0xe8a1c2d300000000); v < 0xe8a1c2d3fff00000; v += 0x00fedcba {
		if got, ok := ntp.Number(string(ntp.AppendNumber(nil, v, 64, false)), 64, false); !ok || got != v {
			t.Fatalf("%#x comes back as %#x, %v", v, got, ok)
		}
	}
	for _, row := range [][2]string{{"ipv4", "192.0.2"}, {"ipv4", "::1"}, {"ipv4", "1.2.3.4.5"}, {"mac", "00:00:5e:00:53"}, {"mac", "0000:5e:00:53:01:"}, {"hex", "1f"},
		{"hex", "0x"}, {"hex", "-0x1"}, {"bcd", "12a"}, {"bcd", ""}, {"bcd", "123456789"}} {
		bits := map[string]int{"ipv4": 32, "mac": 48, "hex": 16, "bcd": 16}[row[0]]
		if v, ok := display.Of(row[0], "").Number(row[1], bits, false); ok {
			t.Errorf("@%s took %q as %#x", row[0], row[1], v)
		}
	}
	for _, text := range []string{"", "2023-09-07", "2023-09-07T19:49:07", "2023-09-07T19:49:07.12345678901Z", "2023-09-07T19:49:07.-1Z", "1960-01-01T00:00:00Z", "2105-01-01T00:00:00Z"} {
		if v, ok := ntp.Number(text, 64, false); ok {
			t.Errorf("@time(ntp) took %q as %#x", text, v)
		}
	}
}

func TestBytes(t *testing.T) {
	for _, row := range [][3]string{
		{"ipv4", "c0000201", "192.0.2.1"}, {"mac", "00005e005301", "00:00:5e:00:53:01"},
		{"ipv6", "20010db8000000000000000000000001", "2001:db8::1"}, {"ipv6", "00000000000000000000ffffc0000201", "::ffff:192.0.2.1"},
		{"uuid", "00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff"},
	} {
		d := display.Of(row[0], "")
		data, _ := hex.DecodeString(row[1])
		if got := string(d.AppendBytes(nil, data)); got != row[2] {
			t.Errorf("@%s: want %s, got %s", row[0], row[2], got)
		}
		if got, ok := d.Bytes(row[2]); !ok || !bytes.Equal(got, data) {
			t.Errorf("@%s of %s: got %x, %v", row[0], row[2], got, ok)
		}
		if got, ok := d.Bytes(row[1] + "x"); ok {
			t.Errorf("@%s took %sx as %x", row[0], row[1], got)
		}
	}
}
