package process

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// command is how processes of a target are started.
type command struct {
	what   string
	args   []string
	env    []string
	quick  []string // the same, but a sanitizer's report has no names of functions: to look them up takes ten times as long as all else
	mark   string
	memory int64 // bytes that one may hold
	// secrets: what it answers may hold one, and is in no error.
	secrets bool
	strike  func(string) string // of what it prints; nil for none
}

// sanitizerOptions make reports deaths.
var sanitizerOptions = [...][2]string{
	{"ASAN_OPTIONS", "exitcode=99:abort_on_error=1:handle_abort=1"},
	{"UBSAN_OPTIONS", "halt_on_error=1:exitcode=99:print_stacktrace=1"},
	{"LSAN_OPTIONS", "exitcode=99"},
	{"MSAN_OPTIONS", "exitcode=99"},
}

// newCommand finds the program. Sanitizers are told to make their reports deaths that can be told from answers: an
// AddressSanitizer's exits with 1, which is a refusal's, and an UndefinedBehaviorSanitizer goes on. What the user's
// environment says otherwise stays.
// what is what errors call the program: a target, or a server.
func newCommand(what string, o *Options) (*command, error) {
	args := o.Args
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil, fmt.Errorf("%s %s: %s", what, name(args), reasonOf(err))
	}
	mark := "PKTSCOPE_TARGET=" + rand.Text()
	env := os.Environ()
	for _, o := range sanitizerOptions {
		value := o[1]
		if old := os.Getenv(o[0]); old != "" {
			value = old + ":" + value // the last one counts
		}
		env = append(env, o[0]+"="+value)
	}
	// A panic of Rust names its place in its first line; to look up the calls as well takes forty times as long.
	env = append(env, "RUST_BACKTRACE=0", mark)
	c := &command{what: what, args: args, env: env, quick: slices.Clone(env), mark: mark, memory: o.Memory, secrets: o.Secrets, strike: o.Strike}
	for i, v := range c.quick {
		for _, o := range sanitizerOptions {
			if strings.HasPrefix(v, o[0]+"=") {
				c.quick[i] = v + ":symbolize=0"
			}
		}
	}
	return c, nil
}

// name is the command as it was given, or its beginning.
func (c *command) name() string { return name(c.args) }

func name(args []string) string {
	const most = 120
	line := strings.Join(args, " ")
	if len(line) > most {
		line = line[:most] + "…"
	}
	return line
}

func reasonOf(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}

// sanitizerExit is the exit status that sanitizers are told to take.
const sanitizerExit = 99

// child is one process of a target.
type child struct {
	cmd       *exec.Cmd
	secrets   bool // Options.Secrets: see quoted
	stdin     *os.File
	stdout    *os.File // nil where nobody reads it
	stderr    *os.File
	tail      tail
	mu        sync.Mutex
	waited    bool          // for its end: its number is free
	ended     chan struct{} // closed when it has been waited for, and its group killed
	drained   chan struct{} // closed when stderr has been read
	exhausted atomic.Bool   // it was killed for its memory
	stopped   atomic.Bool   // nobody waits for it any more
	idle      atomic.Bool   // it waits for packets: many may, of which few are at work
	peak      atomic.Int64  // bytes it was seen to hold
	forked    atomic.Int64  // processes that it was killed for

	in       []byte // of stdout, not yet answers
	answered int
	before   behind        // the answer before
	gives    [2]bool       // after some answer: a JSON object, too
	deaf     bool          // it closed its stdin, and is alive
	graced   bool          // it was given the time to report its death
	trial    bool          // it is there for one packet: a deadline is about the time that it could run
	forgiven time.Duration // of that, so far
	missed   int           // deadlines in a row, for one answer
	starved  time.Duration // how long it had had no processor when it missed the last
}

// start starts a process. With answers its stdout is ours to read, else nobody's. quick is for a report that nobody
// reads.
func (c *command) start(answers, quick bool) (*child, error) {
	p := &child{secrets: c.secrets, tail: tail{strike: c.strike}, ended: make(chan struct{}), drained: make(chan struct{})}
	var theirs []*os.File
	var err error
	pipe := func(write bool) (*os.File, *os.File) {
		if err != nil {
			return nil, nil
		}
		var r, w *os.File
		if r, w, err = os.Pipe(); err != nil {
			return nil, nil
		}
		if write {
			r, w = w, r
		}
		theirs = append(theirs, w)
		return r, w
	}
	cmd := exec.Command(c.args[0], c.args[1:]...)
	if cmd.Env = c.env; quick {
		cmd.Env = c.quick
	}
	ownGroup(cmd)
	var in, out, errs *os.File
	p.stdin, in = pipe(true)
	if answers {
		p.stdout, out = pipe(false)
	}
	p.stderr, errs = pipe(false)
	if err == nil {
		cmd.Stdin, cmd.Stderr = in, errs
		if answers {
			cmd.Stdout = out
		}
		err = cmd.Start()
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
			if f != nil {
				f.Close()
			}
		}
		return nil, fmt.Errorf("%s %s: %s", c.what, c.name(), reasonOf(err))
	}
	p.cmd = cmd
	go func() {
		defer close(p.drained)
		_, _ = io.Copy(&p.tail, p.stderr)
	}()
	go p.wait()
	if c.memory > 0 {
		go p.watch(c)
	}
	return p, nil
}

// maxProcesses is how many processes a target may have at a time, what it forked included.
const maxProcesses = 256

// watch kills the process when it holds too much memory, or has started too many others. An address-space limit would
// not do: sanitizers reserve terabytes; nor would one of processes: it counts all of the user's.
func (p *child) watch(c *command) {
	const often, countEvery = 10 * time.Millisecond, 100
	tick := time.NewTicker(often)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-p.ended:
			return
		case <-tick.C:
			if p.idle.Load() {
				n--
				continue
			}
			held := resident(p.cmd.Process.Pid)
			p.peak.Store(max(held, p.peak.Load()))
			forked := 0
			if n%countEvery == 0 {
				if forked = len(marked(c.mark)); forked > maxProcesses {
					p.forked.Store(int64(forked))
				}
			}
			if held > c.memory || forked > maxProcesses {
				p.exhausted.Store(true)
				p.kill()
				return
			}
		}
	}
}

// full kills the process if it holds too much now: the watch may see it too late to say of which packet.
func (p *child) full(most int64) bool {
	if p.peak.Load() < most/2 {
		return p.exhausted.Load()
	}
	held := resident(p.cmd.Process.Pid)
	p.peak.Store(max(held, p.peak.Load()))
	if held > most {
		p.exhausted.Store(true)
		p.kill()
	}
	return p.exhausted.Load()
}

// wait waits for the process, and kills what it forked.
func (p *child) wait() {
	defer close(p.ended)
	pid := p.cmd.Process.Pid
	ended := awaitEnd(pid)
	if ended { // and waiting takes no time
		kill(pid)
		p.mu.Lock()
		defer p.mu.Unlock()
	}
	_ = p.cmd.Wait() // its state says all
	p.waited = true
}

// kill kills the process with its group, if it has not been waited for: its number could be another's by then.
func (p *child) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.waited {
		kill(p.cmd.Process.Pid)
	}
}

// stop kills the process and ends whatever waits for it, also where others hold its pipes open that left its group.
func (p *child) stop() {
	p.stopped.Store(true)
	p.kill()
	p.writeBy(time.Time{})
	p.readBy(time.Time{})
}

// past is a deadline that has passed; the zero time is none.
var past = time.Unix(1, 0)

// writeBy is the deadline of what is written to the process, the zero time for none. It has passed once the process was
// stopped, whichever comes first.
func (p *child) writeBy(by time.Time) {
	_ = p.stdin.SetWriteDeadline(by)
	if p.stopped.Load() {
		_ = p.stdin.SetWriteDeadline(past)
	}
}

// readBy is the deadline of what is read of the process: see writeBy.
func (p *child) readBy(by time.Time) {
	if p.stdout == nil {
		return
	}
	_ = p.stdout.SetReadDeadline(by)
	if p.stopped.Load() {
		_ = p.stdout.SetReadDeadline(past)
	}
}

// close ends the process and all that it started, and waits for it.
func (p *child) close() {
	p.kill()
	p.stdin.Close()
	if p.stdout != nil {
		p.stdout.Close()
	}
	<-p.ended
	// What left the group may hold stderr open.
	const rest = 100 * time.Millisecond
	select {
	case <-p.drained:
	case <-time.After(rest):
	}
	p.stderr.Close()
	<-p.drained
}

// grace is how much longer to wait for a process whose time is over: a death that is still being reported is no hang.
// It is given once.
func (p *child) grace() time.Duration {
	if _, death := p.tail.report(); !death || p.graced {
		return 0
	}
	p.graced = true
	return lastWords
}

// timesMore is how many deadlines more a process gets, at most, that had no processor.
const timesMore = 10

// more is how much longer to wait for a process that has missed a deadline of most: because it is reporting its death,
// or because a busy machine did not let it run, which is no hang. 0 is no longer.
func (p *child) more(most time.Duration) time.Duration {
	if p.stopped.Load() {
		return 0
	}
	if g := p.grace(); g > 0 {
		return g
	}
	if !p.trial {
		return p.moreOfMany(most)
	}
	d := min(starved(p.cmd.Process.Pid), timesMore*most) - p.forgiven
	if d <= 0 || d < most/timesMore {
		return 0
	}
	p.forgiven += d
	return d
}

// moreOfMany is more for a process that has answered other packets: to stop it without need would make it forget them.
// The first time it gets as long again, for its answer may have come while it was we who did not run; then as long as
// it had no processor.
func (p *child) moreOfMany(most time.Duration) time.Duration {
	if p.answered == 0 || p.missed == timesMore {
		return 0
	}
	before := p.starved
	p.starved = starved(p.cmd.Process.Pid)
	if p.missed++; p.missed == 1 {
		return most
	}
	d := p.starved - before
	if d < most/timesMore {
		return 0
	}
	return min(d, most)
}

// end waits until the process has ended, at most so long and somewhat more for good reasons (see more), and closes it.
// It reports whether the process ended by itself.
func (p *child) end(within time.Duration) bool {
	self := p.ends(within)
	p.close()
	return self
}

// dying is how long a process may take to end that has closed its pipes. One that closed its stdin alone has missed a
// deadline already.
func (p *child) dying() time.Duration {
	if p.deaf {
		return settling / 10
	}
	return 2 * settling
}

func (p *child) ends(within time.Duration) bool {
	by := time.NewTimer(within)
	defer by.Stop()
	for {
		select {
		case <-p.ended:
			return true
		case <-by.C:
		}
		more := p.more(within)
		if more == 0 {
			return false
		}
		by.Reset(more)
	}
}

// obituary says how a process ended that has been closed, and what it printed. bad: by a signal or with
// the report of a death; leak: the report is about memory that nobody freed.
func (p *child) obituary() (text string, bad, leak bool) {
	report, death := p.tail.report()
	state := p.cmd.ProcessState
	text = describe(state)
	code := state.ExitCode()
	bad = death || code < 0 || code == sanitizerExit
	if report != "" {
		text += "\n" + report
	}
	return text, bad, death && strings.Contains(report, "LeakSanitizer")
}

// describe is how a process ended: "killed by SIGSEGV (segmentation fault)", "exit status 3".
func describe(state *os.ProcessState) string {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return "killed by " + signalName(w.Signal())
	}
	return state.String()
}

func signalName(s syscall.Signal) string {
	if name := signalNames[s]; name != "" {
		return name + " (" + s.String() + ")"
	}
	return s.String()
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGSEGV: "SIGSEGV", syscall.SIGABRT: "SIGABRT", syscall.SIGILL: "SIGILL", syscall.SIGFPE: "SIGFPE",
	syscall.SIGKILL: "SIGKILL", syscall.SIGTERM: "SIGTERM", syscall.SIGBUS: "SIGBUS", syscall.SIGPIPE: "SIGPIPE",
	syscall.SIGTRAP: "SIGTRAP", syscall.SIGINT: "SIGINT", syscall.SIGHUP: "SIGHUP", syscall.SIGQUIT: "SIGQUIT",
}
