package main

import "testing"

// A kilobyte is 1000 bytes, said or not, as tshark's.
func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{"1": 1000, "500": 500_000, "1kB": 1000, "3kB": 3000, "20MB": 20_000_000, "1GB": 1_000_000_000, "0": 0, "1KB": 0, "-1": 0, "9223372036854775807": 0, "": 0} {
		got, err := parseBytes(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: want %d, got %d, %v", text, want, got, err)
		}
	}
}
