package main

import (
	"encoding/csv"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// Rows over time have the packets and bytes that tshark's -z io,stat has. Its bytes are of UDP with the header; the last
// interval of it ends with the capture.
func TestIntervalsInTshark(t *testing.T) {
	program := need.Program(t, need.Tshark, "tshark")
	self, err := exec.LookPath("pktscope")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\|\s*[0-9.]+\s*<>\s*(?:[0-9.]+|Dur)\s*\|\s*([0-9]+) \|\s*[0-9]+ \|\s*([0-9]+) \|$`)
	for file, protocol := range map[string]string{"testdata/rtype-session.pcap": "rtype", "../../corpus/course.pcap": "course"} {
		for interval, seconds := range map[string]string{"1s": "1", "250ms": "0.25", "7s": "7"} {
			theirs, err := exec.Command(program, "-n", "-q", "-r", file, "-z", "io,stat,"+seconds+",,SUM(udp.length)udp.length").Output()
			if err != nil {
				t.Fatal(err)
			}
			want := row.FindAllStringSubmatch(string(theirs), -1)
			ours, err := exec.Command(self, "stats", "-q", "-p", protocol, "-T", "csv", "--interval", interval, file).Output()
			if err != nil {
				t.Fatal(err)
			}
			got, err := csv.NewReader(strings.NewReader(string(ours))).ReadAll()
			if err != nil || len(got) < 2 || len(got)-1 != len(want) {
				t.Fatalf("%s, %s: %d rows, and tshark has %d: %v\n%s", file, interval, len(got)-1, len(want), err, theirs)
			}
			for i, cells := range got[1:] {
				packets, _ := strconv.Atoi(cells[2])
				bytes, _ := strconv.Atoi(cells[7])
				if cells[2] != want[i][1] || strconv.Itoa(bytes+8*packets) != want[i][2] {
					t.Errorf("%s, %s: row %d: %v, and tshark has %s", file, interval, i, cells, want[i][0])
				}
			}
		}
	}
}
