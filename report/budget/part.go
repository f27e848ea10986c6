package budget

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/saved"
)

// Kind is the `kind` of a saved budget.
const Kind = "pktscope-budget"

// part is the JSON of a budget. All but Incomplete, Pieces, Schema, MaxPacket, State, Moments and Directions follows from
// them and is for other programs; Read computes it again.
type part struct {
	saved.Header
	Incomplete  saved.Gaps       `json:"incomplete,omitempty"`
	Missing     []string         `json:"missing,omitempty"` // pieces: see saved.Pieces.Missing
	Pieces      saved.Pieces     `json:"pieces,omitempty"`  // parts of before have none
	Packets     uint64           `json:"packets"`
	Bytes       uint64           `json:"bytes"`
	Refused     uint64           `json:"rejected"`
	Cut         uint64           `json:"cut"`
	First       string           `json:"first,omitempty"`
	Seconds     float64          `json:"seconds"`
	Cases       []Case           `json:"cases"`
	Classes     []ClassBits      `json:"classes"`
	Fields      []fieldJSON      `json:"fields"`
	Suggestions []suggestionJSON `json:"suggestions"`
	Encodings   []encodingJSON   `json:"encodings"`
	Broken      []brokenJSON     `json:"over_budget"`
	MaxPacket   int              `json:"max_packet,omitempty"`
	Schema      schemaJSON       `json:"schema"`
	State       string           `json:"state"`
	Moments     string           `json:"moments,omitempty"`    // parts of before have none
	Directions  string           `json:"directions,omitempty"` // of signed numbers at these moments
	// ByCase is the payload bytes of the refused and cut packets of each case of the schema. Parts of before have none.
	ByCase []uint64 `json:"refused_by_case,omitempty"`
}

type schemaJSON struct {
	Name    string            `json:"name"`
	Source  string            `json:"source"`
	Params  map[string]string `json:"params,omitempty"`
	Message string            `json:"message,omitempty"` // that the packets are (--section)
	// Imports are the texts of the files that it imports, by their names.
	Imports map[string]string `json:"imports,omitempty"`
}

type fieldJSON struct {
	Path     string   `json:"path"`
	Type     string   `json:"type,omitempty"`
	Class    Class    `json:"class"`
	Width    int      `json:"width,omitempty"`
	Times    uint64   `json:"times"`
	Bits     uint64   `json:"bits"`
	Share    float64  `json:"share"`
	P50      uint64   `json:"p50_bits"`
	P99      uint64   `json:"p99_bits"`
	Max      uint64   `json:"max_bits"`
	Secret   bool     `json:"secret,omitempty"`
	Least    string   `json:"least,omitempty"`
	Most     string   `json:"most,omitempty"`
	Distinct *float64 `json:"distinct,omitempty"`
	Error    float64  `json:"distinct_error,omitempty"`
	Entropy  *float64 `json:"entropy,omitempty"`
}

type suggestionJSON struct {
	Field     string  `json:"field"`
	Was       string  `json:"was"`
	Text      string  `json:"pks"`
	Why       string  `json:"why"`
	File      string  `json:"file,omitempty"` // that is imported
	Line      int32   `json:"line"`
	Saved     uint64  `json:"saved_bits"`
	PerPacket float64 `json:"saved_bits_per_packet"`
	PerSecond float64 `json:"saved_bits_per_second"`
	Advice    bool    `json:"advice,omitempty"`
}

type encodingJSON struct {
	Encoding  string  `json:"encoding"`
	Bytes     float64 `json:"bytes"`
	PerPacket float64 `json:"bytes_per_packet"`
}

type brokenJSON struct {
	Path  string `json:"path,omitempty"`
	Case  string `json:"case,omitempty"`
	Unit  string `json:"unit"`
	Limit uint64 `json:"limit"`
	Times uint64 `json:"times"`
	Worst uint64 `json:"worst"`
	File  string `json:"file"`
	N     int64  `json:"n"`
	First uint64 `json:"first"`
	// Secret: the sizes tell a secret, and are 0.
	Secret bool `json:"secret,omitempty"`
}

// AppendJSON appends the budget as one line of JSON: its figures, and all that Read and Merge need, the schema's text
// included.
func (b *Budget) AppendJSON(to []byte) []byte {
	s := b.shape.plan.Schema
	out := part{Header: saved.Header{SchemaVersion: saved.Version, Kind: Kind, Protocol: s.Name}, Incomplete: b.gaps, Pieces: b.pieces, MaxPacket: b.maxPacket,
		Packets: b.all.packets, Bytes: b.all.bytes, Refused: b.refused.packets, Cut: b.cut.packets, Seconds: b.Duration().Seconds(),
		Cases: []Case{}, Classes: []ClassBits{}, Fields: []fieldJSON{}, Suggestions: []suggestionJSON{}, Encodings: []encodingJSON{}, Broken: []brokenJSON{},
		Schema: schemaJSON{Name: s.File.Name, Source: string(s.File.Src), Params: map[string]string{}, Imports: s.Imports()},
		State:  base64.StdEncoding.EncodeToString(b.appendState(nil)), Moments: base64.StdEncoding.EncodeToString(b.moments.append(nil)),
		Directions: base64.StdEncoding.EncodeToString(b.moments.appendOrders(nil))}
	out.Missing, _, _ = b.pieces.Missing()
	if b.all.refused > 0 {
		for i := range b.cases {
			out.ByCase = append(out.ByCase, b.cases[i].refused)
		}
	}
	if s.Message != nil {
		out.Schema.Message = s.Message.Name
	}
	for _, p := range paramsOf(s) {
		out.Schema.Params[p.Name] = p.Value
	}
	if b.all.packets > 0 {
		out.First = time.Unix(0, b.first).UTC().Format(time.RFC3339Nano)
		b.figures(&out)
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false) // rule names have < and >
	if err := e.Encode(&out); err != nil {
		panic("pktscope: internal error: budget as JSON: " + err.Error())
	}
	return syntax.AppendEscapedJSON(to, line.Bytes())
}

func (b *Budget) figures(out *part) {
	packets := float64(b.all.packets)
	out.Cases = append(out.Cases, b.Cases()...)
	out.Classes = b.Classes()
	for _, f := range b.Fields() {
		j := fieldJSON{Path: f.Path, Type: f.Type, Class: f.Class, Width: f.Width, Times: f.Times, Bits: f.Bits, Share: saved.Share(f.Bits, b.Read()),
			P50: f.P50, P99: f.P99, Max: f.Max, Secret: f.Secret}
		if f.Known {
			distinct, entropy := finite(f.Distinct.Value), finite(f.Entropy)
			j.Least, j.Most, j.Distinct, j.Error, j.Entropy = f.Least, f.Most, &distinct, finite(f.Distinct.Error), &entropy
		}
		out.Fields = append(out.Fields, j)
	}
	list := b.Suggestions()
	for _, s := range list {
		saved := float64(s.Saved)
		out.Suggestions = append(out.Suggestions, suggestionJSON{s.Field, s.Was, s.Text, s.Why, s.File, s.Pos.Line, s.Saved,
			finite(saved / packets), finite(b.perSecond(saved)), s.Advice})
	}
	costs := append(b.Costs(), Cost{"tightened", float64(b.all.bytes) - float64(Saved(list))/8})
	for _, c := range costs {
		out.Encodings = append(out.Encodings, encodingJSON{c.Encoding, finite(c.Bytes), finite(c.Bytes / packets)})
	}
	for _, o := range b.Broken() {
		unit := "bits"
		if o.Path == "" {
			unit = "bytes"
		}
		out.Broken = append(out.Broken, brokenJSON{o.Path, o.Case, unit, o.Limit, o.Times, o.Worst, o.File, o.N, o.First, o.Secret})
	}
}

// finite keeps what JSON has no number for out of it; only a forged part has such figures.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// The state is a sequence of uvarints, in the order of its fields; readState is its inverse.

func (b *Budget) appendState(to []byte) []byte {
	for _, n := range []int{len(b.cases), len(b.places), len(b.values), len(b.gates)} {
		to = binary.AppendUvarint(to, uint64(n))
	}
	for _, n := range []uint64{b.refused.packets, b.refused.bytes, b.cut.packets, b.cut.bytes} {
		to = binary.AppendUvarint(to, n)
	}
	to = binary.AppendVarint(binary.AppendVarint(to, b.first), b.last)
	to = b.all.append(to)
	for i := range b.cases {
		to = b.cases[i].append(to)
	}
	to = b.masked.append(b.end.append(b.padding.append(to)))
	for i := range b.places {
		to = b.places[i].append(to)
	}
	for i := range b.values {
		to = b.values[i].append(to)
	}
	for i := range b.gates {
		to = b.gates[i].append(to)
	}
	return to
}

func appendCounts(to []byte, counts ...uint64) []byte {
	for _, n := range counts {
		to = binary.AppendUvarint(to, n)
	}
	return to
}

func (c *caseStat) append(to []byte) []byte {
	return c.size.append(appendCounts(to, c.packets, c.bytes))
}

func (p *place) append(to []byte) []byte {
	return p.spread.append(appendCounts(to, p.times, p.weight, p.packets, p.empty))
}

// append writes the histogram as pairs of how many buckets to go on and what is there, ended by a count of 0.
func (s *Spread) append(to []byte) []byte {
	to = binary.AppendUvarint(to, s.max)
	return appendSparse(to, s.counts)
}

func appendSparse(to []byte, counts []uint64) []byte {
	last := 0
	for i, n := range counts {
		if n > 0 {
			to = appendCounts(to, n, uint64(i-last))
			last = i
		}
	}
	return binary.AppendUvarint(to, 0)
}

func (v *values) append(to []byte) []byte {
	seen := uint64(0)
	if v.seen {
		seen = 1
	}
	to = appendCounts(to, seen, v.least, v.most, v.nan, v.digits, v.words, v.groups)
	if v.direct != nil {
		return appendSparse(to, v.direct)
	}
	to = appendCounts(to, uint64(v.sample.level), uint64(v.sample.used))
	for _, p := range v.sample.all() {
		to = appendCounts(to, p.code, p.n)
	}
	return to
}

func (b *breach) append(to []byte) []byte {
	if b.count == 0 {
		return binary.AppendUvarint(to, 0)
	}
	to = appendCounts(to, b.count, b.worst, uint64(b.first.which+1), b.first.size)
	to = binary.AppendVarint(binary.AppendVarint(to, b.first.n), b.first.time)
	return append(binary.AppendUvarint(to, uint64(len(b.first.file))), b.first.file...)
}
