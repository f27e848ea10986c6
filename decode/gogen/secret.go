package gogen

import (
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// The error of a generated package ends up in logs. The width of a refusal is a number that the packet's own length gives
// nobody: where a @secret size is behind it, the error does not say it.

// widthLine is where the error of a refusal goes on with the width.
const widthLine = "\tb = append(b, \", width \"...)\n"

// hideWidths is support code whose error leaves out the widths that tell a secret, followed by the function that knows them;
// as it is where the protocol has none.
func (g *gen) hideWidths(text string) string {
	paths := g.secretWidths()
	if len(paths) == 0 || !strings.Contains(text, widthLine) {
		return text
	}
	return strings.Replace(text, widthLine, "\tif widthIsSecret(r.path) {\n\t\treturn string(b)\n\t}\n"+widthLine, 1) +
		"\n\n// widthIsSecret reports whether how many bits were refused at a path is computed from what is @secret.\n" +
		"func widthIsSecret(path string) bool {\n\tswitch path {\n\tcase " + strings.Join(paths, ", ") + ":\n\t\treturn true\n\t}\n\treturn false\n}"
}

// secretWidths are the paths, quoted, at which the width of a refusal tells a secret.
func (g *gen) secretWidths() (paths []string) {
	for pc := range g.p.Ops {
		if !g.p.WidthSecret(pc) {
			continue
		}
		ids := []plan.NodeID{g.p.Ops[pc].Node}
		if op := &g.p.Ops[pc]; op.Code == plan.OpRun { // all its fields
			ids = ids[:0]
			for _, info := range g.p.Info[op.A : op.A+op.B] {
				ids = append(ids, info.Node)
			}
		}
		for _, id := range ids {
			if path := g.pathOf(id); !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}
