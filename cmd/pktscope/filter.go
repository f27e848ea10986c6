package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report"
)

// -Y and -e: expressions and paths over the packets of each protocol at hand. Without -p those are all built-ins, and each
// text needs to fit only one of them.

// compileFilter compiles -Y for each decoder. A protocol that it does not fit has nil, and no packet of it matches.
func (p *program) compileFilter(src string, decoders []*decode.Decoder) ([]*filter.Program, error) {
	programs := make([]*filter.Program, len(decoders))
	errs := make([]error, len(decoders))
	fits := false
	for i, d := range decoders {
		programs[i], errs[i] = filter.Compile(d.Plan(), src)
		fits = fits || errs[i] == nil
	}
	if !fits {
		return nil, p.misfit("-Y", errs, decoders)
	}
	return programs, nil
}

// makeColumns makes the columns of -e for each decoder; a protocol that has no such field leaves the cell empty.
func (p *program) makeColumns(f *viewFlags, decoders []*decode.Decoder) error {
	all := make([][]error, len(decoders))
	for i, d := range decoders {
		_, all[i] = report.NewColumns(d.Plan(), f.paths, report.CSV)
	}
	for n := range f.paths {
		errs := make([]error, len(decoders))
		known := false
		for i := range decoders {
			errs[i] = all[i][n]
			known = known || errs[i] == nil
		}
		if !known {
			return p.misfit("-e", errs, decoders)
		}
	}
	return nil
}

// misfit prints why a text fits no protocol. Of several it shows the one for which it was understood best.
func (p *program) misfit(flag string, errs []error, decoders []*decode.Decoder) error {
	best := 0
	same := true
	for i := range errs {
		same = same && errs[i].Error() == errs[0].Error()
		if understood(errs[i].(*filter.Error), errs[best].(*filter.Error)) {
			best = i
		}
	}
	e := errs[best].(*filter.Error)
	b := report.AppendDiagnostics(nil, flag, []byte(e.Src), []schema.Diagnostic{e.Diagnostic}, p.coloured(p.stderr))
	if _, err := p.stderr.Write(b); err != nil {
		return err
	}
	if !same {
		p.complain("%s fits no built-in protocol; above is what it lacks for %s", flag, decoders[best].Plan().Schema.Name)
	}
	return told{}
}

// understood reports whether the text of error a came nearer to its protocol than that of b: its names are there, or one
// is near, or it was read further.
func understood(a, b *filter.Error) bool {
	rank := func(e *filter.Error) (n int) {
		if !strings.HasPrefix(e.Diagnostic.Message, "unknown path") {
			n += 2
		}
		if strings.HasPrefix(e.Diagnostic.Fix, "did you mean") {
			n++
		}
		return n
	}
	if x, y := rank(a), rank(b); x != y {
		return x > y
	}
	return a.Diagnostic.Pos.Off > b.Diagnostic.Pos.Off
}

// paths lists what -Y and -e can name, for completion: of the protocol that -p names, else of all built-ins.
func (f *protocolFlags) paths(cmd *cobra.Command) []filter.Path {
	list := filter.EnvelopePaths()
	var decoders []*decode.Decoder
	if f.name == "" {
		decoders = newPortTable().decoders
	} else if d := f.quietly(cmd); d != nil {
		decoders = append(decoders, d)
	}
	seen := map[string]bool{}
	for _, d := range decoders {
		for _, path := range filter.Paths(d.Plan()) {
			if !seen[path.Path] {
				seen[path.Path] = true
				list = append(list, path)
			}
		}
	}
	return list
}

// quietly is load for completion, which has nowhere to say what is wrong: nil then. Only what is a file is read, because
// stdin and pipes would be waited for.
func (f *protocolFlags) quietly(cmd *cobra.Command) *decode.Decoder {
	if _, ok := protocols.Source(f.name); !ok {
		if info, err := os.Stat(f.name); err != nil || !info.Mode().IsRegular() {
			return nil
		}
	}
	params, err := f.values(cmd)
	if err != nil {
		return nil
	}
	src, err := (&program{}).findSource(f.name)
	if err != nil {
		return nil
	}
	d, _ := src.compile(params)
	return d
}
