// A harness for go-raknet: a datagram of a connection that a listener has just begun, without a network. The listener says in its
// log that it refuses one.
package main

import (
	"context"
	"log/slog"
	"net"
	"sync/atomic"

	"github.com/sandertv/go-raknet"
)

var wire = listening()

// memory is the listener's connection: what is sent to it is read once, and its answers are nowhere.
type memory struct {
	net.PacketConn
	packets chan datagram
	read    chan bool // the packet before is handled
}

type datagram struct {
	data []byte
	from *net.UDPAddr
}

func (m *memory) ListenPacket(string, string) (net.PacketConn, error) { return m, nil }

func (m *memory) ReadFrom(b []byte) (int, net.Addr, error) {
	m.read <- true
	d := <-m.packets
	return copy(b, d.data), d.from, nil
}

func (m *memory) WriteTo(b []byte, _ net.Addr) (int, error) { return len(b), nil }
func (m *memory) LocalAddr() net.Addr                       { return &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 19132} }

// log notes whether the listener refused a packet, or had one of a connection that it does not know.
type log struct{ refused, unknown atomic.Bool }

func (l *log) Enabled(context.Context, slog.Level) bool { return true }
func (l *log) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *log) WithGroup(string) slog.Handler            { return l }
func (l *log) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		l.refused.Store(true)
	} else {
		l.unknown.Store(true)
	}
	return nil
}

// peers sends to a listener, each time from another address.
type peers struct {
	*memory
	log  *log
	next uint32
}

func listening() *peers {
	p := &peers{memory: &memory{packets: make(chan datagram), read: make(chan bool)}, log: &log{}}
	if _, err := (raknet.ListenConfig{ErrorLog: slog.New(p.log), UpstreamPacketListener: p.memory, DisableCookies: true, BlockDuration: -1}).Listen(""); err != nil {
		panic(err)
	}
	<-p.read
	return p
}

// send waits until the listener has handled a packet.
func (p *peers) send(data []byte, from *net.UDPAddr) {
	p.packets <- datagram{data, from}
	<-p.read
}

var (
	magic = "\x00\xff\xff\x00\xfe\xfe\xfe\xfe\xfd\xfd\xfd\xfd\x12\x34\x56\x78"
	open  = []byte("\x07" + magic + "\x04\x3f\xff\xff\xfe\x4a\xbc\x05\xd4\x00\x00\x00\x00\x00\x00\x00\x01") // open connection request 2
	none  = []byte{0xC0, 0, 0}                                                                              // an acknowledgement of nothing
	leave = []byte{0x80}                                                                                    // cut off: the listener ends the connection
)

func readPacket(packet []byte) (accepted bool, values map[string]any) {
	wire.next++
	from := &net.UDPAddr{IP: net.IPv4(198, 51, byte(wire.next>>24), byte(wire.next>>16)), Port: int(wire.next & 0xffff)}
	wire.send(open, from)
	for { // until the listener has begun the connection
		wire.log.unknown.Store(false)
		if wire.send(none, from); !wire.log.unknown.Load() {
			break
		}
	}
	wire.log.refused.Store(false)
	wire.send(packet, from)
	refused := wire.log.refused.Load()
	if !refused {
		wire.send(leave, from)
	}
	return !refused, nil
}
