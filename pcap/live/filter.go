package live

import (
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/bpf"

	"github.com/pktscope/pktscope/pcap"
)

// A Filter says which packets the kernel hands over; the others cost nothing
// but the question. It is set before the first packet can arrive, so no packet
// that it refuses is ever read.
//
// In the kernel it is generous where a packet does not tell: fragments, of
// which only the first has ports, and IPv6 packets with extension headers all
// pass when it names a port. Whoever wants no other datagrams asks Match about
// each that was put together.
//
// There are three kinds: PortFilter makes one of a protocol's ports,
// ParseFilter of what a user wrote, ReadCode of what another compiler made.
type Filter struct {
	text  string
	all   bool // all of UDP
	ports []pcap.PortRange
	hosts []netip.Prefix
	code  []bpf.RawInstruction // of ReadCode; nil for one with terms
}

// maxTerms bounds the program: a term takes at most 24 instructions, and the
// kernel takes 4096.
const maxTerms = 128

// PortFilter passes UDP from or to one of the ports, of which those that follow
// each other are one term: all UDP without ports, or with more than 128 terms,
// which a filter has no room for.
func PortFilter(ports ...uint16) *Filter {
	f := &Filter{}
	for _, p := range ports {
		if n := len(f.ports); n > 0 && f.ports[n-1].Last == p-1 && p > 0 {
			f.ports[n-1].Last = p
			continue
		}
		f.ports = append(f.ports, pcap.PortRange{First: p, Last: p})
	}
	if len(f.ports) == 0 || len(f.ports) > maxTerms {
		return &Filter{all: true, text: "udp"}
	}
	var words []string
	for _, r := range f.ports {
		words = append(words, "port "+r.String())
	}
	f.text = strings.Join(words, " or ")
	return f
}

// ParseFilter reads a filter of at most 128 terms with "or" between them:
//
//	port 4124        UDP from or to that port
//	port 4000-4010   from or to one of these, both included
//	host 10.0.0.7    UDP from or to that address, IPv4 or IPv6
//	host 10.0.0.0/8  from or to that network
//	udp              all of UDP
//
// The error names the term.
func ParseFilter(text string) (*Filter, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, fmt.Errorf(`filter is empty: want terms such as "port 4124 or host 10.0.0.7"`)
	}
	f := &Filter{text: strings.Join(words, " ")}
	for terms := 1; ; terms++ {
		if terms > maxTerms {
			return nil, fmt.Errorf("filter: want at most %d terms, got more", maxTerms)
		}
		rest, err := f.term(words)
		if err != nil {
			return nil, fmt.Errorf("filter, term %d: %w", terms, err)
		}
		if len(rest) == 0 {
			return f, nil
		}
		if words[0] == "udp" && (rest[0] == "port" || rest[0] == "host" || rest[0] == "and") { // as tcpdump has it
			return nil, fmt.Errorf(`filter, term %d: "udp" is all of UDP, and each term is of UDP alone: leave it out`, terms)
		}
		if rest[0] != "or" || len(rest) == 1 {
			return nil, fmt.Errorf(`filter, after term %d: want "or" and another term, got %q`, terms, strings.Join(rest[:min(2, len(rest))], " "))
		}
		words = rest[1:]
	}
}

// term takes one term off words, of which there is one.
func (f *Filter) term(words []string) ([]string, error) {
	kind := words[0]
	switch kind {
	case "udp":
		f.all = true
		return words[1:], nil
	case "port", "host":
	default:
		return nil, fmt.Errorf(`want "port N", "port N-M", "host ADDRESS" or "udp", got %q`, kind)
	}
	if len(words) == 1 {
		return nil, fmt.Errorf("want something after %q", kind)
	}
	value := words[1]
	if kind == "port" {
		r, err := pcap.ParsePortRange(value)
		if err != nil {
			return nil, err
		}
		f.ports = append(f.ports, r)
		return words[2:], nil
	}
	p, err := parseHost(value)
	if err != nil {
		return nil, err
	}
	f.hosts = append(f.hosts, p)
	return words[2:], nil
}

// parseHost reads an address or a network. A name is refused: it would be
// looked up somewhere, and could have many addresses.
func parseHost(text string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(text); err == nil && !p.Addr().Is4In6() {
		return p.Masked(), nil
	}
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" && !a.Is4In6() {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	return netip.Prefix{}, fmt.Errorf("host %q: want an IPv4 or IPv6 address, or a network such as 10.0.0.0/8", text)
}

// String is the filter as ParseFilter takes it, or what ReadCode read.
func (f *Filter) String() string { return f.text }

// Match reports whether a datagram from src to dst is one that the filter
// asks for. Code of another compiler is not asked: all match.
func (f *Filter) Match(src, dst netip.AddrPort) bool {
	if f.all || f.code != nil {
		return true
	}
	for _, r := range f.ports {
		if r.Has(src.Port()) || r.Has(dst.Port()) {
			return true
		}
	}
	for _, h := range f.hosts {
		if h.Contains(src.Addr()) || h.Contains(dst.Addr()) {
			return true
		}
	}
	return false
}
