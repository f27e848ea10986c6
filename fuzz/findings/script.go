package findings

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

// script is a shell script that shows the packet, and sends it again. What it names, such as the protocol's file, was
// named where pktscope was run: it goes there by the way between the two directories, so that it works wherever they
// are moved together; where there is no such way, it has to be run there.
func (d *Dir) script(name string, f *fuzz.Finding) []byte {
	protocol := shellWords(d.origin.Protocol)
	b := fmt.Appendf(nil, "#!/bin/sh\n# %v: %s\nfound=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd) || exit 2\n", f.Kind, commentText(f.What()))
	if d.back != "" {
		b = fmt.Appendf(b, "cd -- \"$found\"/%s || exit 2 # where pktscope was run\n", shellQuote(d.back))
	} else {
		b = append(b, "# To be run where pktscope was.\n"...)
	}
	b = fmt.Appendf(b, "pktscope explain %s -r \"$found\"/%s.pcapng -n %d\n", protocol, name, len(f.Before)+1)
	replayed := ".json"
	if report.Withheld(d.saved.Plan, f) && f.State == "" && !f.InState() && !f.Seal {
		replayed = ".pcapng" // which alone has what holds a secret
	}
	b = fmt.Appendf(b, "pktscope fuzz %s --replay \"$found\"/%s%s\n", shellWords(append(d.origin.Protocol[:len(d.origin.Protocol):len(d.origin.Protocol)], d.origin.Flags...)), name, replayed)
	return b
}

// shellWords are arguments as a shell takes them.
func shellWords(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = shellQuote(arg)
	}
	return strings.Join(quoted, " ")
}

// shellQuote is an argument as a shell takes it, whatever it holds.
func shellQuote(arg string) string { return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'" }

// commentText is text from outside for a line of comment: it can neither end the line nor turn its direction.
func commentText(text string) string {
	return strings.TrimRight(strings.ReplaceAll(syntax.EscapeText(text), "*/", "* /"), `\`)
}

// wayBack is the way from a directory to the one that we are in, "" when it is not below that. Links are followed: a
// shell does so after "..".
func wayBack(dir string) string {
	here, err := filepath.Abs(".")
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return ""
	}
	if dir, err = filepath.Abs(dir); err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return ""
	}
	if inside, err := filepath.Rel(here, dir); err != nil || !filepath.IsLocal(inside) {
		return ""
	}
	back, err := filepath.Rel(dir, here)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(back)
}
