package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// The other programs. Those that are slow get fewer packets, as many as they read in some seconds, so that how long
// they take to start does not decide.

// refusedByLua is the display filter for what the dissector refuses; an empty datagram comes to no dissector.
const refusedByLua = "rtype.bad || udp.length == 8"

// peers are those that are installed; of the others it says how to install them.
func peers(ctx context.Context, capture, small string) []*contender {
	var all []*contender
	for _, p := range []struct {
		install string
		find    func(ctx context.Context, capture, small string) *contender
	}{
		{"apt-get install tcpdump", tcpdump},
		{"apt-get install tcpdump", copying},
		{"apt-get install nodejs npm && npm install -g kaitai-struct-compiler kaitai-struct yaml", kaitai},
		{"apt-get install tshark", tshark},
		{"apt-get install python3-scapy", scapy},
	} {
		if c := p.find(ctx, capture, small); c != nil {
			all = append(all, c)
		} else {
			progress("bench: goes on without what this would install: %s", p.install)
		}
	}
	return all
}

// tcpdump prints a line for each packet, which says that it is UDP and how long: it knows nothing of R-Type.
func tcpdump(_ context.Context, capture, _ string) *contender {
	path, err := exec.LookPath("tcpdump")
	if err != nil {
		return nil
	}
	return &contender{title: "`tcpdump -n`, which does not decode the payload", packets: million, command: []string{path, "-n", "-r", capture}}
}

// copying is tcpdump that writes each packet as it is, and looks at none.
func copying(_ context.Context, capture, _ string) *contender {
	path, err := exec.LookPath("tcpdump")
	if err != nil {
		return nil
	}
	return &contender{title: "`tcpdump -w /dev/null`, which copies", packets: million, command: []string{path, "-n", "-r", capture, "-w", "/dev/null"}}
}

// tshark dissects every field and prints what the dissector refuses.
func tshark(_ context.Context, capture, small string) *contender {
	const script, packets = "lua_script:cmd/pktscope/bench/testdata/rtype.lua", 50_000
	path, err := exec.LookPath("tshark")
	if err != nil {
		return nil
	}
	return &contender{title: "tshark with a dissector in Lua", packets: packets,
		command: []string{path, "-n", "-r", capture, "-c", fmt.Sprint(packets), "-X", script, "-Y", refusedByLua},
		facts: func(ctx context.Context) (*facts, error) {
			args := []string{"-n", "-r", small, "-X", script, "-T", "fields", "-E", "occurrence=a", "-E", "separator=/t", "-E", "aggregator=,"}
			for _, field := range tsharkFields {
				args = append(args, "-e", field)
			}
			out, err := command(ctx, "", path, args...)
			if err != nil {
				return nil, err
			}
			return tsharkFacts(out)
		}}
}

// kaitai compiles the description and reads with what comes out.
func kaitai(ctx context.Context, capture, small string) *contender {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil
	}
	// npm installs where node does not look by itself.
	if os.Getenv("NODE_PATH") == "" {
		if root, err := command(ctx, "", "npm", "root", "-g"); err == nil {
			_ = os.Setenv("NODE_PATH", strings.TrimSpace(string(root)))
		}
	}
	const needs = "require('kaitai-struct-compiler'), require('kaitai-struct/KaitaiStream'), require('yaml')"
	if _, err := command(ctx, "", node, "-e", needs); err != nil {
		return nil
	}
	return script("Kaitai Struct in JavaScript", 500_000, capture, small, node, "cmd/pktscope/bench/testdata/kaitai.js", "cmd/pktscope/bench/testdata/rtype.ksy")
}

// scapy is looked for in every Python that may have it: the one that the packages of the system are for is not always
// first.
func scapy(ctx context.Context, capture, small string) *contender {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if _, err := command(ctx, "", python, "-c", "import scapy"); err == nil {
			return script("scapy", 10_000, capture, small, python, "cmd/pktscope/bench/testdata/rtype_scapy.py")
		}
	}
	return nil
}

// script is a program of testdata, which takes a capture, a number of packets, and "facts".
func script(title string, packets int, capture, small string, run ...string) *contender {
	with := func(args ...string) []string { return append(append([]string(nil), run...), args...) }
	return &contender{title: title, packets: packets,
		command: with(capture, fmt.Sprint(packets)),
		facts: func(ctx context.Context) (*facts, error) {
			c := with(small, fmt.Sprint(checked), "facts")
			out, err := command(ctx, "", c[0], c[1:]...)
			if err != nil {
				return nil, err
			}
			return scriptFacts(out)
		}}
}
