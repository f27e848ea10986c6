package clusterfuzzlite

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
)

// What is gathered.
const (
	maxPackets = 500 // that are looked at
	maxSeeds   = 64  // that are kept
	maxWords   = 256 // of the dictionary
	maxWord    = 64  // bytes of a word: libFuzzer takes no longer ones
)

// gather makes valid packets, and keeps of them the ones that go a way that none before went; and the words of all of
// them.
func gather(d *decode.Decoder) (seeds, words [][]byte, err error) {
	var (
		trace decode.Trace
		went  = map[decode.Way]bool{}
		known = map[string]bool{}
		said  = compared(d.Plan())
		last  error
	)
	trace.RecordPath()
	for packet, err := range fuzz.NewGenerator(d).Packets(1, maxPackets, func(m fuzz.Missed) { last = m.Err }) {
		if err != nil {
			last = err
			continue
		}
		if err := d.Decode(packet.Data, packet.From, &trace); err != nil {
			return nil, nil, fmt.Errorf("a packet that was made is refused: %w", err)
		}
		fresh := len(seeds) == 0
		for _, way := range trace.Path {
			fresh = fresh || !went[way]
			went[way] = true
		}
		if fresh && len(seeds) < maxSeeds {
			seeds = append(seeds, bytes.Clone(packet.Data))
		}
		for field := range trace.Fields() {
			word, ok := whole(packet.Data, field)
			if !ok || !said[plan.NodeID(field.Node())] || known[string(word)] || len(words) == maxWords {
				continue
			}
			known[string(word)] = true
			words = append(words, bytes.Clone(word))
		}
	}
	if len(seeds) == 0 {
		return nil, nil, errors.Join(errors.New("no valid packet to begin with"), last)
	}
	return seeds, words, nil
}

// compared are the nodes of what a reader compares with what it knows: constants, tags of switches, enums. What is
// secret is none of them.
func compared(p *plan.Plan) map[plan.NodeID]bool {
	all := map[plan.NodeID]bool{}
	add := func(node plan.NodeID) {
		if node != plan.NoNode && !p.Nodes[node].Secret {
			all[node] = true
		}
	}
	for i := range p.Info {
		info := &p.Info[i]
		if info.Check != nil || info.Enum != nil || info.Rule != nil && info.Rule.Kind == schema.RuleEq {
			add(info.Node)
		}
	}
	for _, sw := range p.Switches {
		for leaf := range p.TagLeaves(sw) {
			add(p.Info[leaf].Node)
		}
	}
	for _, blob := range p.Blobs {
		if blob.Rule != nil && blob.Rule.Kind == schema.RuleEq {
			add(blob.Node)
		}
	}
	return all
}

// whole is the bytes of a field that begins and ends between bytes.
func whole(data []byte, f *decode.Field) ([]byte, bool) {
	from, width := f.Bit(), f.Width()
	if from%8 != 0 || width%8 != 0 || width == 0 || width > 8*maxWord || from+width > 8*len(data) {
		return nil, false
	}
	return data[from/8 : (from+width)/8], true
}

// dictionary is the words as libFuzzer reads them.
func dictionary(protocol string, words [][]byte) []byte {
	out := fmt.Appendf(nil, "# What a reader of %s packets compares with: tags, enum values and constants.\n", protocol)
	for _, word := range words {
		out = append(out, '"')
		for _, c := range word {
			switch {
			case c == '"' || c == '\\':
				out = append(out, '\\', c)
			case c < ' ' || c > '~':
				out = append(append(out, `\x`...), strconv.FormatUint(uint64(c)|0x100, 16)[1:]...)
			default:
				out = append(out, c)
			}
		}
		out = append(out, '"', '\n')
	}
	return out
}
