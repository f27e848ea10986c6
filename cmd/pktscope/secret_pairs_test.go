package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// check is the part of a script that appendPacket needs.
type check struct{ t *testing.T }

func (c check) Check(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// Whatever a command shows, in any of its forms, of two captures whose packets differ in their secrets alone, is the
// same. What views show of each packet, whole and cut, TestSecretPairs of report compares.
func TestSecretPairs(t *testing.T) {
	text, err := os.ReadFile("../../report/testdata/secret_pairs.txt")
	check{t}.Check(err)
	schema := "protocol pairs\norder msb\nport 4000\nmax datagram 100\nenum Kind : uint8 { A = 1, B = 2 }\n" +
		"open enum Open : uint8 { One = 1 }\nflags Some : uint8 { X = 1, Y = 2, Z = 0x40 }\npacket {\n    id uint8\n    body switch id {\n"
	captures := [2][]byte{pcapHeader(), pcapHeader()}
	id := -1
	side := 0
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "#"), line == "":
		case strings.HasPrefix(line, " "):
			captures[side] = appendPacket(check{t}, captures[side], id, fmt.Sprintf("50000>4000 %02x %s", id, line))
			side++
		default:
			id, side = id+1, 0
			schema += fmt.Sprintf("        %d: { %s }\n", id, line)
		}
	}
	schema += "    }\n}\n"
	one := appendPacket(check{t}, pcapHeader(), 0, "50000>4000 00 0909 77")
	var dirs [2]string
	for i := range dirs {
		dirs[i] = t.TempDir()
		for name, data := range map[string][]byte{"pairs.pks": []byte(schema), "p.pcap": captures[i], "one.pcap": one} {
			check{t}.Check(os.WriteFile(filepath.Join(dirs[i], name), data, 0o600))
		}
		check{t}.Check(os.WriteFile(filepath.Join(dirs[i], "dies"), []byte("#!/bin/sh\ncat >&2\nkill -SEGV $$\n"), 0o700))
	}
	for i, line := range []string{
		"decode -p pairs.pks p.pcap", "decode -p pairs.pks -V p.pcap", "decode -p pairs.pks -x p.pcap", "decode -p pairs.pks -T json p.pcap",
		"decode -p pairs.pks -T csv -e body.k -e body.n -e body.p -e body.q -e body.tail -e body.v -e body.a -e case -e notes -e reject.path -e reject.bit -e reject.want -e reject.got p.pcap",
		"decode -p pairs.pks --only rejects p.pcap", "explain -p pairs.pks -r p.pcap -n 9", "explain -p pairs.pks -T json -r p.pcap -n 9",
		"stats -p pairs.pks p.pcap", "stats -p pairs.pks -T json p.pcap", "budget -p pairs.pks p.pcap", "budget -p pairs.pks -V p.pcap",
		"budget -p pairs.pks -T json p.pcap", "diff -p pairs.pks p.pcap one.pcap", "diff -p pairs.pks -T json p.pcap one.pcap",
		"report -q -p pairs.pks -T html p.pcap", "report -q -p pairs.pks -T json p.pcap",
		"report -q -p pairs.pks -T sarif p.pcap", "report -q -p pairs.pks -T junit p.pcap", "report -q -p pairs.pks -T markdown p.pcap",
		"report -q -p pairs.pks -T annotations p.pcap",
		"decode -p pairs.pks -Y body.k==1 p.pcap", "decode -p pairs.pks -Y body.list[3]==1 p.pcap", "decode -p pairs.pks -Y body.v.x==1 p.pcap",
		"fuzz -p pairs.pks --seed 1 --target exec:true -T json --replay p.pcap", "fuzz -p pairs.pks --seed 1 --target exec:false -T json --replay p.pcap",
		"fuzz -p pairs.pks --seed 1 --target exec:./dies -T json --replay p.pcap",
	} {
		if i%need.Rounds(1, 12) > 0 {
			continue // -short runs each twelfth, twice
		}
		args := strings.Fields(line)
		if a, b := untimed(runIn(t, dirs[0], args)), untimed(runIn(t, dirs[1], args)); a != b {
			t.Errorf("%s: %s", line, firstDifference(a, b))
		} else if len(a) < 20 || strings.Contains(a, "exit status 2") && !strings.Contains(line, "-Y") {
			t.Errorf("%s: %s", line, a)
		}
	}
}

// firstDifference shows the lines in which two outputs part.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		at := 0
		for at < min(len(x[i]), len(y[i])) && x[i][at] == y[i][at] {
			at++
		}
		if x[i] != y[i] {
			cut := func(s string) string { return s[max(at-120, 0):min(len(s), at+160)] }
			return fmt.Sprintf("line %d:\n%s\n%s", i+1, cut(x[i]), cut(y[i]))
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// runIn is all that a command says in a directory, and how it ends.
func runIn(t *testing.T, dir string, args []string) string {
	t.Helper()
	cmd := exec.Command("pktscope", args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var code *exec.ExitError
	if err != nil && !errors.As(err, &code) {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s\n%s\n%v", stdout.Bytes(), stderr.Bytes(), err)
}

// untimed is a command's JSON without how long it took.
func untimed(text string) string {
	return regexp.MustCompile(`"seconds":[0-9.]+,`).ReplaceAllString(text, "")
}
