package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/luagen"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
)

// --install writes where tshark says that it looks.
func TestGenWiresharkFolder(t *testing.T) {
	program := need.Program(t, need.Tshark, "tshark")
	home := t.TempDir()
	t.Setenv("HOME", home)
	out, err := exec.Command(program, "-G", "folders").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := luaPlugins()
	if err != nil {
		t.Fatal(err)
	}
	_, theirs, _ := strings.Cut(string(out), "Personal Lua Plugins:")
	if theirs, _, _ = strings.Cut(strings.TrimSpace(theirs), "\n"); theirs != dir {
		t.Errorf("%q, and tshark looks in %q", dir, theirs)
	}
}

// hostile writes so many packets of a protocol that our mutators made as a capture: every mutation of seeds, of packets
// of a capture, and of what came of them. It gives what the decoder says of each: the kind and the bit.
func hostile(t *testing.T, d *decode.Decoder, name, file string, n int) (verdicts []string) {
	t.Helper()
	var b bytes.Buffer
	w := pcap.NewWriter(&b, pcap.Section{})
	src, dst := netip.MustParseAddrPort("10.0.0.1:40000"), netip.MustParseAddrPort("10.0.0.2:40001")
	var trace decode.Trace
	mutator := fuzz.NewMutator(d)
	var bases [][]byte
	for _, s := range corpus.Seeds(name) {
		bases = append(bases, s.Data)
	}
	for _, p := range fuzz.NewGenerator(d).Spread(256, 32, 1024) {
		bases = append(bases, p.Data)
	}
	seen := map[string]bool{}
	for at := 0; at < len(bases) && len(verdicts) < n; at++ {
		fresh := 0
		for m := range mutator.Mutations(bases[at], decode.FromUnknown) {
			if len(m.Data) == 0 || len(m.Data) > 1400 || seen[string(m.Data)] {
				continue
			}
			data := bytes.Clone(m.Data)
			seen[string(data)] = true
			if fresh++; fresh%16 == 0 { // broken twice
				bases = append(bases, data)
			}
			kind := "none -1"
			if d.Decode(data, decode.FromUnknown, &trace) != nil || trace.JudgePieces() != nil {
				kind = fmt.Sprintf("%s %d", trace.Reject().Kind, trace.Reject().Bit)
			}
			verdicts = append(verdicts, kind)
			if err := w.WriteUDP(0, src, dst, data); err != nil {
				t.Fatal(err)
			}
			if len(verdicts) == n {
				break
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// Of packets that our mutators broke the dissector says what the decoder says, kind and bit, and Lua has no error: many
// of some protocols, some of each built-in and example.
func TestGenWiresharkHostile(t *testing.T) {
	many := map[string]int{"packets": 100_000, "rtype": 100_000, "gaffer": 20_000, "mavlink": 20_000, "dns": 20_000, "stun": 20_000}
	names := append(protocols.Names(), examples.Names()...)
	if testing.Short() {
		names = []string{"packets"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { holdHostile(t, name, max(500, many[name])) })
	}
}

// holdHostile does so for so many packets of a protocol.
func holdHostile(t *testing.T, name string, packets int) {
	program := need.Program(t, need.Tshark, "tshark")
	src, _ := protocols.Shipped(name)
	d, err := decode.LoadFS(protocols.Dir(), name+".pks", src)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, script := filepath.Join(dir, "x.pcapng"), filepath.Join(dir, "x.lua")
	want := hostile(t, d, name, file, packets)
	text := luagen.Source(d.Plan(), "-p "+name, "x.lua")
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	as := luagen.Name(d.Plan())
	if theirs, err := exec.Command(program, "-G", "protocols").Output(); err != nil {
		t.Fatal(err)
	} else if bytes.Contains(theirs, []byte("\t"+as+"\n")) {
		as = "pks_" + as
	}
	cmd := exec.Command(program, "-n", "-r", file, "-X", "lua_script:"+script, "-d", "udp.port==40001,"+as, "-T", "fields",
		"-e", as+".verdict", "-e", as+".reject.kind", "-e", as+".reject.bit", "-e", "_ws.lua.error")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n, failed, accepted := 0, 0, 0
	for lines := bufio.NewScanner(out); lines.Scan() && n < len(want); n++ {
		words := strings.Split(lines.Text(), "\t")
		got := "none -1"
		if words[0] == "accept" {
			accepted++
		} else if bit, err := strconv.Atoi(words[2]); err == nil {
			got = fmt.Sprintf("%s %d", words[1], bit)
		}
		if words[0] != "accept" && words[0] != "reject" || got != want[n] || words[3] != "" {
			if failed++; failed < 6 {
				t.Errorf("packet %d: tshark says %q, the decoder %s", n+1, words, want[n])
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if n != len(want) || failed > 0 || accepted == n && n > 100 {
		t.Errorf("%d packets of %d, %d accepted, %d differ", n, len(want), accepted, failed)
	}
	t.Logf("%d packets, %d accepted", n, accepted)
}
