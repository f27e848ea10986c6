package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/fuzz/udp"
	"github.com/pktscope/pktscope/pcap/relay"
	"github.com/pktscope/pktscope/pcap/relay/line"
	"github.com/pktscope/pktscope/report/stats"
)

// tapFlags are the flags that `tap` has beside those of a view.
type tapFlags struct {
	view       viewFlags
	listen, to string
	profile    string        // --profile
	up, down   bool          // --up, --down
	seed       uint64        // --seed
	dropIf     string        // --drop-if
	delayIf    string        // --delay-if
	stats      time.Duration // --stats
	rate       int           // --rate
	authorised netip.Addr    // --i-am-authorised-to-test

	stopAt limits // -a
	both   line.Both
	asked  []string // of profile and lines, as they were given
}

func newTap(p *program) *cobra.Command {
	var flags tapFlags
	cmd := &cobra.Command{
		Use:   "tap --listen ADDR:PORT --to ADDR:PORT",
		Short: "relay UDP between a client and a server, and decode it",
		Long: `Tap decodes traffic where you may not capture: the client sends to --listen, tap passes the
packets on to the server at --to, and the answers back. They are decoded with the views of
decode. -w writes them to a capture, as between the client and whichever of the two
addresses has a port of the protocol, so that the sender of each packet is known.

To show how a game behaves on a bad network, tap can delay, lose, double and reorder the
packets of each client, in both directions, or with --up (to the server) or --down in one.
--profile has several of these settings in a file (TOML), or is the name of one that comes
with pktscope; other flags override it:

` + profileLines() + `
--burst makes --drop lose packets in runs. --jitter keeps the order; only --reorder changes it.
The same --seed draws the same losses and delays. --drop-if loses the packets for which an
expression is true; --delay-if delays only those. Lost packets are counted, but neither shown
nor written. Output never stops the traffic: when stdout is too slow, packets are still passed
on, and those that were not shown are counted. On Linux, tap also counts the packets that the
system dropped because tap did not read them in time.

Both addresses must be loopback. --to may be another address if --i-am-authorised-to-test
repeats it; then --rate and -a duration: are needed, to bound what is sent there. At most
256 clients are served at a time; tap forgets a client when neither it nor its server has
sent anything for a minute. -a stops after duration:TIME (seconds, or as in 90s) or
packets:N; Ctrl-C or SIGTERM ends it as well, with a summary.`,
		Example: `  pktscope tap --listen 127.0.0.1:4124 --to 127.0.0.1:4125
  pktscope tap --listen 127.0.0.1:4124 --to 127.0.0.1:4125 --drop 5% --seed 7 -w lossy.pcapng
  pktscope tap --listen 127.0.0.1:4124 --to 127.0.0.1:4125 --delay 80ms --jitter 20ms --bandwidth 256kbit --up
  pktscope tap --listen 127.0.0.1:4124 --to 127.0.0.1:4125 --profile lte --stats 1s   # rates, losses, rejects: a table that refreshes
  pktscope tap --listen 127.0.0.1:40000 --to 127.0.0.1:40001 -p my.pks -V --drop-if 'kind == "State"'`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usagef(cmd, "%q: tap takes no files; `pktscope decode` reads captures", args[0])
			case flags.listen == "" || flags.to == "":
				return usagef(cmd, "between whom? want --listen ADDR:PORT and --to ADDR:PORT")
			}
			return p.tap(cmd, &flags)
		},
	}
	set := cmd.Flags()
	set.StringVar(&flags.listen, "listen", "", "`ADDR:PORT` that clients send to; loopback")
	set.StringVar(&flags.to, "to", "", "`ADDR:PORT` of the server")
	for _, s := range line.Settings() {
		add(cmd, &checked[string]{new(string), func(text string) (string, error) { return text, new(line.Profile).Set(s.Name, text) }, "string"}, s.Name, "", s.Usage)
		completeWords(cmd, s.Name, []string{s.Example})
	}
	filledVar(cmd, &flags.profile, "profile", "", "settings of a network, a `NAME|FILE`: "+strings.Join(line.Names(), ", ")+", or a .toml", "one of "+strings.Join(line.Names(), ", ")+", or a .toml file")
	completeProfiles(cmd)
	set.BoolVar(&flags.up, "up", false, "only what clients send goes over a bad network")
	set.BoolVar(&flags.down, "down", false, "only what the server sends goes over a bad network")
	excludes(cmd, "both is usual", "up", "down")
	set.Uint64Var(&flags.seed, "seed", 0, "`NUMBER` that decides what is lost, delayed, doubled and reordered (default: random, and shown at the end)")
	filledVar(cmd, &flags.dropIf, "drop-if", "", "lose the packets for which `EXPR` is true", "an expression, such as 'pkt.rejected'")
	filledVar(cmd, &flags.delayIf, "delay-if", "", "delay only the packets for which `EXPR` is true", "an expression, such as 'pkt.from == \"server\"'")
	limitsVar(cmd, &flags.stopAt, "autostop", "a", "stop after `KIND:VALUE`: duration or packets; repeatable", tapKinds)
	numberVar(cmd, &flags.rate, "rate", "", 0, 1, udp.MaxRate, "pass at most `N` packets a second, and lose the rest", " packets a second")
	addressVar(cmd, &flags.authorised, "i-am-authorised-to-test", "--to may be `ADDR`, which is not loopback")
	for _, flag := range []string{"listen", "to"} {
		completeWords(cmd, flag, []string{"127.0.0.1:", "[::1]:"})
	}
	flags.view.add(cmd)
	addStats(cmd, &flags.stats)
	return cmd
}

// profileLines are the profiles that come with pktscope, a line each.
func profileLines() string {
	var b strings.Builder
	for _, name := range line.Names() {
		fmt.Fprintf(&b, "  %-9s  %s\n", name, strings.ReplaceAll(line.Summary(name), "; ", "\n             "))
	}
	return b.String()
}

var tapKinds = stopKinds[:2] // duration, packets

// check judges the flags before anything is opened.
func (t *tapFlags) check(p *program, cmd *cobra.Command) (err error) {
	set := cmd.Flags().Changed
	if err := checkStats(cmd, t.stats, &t.view); err != nil {
		return err
	}
	if f := t.profile; f != "" {
		if t.both, err = line.Load(f, func(name string) (io.ReadCloser, error) { return p.openText(name) }); err != nil {
			return usagef(cmd, "--profile %s", err)
		}
		t.asked = append(t.asked, "--profile "+f)
	}
	for _, s := range line.Settings() {
		if text := cmd.Flags().Lookup(s.Name).Value.String(); set(s.Name) {
			t.asked = append(t.asked, "--"+s.Name+" "+text)
			for _, p := range []*line.Profile{&t.both.Up, &t.both.Down} {
				if err := p.Set(s.Name, text); err != nil {
					return err
				}
			}
		}
	}
	if t.down {
		t.both.Up = line.Profile{}
	}
	if t.up {
		t.both.Down = line.Profile{}
	}
	for _, p := range []*line.Profile{&t.both.Up, &t.both.Down} {
		if err := p.Check(); err != nil {
			return usagef(cmd, "%s", err)
		}
	}
	switch {
	case len(t.asked) == 0 && (t.up || t.down || set("seed")):
		return usagef(cmd, "--up, --down and --seed mean nothing without what makes the network bad, such as --drop 5%%")
	case t.delayIf != "" && !t.both.Up.Delays() && !t.both.Down.Delays():
		return usagef(cmd, "--delay-if needs --delay")
	}
	return nil
}

// addresses judges where is listened, and whom is sent to, once: names are not looked up again.
func (t *tapFlags) addresses(cmd *cobra.Command) (listen, to netip.AddrPort, err error) {
	ctx, cancel := context.WithTimeout(cmd.Context(), 10*time.Second)
	defer cancel()
	// Who could send from elsewhere would have the relay speak for this machine: no authorisation helps.
	if listen, err = udp.Resolve(ctx, t.listen, netip.Addr{}); err != nil {
		return listen, to, addressError("--listen", err, true)
	}
	if to, err = udp.Resolve(ctx, t.to, t.authorised); err != nil {
		return listen, to, addressError("--to", err, false)
	}
	switch {
	case to == listen:
		return listen, to, usagef(cmd, "--to is --listen: what is passed on would come back for ever")
	case !to.Addr().IsLoopback() && (t.rate == 0 || t.stopAt.duration == 0):
		return listen, to, usagef(cmd, "--to %s is not loopback: want --rate and -a duration: as well", to)
	}
	return listen, to, nil
}

// addressError is an error of an address under the flag's name. local says that there is no authorisation for it.
func addressError(flag string, err error, local bool) error {
	text := strings.ReplaceAll(err.Error(), "udp:", "")
	var elsewhere *udp.ElsewhereError
	if errors.As(err, &elsewhere) && !local {
		return fmt.Errorf("%s %s: an address elsewhere wants --i-am-authorised-to-test %s", flag, text, elsewhere.Addr)
	}
	return fmt.Errorf("%s %s", flag, text)
}

func (p *program) tap(cmd *cobra.Command, flags *tapFlags) error {
	if err := flags.check(p, cmd); err != nil {
		return err
	}
	v, err := p.openView(cmd, &flags.view, false)
	if err != nil {
		return err
	}
	listen, to, err := flags.addresses(cmd)
	if err != nil {
		return err
	}
	if err := v.saveTo(p, cmd, nil); err != nil {
		return err
	}
	t := &tapping{program: p, view: v, flags: flags, listen: listen}
	if flags.stats > 0 {
		t.board = newBoard(p, v, stats.NewShared(v.scan.Decoders))
	}
	if err := t.prepare(cmd, to); err != nil {
		return err
	}
	r, err := relay.Listen(listen, to, t.handle)
	if err != nil {
		return err
	}
	interrupt := signals()
	if !p.quiet {
		p.complain("passing on from %s to %s, Ctrl-C ends", listen, to)
	}
	t.relay = r
	err = t.run(interrupt)
	return p.endTap(t, r, err)
}

// endTap says how it ended, and what there was.
func (p *program) endTap(t *tapping, r *relay.Relay, err error) error {
	v := t.view
	v.counts.Tally = t.tally()
	var write *writeError
	if errors.As(err, &write) {
		return p.endWrite(v, write)
	}
	if err != nil {
		p.complain("%s", err)
	}
	if failed := v.saved(p, false); failed != nil {
		return failed
	}
	if failed := p.summarise(&v.counts, v.flags.chosen()); failed != nil {
		return failed
	}
	if !p.quiet {
		if _, failed := p.stderr.WriteString(t.summary(r)); failed != nil {
			return failed
		}
	}
	switch {
	case err != nil:
		return told{}
	case metFailure(v.flags.failOn, &v.counts):
		return findings{}
	}
	return nil
}

// serverOf is the server's address in all that is shown and written: the one with a port of the protocol.
func serverOf(ports []uint16, listen, to netip.AddrPort) (netip.AddrPort, bool) {
	for _, a := range []netip.AddrPort{listen, to} {
		if slices.Contains(ports, a.Port()) {
			return a, true
		}
	}
	return listen, false
}
