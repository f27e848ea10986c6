package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/pcap"
)

const netcodeCapture = "../../report/scan/testdata/netcode.pcap"

// netcodeKeys is a file of keys with those that the token of the capture's connection tells, which JSON does not show.
func netcodeKeys(t *testing.T, private string) (text string, payloads [][]byte) {
	t.Helper()
	source, _ := examples.Source("netcode")
	d, err := decode.Load("netcode.pks", source)
	if err != nil {
		t.Fatal(err)
	}
	file, err := keys.Read("k", strings.NewReader(private))
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(netcodeCapture)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s := flow.New(d, flow.Limits{})
	s.Open(file)
	var trace decode.Trace
	for r := pcap.NewDatagrams(pcap.NewReader(in)); ; {
		g, err := r.Next()
		if err == io.EOF {
			return private + text, payloads
		}
		if err != nil {
			t.Fatal(err)
		}
		payloads = append(payloads, bytes.Clone(g.Payload))
		from := decode.DirectionOf(d.Schema(), g.Src.Port(), g.Dst.Port())
		if err := s.Decode(&decode.Packet{Data: g.Payload, From: from}, &decode.Envelope{Src: g.Src, Dst: g.Dst, Time: g.Time}, &trace); err != nil {
			t.Fatal(err)
		}
		for _, m := range s.Messages() {
			if d.Schema().Sections[m.Section].Name != "Token" {
				continue
			}
			line := fmt.Sprintf("\nflow %s %s key", g.Src, g.Dst)
			for f := range m.Trace.Fields() {
				if name := string(f.Path()); name == "client_key" || name == "server_key" {
					line += " " + hex.EncodeToString(f.Value().Reveal().Bytes())
				}
			}
			if !strings.Contains(text, line) {
				text += line
			}
		}
	}
}

// What the netcode library sealed, opened by decode and sealed again by encode, is what the library sent: byte for byte,
// but for the requests, whose tokens JSON does not show. What was edited opens as it was edited; no key, and the wrong one,
// is said.
func TestSealedAgain(t *testing.T) {
	dir := t.TempDir()
	private, err := os.ReadFile("../../report/scan/netcode_test.go")
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`privateKey = "([0-9a-f]{64})"`).FindSubmatch(private)
	all, want := netcodeKeys(t, "private "+string(key[1]))
	for name, text := range map[string]string{"all.keys": all, "private.keys": "private " + string(key[1])} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(in []byte, line string) (string, string) {
		var out, stderr bytes.Buffer
		cmd := exec.Command("pktscope", strings.Fields(strings.ReplaceAll(line, "DIR", dir))...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &stderr
		_ = cmd.Run() // what it says is looked at
		return out.String(), stderr.String()
	}
	objects, _ := run(nil, "decode -q -p netcode -T json --keys DIR/private.keys "+netcodeCapture)
	// What is sealed is taken out: it can only come back from the messages.
	bare := regexp.MustCompile(`"sealed":\{"data":"‹secret[^"]*›","tag":"[0-9a-f]+"\}`).ReplaceAllString(objects, `"sealed":{}`)
	if strings.Count(bare, `"sealed":{}`) < 940 {
		t.Fatalf("%d texts were taken out", strings.Count(bare, `"sealed":{}`))
	}
	got, stderr := run([]byte(bare), "encode --keep-going -q -p netcode --keys DIR/all.keys")
	lines := strings.Fields(got)
	requests, empty, n := 0, 0, 0
	for _, p := range want {
		switch kind := p[0] & 15; {
		case kind == 0:
			requests++
			continue
		case kind == 1 || kind == 6: // nothing but a tag, which was not taken out
			empty++
		}
		if n >= len(lines) || lines[n] != hex.EncodeToString(p) {
			t.Fatalf("packet %d of %d differs: %.300s", n, len(lines), stderr)
		}
		n++
	}
	if n != len(lines) || requests == 0 || n < 940 || strings.Count(stderr, "token: masked") != requests {
		t.Errorf("%d of %d lines, %d requests, %d without a text: %.300s", n, len(lines), requests, empty, stderr)
	}

	alive := regexp.MustCompile(`(?m)^.*"direction":"server".*"case":"KeepAlive".*$`).FindString(bare)
	edited := strings.Replace(alive, `"client_index":0`, `"client_index":7`, 1)
	sealed, stderr := run([]byte(edited), "encode -q -p netcode -w - --keys DIR/all.keys")
	again, more := run([]byte(sealed), "decode -q -p netcode -T json --keys DIR/all.keys -")
	if edited == alive || !strings.Contains(again, `"fields":{"client_index":7,`) {
		t.Errorf("%s%s%s", stderr, again, more)
	}
	for _, row := range []struct{ in, line, want string }{
		{bare[strings.Index(bare, "\n")+1:], "encode -p netcode --keys DIR/private.keys", "the file of keys has no line `key HEX` of 32 bytes, for state.key"},
		{strings.Replace(edited, `"section":"Alive"`, `"section":"Answer"`, 1), "encode -p netcode --keys DIR/all.keys", "Answer.sequence: "},
		{strings.Replace(edited, `"section":"Alive"`, `"section":"Nobody"`, 1), "encode -p netcode --keys DIR/all.keys", "the packet has nothing sealed that is a Nobody"},
		{strings.Replace(edited, `"client_index":7`, `"client_index":"x"`, 1), "encode -p netcode --keys DIR/all.keys", "Alive.client_index: "},
		{edited, "encode -p rtp --keys DIR/all.keys", "rtp seals nothing"},
	} {
		out, stderr := run([]byte(row.in), row.line)
		if !strings.Contains(stderr, row.want) || out != "" {
			t.Errorf("%s: want %s, got %s%.300s", row.line, row.want, out, stderr)
		}
	}
}
