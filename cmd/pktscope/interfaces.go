package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/report"
)

func newInterfaces(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "interfaces",
		Short: "list the network interfaces that live can capture on",
		Long: `Interfaces lists the network interfaces, and says which of them live can capture on. On
stderr it says whether you may capture. Capturing needs root or CAP_NET_RAW, which the
command that it prints gives to this program.`,
		Example:           "  pktscope interfaces",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "%q: interfaces takes no arguments", args[0])
			}
			return p.interfaces()
		},
	}
}

func (p *program) interfaces() error {
	list, err := live.Interfaces()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tLINK\tMTU\tADDRESSES")
	for _, i := range list {
		state := "up"
		switch {
		case !i.Supported:
			state = "unsupported"
		case !i.Up:
			state = "down"
		}
		var addrs []string
		for _, a := range i.Addrs {
			addrs = append(addrs, a.String())
		}
		text := strings.Join(addrs, ", ")
		if text == "" {
			text = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", syntax.EscapeText(i.Name), state, i.Link, i.MTU, text)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := p.out.Flush(); err != nil || p.quiet {
		return err
	}
	_, err = p.stderr.WriteString(permission(live.Permitted()))
	return err
}

// permission is a line on whether this user may capture, and what to do if not.
func permission(err error) string {
	switch {
	case err == nil && os.Geteuid() == 0:
		return "you may capture: this is root; live --user gives that away once the interface is open\n"
	case err == nil:
		return "you may capture\n"
	case !errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("capturing does not work here: %s\n", syntax.EscapeText(err.Error()))
	case runtime.GOOS != "linux":
		return "you may not capture: run as root\n"
	}
	path, err := os.Executable()
	if err != nil {
		path = "pktscope"
	}
	return "you may not capture: run as root, or once:\n  sudo setcap cap_net_raw+ep " + syntax.EscapeText(report.ShellCommand([]string{path})) + "\n"
}
