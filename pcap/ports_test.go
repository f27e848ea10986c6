package pcap

import (
	"fmt"
	"testing"
)

func TestParsePorts(t *testing.T) {
	const want = "want ports of 1..65535, such as 4124 or 4000-4010,5000"
	for _, row := range []struct{ text, ports, err string }{
		{"4124", "[4124]", ""},
		{"4000-4003,5000", "[4000 4001 4002 4003 5000]", ""},
		{"5000,1-2,65535", "[5000 1 2 65535]", ""},
		{"65534-65535", "[65534 65535]", ""},
		{"", "", want},
		{"0", "", want},
		{"0-5", "", want},
		{"4000,", "", want},
		{",4000", "", want},
		{"4000, 5000", "", want},
		{"4010-4000", "", want},
		{"4000-", "", want},
		{"-4000", "", want},
		{"+4000", "", want},
		{"65536", "", want},
		{"4000..4010", "", want},
		{"1-2-3", "", want},
		{"99999999999999999999", "", want},
		{"4000,4000", "", "port 4000 is named twice"},
		{"4000-4010,4005-4020", "", "port 4005 is named twice"},
		{"1-1025", "", "want at most 1024 ports"},
		{"1-65535", "", "want at most 1024 ports"},
		{"1-1024,2000", "", "want at most 1024 ports"},
	} {
		ports, err := ParsePorts(row.text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != row.err || err == nil && fmt.Sprint(ports) != row.ports {
			t.Errorf("%q: want %s %q, got %v, %v", row.text, row.ports, row.err, ports, err)
		}
	}
	if all, err := ParsePorts("1-1024"); err != nil || len(all) != 1024 {
		t.Errorf("%d ports, %v", len(all), err)
	}
}
