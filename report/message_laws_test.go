package report_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// laws holds what a packet must be after it has gone through a message and back.
type laws struct {
	decoder *decode.Decoder
	encoder *decode.Encoder
	json    *report.JSON
	message *message.Message
	t, back decode.Trace

	rederives bool // nothing but its requirement depends on a field that one says
}

func newLaws(tb testing.TB, s *schema.Schema) *laws {
	tb.Helper()
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatalf("%v", diags)
	}
	return &laws{decoder: decode.New(p), encoder: decode.NewEncoder(decode.New(p)), json: report.NewJSON(p), message: message.New(p)}
}

// hold says which law a packet breaks. One that is refused has none to keep.
//
//   - through its trace it comes back with every code, and every bit but trailing ones and those that `align any` skips
//   - through JSON it comes back as the same JSON, and with every bit but those that no field has, unless a ladder took
//     a longer rung than it had to; what JSON masks has no encoding
func (l *laws) hold(payload []byte, from decode.Direction) error {
	if l.decoder.Decode(payload, from, &l.t) != nil {
		return nil
	}
	ignored := slices.ContainsFunc(l.t.Notes, func(n reject.Note) bool { return n.Kind == reject.IgnoredBits })
	l.message.FromTrace(&l.t)
	for _, rederive := range []bool{false, true}[:l.ways()] {
		l.message.Rederive = rederive
		written, err := l.message.Encode(l.encoder, nil)
		if err == nil {
			err = l.same(written, !ignored)
		}
		if err != nil {
			return fmt.Errorf("through the trace, rederive %v: %w", rederive, err)
		}
	}
	l.message.Rederive = false
	line := l.json.Append(nil, &scan.Packet{Envelope: decode.Envelope{N: 1}, Trace: &l.t})
	err := l.message.FromJSON(line)
	if err != nil {
		return fmt.Errorf("through JSON: %w\n%s", err, line)
	}
	written, err := l.message.Encode(l.encoder, nil)
	if err := l.asLine(line); err != nil {
		return err
	}
	if l.decoder.Plan().HasSecret() && bytes.Contains(line, []byte("‹secret")) {
		if err == nil || !strings.Contains(err.Error(), "masked") {
			return fmt.Errorf("through JSON: a masked value gives %v\n%s", err, line)
		}
		return nil
	}
	if err == nil {
		err = l.same(written, !ignored && !l.long())
	}
	if err != nil {
		return fmt.Errorf("through JSON: %w\n%s", err, line)
	}
	again := l.json.Append(nil, &scan.Packet{Envelope: decode.Envelope{N: 1}, Trace: &l.back})
	if cut := bytes.Index(line, []byte(`"fields":`)); !bytes.Equal(line[cut:], again[min(cut, len(again)):]) && !bytes.HasSuffix(again, line[cut:]) {
		return fmt.Errorf("through JSON: want %s got %s", line, again)
	}
	return nil
}

// asLine holds what Encode makes of a line to what it makes of the tree of that line.
func (l *laws) asLine(line []byte) error {
	made, err := l.encode(l.message.FromJSON, line)
	streamed, of := l.encode(l.message.FromLine, line)
	if !bytes.Equal(made, streamed) || fmt.Sprint(err) != fmt.Sprint(of) {
		return fmt.Errorf("the tree gives %x, %v, the line %x, %v\n%s", made, err, streamed, of, line)
	}
	return nil
}

func (l *laws) encode(fill func(line []byte) error, line []byte) ([]byte, error) {
	if err := fill(line); err != nil {
		return nil, err
	}
	return l.message.Encode(l.encoder, nil)
}

// ways is 2 where a packet is also written with all that follows from it left out. What a requirement over `rest` says
// of a field is not known before the packet is written once, so where more than that follows from the field it has to
// be given. The length of a window that is filled with zeros is as short as it can be.
func (l *laws) ways() int {
	filled := func(s plan.Step) bool {
		w, ok := s.(*plan.Window)
		return ok && w.Fill > 0
	}
	if slices.ContainsFunc(l.decoder.Plan().Steps, filled) {
		return 1
	}
	if len(l.decoder.Plan().Equations()) > 0 && !l.rederives {
		return 1
	}
	return 2
}

// long reports whether a ladder took a longer rung than it had to.
func (l *laws) long() bool {
	return slices.ContainsFunc(l.t.Notes, func(n reject.Note) bool { return n.Kind == reject.NonCanonicalRaw })
}

// same compares what was written with the packet.
func (l *laws) same(written []byte, bits bool) error {
	if err := l.decoder.Decode(written, l.t.From, &l.back); err != nil {
		return fmt.Errorf("%x is refused: %w", written, err)
	}
	if !bits {
		return nil
	}
	if !slices.Equal(l.t.Raw, l.back.Raw) || !slices.Equal(l.t.Records, l.back.Records) {
		return fmt.Errorf("want codes %v, got %v", l.t.Raw, l.back.Raw)
	}
	if len(written) != len(l.t.Payload) {
		return fmt.Errorf("want %d bytes, got %d", len(l.t.Payload), len(written))
	}
	order := l.t.Plan.Order
	for at := 0; at < l.t.Bits; at += 8 {
		n := min(8, l.t.Bits-at)
		if got, want := order.Load(written, at, n), order.Load(l.t.Payload, at, n); got != want {
			return fmt.Errorf("after bit %d: want %#x, got %#x", at, want, got)
		}
	}
	return nil
}

// Every row of the tables that is accepted, every flip of one bit and every truncation that is, goes through a message.
func TestMessageLaws(t *testing.T) {
	for i, r := range rows.Every() {
		if !need.OneIn(i, 18) {
			continue
		}
		for _, order := range r.In() {
			t.Run(r.Name+"/"+order.String(), func(t *testing.T) {
				l := newLaws(t, rows.Load(t, r.Source(order)))
				rows.EachSpoilt(rows.Pack(t, order, r.Packet), func(what string, n int, data []byte) {
					if err := l.hold(data, r.From); err != nil {
						t.Errorf("%s %d: %x: %v\n%s", what, n, data, err, r.Source(order))
					}
				})
			})
		}
	}
}

// Every packet of the built-ins' corpora goes through a message.
func TestBuiltinMessageLaws(t *testing.T) {
	for _, name := range corpus.Protocols() {
		t.Run(name, func(t *testing.T) {
			l, accepted := builtinLaws(t, name), 0
			for _, seed := range corpus.Seeds(name) {
				for _, from := range []decode.Direction{decode.FromUnknown, decode.Client, decode.Server} {
					if err := l.hold(seed.Data, from); err != nil {
						t.Errorf("%s: %v", seed.Name, err)
					}
				}
				if !l.t.Rejected() {
					accepted++
				}
			}
			if accepted == 0 {
				t.Error("no packet was accepted")
			}
		})
	}
}

func builtinLaws(tb testing.TB, name string) *laws {
	tb.Helper()
	source, ok := protocols.Source(name)
	if !ok {
		tb.Fatalf("no built-in %s", name)
	}
	return newLaws(tb, rows.Load(tb, string(source)))
}

// Scenes that another library wrote go through a message.
func TestSceneMessageLaws(t *testing.T) {
	l := builtinLaws(t, "gaffer")
	rows.EachLine(t, "scenes", func(line []byte) {
		var s rows.Scene
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		packet, err := hex.DecodeString(s.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.hold(packet, decode.FromUnknown); err != nil || l.t.Rejected() {
			t.Errorf("%s: %v, %v", s.ID, err, l.t.Reject())
		}
	})
}

// FuzzMessageLaws holds the laws on any packet, under the schemas of the tables.
func FuzzMessageLaws(f *testing.F) {
	var all []*laws
	seed := func(order wire.Order, source, packet string, from schema.Direction) {
		f.Add(uint16(len(all)), uint8(from), rows.Pack(f, order, packet))
		all = append(all, newLaws(f, rows.Load(f, source)))
	}
	for _, r := range rows.Every() {
		for _, order := range r.In() {
			seed(order, r.Source(order), r.Packet, r.From)
		}
	}
	for _, name := range corpus.Protocols() {
		source, _ := protocols.Source(name)
		seed(wire.MSB, string(source), "8:0 8:1", schema.FromUnknown)
	}
	f.Fuzz(func(t *testing.T, which uint16, from uint8, payload []byte) {
		if err := all[int(which)%len(all)].hold(payload, schema.Direction(from%3)); err != nil {
			t.Fatal(err)
		}
	})
}
