//go:build !linux && !libpcap

package live

import (
	"io"

	"github.com/google/gopacket"

	"github.com/pktscope/pktscope/pcap"
)

// A Source is a live capture; there is none on this system.
type Source struct{}

// Open returns ErrUnsupported.
func Open(name string, opts Options) (*Source, error) { return nil, ErrUnsupported }

// ZeroCopyReadPacketData returns io.EOF.
func (s *Source) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	return nil, gopacket.CaptureInfo{}, io.EOF
}

// ReadPacketData returns io.EOF.
func (s *Source) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	return nil, gopacket.CaptureInfo{}, io.EOF
}

// LinkType returns LinkEthernet.
func (s *Source) LinkType() pcap.LinkType { return pcap.LinkEthernet }

// Interface returns an Ethernet interface.
func (s *Source) Interface(id int) pcap.Interface { return pcap.Interface{Link: pcap.LinkEthernet} }

func (s *Source) ready() ([]byte, gopacket.CaptureInfo, error) { return s.ZeroCopyReadPacketData() }

// OnIdle does nothing.
func (s *Source) OnIdle(f func()) {}

// Stats returns nothing.
func (s *Source) Stats() (Stats, error) { return Stats{}, nil }

// Stop does nothing.
func (s *Source) Stop() error { return nil }

// Close does nothing.
func (s *Source) Close() error { return nil }
