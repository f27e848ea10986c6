package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/report"
)

// The times of -t are those of tshark's -t, in every form and another zone, on all cores and on one; of two digits' more
// precision tshark shows, ours are cut.
func TestTimesInTshark(t *testing.T) {
	program := need.Program(t, need.Tshark, "tshark")
	self, err := exec.LookPath("pktscope")
	if err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) []string {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "TZ=America/St_Johns", "HOME="+t.TempDir())
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %q: %v", name, args, err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	for _, file := range []string{"../../corpus/course.pcap", "../../corpus/rtype.pcap"} {
		for _, form := range report.TimeForms {
			theirs := run(program, "-n", "-r", file, "-t", form.Word)
			for _, more := range [][]string{nil, {"-l"}} {
				ours := run(self, append([]string{"decode", "-q", "-t", form.Word, file}, more...)...)
				if len(ours) != len(theirs) || len(ours) < 20 {
					t.Fatalf("%s: %d lines, and tshark has %d", file, len(ours), len(theirs))
				}
				for i := range ours {
					want, got := strings.Fields(theirs[i]), strings.Fields(ours[i])
					words := 1
					if strings.HasSuffix(form.Word, "d") && form.Word != "d" {
						words = 2
					}
					w, g := strings.Join(want[1:1+words], " "), strings.Join(got[1:1+words], " ")
					if !strings.HasPrefix(w, g) || len(g) < 8 {
						t.Fatalf("%s -t %s: packet %d: %q, and tshark has %q", file, form.Word, i+1, g, w)
					}
				}
			}
		}
	}
}
