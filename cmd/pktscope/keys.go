package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/keys"
)

// addKeys adds --keys, which opens what is shown, or seals.
func (pf *protocolFlags) addKeys(cmd *cobra.Command, opens bool) {
	pf.opens = opens
	filledVar(cmd, &pf.keys, "keys", "", "open and seal with the keys of a `FILE` (help language, What is sealed)", "a file of keys")
	mustComplete(cmd.MarkFlagFilename("keys"))
}

// readKeys reads the file of --keys; nil without one. What it has is shown nowhere.
func (p *program) readKeys(pf *protocolFlags) (*keys.File, error) {
	if pf.keys == "" {
		return nil, nil
	}
	f, err := p.openText(pf.keys)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		if warning := keys.Exposed(pf.keys, info.Mode()); warning != "" && !p.quiet {
			p.complain("warning: %s", warning)
		}
	}
	return keys.Read(pf.keys, f)
}
