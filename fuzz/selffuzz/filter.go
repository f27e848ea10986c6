package selffuzz

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// sample is a built-in protocol with its seeds decoded.
type sample struct {
	decoder *decode.Decoder
	seals   plan.Seals
	traces  []decode.Trace
	hostile decode.Trace // of the input's own packet
	packet  []byte
}

func samples() []*sample {
	var all []*sample
	for _, protocol := range corpus.Protocols() {
		d := must(protocols.Load(protocol))
		s := &sample{decoder: d, seals: d.Plan().Seals()}
		for _, seed := range corpus.Seeds(protocol) {
			var t decode.Trace
			_ = d.Decode(seed.Data, fuzz.Sender(seed.From), &t) // seeds are accepted; what is refused would do as well
			s.traces = append(s.traces, t)
		}
		all = append(all, s)
	}
	return all
}

// all goes over the seeds and a hostile packet, whose checksum is made right.
func (s *sample) all(hostile []byte) []*decode.Trace {
	s.packet = append(s.packet[:0], hostile...)
	s.seals.Repair(s.packet, -1)
	_ = s.decoder.Decode(slices.Clip(s.packet), decode.Client, &s.hostile) // the verdict is in the trace
	all := []*decode.Trace{&s.hostile}
	for i := range s.traces {
		all = append(all, &s.traces[i])
	}
	return all
}

// textAndPacket is a text and, after a NUL, a packet.
func textAndPacket(data []byte) (string, []byte) {
	text, packet, _ := bytes.Cut(data, []byte{0})
	return string(text), packet
}

// filters attacks display filters: byte 0 chooses the built-in protocol, a filter follows and, after a NUL, a packet.
// A filter is a program or an error with its place that a terminal can be shown. A program says of a packet the same
// each time; never both a filter and its negation match; and the negation of the negation says the same. interesting
// says that it compiled.
func filters() Func {
	all := samples()
	return func(data []byte) (bool, error) {
		if len(data) == 0 {
			return false, nil
		}
		s := all[int(data[0])%len(all)]
		src, packet := textAndPacket(data[1:])
		prog, err := filter.Compile(s.decoder.Plan(), src)
		if err != nil {
			return false, refusedText(err, src)
		}
		matcher := prog.NewMatcher()
		// An end of line, because the filter can end in a comment.
		negated := matcherOf(s.decoder.Plan(), "!("+src+"\n)")
		doubled := matcherOf(s.decoder.Plan(), "!(!("+src+"\n))")
		envelope := decode.Envelope{N: 1, File: "a.pcap", Time: 1_700_000_000_000_000_000, Cut: len(packet)%2 == 1,
			Src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 7}), 50001), Dst: netip.AddrPortFrom(netip.IPv6Loopback(), 4124)}
		for i, t := range s.all(packet) {
			match := matcher.Match(t, &envelope)
			switch {
			case matcher.Match(t, &envelope) != match:
				return false, fmt.Errorf("%q: packet %d: %v, then %v", src, i, match, !match)
			case negated != nil && match && negated.Match(t, &envelope):
				return false, fmt.Errorf("%q: packet %d (%x): it matches and so does its negation", src, i, t.Payload)
			case doubled != nil && doubled.Match(t, &envelope) != match:
				return false, fmt.Errorf("%q: packet %d (%x): %v, negated twice %v", src, i, t.Payload, match, !match)
			}
		}
		return true, nil
	}
}

// matcherOf is nil where the filter does not compile: it may be too long.
func matcherOf(p *plan.Plan, src string) *filter.Matcher {
	prog, err := filter.Compile(p, src)
	if err != nil {
		return nil
	}
	return prog.NewMatcher()
}

// refusedText holds an error of package filter to its promises.
func refusedText(err error, src string) error {
	var e *filter.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%q: an error of another type: %w", src, err)
	}
	if at := e.Diagnostic.Span; at.Pos.Off < 0 || at.End.Off < at.Pos.Off || int(at.End.Off) > len(src) {
		return fmt.Errorf("%q: an error at %d..%d of %d bytes", src, at.Pos.Off, at.End.Off, len(src))
	}
	shown := strings.NewReplacer("\n", "", "\t", "").Replace(string(e.AppendText(nil)))
	return oracle.Printable([]byte(shown))
}

// selectors attacks column paths: byte 0 chooses the built-in protocol, a path follows and, after a NUL, a packet. A
// path is a selector or an error as a filter's; what a selector finds in a packet is a field there, and more than one
// only where it says so. interesting says that it is a selector.
func selectors() Func {
	type place struct {
		bit, width int
		code       uint64
		node       plan.NodeID
	}
	all := samples()
	return func(data []byte) (bool, error) {
		if len(data) == 0 {
			return false, nil
		}
		s := all[int(data[0])%len(all)]
		path, packet := textAndPacket(data[1:])
		selector, err := filter.NewSelector(s.decoder.Plan(), path)
		if err != nil {
			return false, refusedText(err, path)
		}
		for i, t := range s.all(packet) {
			var found []place
			for ev := range selector.Each(t) {
				found = append(found, place{ev.Bit, ev.Width, ev.Raw, ev.Node})
			}
			if len(found) > 1 && !selector.Many() {
				return false, fmt.Errorf("%q: packet %d: %d fields", path, i, len(found))
			}
			for ev := range t.Walk() {
				if len(found) > 0 && found[0] == (place{ev.Bit, ev.Width, ev.Raw, ev.Node}) && ev.Kind != decode.Open && ev.Kind != decode.Close {
					found = found[1:]
				}
			}
			if len(found) > 0 {
				return false, fmt.Errorf("%q: packet %d (%x): a field at bit %d that is not there, or not in this order", path, i, t.Payload, found[0].bit)
			}
		}
		return true, nil
	}
}

// FilterSeed makes the input of the entries Filter and Selector for a protocol of the corpus.
func FilterSeed(protocol, text string, packet []byte) []byte {
	b := append([]byte{byte(slices.Index(corpus.Protocols(), protocol))}, text...)
	return append(append(b, 0), packet...)
}
