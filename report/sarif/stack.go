package sarif

import (
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report/results"
)

// The stack of a crash is in the reader's own source, where the schema is not: its innermost line is a related
// location, all of it a stack. Names in it are the target's text.

type stack struct {
	Message message `json:"message"`
	Frames  []frame `json:"frames"`
}

type frame struct {
	Location location `json:"location"`
}

// frameAt is a frame as a location. root is as in Write.
func frameAt(f *fuzz.Frame, root string) location {
	var l location
	if f.Function != "" {
		l.Logical = []logical{{text(f.Function), "function"}}
	}
	if f.File != "" {
		l.Physical = &physical{Artifact: artifactOf(f.File, root)}
		if f.Line > 0 {
			l.Physical.Region = &region{Line: f.Line}
		}
	}
	return l
}

// stackOf adds the stack of a crash to its result, and a link to the reader's line to its message.
func (r *result) stackOf(p *results.Problem, root string) {
	if len(p.Stack) == 0 {
		return
	}
	s := stack{Message: message{"the reader's calls, the innermost first"}}
	reader, line := p.ReadersLine(), false
	for i := range p.Stack[:min(len(p.Stack), fuzz.MaxFrames)] {
		f := &p.Stack[i]
		at := frameAt(f, root)
		s.Frames = append(s.Frames, frame{at})
		if !line && *f == reader && f.File != "" {
			line = true
			at.ID = len(r.Related) + 1
			at.Message = &message{plain(text(f.String()))}
			r.Related = append(r.Related, at)
			r.Message.Text += linkToReader
		}
	}
	r.Stacks = []stack{s}
}

// linkToReader links to the related location with the id 1, which services show where a message names it.
const linkToReader = "; [the reader's line](1)"
