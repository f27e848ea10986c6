package browse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gdamore/tcell/v3"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// Options say what is browsed, and how.
type Options struct {
	Name  string // of the capture or the interface, as the user gave it
	Store *Store
	// Fill fills the Store, on a goroutine of Run, which does not wait for its end; nil for a Store that is whole.
	Fill func()
	Scan scan.Options // how packets are decoded: Decoders, Flow
	// Filter is the text that the packets listed first fulfil; "" is none.
	Filter string
	Time   string // the form of times at first, a word of report.TimeForms
	Live   bool   // packets come from an interface: the list follows them at first
	Colour bool
	// Stop ends Run with ErrStopped when it is closed; nil for never.
	Stop <-chan struct{}
	// Suspend stops the process until its shell continues it; nil where there is no such thing. The terminal is the
	// shell's while it runs.
	Suspend func()

	terminal tcell.Tty // of tests; nil is the process's
}

// ErrStopped is the error of a Run that Stop ended.
var ErrStopped = errors.New("interrupted")

// Run shows the packets of a store on the process's terminal until the user quits. The terminal is as before when it
// returns or panics. An error is that of the terminal, or ErrStopped.
func Run(o Options) error {
	terminal, err := o.terminal, error(nil)
	if terminal == nil {
		terminal, err = tcell.NewDevTty()
	}
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	resized := make(chan bool, 1)
	screen, err := tcell.NewTerminfoScreenFromTty(resizing{terminal, resized},
		tcell.OptNegotiation(false), tcell.OptKeyboardProtocol(tcell.LegacyKeyboard), // a terminal that does not answer is not waited for
		tcell.OptSanitizeContent(true), tcell.OptColors(map[bool]int{true: 8}[o.Colour]))
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	tcell.SetEncodingFallback(tcell.EncodingFallbackASCII)
	for r, plain := range map[rune]string{'…': ".", '‹': "<", '›': ">", '✗': "x", '━': "=", '╵': "'", '·': ".", '→': ">", '≠': "!"} {
		screen.RegisterRuneFallback(r, plain) // for a terminal that has ASCII alone
	}
	if err := screen.Init(); err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a := newApp(o, screen, ctx)
	a.resized = resized
	defer func() {
		cancel()
		screen.Fini() // in a panic, too: it goes on with the terminal restored
	}()
	if !a.filterBy(o.Filter) {
		return errors.New(a.say)
	}
	in := &tail{store: o.Store, ctx: ctx}
	a.safely(func() { a.capture.index.run(in, o.Scan.Decoders, func() { a.later(func() {}) }) })
	a.safely(a.loader)
	if o.Fill != nil {
		a.safely(o.Fill)
	}
	return a.loop()
}

// resizing is a terminal that tells the app of a new size in place of its screen, which would draw on a goroutine that
// its end does not wait for.
type resizing struct {
	tcell.Tty
	resized chan<- bool
}

// NotifyResize sends to resized unless the channel is nil, which ends that.
func (r resizing) NotifyResize(screen chan<- bool) {
	if screen != nil {
		screen = r.resized
	}
	r.Tty.NotifyResize(screen)
}

// newPlans lists the plans of decoders.
func newPlans(d *scan.Decoders) (plans []*plan.Plan) {
	for _, one := range d.All() {
		plans = append(plans, one.Plan())
	}
	return plans
}

func newApp(o Options, screen tcell.Screen, ctx context.Context) *app {
	o.Scan.File = o.Name
	a := &app{
		Options: &o, screen: screen, ctx: ctx, todo: make(chan func(), 64), crash: make(chan any, 1), load: make(chan request, 1),
		rows: map[int64]*row{}, folded: map[string]bool{}, follow: o.Live,
		capture: &capture{store: o.Store, index: newIndex(), options: o.Scan, stateful: o.Scan.Decoders.Stateful()},
	}
	a.plans = newPlans(o.Scan.Decoders)
	a.clock = max(slices.IndexFunc(report.TimeForms, func(f report.TimeForm) bool { return f.Word == o.Time }), 0)
	for _, p := range a.plans {
		a.capture.texts = append(a.capture.texts, report.NewText(p, report.TextOptions{}))
	}
	a.words = filter.NewCompleter(a.plans)
	return a
}

// loop takes what happens, one thing after the other, and draws.
func (a *app) loop() error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for !a.quit {
		a.draw()
		select {
		case ev, ok := <-a.screen.EventQ():
			if !ok {
				return nil
			}
			a.event(ev)
		case <-a.resized:
			a.screen.Sync()
		case f := <-a.todo:
			f()
		case r := <-a.crash:
			panic(r)
		case <-a.Stop:
			return ErrStopped
		case <-ticker.C:
			a.due()
			if !a.busy() && a.prompt == nil {
				ticker.Reset(time.Hour)
			}
			continue
		}
		a.drain()
		ticker.Reset(tick)
	}
	return nil
}

// drain takes what else has happened already, so that a screen is drawn once for all of it.
func (a *app) drain() {
	for !a.quit {
		select {
		case ev := <-a.screen.EventQ():
			a.event(ev)
		case f := <-a.todo:
			f()
		default:
			return
		}
	}
}

func (a *app) event(ev tcell.Event) {
	switch ev := ev.(type) {
	case *tcell.EventKey:
		a.key(ev)
	case *tcell.EventError:
		a.quit = true
	}
}
