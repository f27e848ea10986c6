package wirediff

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
)

func sorted(codes []uint64) []uint64 {
	slices.Sort(codes)
	return codes
}

// maxRead is about how many fields are read of the packets that are drawn of one schema: a schema of 30,000 fields has as
// many boundaries, and as many fields in the packet of each.
const maxRead = 1 << 19

// judge draws packets of both schemas, and shows them to the other's reader. What a packet contradicts breaks, whatever
// the plans prove.
func judge(rows []*row, moved []string, old, new *decode.Decoder, o Options) {
	for i, pair := range [][2]*decode.Decoder{{old, new}, {new, old}} {
		var wrote, read decode.Trace
		left := maxRead
		side := func(r *row) *Side {
			if i == oldPackets {
				return &r.Old
			}
			return &r.New
		}
		for packet := range o.draw(pair[0]) {
			if pair[0].Decode(packet.Data, packet.From, &wrote) != nil {
				continue
			}
			bit, why := misread(pair[1], packet, &wrote, &read, moved, &left)
			tag, tagged := key(&wrote)
			for _, r := range rows {
				if r.lo <= r.hi && (!tagged || tag < r.lo || tag > r.hi) {
					continue
				}
				s := side(r)
				s.Drawn++
				if why != "" && (s.Verdict != Breaks || len(packet.Data) < len(s.Packet)) {
					s.Verdict, s.Bit, s.Why = Breaks, bit, why
					s.Packet, s.From = append([]byte{}, packet.Data...), packet.From
				}
			}
			if left < 0 {
				break
			}
		}
		for _, r := range rows {
			if s := side(r); s.Verdict == Same && !s.Proved {
				s.Verdict = Undecided
			}
		}
	}
}

// place is where a field is.
type place struct{ bit, width int }

// misread is the first bit at which a reader goes another way than the writer of a packet, and how; "" where it reads
// every field of it. Of a packet that it refuses that can be a field before the refusal. Each field is one less left.
func misread(d *decode.Decoder, packet fuzz.Packet, wrote, read *decode.Trace, moved []string, left *int) (bit int, why string) {
	end, refuses := math.MaxInt, ""
	if err := d.Decode(packet.Data, packet.From, read); err != nil {
		var r *reject.Reject
		if !errors.As(err, &r) {
			return 0, "refuses it"
		}
		end, refuses = r.Bit, "refuses it: "+r.Error()
	}
	secrets := map[place]bool{} // of which no value is told
	at, paths := map[place]string{}, map[string]int{}
	for f := range read.Fields() {
		if f.Width() == 0 {
			continue
		}
		at[place{f.Bit(), f.Width()}] = meaning(f, moved)
		if f.Secret() {
			secrets[place{f.Bit(), f.Width()}] = true
		}
		paths[f.Path()] = f.Bit()
	}
	first := func(at int, format string, args ...any) {
		if why == "" || at < bit {
			bit, why = at, fmt.Sprintf(format, args...)
		}
	}
	for f := range wrote.Fields() {
		if *left--; f.Width() == 0 || f.Bit()+f.Width() > end {
			continue
		}
		path := f.Path()
		got, ok := at[place{f.Bit(), f.Width()}]
		if there, also := paths[path]; also && there != f.Bit() {
			first(min(there, f.Bit()), "reads %s at bit %d, and not at %d", path, there, f.Bit())
		} else if !ok {
			first(f.Bit(), "reads no field of %d bits at bit %d, where %s is", f.Width(), f.Bit(), path)
		} else if mine := meaning(f, moved); got != mine && !f.Secret() && !secrets[place{f.Bit(), f.Width()}] {
			first(f.Bit(), "reads %s as %s, and not as %s", path, got, mine)
		} else if got != mine {
			first(f.Bit(), "reads %s as another value", path)
		}
	}
	switch {
	case why == "" && refuses != "":
		return end, refuses
	case refuses != "":
		return bit, why + "; then it " + refuses
	case why == "":
		return pieces(wrote, read)
	}
	return bit, why
}

// pieces is misread for what a packet holds of messages: the same bytes, of the same message, at the same place in it.
func pieces(wrote, read *decode.Trace) (bit int, why string) {
	place := func(t *decode.Trace, f *decode.Fragment) int { return int(t.Records[f.Record].Bit) }
	for i := range wrote.Fragments {
		f := &wrote.Fragments[i]
		bit := place(wrote, f)
		if i >= len(read.Fragments) || place(read, &read.Fragments[i]) != bit {
			return bit, fmt.Sprintf("does not find the message in the bytes at bit %d", bit)
		}
		g := &read.Fragments[i]
		switch name, other := f.Note.Note.Section.Name, g.Note.Note.Section.Name; {
		case otherMessage(wrote.Plan, read.Plan, name, other):
			return bit, fmt.Sprintf("takes the bytes for message %s, and not for %s", other, name)
		case f.Whole() != g.Whole() || f.Bytes() != g.Bytes() || f.Ends() != g.Ends():
			return bit, "puts message " + name + " together otherwise"
		case f.Whole() || f.ID == g.ID && f.At == g.At && f.Of == g.Of && f.Last == g.Last:
		case f.Secret() || g.Secret():
			return bit, "takes the bytes for another piece of message " + name
		default:
			return bit, fmt.Sprintf("takes the bytes for piece %d of message %s %d, and not for %d of %d", g.At, name, g.ID, f.At, f.ID)
		}
	}
	return 0, ""
}

// meaning is the value of a field: a number whatever its type calls it, and what is named by a name that moved.
func meaning(f *decode.Field, moved []string) string {
	v := f.Value()
	switch v.Form() {
	case plan.FormFloat:
		return fmt.Sprintf("%x", v.Float())
	case plan.FormBytes, plan.FormText:
		return "these bytes"
	case plan.FormCase, plan.FormFlags:
		text := v.Reveal().String()
		if slices.ContainsFunc(moved, func(name string) bool { return strings.Contains(text, name) }) {
			return text
		}
	case plan.FormInt, plan.FormUint, plan.FormBool, plan.FormHex:
	}
	if v.IsSigned() {
		return fmt.Sprint(v.Int())
	}
	return fmt.Sprint(v.Uint())
}
