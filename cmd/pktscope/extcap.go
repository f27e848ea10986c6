package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/pcap/relay/line"
	"github.com/pktscope/pktscope/report"
)

// extcapFlags are what Wireshark asks an extcap program with, and the settings that it has from the user.
type extcapFlags struct {
	interfaces, dlts, config, capture bool
	name, fifo, filter                string

	protocol, listen, to, profile string
	promiscuous, install          bool
}

// liveName and tapName are how our interfaces are called, of live with the network interface after it.
const (
	liveName = "pktscope-"
	tapName  = "pktscope:tap"
)

func newExtcap(p *program) *cobra.Command {
	var flags extcapFlags
	cmd := &cobra.Command{
		Use:   "extcap",
		Short: "offer live and tap as capture interfaces of Wireshark",
		Long: `Extcap makes interfaces of live and tap that Wireshark and tshark list beside their own. Those of
live capture only UDP from or to the ports of a protocol; that of tap relays UDP between a client and
a server on this machine, and needs no privilege. gen wireshark makes the dissector that shows what
their packets mean.

With --install a script goes to the personal extcap folder of Wireshark 4.2 and later, which calls this
program; for 4.0, set WIRESHARK_EXTCAP_DIR to that folder. All other flags are Wireshark's.`,
		Example: `  pktscope extcap --install
  tshark -D
  tshark -i pktscope-lo -o extcap.pktscope_lo.protocol:my.pks`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "%q: extcap takes no arguments", args[0])
			}
			return p.extcap(cmd, &flags)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.install, "install", false, "write the script that Wireshark calls")
	f.BoolVar(&flags.interfaces, "extcap-interfaces", false, "list the interfaces")
	f.BoolVar(&flags.dlts, "extcap-dlts", false, "list the link types of an interface")
	f.BoolVar(&flags.config, "extcap-config", false, "list the settings of an interface")
	f.BoolVar(&flags.capture, "capture", false, "capture packets")
	f.StringVar(&flags.name, "extcap-interface", "", "`NAME` of the interface")
	f.StringVar(&flags.fifo, "fifo", "", "write packets to `FILE`")
	f.StringVar(&flags.filter, "extcap-capture-filter", "", "`TERMS` of live's -f")
	f.String("extcap-version", "", "`VERSION` of Wireshark")
	f.StringVar(&flags.protocol, "protocol", "", "`PROTOCOL` of -p")
	f.BoolVar(&flags.promiscuous, "promiscuous", false, "live's --promiscuous")
	f.StringVar(&flags.listen, "listen", "", "tap's `ADDR:PORT`")
	f.StringVar(&flags.to, "to", "", "tap's `ADDR:PORT`")
	f.StringVar(&flags.profile, "profile", "", "tap's `PROFILE`")
	completeProfiles(cmd)
	completeProtocols(cmd)
	return cmd
}

func (p *program) extcap(cmd *cobra.Command, flags *extcapFlags) error {
	switch {
	case flags.install:
		return p.extcapInstall()
	case flags.interfaces:
		return p.extcapInterfaces()
	case flags.name == "":
		return usagef(cmd, "want --install; all else is for Wireshark to ask")
	}
	name, isLive := strings.CutPrefix(flags.name, liveName)
	if !isLive && flags.name != tapName {
		return usagef(cmd, "--extcap-interface %q: no such interface", flags.name)
	}
	switch {
	case flags.dlts:
		number, word, title := 1, "EN10MB", "Ethernet"
		if isLive && name == live.Any {
			number, word, title = 276, "LINUX_SLL2", "Linux cooked"
		}
		fmt.Fprintf(p.out, "dlt {number=%d}{name=%s}{display=%s}\n", number, word, title)
	case flags.config:
		p.extcapConfig(isLive)
	case flags.capture:
		if flags.fifo == "" {
			return usagef(cmd, "--capture: want --fifo")
		}
		return p.extcapCapture(flags.fifo, flags.command(isLive, name))
	case flags.filter != "": // is it good?
		if _, err := live.ParseFilter(flags.filter); err != nil {
			fmt.Fprintln(p.out, err)
		}
	}
	return nil
}

// command is the command that captures.
func (e *extcapFlags) command(isLive bool, name string) []string {
	args := []string{"tap", "--listen", e.listen, "--to", e.to}
	if isLive {
		args = []string{"live", "-i", name}
		if e.promiscuous {
			args = append(args, "--promiscuous")
		}
		if e.filter != "" {
			args = append(args, "-f", e.filter)
		}
	} else if e.profile != "" && e.profile != "none" {
		args = append(args, "--profile", e.profile)
	}
	if e.protocol != "" {
		args = append(args, "-p", e.protocol)
	}
	return append(args, "-q", "-w", "-")
}

// extcapCapture runs a command whose stdout is the pipe that Wireshark made. One that nobody reads is waited for until a
// signal comes.
func (p *program) extcapCapture(fifo string, args []string) error {
	f, err := p.openUnlessInterrupted(fifo, func(name string) (*os.File, error) {
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	})
	if isInterrupted(err) {
		return nil
	} else if err != nil {
		return outputError(fifo, err)
	}
	own := p.out
	p.out = newOutput(f)
	defer func() { p.out = own }()
	run := newRoot(p, args...)
	run.SetArgs(args)
	err = run.Execute()
	if flushed := p.out.Flush(); err == nil {
		err = flushed
	}
	if closed := f.Close(); err == nil && closed != nil {
		err = outputError(fifo, closed)
	}
	return err
}

func (p *program) extcapInterfaces() error {
	fmt.Fprintln(p.out, "extcap {version=1.0}{help=https://github.com/pktscope/pktscope}{display=pktscope}")
	list, err := live.Interfaces()
	if err != nil && !errors.Is(err, live.ErrUnsupported) {
		return err
	}
	for _, i := range list {
		if i.Supported && i.Up && !strings.ContainsFunc(i.Name, func(r rune) bool { return r <= ' ' || r > '~' || r == '{' || r == '}' }) {
			fmt.Fprintf(p.out, "interface {value=%s%s}{display=pktscope: the protocol's ports on %[2]s}\n", liveName, i.Name)
		}
	}
	fmt.Fprintf(p.out, "interface {value=%s}{display=pktscope: relay between a client and a server}\n", tapName)
	return nil
}

// extcapConfig lists the settings that Wireshark asks the user for.
func (p *program) extcapConfig(isLive bool) {
	const protocol = "{call=--protocol}{display=Protocol}{type=string}{tooltip=A built-in, or a .pks file by its full path. Of one without a port, live captures UDP of all ports}{placeholder=all built-ins}{group=Protocol}\n"
	fmt.Fprint(p.out, "arg {number=0}"+protocol)
	if isLive {
		fmt.Fprintln(p.out, "arg {number=1}{call=--promiscuous}{display=Promiscuous}{type=boolflag}{default=false}{tooltip=Also capture what is addressed to other stations}{group=Protocol}")
		return
	}
	fmt.Fprintln(p.out, "arg {number=1}{call=--listen}{display=Listen at}{type=string}{required=true}{tooltip=Where clients send to: ADDR:PORT, loopback}{placeholder=127.0.0.1:4124}{group=Relay}")
	fmt.Fprintln(p.out, "arg {number=2}{call=--to}{display=Server}{type=string}{required=true}{tooltip=ADDR:PORT of the server, loopback}{placeholder=127.0.0.1:4125}{group=Relay}")
	fmt.Fprintln(p.out, "arg {number=3}{call=--profile}{display=Network}{type=selector}{tooltip=How bad the network is}{group=Relay}")
	fmt.Fprintln(p.out, "value {arg=3}{value=none}{display=as it is}{default=true}")
	for _, name := range line.Names() {
		fmt.Fprintf(p.out, "value {arg=3}{value=%s}{display=%[1]s}{default=false}\n", name)
	}
}

// extcapMark is in the script that --install writes.
const extcapMark = "Written by pktscope extcap --install."

// extcapInstall writes the script that Wireshark calls, as Wireshark calls no program with arguments of one's own.
func (p *program) extcapInstall() error {
	plugins, err := luaPlugins()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("no name of this program: %s", reason(err))
	}
	name, text := "pktscope", fmt.Sprintf("#!/bin/sh\n# %s\nexec %s extcap \"$@\"\n", extcapMark, report.ShellCommand([]string{program}))
	if runtime.GOOS == "windows" {
		name, text = "pktscope.bat", fmt.Sprintf("@rem %s\r\n@\"%s\" extcap %%*\r\n", extcapMark, program)
	}
	file := filepath.Join(filepath.Dir(plugins), "extcap", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return outputError(filepath.Dir(file), err)
	}
	if err := ours(file, "extcap --install", "", func(have []byte) bool { return bytes.Contains(have, []byte(extcapMark)) }); err != nil {
		return err
	}
	if err := p.writeFile(file, []byte(text), 0); err != nil {
		return outputError(file, err)
	}
	if err := os.Chmod(file, 0o755); err != nil {
		return outputError(file, err)
	}
	if !p.quiet {
		p.complain("%s is written", file)
	}
	return nil
}
