package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
)

// addGiven adds --given.
func (pf *protocolFlags) addGiven(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&pf.state, "given", nil, "read each packet as if its flow held `NAME=value` and nothing else (help language, What steers)")
	needs(cmd, "given", "protocol", ", which says what flows hold")
	mustComplete(cmd.RegisterFlagCompletionFunc("given", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var words []string
		if d := compileQuietly(pf.name, nil); d != nil {
			for _, r := range d.Schema().State {
				if r.Steers() {
					words = append(words, r.Name+"=")
				}
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}))
}

// addTrust adds --trust-context.
func (pf *protocolFlags) addTrust(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&pf.trust, "trust-context", false, "refuse a packet that contradicts what earlier ones of its flow set: none of those is missing")
}

// given is the decoder of flows that hold what --given says; d itself without it.
func (pf *protocolFlags) given(cmd *cobra.Command, d *decode.Decoder) (*decode.Decoder, error) {
	if len(pf.state) == 0 {
		return d, nil
	}
	params, err := paramsOf(cmd, "--given", pf.state)
	if err != nil {
		return nil, err
	}
	if d, err = d.WithState(params...); err != nil {
		return nil, usagef(cmd, "--given %s", err)
	}
	return d, nil
}

// loadAlone is load for what reads or makes each packet by itself: a register holds what --given says.
func (p *program) loadAlone(cmd *cobra.Command, f *protocolFlags) (*decode.Decoder, error) {
	d, err := p.load(cmd, f)
	if err != nil || !d.Steers() {
		return d, err
	}
	if at, name := d.SteeredAt(); !p.quiet {
		p.complain("note: no flow holds anything: what %s needs of `%s` is not read or made (--given)", at, name)
	}
	return d.WithState()
}

// loadKeepless is load for what makes files that keep nothing of other packets.
func (p *program) loadKeepless(cmd *cobra.Command, f *protocolFlags) (*decode.Decoder, error) {
	d, err := p.load(cmd, f)
	if err != nil || !d.Steers() {
		return d, err
	}
	at, name := d.SteeredAt()
	return nil, usagef(cmd, "%s: `%s` steers what is read, and what is generated keeps nothing of other packets: say what flows hold with --given", at, name)
}
