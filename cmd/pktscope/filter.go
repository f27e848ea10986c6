package main

import (
	"net/netip"
	"os"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// -Y and -e: expressions and paths over the packets of each protocol at hand. Without -p those are all built-ins, and
// each text needs to fit only one of them.

// compileChoice compiles -Y, and what --follow adds to it, for each decoder; nil without both.
func (p *program) compileChoice(text string, follow netip.AddrPort, decoders *scan.Decoders) (programs []*filter.Program, err error) {
	if text != "" {
		if programs, err = p.compileFilter("-Y", text, decoders.All()); err != nil {
			return nil, err
		}
	}
	if follow.IsValid() {
		return p.compileFilter("--follow", filter.Follow(follow, text), decoders.All())
	}
	return programs, nil
}

// compileFilter compiles the expression of a flag for each decoder. A protocol that it does not fit has nil: none of
// its packets matches.
func (p *program) compileFilter(flag, src string, decoders []*decode.Decoder) ([]*filter.Program, error) {
	programs, err := filter.CompileAny(plansOf(decoders), src)
	if err != nil {
		return nil, p.misfit(flag, err.(filter.Misfit), decoders)
	}
	return programs, nil
}

func plansOf(decoders []*decode.Decoder) (plans []*plan.Plan) {
	for _, d := range decoders {
		plans = append(plans, d.Plan())
	}
	return plans
}

// makeColumns makes the columns of -e for each decoder; a protocol that has no such field leaves the cell empty.
func (p *program) makeColumns(f *viewFlags, decoders []*decode.Decoder) error {
	all := make([][]error, len(decoders))
	for i, d := range decoders {
		_, all[i] = report.NewColumns(d.Plan(), f.paths, report.CSV)
	}
	for n := range f.paths {
		var wrong filter.Misfit
		for i := range decoders {
			if err := all[i][n]; err != nil {
				wrong = append(wrong, err.(*filter.Error))
			}
		}
		if len(wrong) == len(decoders) {
			return p.misfit("-e", wrong, decoders)
		}
	}
	return nil
}

// misfit prints why a text fits no protocol. Of several it shows the one for which it was understood best.
func (p *program) misfit(flag string, wrong filter.Misfit, decoders []*decode.Decoder) error {
	which, same := wrong.Nearest()
	e := wrong[which]
	b := report.AppendDiagnostics(nil, aboutText(flag, []byte(e.Src), e.Diagnostic), p.coloured(p.stderr))
	if _, err := p.stderr.Write(b); err != nil {
		return err
	}
	if !same {
		p.complain("%s fits no built-in protocol; above is what it lacks for %s", flag, decoders[which].Plan().Schema.Name)
	}
	return told{}
}

// plans are those that -Y and -e are about, for completion: of the protocol that -p names, else of all built-ins.
func (pf *protocolFlags) plans(cmd *cobra.Command) []*plan.Plan {
	var decoders []*decode.Decoder
	if pf.name == "" {
		decoders = scan.Builtins().All()
	} else if d := pf.quietly(cmd); d != nil {
		decoders = append(decoders, d)
	}
	return plansOf(decoders)
}

// quietly is load for completion: nil where something is wrong.
func (pf *protocolFlags) quietly(cmd *cobra.Command) *decode.Decoder {
	params, err := pf.values(cmd)
	if err != nil {
		return nil
	}
	d := compileQuietly(pf.name, params)
	if d != nil && pf.section != "" {
		d, _ = d.Alone(pf.section)
	}
	return d
}

// compileQuietly is for completion, which has nowhere to say what is wrong with a protocol: nil then. Only what is a
// file is read, because stdin and pipes would be waited for.
func compileQuietly(name string, params []decode.Param) *decode.Decoder {
	if _, ok := protocols.Shipped(name); !ok {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil
		}
	}
	src, err := (&program{}).findSource(name)
	if err != nil {
		return nil
	}
	d, _ := src.compile(params)
	return d
}
