package dialogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// hidden stands for a secret that the source has.
const hidden = "‹secret›"

// source is a piece of the source in one line, with what is given to a secret masked.
func (d *Dialogue) source(at syntax.Span) string {
	var b strings.Builder
	from := int(at.Pos.Off)
	for _, m := range d.masked {
		if int(m.Pos.Off) < from || m.End.Off > at.End.Off {
			continue
		}
		b.Write(d.file.Src[from:m.Pos.Off])
		b.WriteString(hidden)
		from = int(m.End.Off)
	}
	b.Write(d.file.Src[from:at.End.Off])
	var lines []string
	for line := range strings.Lines(b.String()) {
		line, _, _ = strings.Cut(line, "//")
		lines = append(lines, strings.TrimSpace(line))
	}
	return syntax.EscapeText(strings.Join(lines, " "))
}

// Text is the source, with what is given to a secret masked.
func (d *Dialogue) Text() string {
	var b strings.Builder
	from := 0
	for _, m := range d.masked {
		if int(m.Pos.Off) >= from {
			b.Write(d.file.Src[from:m.Pos.Off])
			b.WriteString(hidden)
			from = int(m.End.Off)
		}
	}
	b.Write(d.file.Src[from:])
	return b.String()
}

// Name is what the source calls the dialogue.
func (d *Dialogue) Name() string { return d.file.Title.Text }

// States are the states in order, Start first.
func (d *Dialogue) States() []string { return slices.Clone(d.states) }

// AllStates are the states in order, with Ended after them where there is a goodbye.
func (d *Dialogue) AllStates() []string {
	if d.end == nil {
		return d.States()
	}
	return append(d.States(), Ended)
}

// Params are what Values are for.
func (d *Dialogue) Params() []*Param { return d.file.Params }

// Fresh reports whether each session is to be another client.
func (d *Dialogue) Fresh() bool { return d.file.Fresh }

// AppendText appends what was understood, a line each.
func (d *Dialogue) AppendText(b []byte) []byte {
	b = fmt.Appendf(b, "dialogue %s with %s: %s, %s, %s; a session starts within %v\n", d.Name(), d.decoder.Plan().Schema.Name,
		syntax.Count(len(d.steps), "step"), syntax.Count(len(d.names), "name"), syntax.Count(len(d.states), "state"), MaxStart)
	for _, p := range d.file.Params {
		b = fmt.Appendf(b, "  %s: --set %s=VALUE\n", paramText(d.source(syntax.Span{Pos: p.Pos, End: p.Type.End}), p.Secret), p.Name.Text)
	}
	identity := "keep: a lost session comes back over the same socket"
	if d.Fresh() {
		identity = "fresh: each session has a socket of its own"
	}
	b = fmt.Appendf(b, "  identity %s\n", identity)
	for _, f := range d.automatic {
		b = fmt.Appendf(b, "  every packet: %s = %s\n", f.at.path, d.source(f.Value.Place()))
	}
	b = fmt.Appendf(b, "  %s\n", Start)
	for i, l := range d.steps {
		for _, k := range d.file.Lines {
			if since, ok := d.since[k]; ok && since == i {
				b = fmt.Appendf(b, "    %s\n", d.source(k.Span))
			}
		}
		if l.Verb == State {
			b = fmt.Appendf(b, "  %s\n", l.Name.Text)
			continue
		}
		b = fmt.Appendf(b, "    %s\n", d.source(l.Span))
	}
	for _, k := range d.file.Lines {
		if since, ok := d.since[k]; ok && since == len(d.steps) {
			b = fmt.Appendf(b, "    %s\n", d.source(k.Span))
		}
	}
	for _, l := range d.file.Lines {
		if l.Verb == Alive || l.Verb == End || l.Verb == Before || l.Verb == Attack {
			b = fmt.Appendf(b, "  %s\n", d.source(l.Span))
		}
	}
	return b
}

func paramText(text string, secret bool) string {
	if secret {
		text += " @secret"
	}
	return text
}

// lastText is the server's last packet in one line, secrets masked; "" where none came.
func (s *Session) lastText() string {
	const most = 200
	if len(s.last) == 0 {
		return ""
	}
	if r := s.trace.Reject(); r != nil {
		return fmt.Sprintf("%s that %s refuses: %s", syntax.Count(len(s.last), "byte"), s.trace.Plan.Schema.Name, r.Message())
	}
	tag, _ := s.dialogue.tree.tagOf(&s.trace)
	b := []byte(s.dialogue.caseName(tag))
	sep := " {"
	for f := range s.trace.Fields() {
		if len(b) > most {
			b = append(b, ", …"...)
			break
		}
		v := f.Value()
		b = fmt.Appendf(b, "%s %s = %s", sep, f.Path(), v.AppendText(nil))
		sep = ","
	}
	if sep == "," {
		b = append(b, " }"...)
	}
	return syntax.EscapeText(string(b))
}
