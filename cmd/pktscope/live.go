package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap/live"
)

func newLive(p *program) *cobra.Command {
	var flags viewFlags
	var name string
	cmd := &cobra.Command{
		Use:   "live -i INTERFACE",
		Short: "decode packets from a network interface",
		Long: `Live decodes what passes a network interface, with the views of decode. Ctrl-C ends it at
once, with a summary. It needs the privilege to capture: root, or CAP_NET_RAW:

  sudo setcap cap_net_raw+ep "$(command -v pktscope)"`,
		Example: `  pktscope live -i eth0
  pktscope live -i lo -p my.pks -V
  pktscope live -i eth0 -Y 'pkt.dst_port == 4124 && pkt.rejected' -x
  pktscope live -i eth0 --only rejects -T json >> rejects.jsonl`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usagef(cmd, "%q: live takes no files; `pktscope decode` reads captures", args[0])
			case name == "":
				return usagef(cmd, "which interface? want -i INTERFACE")
			}
			return p.live(cmd, &flags, name)
		},
	}
	cmd.Flags().StringVarP(&name, "interface", "i", "", "network `INTERFACE`")
	completeInterfaces(cmd)
	flags.add(cmd)
	return cmd
}

func (p *program) live(cmd *cobra.Command, flags *viewFlags, name string) error {
	v, err := p.openView(cmd, flags, false)
	if err != nil {
		return err
	}
	if err := v.saveTo(p, cmd, nil); err != nil {
		return err
	}
	src, err := live.Open(name, live.Options{})
	if err != nil {
		return err
	}
	defer src.Close()
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupt)
	if !p.quiet {
		p.complain("capturing on %s, Ctrl-C ends", name)
	}
	done := make(chan struct{})
	watched := p.watch(src, interrupt, done)
	stop := p.out.flushEvery(flushInterval)
	_, err = v.capture(src, "")
	stop()
	_ = src.Close() // it was only read
	close(done)
	<-watched
	var write *writeError
	if errors.As(err, &write) {
		return write.error
	}
	if err != nil {
		p.complain("%s: %s", name, err)
	}
	if failed := v.saved(p, false); failed != nil {
		return failed
	}
	if failed := p.summarise(v); failed != nil {
		return failed
	}
	p.drops(src, 0)
	switch {
	case err != nil:
		return told{}
	case v.failed():
		return findings{}
	}
	return nil
}

// watch closes the source at the first signal, and says when the kernel drops packets. It ends with done.
func (p *program) watch(src *live.Source, interrupt <-chan os.Signal, done <-chan struct{}) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		var dropped uint64
		for {
			select {
			case <-interrupt:
				_ = src.Close() // wakes the reader
				<-done
				return
			case <-ticker.C:
				dropped = p.drops(src, dropped)
			case <-done:
				return
			}
		}
	}()
	return ended
}

// drops says how many packets the kernel has dropped, if more than before, and returns how many.
func (p *program) drops(src *live.Source, before uint64) uint64 {
	stats, err := src.Stats()
	if err != nil || stats.Dropped <= before {
		return before // without numbers there is nothing to say
	}
	if !p.quiet {
		fmt.Fprintf(p.stderr, "dropped by the kernel: %d of %d packets, which came faster than they were read\n", stats.Dropped, stats.Received)
	}
	return stats.Dropped
}
