package main

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/stats"
)

// peersFn counts shards, each pair of ends by itself.
type peersFn struct {
	Protocol string
	decoders *scan.Decoders
}

// Setup reads the protocol, once for many shards.
func (c *peersFn) Setup() (err error) {
	c.decoders, err = decoders(c.Protocol)
	return err
}

// pair is two ends, whoever sends.
type pair struct{ low, high netip.AddrPort }

func pairOf(a, b netip.AddrPort) pair {
	if b.Compare(a) < 0 {
		a, b = b, a
	}
	return pair{a, b}
}

func (p pair) String() string { return p.low.String() + " " + p.high.String() }

// ProcessElement counts a shard. It holds the statistics of all pairs of the shard: smaller shards have fewer.
func (c *peersFn) ProcessElement(element []byte, emit func(string, []byte)) error {
	plan := c.decoders.All()[0].Plan()
	pairs := map[pair]*stats.Stats{}
	var batch stats.Batch
	stage := scan.Stage[struct{}]{
		New: func() func(*struct{}, *scan.Packet) {
			sampler := stats.NewSampler(plan)
			return func(_ *struct{}, p *scan.Packet) {
				key := pairOf(p.Envelope.Src, p.Envelope.Dst)
				counted := pairs[key]
				if counted == nil {
					counted = stats.New(plan)
					pairs[key] = counted
				}
				sampler.Add(&batch, p)
				counted.Take(&batch)
				batch.Reset()
			}
		},
		Drain: func(*struct{}) error { return nil },
	}
	of, err := each(element, c.decoders, stage)
	if err != nil {
		return err
	}
	for key, counted := range pairs {
		part, err := stats.NewSegments(of, counted).AppendPart(nil)
		if err != nil {
			return err
		}
		emit(key.String(), part)
	}
	return nil
}

// sums are what is said of peers: the sums over all of them, and those that lost most.
type sums struct {
	Version   int                 `json:"schema_version"`
	Kind      string              `json:"kind"` // peers
	Protocol  string              `json:"protocol"`
	Peers     uint64              `json:"peers"`
	Total     stats.Tally         `json:"total"`
	Sequences []stats.SequenceRow `json:"sequences"`
	Silences  uint64              `json:"silences"`
	Listed    []stats.PeerRow     `json:"listed"` // that lost most, then that have the most packets; at most maxListed
}

const maxListed = 256

// sumFn makes sums of one peer's part.
type sumFn struct{}

// ProcessElement fills the shards where the peer was not with nothing, so that what is between its packets is judged.
func (f *sumFn) ProcessElement(_ string, part []byte) ([]byte, error) {
	one, err := stats.ReadPart(part)
	if err != nil {
		return nil, err
	}
	one.Fill()
	s := one.Summary()
	out := sums{Version: 1, Kind: "peers", Protocol: s.Protocol, Peers: 1, Total: s.Total, Sequences: s.Sequences, Listed: s.Peers.Listed}
	if s.Silences != nil {
		out.Silences = s.Silences.N
	}
	return out.json()
}

func (s *sums) json() ([]byte, error) {
	if s.Peers == 0 {
		return nil, nil
	}
	slices.SortFunc(s.Sequences, func(a, b stats.SequenceRow) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Direction, b.Direction))
	})
	s.cut()
	b, err := json.Marshal(s)
	return append(b, '\n'), err
}

// cut leaves the peers that are listed.
func (s *sums) cut() {
	slices.SortFunc(s.Listed, func(a, b stats.PeerRow) int {
		return cmp.Or(cmp.Compare(lost(&b), lost(&a)), cmp.Compare(b.Packets(), a.Packets()), a.Peer.Compare(b.Peer), a.With.Compare(b.With))
	})
	s.Listed = s.Listed[:min(len(s.Listed), maxListed)]
}

// lost is what was lost on the way from and to a peer.
func lost(p *stats.PeerRow) uint64 {
	sent, got := p.Lost()
	return sent + got
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[sums](), func(s sums) ([]byte, error) { return s.json() }, decodeSums)
	register.Combiner2[sums, []byte](&addFn{})
}

func decodeSums(b []byte) (s sums, err error) {
	if len(b) > 0 {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}

// addFn adds the sums of peers up.
type addFn struct{}

// CreateAccumulator begins with nothing.
func (f *addFn) CreateAccumulator() sums { return sums{} }

// AddInput adds sums in their JSON.
func (f *addFn) AddInput(s sums, b []byte) (sums, error) {
	more, err := decodeSums(b)
	if err != nil {
		return s, err
	}
	return f.MergeAccumulators(s, more), nil
}

// MergeAccumulators adds what more has.
func (f *addFn) MergeAccumulators(s, more sums) sums {
	if s.Peers == 0 {
		return more
	}
	s.Peers += more.Peers
	s.Silences += more.Silences
	s.Total.Merge(&more.Total)
	for _, row := range more.Sequences {
		i := slices.IndexFunc(s.Sequences, func(r stats.SequenceRow) bool { return r.Field == row.Field && r.Direction == row.Direction })
		if i < 0 {
			s.Sequences = append(s.Sequences, row)
			continue
		}
		s.Sequences[i].SequenceCounts.Merge(row.SequenceCounts)
	}
	if s.Listed = append(s.Listed, more.Listed...); len(s.Listed) > 4*maxListed {
		s.cut()
	}
	return s
}

// ExtractOutput is the JSON of the sums.
func (f *addFn) ExtractOutput(s sums) ([]byte, error) { return s.json() }
