package filter

import (
	"net/netip"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
)

var (
	verdictWords   = []string{decode.Accepted.String(), decode.Refused.String(), decode.Cut.String(), decode.NeedsContext.String()} // by number
	directionWords = []string{decode.FromUnknown.String(), decode.Client.String(), decode.Server.String()}                          // by number
	rejectWords    = kindWords()
	noteWords      = noteKindWords()
)

// kindWords lists the reject kinds by number; number 0 is none.
func kindWords() []string {
	words := []string{""}
	for _, k := range reject.Kinds() {
		words = append(words, k.String())
	}
	return words
}

// noteKindWords lists the note kinds by number; number 0 is none.
func noteKindWords() []string {
	words := []string{""}
	for k := reject.NoteNone + 1; k.String() != reject.NoteKind(255).String(); k++ {
		words = append(words, k.String())
	}
	return words
}

// envID names a value that does not come from the payload.
type envID uint8

const (
	envCase envID = iota + 1
	envN
	envFile
	envTime
	envSrc
	envDst
	envSrcPort
	envDstPort
	envDirection
	envProtocol
	envBits
	envVerdict
	envRejected
	envAccepted
	envCut
	envContext
	envRejectKind
	envRejectPath
	envRejectBit
	envRejectWidth
	envRejectWant
	envRejectGot
	envNoteKind
	envNotePath
	envNoteBit
)

// envField is one name under `pkt.`, `reject.` or in an element of `notes`.
type envField struct {
	name string
	id   envID
	typ  typ
}

// What texts that come from no field count for in bytes, as far as the work of regular expressions is concerned: a
// file's name and the protocol's are the user's own; what a reject wants can be as long as a set of numbers.
const (
	nameText = 128
	wantText = 4096
)

var (
	word = func(words *[]string) typ { return typ{kind: kindWord, words: words} }
	text = func(most int) typ { return typ{kind: kindText, max: most, computed: true} }
)

var pktFields = []envField{
	{"n", envN, typ{kind: kindInt, signed: true}},
	{"file", envFile, text(nameText)},
	{"time", envTime, typ{kind: kindTime, signed: true}},
	{"src", envSrc, typ{kind: kindAddr, port: true}},
	{"dst", envDst, typ{kind: kindAddr, port: true}},
	{"src_ip", envSrc, typ{kind: kindAddr}},
	{"dst_ip", envDst, typ{kind: kindAddr}},
	{"src_port", envSrcPort, typ{kind: kindInt}},
	{"dst_port", envDstPort, typ{kind: kindInt}},
	{"direction", envDirection, word(&directionWords)},
	{"protocol", envProtocol, text(nameText)},
	{"bits", envBits, typ{kind: kindInt}},
	{"verdict", envVerdict, word(&verdictWords)},
	{"rejected", envRejected, typ{kind: kindBool}},
	{"accepted", envAccepted, typ{kind: kindBool}},
	{"cut", envCut, typ{kind: kindBool}},
	{"context", envContext, typ{kind: kindBool}},
}

var rejectFields = []envField{
	{"kind", envRejectKind, word(&rejectWords)},
	{"path", envRejectPath, text(0)},
	{"bit", envRejectBit, typ{kind: kindInt}},
	{"width", envRejectWidth, typ{kind: kindInt}},
	{"want", envRejectWant, text(wantText)},
	{"got", envRejectGot, text(wantText)},
}

var noteFields = []envField{
	{"kind", envNoteKind, word(&noteWords)},
	{"path", envNotePath, text(0)},
	{"bit", envNoteBit, typ{kind: kindInt}},
}

func fieldNames(fields []envField) []string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].name
	}
	return names
}

// envFill says which slot a value goes to.
type envFill struct {
	id   envID
	slot int32
}

// fillEnvelope puts what the filter needs of the envelope and the verdict into its slots.
func (m *Matcher) fillEnvelope() {
	t, e := m.trace, m.pkt
	for _, f := range m.prog.env {
		s := &m.slots[f.slot]
		s.ok = true
		switch f.id {
		case envCase:
			if s.ok = t.HasTag; s.ok {
				s.v = t.Plan.CaseTag(t.Tag)
			}
			if m.prog.caseSigned {
				s.v ^= signBit
			}
		case envN:
			s.v = uint64(e.N) ^ signBit
		case envTime:
			s.v, s.ok = uint64(e.Time)^signBit, e.HasTime()
		case envSrc, envDst:
			s.v = uint64(f.id)
			s.ok = m.address(s.v).IsValid()
		case envSrcPort:
			s.v, s.ok = uint64(e.Src.Port()), e.Src.IsValid()
		case envDstPort:
			s.v, s.ok = uint64(e.Dst.Port()), e.Dst.IsValid()
		case envDirection:
			s.v = uint64(t.From)
		case envBits:
			s.v = 8 * uint64(t.Size)
		case envVerdict:
			s.v = uint64(e.Verdict(t))
		case envRejected:
			s.v = truth(e.Verdict(t) == decode.Refused)
		case envAccepted:
			s.v = truth(e.Verdict(t) == decode.Accepted)
		case envCut:
			s.v = truth(e.Verdict(t) == decode.Cut)
		case envContext:
			s.v = truth(e.Verdict(t) == decode.NeedsContext || slices.ContainsFunc(m.brought, needsContext))
		case envFile:
			s.v, s.ok = uint64(f.id), e.File != ""
		case envProtocol:
			s.v = uint64(f.id)
		default:
			m.fillReject(f.id, s)
		}
	}
}

// fillReject is absent unless the packet was refused: one that the capture cut has no reject.
func (m *Matcher) fillReject(id envID, s *slot) {
	r := m.trace.Reject()
	if s.ok = r != nil && m.pkt.Verdict(m.trace) == decode.Refused; !s.ok {
		return
	}
	switch id {
	case envRejectKind:
		s.v = uint64(r.Kind)
	case envRejectBit:
		s.v, s.ok = uint64(r.Bit), !r.HidesBit()
	case envRejectWidth:
		s.v, s.ok = uint64(r.Width), !r.HidesWidth()
	default:
		s.v = uint64(id)
	}
}

// needsContext reports whether a message could not be judged: pieces are missing, it stayed sealed, or what refused it
// rests on what earlier packets have set.
func needsContext(m decode.Message) bool { return m.Verdict() == decode.NeedsContext }

func (m *Matcher) address(id uint64) netip.AddrPort {
	if envID(id) == envSrc {
		return m.pkt.Src
	}
	return m.pkt.Dst
}

// computed is the text of a register. What comes from the trace is built when a comparison asks for it, once a packet
// (a note's path once an element).
func (m *Matcher) computed(id uint64) []byte {
	t := m.trace
	if m.built[id] {
		return m.texts[id]
	}
	b := m.texts[id][:0]
	switch envID(id) {
	case envFile:
		b = append(b, m.pkt.File...)
	case envProtocol:
		b = append(b, m.prog.plan.Schema.Name...)
	case envRejectPath:
		b = t.Reject().AppendShownPath(b)
	case envRejectWant:
		b = t.AppendWant(b, t.Reject())
	case envRejectGot:
		b = t.AppendGot(b, t.Reject())
	case envNotePath:
		b = m.note(m.noteAt).AppendPath(b)
	}
	m.texts[id], m.built[id] = b, true
	return b
}

// notes is how many notes the packet shows; a refused one has none.
func (m *Matcher) notes() int {
	if m.pkt.Verdict(m.trace) == decode.Refused {
		return 0
	}
	n := 0
	for range m.pkt.ShownNotes(m.trace) {
		n++
	}
	return n
}

// note is the i-th of them, in the order in which the views show them.
func (m *Matcher) note(i int) *reject.Note {
	for n := range m.pkt.ShownNotes(m.trace) {
		if i == 0 {
			return n
		}
		i--
	}
	panic("pktscope: internal error: a packet has fewer notes than it said")
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// EnvelopePaths lists what a filter can name beside the packet's own fields (see Paths), for completion and help. An
// element of `notes` has kind, path and bit.
func EnvelopePaths() []Path {
	paths := []Path{{Path: "case", Type: "enum or number"}, {Path: "notes", Type: "list"}}
	for _, f := range pktFields {
		paths = append(paths, Path{Path: "pkt." + f.name, Type: f.typ.String(), Values: f.typ.values()})
	}
	for _, f := range rejectFields {
		paths = append(paths, Path{Path: "reject." + f.name, Type: f.typ.String(), Values: f.typ.values()})
	}
	return paths
}
