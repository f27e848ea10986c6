package main

import (
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pktscope/pktscope/fuzz/udp/udptest"
)

// duelServer is a game server with one mistake, as a program: `duel-server PORT`. Of the protocol duel, whose packets
// are a kind and a power of one byte each, it answers a Ping (0), is armed by an Arm (1) of full power, 100, and dies
// of a Fire (2) of more power than there is while it is armed.
func duelServer() {
	conn, err := net.ListenPacket("udp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	armed := false
	buf := make([]byte, 1<<16)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			os.Exit(1)
		}
		if n != 2 {
			continue
		}
		switch kind, power := buf[0], buf[1]; {
		case kind == 0:
			_, _ = conn.WriteTo([]byte{0, 1}, from)
		case kind == 1 && power == 100:
			armed = true
		case kind == 2 && power > 100 && armed:
			fmt.Fprintln(os.Stderr, "duel: fired with more power than there is")
			os.Exit(42)
		}
	}
}

// freePortCommand finds a port of the loopback for the servers of a script: `freeport NAME` sets the variable.
func freePortCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: freeport NAME")
	}
	at, release, err := udptest.Port()
	ts.Check(err)
	ts.Defer(release)
	ts.Setenv(args[0], strconv.Itoa(int(at.Port())))
}
