package report

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/diff"
	"github.com/pktscope/pktscope/report/scan"
)

// maxKept bounds the payloads of the first capture that wait for those of the second, in bytes. Captures that differ in
// more have their first differences shown, and the rest counted.
const maxKept = 64 << 20

// Captures is two captures of the same traffic that are compared. Each is read once to be matched, and once more for
// the payloads of what may differ and the lines of what only one has.
type Captures struct {
	Decoders *scan.Decoders
	Files    [2]string
	// Open hands the packets of Files[side] to take, and returns its error. It is called up to three times for each.
	Open func(side int, take func(pcap.PacketSource) error) error
	Out  io.Writer
	Text TextOptions
	JSON bool
	// ByMessages compares the messages that packets bring, and not the packets.
	ByMessages bool
	// Most is how many packets that only one capture has are shown, and how many that differ; 0 is all. Fields is how
	// many fields of each pair are shown; 0 is all.
	Most   int64
	Fields int
	Quiet  bool // text is not shown

	counts          [2]scan.Counts
	matching        *diff.Matching
	differs, unseen int64 // pairs; unseen were not looked at
	cutAlike        int64 // pairs that are alike as far as both were kept
	views           map[*decode.Decoder]*captureView
	b               []byte
}

// SourceError is an error of reading a capture: what is missing of it would be told as a difference.
type SourceError struct {
	File string
	Err  error
}

func (s *SourceError) Error() string { return s.File + ": " + s.Err.Error() }
func (s *SourceError) Unwrap() error { return s.Err }

// captureView renders packets of one protocol.
type captureView struct {
	text        *Text
	json        *JSON
	differences *Differences
}

// waiting is a datagram of the first capture whose partner comes.
type waiting struct {
	d       pcap.Datagram
	decoder *decode.Decoder
}

// Match reads both captures and finds the packets that they share.
func (c *Captures) Match() error {
	var sides [2]*diff.Capture
	sides[0], sides[1] = diff.NewCaptures()
	for i := range sides {
		err := c.Open(i, func(src pcap.PacketSource) (err error) {
			c.counts[i], err = scan.Run(scan.From(src), scan.Options{File: c.Files[i], Decoders: c.Decoders}, sides[i].Stage())
			return c.source(i, err)
		})
		if err != nil {
			return err
		}
	}
	c.matching = diff.Match(sides[0], sides[1])
	if c.ByMessages {
		c.matching.Pairs = nil
		if c.matching.Messages.Of == [2]int{} {
			return errors.New("no packet of the two captures brings a message: does the schema say so, and is what is sealed opened (--keys)?")
		}
	}
	c.unseen = int64(len(c.matching.Pairs))
	c.views = map[*decode.Decoder]*captureView{}
	return nil
}

func (c *Captures) source(side int, err error) error {
	if err != nil {
		return &SourceError{c.Files[side], err}
	}
	return nil
}

// Counts is what Match met in a capture.
func (c *Captures) Counts(side int) *scan.Counts { return &c.counts[side] }

// Show shows, after Match, the pairs that differ and then the packets that only one capture has.
func (c *Captures) Show() error {
	if c.ByMessages {
		return c.onlyMessages()
	}
	err := c.compare()
	for side, only := range [][]uint32{c.matching.OnlyA, c.matching.OnlyB} {
		if err == nil {
			err = c.only(side, only)
		}
	}
	return err
}

// Differ reports whether the captures differ, or may do so in pairs that Show did not look at.
func (c *Captures) Differ() bool {
	if m := &c.matching.Messages; c.ByMessages {
		return m.TooMany || len(m.Only[0])+len(m.Only[1]) > 0
	}
	return c.differs+c.unseen > 0 || len(c.matching.OnlyA)+len(c.matching.OnlyB) > 0
}

// each reads a capture once more, without the datagrams on no port of a protocol; n is how many were before.
func (c *Captures) each(side int, take func(n uint32, d *pcap.Datagram, decoder *decode.Decoder) (more bool, err error)) error {
	return c.Open(side, func(src pcap.PacketSource) error {
		datagrams := pcap.NewDatagrams(src)
		for n := uint32(0); ; {
			d, err := datagrams.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return c.source(side, err)
			}
			which := c.Decoders.Index(d.Src, d.Dst)
			if which < 0 {
				continue
			}
			if more, err := take(n, d, c.Decoders.At(which)); err != nil || !more {
				return err
			}
			n++
		}
	})
}

// compare looks at the pairs that may differ, in the order of the second capture.
func (c *Captures) compare() error {
	m := c.matching
	if len(m.Pairs) == 0 {
		return nil
	}
	wanted := m.Pairs // in the order of the first capture
	partners := map[uint32]*waiting{}
	size := 0
	err := c.each(0, func(n uint32, d *pcap.Datagram, decoder *decode.Decoder) (bool, error) {
		if len(wanted) == 0 || wanted[0].A != n {
			return len(wanted) > 0, nil
		}
		partner := wanted[0].B
		wanted = wanted[1:]
		const overhead = 200
		if size += len(d.Payload) + overhead; size > maxKept {
			return false, nil
		}
		k := &waiting{*d, decoder}
		k.d.Payload = append([]byte(nil), d.Payload...)
		partners[partner] = k
		return true, nil
	})
	if err != nil {
		return err
	}
	var traces [2]decode.Trace
	a, b := scan.Packet{Trace: &traces[0]}, scan.Packet{Trace: &traces[1]}
	return c.each(1, func(n uint32, d *pcap.Datagram, decoder *decode.Decoder) (bool, error) {
		k := partners[n]
		if k == nil || decoder != k.decoder {
			return true, nil
		}
		a.Read(decoder, &k.d, c.Files[0])
		b.Read(decoder, d, c.Files[1])
		// After a relay the ports may not tell who sent it; its partner's do.
		switch x, y := traces[0].From, traces[1].From; {
		case x == decode.FromUnknown && y != decode.FromUnknown:
			decoder.Read(&decode.Packet{Data: k.d.Payload, Size: k.d.Size, From: y}, &traces[0])
		case y == decode.FromUnknown && x != decode.FromUnknown:
			decoder.Read(&decode.Packet{Data: d.Payload, Size: d.Size, From: x}, &traces[1])
		}
		delete(partners, n)
		c.unseen--
		return true, c.pair(decoder, &a, &b)
	})
}

// pair shows a pair that differs.
func (c *Captures) pair(decoder *decode.Decoder, a, b *scan.Packet) error {
	if !Differ(a, b) {
		c.cutAlike++
		return nil
	}
	c.differs++
	if c.hidden(c.differs) {
		return nil
	}
	nameA, nameB := fmt.Sprintf("%s:%d", c.Files[0], a.N), fmt.Sprintf("%s:%d", c.Files[1], b.N)
	if c.JSON {
		c.b = c.view(decoder).differences.AppendJSON(c.b[:0], a, b, nameA, nameB)
	} else {
		c.b = c.view(decoder).differences.Append(c.b[:0], a, b, nameA, nameB)
	}
	_, err := c.Out.Write(c.b)
	return err
}

// hidden reports whether the n-th of a kind is not shown.
func (c *Captures) hidden(n int64) bool {
	return c.Most > 0 && n > c.Most || c.Quiet && !c.JSON
}

func (c *Captures) view(d *decode.Decoder) *captureView {
	v := c.views[d]
	if v == nil {
		v = &captureView{NewText(d.Plan(), c.Text), NewJSON(d.Plan()), NewDifferences(d.Plan(), c.Text, c.Fields)}
		c.views[d] = v
	}
	return v
}

// only shows the packets that one capture has alone.
func (c *Captures) only(side int, list []uint32) error {
	if len(list) == 0 || c.hidden(1) {
		return nil
	}
	text := !c.JSON
	if text {
		if _, err := fmt.Fprintf(c.Out, "only in %s: %s\n", syntax.EscapeText(c.Files[side]), syntax.Count(len(list), "packet")); err != nil {
			return err
		}
	}
	wanted := list // in the order of the capture
	if c.Most > 0 {
		wanted = list[:min(int64(len(list)), c.Most)]
	}
	more := len(list) - len(wanted)
	var trace decode.Trace
	packet := scan.Packet{Trace: &trace}
	err := c.each(side, func(n uint32, d *pcap.Datagram, decoder *decode.Decoder) (bool, error) {
		if len(wanted) == 0 || wanted[0] != n {
			return len(wanted) > 0, nil
		}
		wanted = wanted[1:]
		v := c.view(decoder)
		if text {
			packet.Read(decoder, d, "")
			c.b = v.text.AppendLine(c.b[:0], &packet)
		} else {
			packet.Read(decoder, d, c.Files[side])
			c.b = append(c.b[:0], `{"schema_version":1,"kind":"only","in":"`...)
			c.b = append(c.b, "ab"[side], '"')
			c.b = append(append(c.b, `,"packet":`...), strings.TrimSuffix(string(v.json.Append(nil, &packet)), "\n")...)
			c.b = append(c.b, '}', '\n')
		}
		_, err := c.Out.Write(c.b)
		return len(wanted) > 0, err
	})
	if err != nil || !text {
		return err
	}
	if more > 0 {
		if _, err := fmt.Fprintf(c.Out, "and %d more (-c)\n", more); err != nil {
			return err
		}
	}
	_, err = io.WriteString(c.Out, "\n")
	return err
}
