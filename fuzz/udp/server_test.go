package udp_test

import (
	"fmt"
	"net"
	"os"
	"time"
)

// serve is a server that answers "ping", wants "join" before it listens to anything, and dies when it has had "arm" and
// then "fire". What it answers to "hello" looks like the answer to a ping, and comes late: in place of the answer to
// what comes later, or when nothing comes for a while. So does the end after "burn", after these answers. "kick" makes
// it ignore who sent it, "mine" everybody else.
func serve(at string) {
	conn, err := net.ListenPacket("udp", at)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var joined, armed, burns bool
	var kicked, only string
	var late []net.Addr // who is owed an answer
	buf := make([]byte, 1<<16)
	for {
		_ = conn.SetReadDeadline(time.Time{})
		if len(late) > 0 || burns {
			_ = conn.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		}
		n, from, err := conn.ReadFrom(buf)
		for burns || err != nil {
			if len(late) == 0 && burns {
				os.Exit(42)
			}
			if len(late) == 0 {
				break
			}
			_, _ = conn.WriteTo([]byte("pong!"), late[0])
			if late = late[1:]; burns && err == nil {
				break
			}
		}
		if burns || err != nil || from.String() == kicked || only != "" && from.String() != only {
			continue
		}
		switch packet := string(buf[:n]); {
		case packet == "ping":
			_, _ = conn.WriteTo([]byte("pong!"), from)
		case packet == "join":
			joined = true
		case packet == "mine":
			only = from.String()
		case packet == "arm":
			armed = joined
		case packet == "fire" && armed:
			fmt.Fprintln(os.Stderr, "assertion failed: not armed")
			os.Exit(42)
		case packet == "hello":
			late = append(late, from)
		case packet == "burn":
			burns = true
		case packet == "kick":
			kicked = from.String()
		default:
			_, _ = conn.WriteTo([]byte("what?"), from)
		}
	}
}
