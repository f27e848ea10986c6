package scan_test

import (
	"bytes"
	"io"
	"net/netip"
	"os"
	"reflect"
	"sync"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// compiled is ByPort of all built-ins, compiled before the scan.
func compiled(t testing.TB) *scan.Decoders {
	t.Helper()
	var all []*decode.Decoder
	for _, name := range protocols.Names() {
		d, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return scan.ByPort(all...)
}

// Built-ins that are compiled when a datagram asks for them answer as those that are compiled before. A scan of them all
// runs in parallel: of none that a port chooses is anything kept.
func TestBuiltins(t *testing.T) {
	lazy, eager := scan.Builtins(), compiled(t)
	if lazy.String() != eager.String() || lazy.Len() != eager.Len() || !lazy.Ports() {
		t.Errorf("want %d: %s, got %d: %s", eager.Len(), eager, lazy.Len(), lazy)
	}
	if eager.Open(keysOf(t, "")).Stateful() || lazy.Open(keysOf(t, "")).Stateful() {
		t.Error("something is kept of a built-in's packets: Builtins does not know that before it is compiled")
	}
	for port := range 1 << 16 {
		at := netip.AddrPortFrom(client.Addr(), uint16(port))
		if got, want := lazy.Index(client, at), eager.Index(client, at); got != want {
			t.Fatalf("port %d: want number %d, got %d", port, want, got)
		}
	}
	for i, d := range lazy.All() {
		if got, want := d.Schema().Name, eager.At(i).Schema().Name; got != want || lazy.At(i) != d {
			t.Errorf("number %d: want %s, got %s", i, want, got)
		}
	}
}

// A scan compiles the built-ins whose ports its datagrams have, and no others.
func TestBuiltinsAsked(t *testing.T) {
	data, err := os.ReadFile(session)
	if err != nil {
		t.Fatal(err)
	}
	for workers := 1; workers < 4; workers++ {
		c := scan.Builtins()
		o := scan.Options{Decoders: c, Workers: workers}
		if _, err := scan.Run(scan.From(pcap.NewReader(bytes.NewReader(data))), o, lines(new(bytes.Buffer))); err != nil || c.Made() != 1 {
			t.Errorf("%d workers: %v, %d compiled", workers, err, c.Made())
		}
	}
}

// everyPort is a source of datagrams to each port of decoders in turn.
type everyPort struct {
	made
	ports []uint16
}

func (e *everyPort) Next() (*pcap.Datagram, error) {
	d, err := e.made.Next()
	if err == nil {
		d.Dst = netip.AddrPortFrom(d.Dst.Addr(), e.ports[d.N%int64(len(e.ports))])
	}
	return d, err
}

// Workers that meet the first datagram of a port at once have one decoder of it.
func TestBuiltinsAtOnce(t *testing.T) {
	eager := compiled(t)
	source := func() *everyPort {
		payload := func(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(i >> 8)}, i%40) }
		return &everyPort{made{n: 4000, payload: payload, ended: io.EOF}, eager.AllPorts()}
	}
	var want bytes.Buffer
	counts, err := scan.Run(source(), scan.Options{Decoders: eager, Workers: 1}, lines(&want))
	if err != nil || counts.Packets != 4000 {
		t.Fatalf("%v, %+v", err, counts.Tally)
	}
	for range 3 {
		lazy := scan.Builtins()
		var got bytes.Buffer
		if again, err := scan.Run(source(), scan.Options{Decoders: lazy, Workers: 8}, lines(&got)); err != nil || !reflect.DeepEqual(again, counts) || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%v, %+v, want %+v", err, again.Tally, counts.Tally)
		}
	}
	lazy := scan.Builtins()
	var same [8]*decode.Decoder
	var all sync.WaitGroup
	for i := range same {
		all.Go(func() { same[i] = lazy.At(lazy.Len() - 1) })
	}
	all.Wait()
	for _, d := range same {
		if d != same[0] {
			t.Error("two decoders of one protocol")
		}
	}
}
