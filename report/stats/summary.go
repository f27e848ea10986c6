package stats

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// Kind is the `kind` of saved statistics.
const Kind = "stats"

// Summary is what a Stats has to say, in the order and under the names of its JSON. Packets, sequences, silences, rates
// and latencies are of accepted packets unless said otherwise. All text in it comes from the schema, and is to be
// escaped like anything from outside.
type Summary struct {
	saved.Header
	Incomplete []string `json:"incomplete,omitempty"` // see Segments.Incomplete
	Missing    []string `json:"missing,omitempty"`    // see Segments.Missing; nothing was judged across them
	// MissingPieces of all Pieces are missing.
	MissingPieces uint64 `json:"-"`
	Pieces        uint64 `json:"-"`
	// Messages says that these are messages of a section that packets brought: where it says packets below, messages.
	Messages bool `json:"messages,omitempty"`
	// First and Last are the least and greatest time, zero where no packet had one.
	First      time.Time      `json:"first,omitzero"`
	Last       time.Time      `json:"last,omitzero"`
	Seconds    float64        `json:"seconds"` // between them
	Total      Tally          `json:"total"`
	Directions []DirectionRow `json:"directions"`
	Cases      []CaseRow      `json:"cases"` // the most bits first
	Sequences  []SequenceRow  `json:"sequences"`
	Acks       []AckRow       `json:"acks"`
	Silences   *SilenceList   `json:"silences,omitempty"` // nil without `expect timeout`
	Rejects    []KindRow      `json:"rejects"`            // the most first
	Notes      []KindRow      `json:"notes"`              // packets with a note of that kind
	Context    []ContextRow   `json:"context,omitempty"`  // of messages
	Peers      PeerList       `json:"peers"`
	Series     Series         `json:"series"`
	// Timeline is nil unless KeepTime was asked for, before the first packet of all that was merged.
	Timeline *Timeline `json:"-"`
}

// DirectionRow is the packets of one side.
type DirectionRow struct {
	Direction string `json:"direction"` // the sender: client, server, unknown
	Tally
	Share float64 `json:"share"` // of payload, 0..1: see saved.Share
}

// CaseRow is the packets of one case from one side.
type CaseRow struct {
	Case      string `json:"case,omitempty"` // "" of packets that were refused before it, and of schemas without cases
	Direction string `json:"direction"`
	Others    bool   `json:"others,omitempty"` // all cases beyond MaxCases
	Tally
	Share     float64 `json:"share"`      // of payload, 0..1: see saved.Share
	PerSecond float64 `json:"per_second"` // accepted packets, over all the time
	Every     *Every  `json:"every,omitempty"`
}

// Every is how regularly the packets of a case came that has @every, whoever sent them to whom: over the intervals
// between two packets of one sender to one receiver.
type Every struct {
	Nominal  float64 `json:"nominal_ms"`
	Rate     float64 `json:"hertz"` // of one sender to one receiver: 1 / the mean interval; 0 without an interval
	Interval Spread  `json:"interval"`
	Jitter   Spread  `json:"jitter"` // how far the intervals are from the nominal one
	Backward uint64  `json:"backward,omitempty"`
}

// Spread is the distribution of durations, in ms. The percentiles have SketchError; the rest is exact.
type Spread struct {
	N    uint64  `json:"n"`
	Mean float64 `json:"mean_ms"`
	Min  float64 `json:"min_ms"`
	P50  float64 `json:"p50_ms"`
	P90  float64 `json:"p90_ms"`
	P99  float64 `json:"p99_ms"`
	Max  float64 `json:"max_ms"`
}

// SequenceRow is one counter from one side.
type SequenceRow struct {
	Field     string `json:"field"`
	Direction string `json:"direction"`
	SequenceCounts
}

// AckRow is the time from a value to its acknowledgement.
type AckRow struct {
	Field string `json:"field"`
	Of    string `json:"of"` // what it acknowledges
	Latency
}

// Latency is the time from a value to the first packet that acknowledges it.
type Latency struct {
	Spread
	Error    float64 `json:"error"`              // the most by which a percentile is off, as a part of it: Sketch.Error
	Unsent   uint64  `json:"unsent"`             // values acknowledged that the receiver did not send
	Backward uint64  `json:"backward,omitempty"` // acknowledged at a time before they were sent
	// Unsettled are not judged: what was sent before them is in no part.
	Unsettled uint64 `json:"unsettled,omitempty"`
}

// SilenceList is the times that a peer sent nothing for longer than the timeout, between two of its packets.
type SilenceList struct {
	Timeout float64   `json:"timeout_ms"`
	N       uint64    `json:"n"`
	Longest []Silence `json:"longest"` // the longest first, at most MaxSilences
	More    uint64    `json:"more,omitempty"`
}

// Silence is one time that a peer sent nothing for longer than the timeout, between two of its packets.
type Silence struct {
	Sender   netip.AddrPort `json:"sender"`
	Receiver netip.AddrPort `json:"receiver"`
	From     time.Time      `json:"from"`
	Until    time.Time      `json:"until"`
	// Numbers of the capture's records before and after it, each in its file; File is that of After, and BeforeFile that of
	// Before where it is another. Both are as they were named, and "" where nobody knows.
	After      int64   `json:"after"`
	Before     int64   `json:"before"`
	File       string  `json:"file,omitempty"`
	BeforeFile string  `json:"before_file,omitempty"`
	Length     float64 `json:"ms"`
}

// Packets names the packets before and after the silence, with their file where it is known and, of the second, another.
// The caller escapes the texts.
func (s *Silence) Packets() (after, before string) {
	after, before = strconv.FormatInt(s.After, 10), strconv.FormatInt(s.Before, 10)
	if s.File != "" {
		after += " of " + s.File
	}
	if s.BeforeFile != "" {
		before += " of " + s.BeforeFile
	}
	return after, before
}

// KindRow is packets by why they were refused, or by a note.
type KindRow struct {
	Kind    string `json:"kind"`
	Packets uint64 `json:"packets"`
}

// PeerList is who was there.
type PeerList struct {
	N      uint64    `json:"n"`               // how many different ones
	About  bool      `json:"about,omitempty"` // N is estimated, with a standard error of DistinctError
	Listed []PeerRow `json:"listed"`          // the most packets first, at most MaxPeers and half as many
	// More is how many are not listed, and Rest their packets. The sums everywhere else have them.
	More uint64 `json:"more,omitempty"`
	Rest *Tally `json:"rest,omitempty"`
}

// PeerRow is one peer: an address with a port, and whom it talked with.
type PeerRow struct {
	Peer   netip.AddrPort `json:"peer"`
	With   netip.AddrPort `json:"with"`
	Sent   Tally          `json:"sent"`
	Got    Tally          `json:"got"`
	Share  float64        `json:"share"` // of payload, both ways
	Silent uint64         `json:"silences"`
	// Longest silence, and the time from the peer's last packet to the end of everything, in ms.
	Longest    float64       `json:"longest_silence_ms,omitempty"`
	QuietAtEnd float64       `json:"quiet_at_end_ms,omitempty"` // only above the timeout
	Context    []ContextRow  `json:"context,omitempty"`
	Sequences  []SequenceRow `json:"sequences,omitempty"`
	Acks       []AckRow      `json:"acks,omitempty"`
	Rejects    []KindRow     `json:"rejects,omitempty"`
	Notes      []KindRow     `json:"notes,omitempty"`
}

// Packets is all of a peer, both ways, whatever became of them.
func (p *PeerRow) Packets() uint64 { return p.Sent.Packets() + p.Got.Packets() }

// Lost is the counter's values that were lost on the way from and to the peer: of the first counter of the schema that
// it sent or got.
func (p *PeerRow) Lost() (sent, got uint64) { return p.lost(0), p.lost(1) }

func (p *PeerRow) lost(half int) uint64 {
	for _, s := range p.Sequences {
		if (s.Direction == schema.Server.String()) == (half == 1) {
			return s.Lost
		}
	}
	return 0
}

// Series is the packets over time, whatever became of them. Bucket i begins at Start + i × Width.
type Series struct {
	Start   time.Time `json:"start,omitzero"`
	Width   float64   `json:"width_s"`
	Buckets []Bucket  `json:"buckets"` // at most MaxBuckets
	// Cases are accepted packets, at most MaxSeriesCases of them, and Rejects the rejected ones: each the most packets
	// first, with a number for each bucket. What a saved part of an older version has is in the buckets alone.
	Cases   []CaseSeries `json:"cases"`
	Rejects []KindSeries `json:"rejects"`
}

// Bucket is one stretch of time.
type Bucket struct {
	Packets      uint64 `json:"packets"`
	Rejected     uint64 `json:"rejected"`
	PayloadBits  uint64 `json:"payload_bits"`
	OverheadBits uint64 `json:"overhead_bits"`
}

// Summary sums up what was counted so far.
func (s *Stats) Summary() *Summary {
	sum := &Summary{Header: saved.Header{SchemaVersion: saved.Version, Kind: Kind, Protocol: s.shape.protocol, Schema: s.schema},
		Directions: []DirectionRow{}, Cases: []CaseRow{}, Sequences: []SequenceRow{}, Acks: []AckRow{},
		Rejects: s.odd.kinds(), Notes: s.odd.noteKinds(), Series: s.series.summary()}
	sum.Messages, sum.Context = s.messages, contextRows(func(side schema.Direction) *Context { return &s.context[side] })
	if s.timed {
		sum.First, sum.Last = instant(s.first), instant(s.last)
		sum.Seconds = float64(uint64(s.last)-uint64(s.first)) / 1e9
	}
	for side := range s.total {
		sum.Total.Merge(&s.total[side])
	}
	all := sum.Total.PayloadBits()
	for _, side := range sides {
		if t := s.total[side]; t.Packets() > 0 {
			sum.Directions = append(sum.Directions, DirectionRow{Direction: side.String(), Tally: t, Share: saved.Share(t.PayloadBits(), all)})
		}
	}
	s.sumCases(sum, all)
	if s.shape.timeout > 0 {
		sum.Silences = s.silences.summary(s.shape.timeout)
	}
	s.sumPeers(sum, all)
	sum.Timeline = s.overTime()
	return sum
}

// Rates are counts of stretches of time, each width seconds long and the first from start on, as counts a second. The
// first stretch counts from the first packet on and the last one up to the last packet; of less than half a stretch it is
// the rate of that and its neighbour.
func (s *Summary) Rates(start time.Time, width float64, counts []float64) []float64 {
	from, rates := s.First.Sub(start).Seconds(), make([]float64, len(counts))
	until := from + s.Seconds
	if len(counts) == 1 {
		from, until = 0, width // which nothing is beside
	}
	covered := func(i int) float64 { return max(min(until, width*float64(i+1))-max(from, width*float64(i)), 0) }
	for i, n := range counts {
		seconds := covered(i)
		near := i - 1
		if i == 0 {
			near = 1
		}
		if 2*seconds < width && near < len(counts) {
			n, seconds = n+counts[near], seconds+covered(near)
		}
		rates[i] = n / max(seconds, width/4)
	}
	return rates
}

// SummaryAt is Summary as it is at a time, ns since the Unix epoch, that is not before the last packet: whoever sent
// nothing since is silent until then. For what is still being counted.
func (s *Stats) SummaryAt(now int64) *Summary {
	last := s.last
	if s.timed {
		s.last = max(last, now)
	}
	sum := s.Summary()
	s.last = last
	return sum
}

// sides in the order of tables.
var sides = [3]schema.Direction{schema.Client, schema.Server, schema.FromUnknown}

func (s *Stats) sumCases(sum *Summary, all uint64) {
	row := func(name string, side schema.Direction, t Tally) CaseRow {
		r := CaseRow{Case: name, Direction: side.String(), Tally: t, Share: saved.Share(t.PayloadBits(), all)}
		if sum.Seconds > 0 {
			r.PerSecond = float64(t.Accepted.Packets) / sum.Seconds
		}
		return r
	}
	for _, c := range s.cases.byNumber() {
		r := row(c.name, c.side, c.tally)
		if c.every > 0 {
			r.Every = s.cadence(c.side, int(c.every-1)).summary(s.shape.everys[c.every-1].every)
		}
		sum.Cases = append(sum.Cases, r)
	}
	slices.SortStableFunc(sum.Cases, func(a, b CaseRow) int { return cmp.Compare(b.PayloadBits(), a.PayloadBits()) })
	for _, side := range sides {
		if t := s.other[side]; t.Packets() > 0 {
			r := row("", side, t)
			r.Others = true
			sum.Cases = append(sum.Cases, r)
		}
	}
}

func (k *cadence) summary(every int64) *Every {
	e := &Every{Nominal: ms(uint64(every)), Interval: k.interval.spread(), Jitter: k.jitter.spread(), Backward: k.backward}
	if mean := k.interval.Mean(); mean > 0 {
		e.Rate = 1e9 / mean
	}
	return e
}

func (s *Sketch) spread() Spread {
	return Spread{N: s.n, Mean: s.Mean() / 1e6, Min: ms(s.min), P50: ms(s.Quantile(0.5)), P90: ms(s.Quantile(0.9)),
		P99: ms(s.Quantile(0.99)), Max: ms(s.max)}
}

func (s *silences) summary(timeout int64) *SilenceList {
	s.trim()
	l := &SilenceList{Timeout: ms(uint64(timeout)), N: s.n, Longest: []Silence{}, More: s.n - uint64(len(s.list))}
	for _, one := range s.list {
		row := Silence{Sender: one.sender, Receiver: one.receiver, From: instant(one.from), Until: instant(one.until),
			After: one.after.n, Before: one.before.n, File: one.after.file, Length: ms(one.length())}
		if one.before.file != row.File {
			row.BeforeFile = one.before.file
		}
		l.Longest = append(l.Longest, row)
	}
	return l
}

func (s *series) summary() Series {
	out := Series{Width: float64(uint64(1) << s.shift), Buckets: []Bucket{}}
	if len(s.buckets) > 0 {
		out.Start = time.Unix(s.start<<s.shift, 0).UTC()
	}
	for _, b := range s.buckets {
		out.Buckets = append(out.Buckets, Bucket{b.packets, b.rejected, b.payload, b.overhead})
	}
	s.split(&out)
	return out
}

func (o *oddities) kinds() []KindRow {
	list := []KindRow{}
	for k, n := range o.rejects {
		if n > 0 {
			list = append(list, KindRow{reject.Kind(k).String(), n})
		}
	}
	return byPackets(list)
}

func (o *oddities) noteKinds() []KindRow {
	list := []KindRow{}
	for k, n := range o.notes {
		if n > 0 {
			list = append(list, KindRow{reject.NoteKind(k).String(), n})
		}
	}
	return byPackets(list)
}

func byPackets(list []KindRow) []KindRow {
	slices.SortStableFunc(list, func(a, b KindRow) int { return cmp.Compare(b.Packets, a.Packets) })
	return list
}

func instant(ns int64) time.Time { return time.Unix(0, ns).UTC() }

func ms(ns uint64) float64 { return float64(ns) / 1e6 }
