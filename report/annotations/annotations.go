// Package annotations writes results as workflow commands of GitHub Actions: lines that show as annotations beside the
// schema's lines, in the form `::error file=my.pks,line=12,col=5,title=…::message`. A crash whose report names a line of
// the reader's source, below the directory that pktscope runs in, is shown there.
//
// Of each level 10 are shown, which is what GitHub takes of a step, and a line says how many more there are. A line
// begins with what this package writes, so no text from outside is a command: in a message % and line ends are escaped,
// in a property also the colon and the comma, and control and bidi characters are shown as `\x1b`.
package annotations

import (
	"fmt"
	"io"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/results"
)

// Most is how many annotations of a level are written.
const Most = 10

const maxText = 500 // bytes of a text

// Write writes the problems of a set, errors first. root is the directory that the files of readers are named from, "" for
// none. The error is the writer's.
func Write(w io.Writer, s *results.Set, root string) error {
	var b strings.Builder
	remarks := s.Remarks()
	for i, line := range remarks {
		if i < Most {
			b.WriteString("::error title=pktscope::" + message(line) + "\n")
		}
	}
	problems := s.Problems()
	for _, level := range []struct {
		of         results.Level
		word, many string
	}{{results.Error, "error", "errors"}, {results.Warning, "warning", "warnings"}} {
		n := 0
		if level.of == results.Error {
			n = min(len(remarks), Most)
		}
		for i := range problems {
			if problems[i].Level != level.of {
				continue
			}
			if n++; n <= Most {
				line(&b, level.word, &problems[i], root)
			}
		}
		if n > Most {
			fmt.Fprintf(&b, "%d more %s are not shown\n", n-Most, level.many)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func line(b *strings.Builder, level string, p *results.Problem, root string) {
	b.WriteString("::" + level + " ")
	reader, here := p.ReadersLine(), false
	file := ""
	for _, f := range p.Stack[:min(len(p.Stack), fuzz.MaxFrames)] {
		if below, ok := results.Below(f.File, root); ok && f.Line > 0 {
			reader, file, here = f, below, true
			break
		}
	}
	switch {
	case here:
		fmt.Fprintf(b, "file=%s,line=%d,", property(file), reader.Line)
	case p.Place != nil:
		fmt.Fprintf(b, "file=%s,line=%d,col=%d,", property(p.Place.File), p.Place.Line, p.Place.Column)
	case p.Schema != "":
		fmt.Fprintf(b, "file=%s,", property(p.Schema))
	}
	what := p.Kind
	if p.Source == results.FromReject {
		what = "refused, " + what
	}
	fmt.Fprintf(b, "title=%s::%s", property("pktscope "+p.Name+": "+what), message(p.Where()+": "+p.Message))
	if here && p.Place != nil {
		fmt.Fprintf(b, "; the rule is in %s:%d", message(p.Place.File), p.Place.Line)
	} else if !here && reader.File != "" && p.Cause == "" { // a cause has it
		b.WriteString("; the reader's line: " + message(reader.String()))
	}
	if p.Target != "" {
		b.WriteString("; target " + message(p.Target))
	}
	if p.N > 0 && p.File != "" {
		fmt.Fprintf(b, "; first in record %d of %s", p.N, message(p.File))
	}
	if p.Source != results.FromBudget && p.Count > 0 {
		fmt.Fprintf(b, "; packets: %d", p.Count)
	}
	b.WriteByte('\n')
}

func message(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(syntax.EscapeText(table.Clip(text, maxText)))
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(message(text))
}
