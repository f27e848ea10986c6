package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// protocolFlags are -p, -D, --port, --section, --given, and of some commands --keys and --trust-context.
type protocolFlags struct {
	name    string
	params  []string
	port    string // --port
	section string
	keys    string
	state   []string
	trust   bool // --trust-context
	opens   bool // what --keys opens is shown, and so what was sealed is not
}

func (pf *protocolFlags) add(cmd *cobra.Command) {
	pf.addWhole(cmd)
	filledVar(cmd, &pf.section, "section", "", "each packet is one whole message: a `NAME` that the protocol declares with `message`", "a message of the protocol")
	needs(cmd, "section", "protocol", ", which says what its messages are")
	pf.completeSections(cmd)
	addPorts(cmd, &pf.port, "the server's `PORTS`, instead of the protocol's: 4124 or 4000-4010,5000")
	needs(cmd, "port", "protocol", ", whose server it is")
	pf.addGiven(cmd)
}

// addPorts adds --port, a list that pcap.ParsePorts takes.
func addPorts(cmd *cobra.Command, value *string, usage string) {
	check := func(text string) (string, error) {
		_, err := pcap.ParsePorts(text)
		return text, err
	}
	add(cmd, &checked[string]{value, check, "string"}, "port", "", usage)
	mustComplete(cmd.RegisterFlagCompletionFunc("port", cobra.NoFileCompletions))
}

// portsIn are the ports of --port, nil without it.
func portsIn(text string) []uint16 {
	ports, _ := pcap.ParsePorts(text) // was checked
	return ports
}

// addWhole is add for what needs the protocol as a whole.
func (pf *protocolFlags) addWhole(cmd *cobra.Command) {
	filledVar(cmd, &pf.name, "protocol", "p", "`PROTOCOL` of the packets: a built-in, or a .pks file", "a built-in or a .pks file")
	pf.addParams(cmd)
	needs(cmd, "define", "protocol", ", which says whose param it is")
	completeProtocols(cmd)
}

func (pf *protocolFlags) addParams(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&pf.params, "define", "D", nil, "set a param of the protocol: `Name=value`")
	pf.completeParams(cmd)
}

// words are the flags as they are on a command line.
func (pf *protocolFlags) words() []string {
	words := []string{"-p", pf.name}
	for _, d := range pf.params {
		words = append(words, "-D", d)
	}
	if pf.port != "" {
		words = append(words, "--port", pf.port)
	}
	if pf.section != "" {
		words = append(words, "--section", pf.section)
	}
	if pf.keys != "" {
		words = append(words, "--keys", pf.keys)
	}
	for _, s := range pf.state {
		words = append(words, "--given", s)
	}
	return words
}

// values parses the -D flags.
func (pf *protocolFlags) values(cmd *cobra.Command) ([]decode.Param, error) {
	return paramsOf(cmd, "-D", pf.params)
}

// paramsOf parses what a flag gives as Name=value.
func paramsOf(cmd *cobra.Command, flag string, list []string) ([]decode.Param, error) {
	var params []decode.Param
	for _, d := range list {
		param, err := decode.ParseParam(d)
		if err != nil {
			return nil, usagef(cmd, "%s %s", flag, err)
		}
		if slices.ContainsFunc(params, func(p decode.Param) bool { return p.Name == param.Name }) {
			return nil, usagef(cmd, "%s %s is given twice", flag, param.Name)
		}
		params = append(params, param)
	}
	return params, nil
}

// source is a protocol's description as it was found.
type source struct {
	name string // as messages call it
	text []byte
	dir  fs.FS // of its imports; nil for none
}

// findSource finds what -p or an argument names: a built-in, an example, or a file.
func (p *program) findSource(name string) (*source, error) {
	if text, ok := protocols.Shipped(name); ok {
		return &source{name: name + ".pks", text: text, dir: protocols.Dir()}, nil
	}
	isFile := name == "-" || strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".pks")
	if !isFile {
		if _, err := os.Stat(name); err != nil {
			meant := didYouMean(name, protocols.ShippedNames())
			if _, err := os.Stat(name + ".pks"); err == nil {
				meant = fmt.Sprintf("; did you mean \"%s.pks\"?", name)
			}
			return nil, fmt.Errorf("unknown protocol %q: want a path to a .pks file, or a built-in (%s)%s",
				name, strings.Join(protocols.Names(), ", "), meant)
		}
	}
	return p.readSource(name)
}

// readSource reads a .pks file, or stdin for `-`.
func (p *program) readSource(name string) (*source, error) {
	r := p.stdin
	if name != "-" {
		f, err := p.openText(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	// One byte more than a schema may have, so that the parser sees that it is too long.
	text, err := io.ReadAll(io.LimitReader(r, syntax.MaxSource+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, reason(err))
	}
	src := &source{name: name, text: text}
	if name != "-" {
		src.dir = inputDir{decode.Dir(filepath.Dir(name)).(fs.StatFS), &p.inputs}
	}
	return src, nil
}

// compile makes the decoder. The decoder is nil when a diagnostic is an error.
func (s *source) compile(params []decode.Param) (*decode.Decoder, *schema.Diagnostics) {
	allowMemory(schemaMemory * int64(len(s.text)))
	d, err := decode.LoadFS(s.dir, s.name, s.text, params...)
	if err != nil {
		return nil, err.(*schema.Diagnostics)
	}
	allowMemory(nodeMemory * int64(len(d.Plan().Nodes)))
	return d, &schema.Diagnostics{Files: d.Schema().Files, List: d.Schema().Warnings}
}

// load finds and compiles what -p names. What is wrong with it goes to stderr; warnings are left to `schema check`.
func (p *program) load(cmd *cobra.Command, f *protocolFlags) (*decode.Decoder, error) {
	params, err := f.values(cmd)
	if err != nil {
		return nil, err
	}
	src, err := p.findSource(f.name)
	if err != nil {
		return nil, err
	}
	d, diags := src.compile(params)
	if d == nil {
		return nil, p.refuseSchema(diags)
	}
	if f.port != "" {
		d = d.WithPorts(portsIn(f.port)...)
	}
	if d, err = f.given(cmd, d); err == nil && f.opens && f.keys != "" {
		d, err = d.Opening()
	}
	if err == nil && f.section != "" {
		if d, err = d.Alone(f.section); err != nil {
			return nil, usagef(cmd, "--section %s", err)
		}
	}
	return d, err
}

// refuseSchema says what is wrong with a schema, without its warnings.
func (p *program) refuseSchema(diags *schema.Diagnostics) error {
	diags.List = slices.DeleteFunc(diags.List, func(d schema.Diagnostic) bool { return d.Severity != schema.Error })
	if err := p.tellDiagnostics(diags); err != nil {
		return err
	}
	return told{}
}

// tellDiagnostics prints what is wrong with a schema to stderr, after all that stdout has.
func (p *program) tellDiagnostics(d *schema.Diagnostics) error {
	if err := p.out.Flush(); err != nil {
		return err
	}
	_, err := p.stderr.Write(report.AppendDiagnostics(nil, d, p.coloured(p.stderr)))
	return err
}

// aboutText are diagnostics of one text that is called name.
func aboutText(name string, text []byte, list ...schema.Diagnostic) *schema.Diagnostics {
	return &schema.Diagnostics{Files: schema.Files{{Name: name, Src: text}}, List: list}
}
