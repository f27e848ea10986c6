package gogen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// The error of a generated package ends up in logs. A bit and a width are numbers that the packet's own length gives
// nobody, and which field was refused can tell what a secret decided: the error leaves out what the decoder's masks.

// Where the error of a refusal goes on with the path, the bit and the width.
const (
	errorLine = "func (p *PacketReject) Error() string {\n\tb := p.AppendPath(nil)\n"
	bitLine   = "\tb = append(b, \" at bit \"...)\n"
	widthLine = "\tb = append(b, \", width \"...)\n"
)

// hideSecrets is support code whose error leaves out what tells a secret, followed by the function that knows it; as it
// is where the protocol has none. It panics where the error is not the one that it changes: nothing is generated that tells.
func (g *gen) hideSecrets(text string) string {
	known := g.shownPlaces()
	if known == "" {
		return text
	}
	for _, line := range []string{errorLine, bitLine, widthLine} {
		if strings.Count(text, line) != 1 {
			panic(fmt.Sprintf("pktscope: internal error: gogen hides secrets at the line %q, and support code has it %d times", line, strings.Count(text, line)))
		}
	}
	const unless = "\tif !%s {\n\t\treturn string(b)\n\t}\n"
	return strings.NewReplacer(
		errorLine, "func (p *PacketReject) Error() string {\n\tpath, bit, width := shownPlace(p.path, p.Kind)\n\tb := (&PacketReject{path: path, at: p.at}).AppendPath(nil)\n",
		bitLine, fmt.Sprintf(unless, "bit")+bitLine,
		widthLine, fmt.Sprintf(unless, "width")+widthLine).Replace(text) + known
}

// said is what an error may say of the place of a refusal.
type said struct {
	path       string // quoted
	bit, width bool
}

// shownPlaces is the function that knows what may be said of each path, "" where all may.
func (g *gen) shownPlaces() string {
	places := map[string]said{} // by path, quoted: what may not be said of one of its points is not said of any
	var ends []string           // of these nothing is said where the packet ends too early
	for at := range g.p.End() + 1 {
		step, ids := g.p.StepAt(at), []plan.NodeID{0} // the packet's end is refused in its own name
		if step != nil {
			ids[0] = step.At().Node
		}
		if step != nil && step.Flow() == plan.Repeat {
			_, counted := step.Sized()
			if b := step.At(); at == b.Last || at == b.Each && counted { // they refuse nothing
				continue
			}
		}
		s := said{bit: !g.p.PlaceSecret(at) && !g.tagLost(step), width: !g.p.WidthSecret(at)}
		if d := g.p.DecisionAt(at); d != nil {
			s = said{path: g.pathOf(d.Fold)}
		} else if s.bit && s.width {
			continue
		}
		if run, ok := step.(*plan.Run); ok { // all its fields
			ids = ids[:0]
			for _, info := range g.p.Info[run.First:][:run.N] {
				ids = append(ids, info.Node)
			}
		}
		for _, id := range ids {
			path := g.pathOf(id)
			mine := s
			if mine.path == "" {
				mine.path = path
			}
			if old, ok := places[path]; ok {
				mine.bit, mine.width = mine.bit && old.bit, mine.width && old.width
				if len(old.path) < len(mine.path) {
					mine.path = old.path
				}
			}
			places[path] = mine
			if !s.width && !slices.Contains(ends, path) {
				ends = append(ends, path)
			}
		}
	}
	if len(places) == 0 {
		return ""
	}
	alike := map[string][]string{} // paths, by what is returned for them
	for path, s := range places {
		at := "path"
		if s.path != path {
			at = s.path
		}
		what := fmt.Sprintf("%s, %t, %t", at, s.bit, s.width)
		alike[what] = append(alike[what], path)
	}
	var b strings.Builder
	b.WriteString("\n\n// shownPlace is what an error may say of a refusal: its path, its bit, its width. The others are computed from what is @secret.\n" +
		"func shownPlace(path string, kind RejectKind) (at string, bit, width bool) {\n")
	writeCases := func(paths []string, what string) {
		slices.Sort(paths)
		fmt.Fprintf(&b, "\tcase %s:\n\t\treturn %s\n", strings.Join(paths, ", "), what)
	}
	if len(ends) > 0 {
		b.WriteString("\tif kind == RejectPastEnd {\n\tswitch path {\n")
		writeCases(ends, `"", false, false`)
		b.WriteString("\t}\n\t}\n")
	}
	b.WriteString("\tswitch path {\n")
	for _, what := range slices.Sorted(maps.Keys(alike)) {
		writeCases(alike[what], what)
	}
	b.WriteString("\t}\n\treturn path, true, true\n}")
	return b.String()
}

// tagLost reports whether a switch is refused at a tag whose place is computed from a secret.
func (g *gen) tagLost(s plan.Step) bool {
	sw, ok := s.(*plan.Switch)
	return ok && sw.TagRegister >= 0 && slices.ContainsFunc(g.p.RegisterLeaves[sw.TagRegister], func(leaf int32) bool { return g.p.PlaceSecret(g.p.Info[leaf].Point) })
}
