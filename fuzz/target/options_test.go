package target_test

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz/target"
)

// What is refused, and in which words: a program names options as they are, the command line as flags.
func TestCheck(t *testing.T) {
	server := target.ServerOptions{Rate: 10, StopAfter: time.Second}
	for _, row := range []struct {
		spec   string
		o      target.Options
		option string // "" where nothing is wrong
		want   string // as flags
	}{
		{"", target.Options{}, "target", `--target "": want builtin, generated, exec:CMD, exec+persistent:CMD or udp:HOST:PORT`},
		{"exce:x", target.Options{}, "target", `--target "exce:x": want builtin, generated, exec:CMD, exec+persistent:CMD or udp:HOST:PORT`},
		{"builtin:", target.Options{}, "target", `--target "builtin:": want builtin, generated, exec:CMD, exec+persistent:CMD or udp:HOST:PORT`},
		{"exec:", target.Options{}, "target", "--target: the command is empty"},
		{`exec:"{rate}`, target.Options{}, "target", `--target: command "\"{rate}": " without its end`}, // the user's braces stay
		{"builtin", target.Options{Against: "x"}, "against", `--against "x": want builtin, generated, exec:CMD, exec+persistent:CMD or udp:HOST:PORT`},
		{"builtin", target.Options{Against: "udp:127.0.0.1:9"}, "against", "--against: a server gives no verdicts to compare"},
		{"udp:127.0.0.1:9", target.Options{Against: "builtin", Server: server}, "against", "--against: a server gives no verdicts to compare"},
		{"exec:x", target.Options{RejectCode: -1}, "reject-code", "--reject-code -1: want 1..255, and not 99, which is the sanitizers'"},
		{"exec:x", target.Options{RejectCode: 99}, "reject-code", "--reject-code 99: want 1..255, and not 99, which is the sanitizers'"},
		{"exec:x", target.Options{RejectCode: 256}, "reject-code", "--reject-code 256: want 1..255, and not 99, which is the sanitizers'"},
		{"exec+persistent:x", target.Options{RejectCode: 2}, "reject-code", "--reject-code is for exec:, a persistent target answers R"},
		{"exec:x", target.Options{Timeout: time.Microsecond}, "timeout", "--timeout 1µs: want 1ms..1h"},
		{"exec:x", target.Options{Timeout: time.Hour + 1}, "timeout", "--timeout 1h0m0.000000001s: want 1ms..1h"},
		{"builtin", target.Options{Timeout: time.Second}, "timeout", "--timeout is for a --target of its own process"},
		{"exec:x", target.Options{Memory: -1}, "memory", "--memory -1: want 1..1048576 MiB"},
		{"exec:x", target.Options{Memory: 1<<20 + 1}, "memory", "--memory 1048577: want 1..1048576 MiB"},
		{"builtin", target.Options{Memory: 1}, "memory", "--memory is for a --target of its own process"},
		{"udp:127.0.0.1:9", target.Options{}, "rate", "--target udp: wants --rate, 1..100000 packets a second"},
		{"udp:127.0.0.1:9", target.Options{Server: target.ServerOptions{Rate: 100001}}, "rate", "--target udp: wants --rate, 1..100000 packets a second"},
		{"udp:127.0.0.1:9", target.Options{Server: target.ServerOptions{Rate: 1}}, "stop-after", "--target udp: wants --stop-after, such as 10m"},
		{"udp:127.0.0.1:9", target.Options{Server: target.ServerOptions{Rate: 1, StopAfter: 1, Command: "'"}}, "server", `--server: command "'": ' without its end`},
		{"builtin", target.Options{Server: target.ServerOptions{Rate: 1}}, "rate", "--rate is for --target udp:HOST:PORT"},
		{"builtin", target.Options{Server: target.ServerOptions{StopAfter: 1}}, "stop-after", "--stop-after is for --target udp:HOST:PORT"},
		{"builtin", target.Options{Server: target.ServerOptions{Probe: []byte{1}}}, "probe", "--probe is for --target udp:HOST:PORT"},
		{"builtin", target.Options{Server: target.ServerOptions{Expect: []byte{1}}}, "expect", "--expect is for --target udp:HOST:PORT"},
		{"builtin", target.Options{Server: target.ServerOptions{Prelude: [][]byte{}}}, "prelude", "--prelude is for --target udp:HOST:PORT"},
		{"builtin", target.Options{Server: target.ServerOptions{Command: "x"}}, "server", "--server is for --target udp:HOST:PORT"},
		{"builtin", target.Options{Server: target.ServerOptions{Authorized: netip.MustParseAddr("::1")}}, "i-am-authorised-to-test", "--i-am-authorised-to-test is for --target udp:HOST:PORT"},
		{"builtin", target.Options{}, "", ""},
		{"generated", target.Options{Timeout: time.Millisecond, Memory: 1}, "", ""},
		{"builtin", target.Options{Against: "exec:x y", RejectCode: 255, Timeout: time.Hour, Memory: 1 << 20}, "", ""},
		{"udp:127.0.0.1:9", target.Options{Server: target.ServerOptions{Rate: 100000, StopAfter: 1, Command: "x"}}, "", ""},
	} {
		err := row.o.Check(row.spec)
		var option *target.OptionError
		switch {
		case row.option == "" && err == nil:
		case !errors.As(err, &option):
			t.Errorf("%q %+v: got %v, want %q", row.spec, row.o, err, row.want)
		case option.Option != row.option || option.Text("--") != row.want:
			t.Errorf("%q %+v: got %q about %s, want %q about %s", row.spec, row.o, option.Text("--"), option.Option, row.want, row.option)
		}
	}
}

// What Open refuses beyond Check names the option, too.
func TestOpenRefuses(t *testing.T) {
	server := target.ServerOptions{Rate: 10, StopAfter: time.Second}
	for _, row := range []struct{ protocol, spec, want string }{
		{"rtype", "udp:127.0.0.1:9", "target udp: wants rate, 1..100000 packets a second"},
		{"rtype", "udp:192.0.2.1:9", "udp:192.0.2.1:9: 192.0.2.1 is not loopback: an address elsewhere wants i-am-authorised-to-test 192.0.2.1"},
		{"packets", "udp:127.0.0.1:9", "the protocol has no heartbeat: want probe with a packet that a server answers"},
	} {
		d, err := protocols.Load(row.protocol)
		if err != nil {
			t.Fatal(err)
		}
		o := target.Options{Server: server}
		if row.want[:6] == "target" {
			o.Server.Rate = 0
		}
		r, err := target.Open(t.Context(), d, row.spec, o)
		if r != nil || err == nil || err.Error() != row.want {
			t.Errorf("%s %s: got %v, want %q", row.protocol, row.spec, err, row.want)
		}
	}
}

// A Reader says what an attack has to know of it.
func TestOpen(t *testing.T) {
	d, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	server := target.ServerOptions{Rate: 10, StopAfter: time.Second}
	again := server
	again.Command = "true"
	for _, row := range []struct {
		spec                           string
		o                              target.Options
		sole, selfTest, notRestartable bool
		heartbeat                      string
	}{
		{"builtin", target.Options{}, false, true, false, ""},
		{"builtin", target.Options{Against: "exec:true"}, false, false, false, ""},
		{"exec:true", target.Options{}, false, false, false, ""},
		{"exec+persistent:true", target.Options{}, false, false, false, ""},
		{"udp:127.0.0.1:9", target.Options{Server: server}, true, false, true, "HeartBeat"},
		{"udp:127.0.0.1:9", target.Options{Server: again}, true, false, false, "HeartBeat"},
	} {
		r, err := target.Open(t.Context(), d, row.spec, row.o)
		if err != nil {
			t.Errorf("%s: %v", row.spec, err)
			continue
		}
		if r.Sole != row.sole || r.SelfTest != row.selfTest || r.NotRestartable != row.notRestartable || r.Heartbeat != row.heartbeat {
			t.Errorf("%s: got %+v", row.spec, r)
		}
		if sent, ok := r.Sent(); ok != row.sole || sent.Packets != 0 {
			t.Errorf("%s: sent %v, %v", row.spec, sent, ok)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
