package main

import (
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/diff"
)

// Two captures: each is read once to be matched, and once more for the payloads of what may differ and the lines of what
// only one has.

// maxKept bounds the payloads of the first capture that wait for those of the second, in bytes. Captures that differ in
// more have their first differences shown, and the rest counted.
const maxKept = 64 << 20

// captureDiff is the comparison of two captures.
type captureDiff struct {
	p      *program
	flags  *diffFlags
	finder *finder
	files  [2]string
	seed   maphash.Seed
	skip   [2]int64 // datagrams on no built-in's port
	n      [2]int64 // datagrams compared
	ended  bool     // by a signal, while pairs were compared

	differs, unseen int64 // pairs; unseen were not looked at
	cutAlike        int64 // pairs that are alike as far as both were kept
	views           map[*decode.Decoder]*diffView
	b               []byte
}

// diffView renders packets of one protocol.
type diffView struct {
	text        *report.Text
	json        *report.JSON
	differences *report.Differences
}

// kept is a datagram of the first capture whose partner comes.
type kept struct {
	d       pcap.Datagram
	decoder *decode.Decoder
}

func (p *program) diffCaptures(flags *diffFlags, finder *finder, a, b string) error {
	c := &captureDiff{p: p, flags: flags, finder: finder, files: [2]string{a, b}, seed: maphash.MakeSeed(), views: map[*decode.Decoder]*diffView{}}
	// The records of two captures live until the end; to collect around them at the usual limit takes most of the time.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	var sides [2]*diff.Capture
	for i := range sides {
		sides[i] = diff.NewCapture()
		if err := c.index(i, sides[i]); isInterrupted(err) {
			return fmt.Errorf("%w; nothing was compared", err)
		} else if err != nil {
			return err
		}
	}
	for i := range sides {
		if c.n[i] == 0 && c.skip[i] > 0 {
			return fmt.Errorf("%s: %s on no port of a built-in protocol: %s; name the protocol with -p", c.files[i], plural(c.skip[i], "datagram"), finder.table.list())
		}
	}
	m := diff.Match(sides[0], sides[1])
	err := c.compare(m)
	for i, only := range [][]diff.Record{m.OnlyA, m.OnlyB} {
		if err == nil {
			err = c.only(i, only)
		}
	}
	if c.ended = isInterrupted(err); c.ended {
		p.complain("%s", err)
	} else if err != nil {
		return err
	}
	if err := c.summary(m); err != nil {
		return err
	}
	if c.ended {
		return told{}
	}
	if c.differs+c.unseen > 0 || len(m.OnlyA)+len(m.OnlyB) > 0 {
		return findings{}
	}
	return nil
}

// each reads a capture once more. A capture that breaks is trouble: what is missing would be told as a difference.
func (c *captureDiff) each(side int, take func(d *pcap.Datagram, decoder *decode.Decoder) (more bool, err error)) error {
	name := c.files[side]
	in, done, err := c.p.openCapture(name)
	if err != nil {
		return err
	}
	defer done()
	datagrams := pcap.NewDatagrams(c.p.readCapture(nil, in, in))
	for {
		d, err := datagrams.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return inputError(name, err)
		}
		if more, err := take(d, c.finder.choose(d)); err != nil || !more {
			return err
		}
	}
}

// index reads a capture for what matching has to know.
func (c *captureDiff) index(side int, into *diff.Capture) error {
	number := map[*decode.Decoder]int{}
	for i, d := range c.finder.decoders {
		number[d] = i
	}
	var trace decode.Trace
	packet := report.Packet{Trace: &trace}
	return c.each(side, func(d *pcap.Datagram, decoder *decode.Decoder) (bool, error) {
		if decoder == nil {
			c.skip[side]++
			return true, nil
		}
		c.n[side]++
		decodeDatagram(decoder, d, c.files[side], &packet)
		r := diff.Record{N: d.N, Hash: maphash.Bytes(c.seed, d.Payload), Size: len(d.Payload), Cut: d.Cut}
		r.Seq, r.Modulus, r.HasSeq = diff.Sequence(&trace)
		f := diff.Flow{Src: d.Src, Dst: d.Dst, From: trace.From, Protocol: number[decoder]}
		if err := into.Add(f, r); err != nil {
			return false, fmt.Errorf("%s: %s", c.files[side], err)
		}
		return true, nil
	})
}

// compare looks at the pairs that may differ, in the order of the second capture.
func (c *captureDiff) compare(m *diff.Matching) error {
	if len(m.Pairs) == 0 {
		return nil
	}
	c.unseen = int64(len(m.Pairs))
	wanted := make(map[int64]int64, len(m.Pairs)) // of A's number, B's
	for _, pair := range m.Pairs {
		wanted[pair.A.N] = pair.B.N
	}
	waiting := map[int64]*kept{} // by B's number
	size := 0
	err := c.each(0, func(d *pcap.Datagram, decoder *decode.Decoder) (bool, error) {
		n, ok := wanted[d.N]
		if !ok || decoder == nil {
			return true, nil
		}
		const overhead = 200
		if size += len(d.Payload) + overhead; size > maxKept {
			return false, nil
		}
		k := &kept{*d, decoder}
		k.d.Payload = append([]byte(nil), d.Payload...)
		waiting[n] = k
		return true, nil
	})
	if err != nil {
		return err
	}
	var traces [2]decode.Trace
	a, b := report.Packet{Trace: &traces[0]}, report.Packet{Trace: &traces[1]}
	return c.each(1, func(d *pcap.Datagram, decoder *decode.Decoder) (bool, error) {
		k := waiting[d.N]
		if k == nil || decoder != k.decoder {
			return true, nil
		}
		decodeDatagram(decoder, &k.d, c.files[0], &a)
		decodeDatagram(decoder, d, c.files[1], &b)
		// Behind a relay the ports may not tell who sent it; its partner's do.
		switch x, y := traces[0].From, traces[1].From; {
		case x == decode.FromUnknown && y != decode.FromUnknown:
			_ = decoder.DecodeCut(k.d.Payload, k.d.Size, y, &traces[0]) // its error is the trace's reject
		case y == decode.FromUnknown && x != decode.FromUnknown:
			_ = decoder.DecodeCut(d.Payload, d.Size, x, &traces[1])
		}
		delete(waiting, d.N)
		c.unseen--
		return true, c.pair(decoder, &a, &b)
	})
}

// pair shows a pair that differs.
func (c *captureDiff) pair(decoder *decode.Decoder, a, b *report.Packet) error {
	if !report.Differ(a, b) {
		c.cutAlike++
		return nil
	}
	c.differs++
	if c.hidden(c.differs) {
		return nil
	}
	nameA, nameB := fmt.Sprintf("%s:%d", c.files[0], a.N), fmt.Sprintf("%s:%d", c.files[1], b.N)
	if c.flags.format == "json" {
		c.b = c.view(decoder).differences.AppendJSON(c.b[:0], a, b, nameA, nameB)
	} else {
		c.b = c.view(decoder).differences.Append(c.b[:0], a, b, nameA, nameB)
	}
	_, err := c.p.out.Write(c.b)
	return err
}

// hidden reports whether the n-th of a kind is not shown.
func (c *captureDiff) hidden(n int64) bool {
	return c.flags.count > 0 && n > c.flags.count || c.p.quiet && c.flags.format != "json"
}

func (c *captureDiff) view(d *decode.Decoder) *diffView {
	v := c.views[d]
	if v == nil {
		opts := report.TextOptions{Colour: c.p.coloured(c.p.stdout)}
		v = &diffView{report.NewText(d.Plan(), opts), report.NewJSON(d.Plan()), report.NewDifferences(d.Plan(), opts, c.flags.fields)}
		c.views[d] = v
	}
	return v
}

// only shows the packets that one capture has alone.
func (c *captureDiff) only(side int, list []diff.Record) error {
	if len(list) == 0 || c.hidden(1) {
		return nil
	}
	text := c.flags.format != "json"
	if text {
		if _, err := fmt.Fprintf(c.p.out, "only in %s: %s\n", syntax.EscapeText(c.files[side]), plural(int64(len(list)), "packet")); err != nil {
			return err
		}
	}
	wanted := map[int64]bool{}
	for i, r := range list {
		if !c.hidden(int64(i + 1)) {
			wanted[r.N] = true
		}
	}
	var trace decode.Trace
	packet := report.Packet{Trace: &trace}
	left := len(wanted)
	err := c.each(side, func(d *pcap.Datagram, decoder *decode.Decoder) (bool, error) {
		if !wanted[d.N] || decoder == nil {
			return left > 0, nil
		}
		left--
		v := c.view(decoder)
		if text {
			decodeDatagram(decoder, d, "", &packet)
			c.b = v.text.AppendLine(c.b[:0], &packet)
		} else {
			decodeDatagram(decoder, d, c.files[side], &packet)
			c.b = append(c.b[:0], `{"schema_version":1,"kind":"only","in":"`...)
			c.b = append(c.b, "ab"[side], '"')
			c.b = append(append(c.b, `,"packet":`...), strings.TrimSuffix(string(v.json.Append(nil, &packet)), "\n")...)
			c.b = append(c.b, '}', '\n')
		}
		_, err := c.p.out.Write(c.b)
		return left > 0, err
	})
	if err != nil || !text {
		return err
	}
	if more := len(list) - len(wanted); more > 0 {
		if _, err := fmt.Fprintf(c.p.out, "and %d more (-c)\n", more); err != nil {
			return err
		}
	}
	_, err = io.WriteString(c.p.out, "\n")
	return err
}

// mostFlows is how many flows each line of the summary names, or has a line for.
const mostFlows = 10

// pairings says which flows were taken for one another and why, and which were not.
func (c *captureDiff) pairings(b *strings.Builder, m *diff.Matching) {
	for _, f := range m.Paired[:min(len(m.Paired), mostFlows)] {
		why := "the only ones left of their direction"
		if f.Alike > 0 {
			why = "by " + plural(int64(f.Alike), "payload") + " of theirs alone"
		}
		fmt.Fprintf(b, "taken for one flow: %s → %s and %s → %s (%s)\n", f.A.Src, f.A.Dst, f.B.Src, f.B.Dst, why)
	}
	if n := len(m.Paired) - mostFlows; n > 0 {
		fmt.Fprintf(b, "and %s\n", plural(int64(n), "more flow"))
	}
	for side, list := range m.Unpaired {
		for _, shared := range []bool{true, false} {
			why := "nothing that it carries is in the other capture"
			if shared {
				why = "others carry the same"
			} else if len(m.Unpaired[1-side]) == 0 {
				continue // there is nobody left to be paired with
			}
			n := 0
			var names []string
			for _, u := range list {
				if u.Shared != shared {
					continue
				}
				if n++; n <= mostFlows {
					names = append(names, fmt.Sprintf("%s ↔ %s", u.Flow.Src, u.Flow.Dst))
				}
			}
			if n > mostFlows {
				names = append(names, fmt.Sprintf("%d more", n-mostFlows))
			}
			if n > 0 {
				fmt.Fprintf(b, "not paired, %s: in %s %s\n", why, syntax.EscapeText(c.files[side]), strings.Join(names, ", "))
			}
		}
	}
}

// summary says what came out: to stderr, as of every command, and in JSON as the last object.
func (c *captureDiff) summary(m *diff.Matching) error {
	same := int64(m.Same) + c.cutAlike
	if c.flags.format == "json" {
		b := []byte(`{"schema_version":1,"kind":"summary"`)
		for _, f := range []struct {
			key string
			n   int64
		}{{"same", same}, {"differ", c.differs}, {"not_compared", c.unseen}, {"only_a", int64(len(m.OnlyA))}, {"only_b", int64(len(m.OnlyB))}, {"reordered", int64(m.Reordered)},
			{"paired_flows", int64(len(m.Paired))}, {"unpaired_a", int64(len(m.Unpaired[0]))}, {"unpaired_b", int64(len(m.Unpaired[1]))}} {
			b = strconv.AppendInt(append(append(append(b, `,"`...), f.key...), `":`...), f.n, 10)
		}
		if _, err := c.p.out.Write(append(b, "}\n"...)); err != nil {
			return err
		}
	}
	if err := c.p.out.Flush(); err != nil || c.p.quiet {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s in both: %d alike, %d differ", plural(same+c.differs+c.unseen, "packet"), same, c.differs+c.unseen)
	switch {
	case c.unseen > 0 && c.ended:
		fmt.Fprintf(&b, " (%d not looked at)", c.unseen)
	case c.unseen > 0:
		fmt.Fprintf(&b, " (%d not looked at: the captures differ in more than fits)", c.unseen)
	}
	if m.Reordered > 0 {
		fmt.Fprintf(&b, ", %d in another order", m.Reordered)
	}
	fmt.Fprintf(&b, "\nonly in %s: %d; only in %s: %d\n", syntax.EscapeText(c.files[0]), len(m.OnlyA), syntax.EscapeText(c.files[1]), len(m.OnlyB))
	c.pairings(&b, m)
	if n := c.skip[0] + c.skip[1]; n > 0 {
		fmt.Fprintf(&b, "skipped: %d on no built-in protocol's port\n", n)
	}
	_, err := io.WriteString(c.p.stderr, b.String())
	return err
}
