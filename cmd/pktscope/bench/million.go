package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	million = 1_000_000 // packets: 155 MB
	checked = 20_000    // packets that every reader has to read alike
)

// contender is a program that is measured over the first packets of the capture.
type contender struct {
	title   string
	packets int
	command []string                              // its capture is the one of a million packets
	facts   func(context.Context) (*facts, error) // what it reads in the first packets; nil: it decodes no payload
	fastest time.Duration
	least   time.Duration // of all cores together
	most    int64         // bytes resident; 0: unknown
}

// once runs it once, its output to the null device.
func (c *contender) once(ctx context.Context) error {
	p := exec.CommandContext(ctx, c.command[0], c.command[1:]...)
	var complaints bytes.Buffer
	p.Stderr = &complaints
	start := time.Now()
	if err := p.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", c.title, err, complaints.Bytes()[:min(complaints.Len(), 2000)])
	}
	took := time.Since(start)
	work := p.ProcessState.UserTime() + p.ProcessState.SystemTime()
	if c.fastest == 0 || took < c.fastest {
		c.fastest = took
	}
	if c.least == 0 || work < c.least {
		c.least = work
	}
	c.most = max(c.most, resident(p.ProcessState))
	return nil
}

func (c *contender) perSecond() float64 { return float64(c.packets) / c.fastest.Seconds() }

// perCore is how many packets it reads in a second of one core: pktscope uses all of them, the other programs one.
func (c *contender) perCore() float64 { return float64(c.packets) / c.least.Seconds() }

// measureMillion runs everything over the packets, prints the table, and holds what was read against what pktscope
// reads.
func measureMillion(ctx context.Context, dir string, rounds int) error {
	capture, small, program := filepath.Join(dir, "million.pcap"), filepath.Join(dir, "checked.pcap"), filepath.Join(dir, "pktscope")
	for _, args := range [][]string{
		{"run", "./corpus/gen", "-packets", fmt.Sprint(million), "-o", capture},
		{"run", "./corpus/gen", "-packets", fmt.Sprint(checked), "-o", small},
		{"build", "-trimpath", "-o", program, "./cmd/pktscope"},
	} {
		if _, err := command(ctx, "", "go", args...); err != nil {
			return err
		}
	}
	var all []*contender
	for _, args := range [][]string{{"decode", "--only", "rejects"}, {"decode"}, {"decode", "-T", "json"}, {"stats"}, {"budget"}} {
		all = append(all, ours(program, capture, args...))
	}
	all = append(all, peers(ctx, capture, small)...)
	for round := range rounds {
		progress("bench: a million packets, round %d of %d", round+1, rounds)
		for _, c := range all {
			if err := c.once(ctx); err != nil {
				return err
			}
		}
	}
	fmt.Print(millionTable(all))
	return check(ctx, program, small, all)
}

func ours(program, capture string, args ...string) *contender {
	title := "`pktscope"
	for _, a := range args {
		title += " " + a
	}
	return &contender{title: title + "`", packets: million, command: append(append([]string{program}, args...), "-q", capture)}
}

// millionTable is the table; the first row is what the others are held against.
func millionTable(all []*contender) string {
	t := table{{"a million R-Type packets", "packets/s", "the first row is faster", "packets/s of one core", "resident"}}
	for _, c := range all {
		title := c.title
		if c.packets < million {
			title += fmt.Sprintf(" (the first %s)", grouped(c.packets))
		}
		memory := "-"
		if c.most > 0 {
			memory = fmt.Sprintf("%d MB", (c.most+1<<19)>>20)
		}
		t = append(t, []string{title, rate(c.perSecond()), times(all[0].perSecond() / c.perSecond()), rate(c.perCore()), memory})
	}
	return t.String()
}

// check prints whether the readers read the same; it is an error when one does not.
func check(ctx context.Context, program, small string, all []*contender) error {
	want, err := pktscopeFacts(ctx, program, small)
	if err != nil {
		return err
	}
	var wrong []error
	var alike []string
	for _, c := range all {
		if c.facts == nil {
			continue
		}
		if got, err := c.facts(ctx); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", c.title, err))
		} else if d := want.differ(got); d != "" {
			wrong = append(wrong, fmt.Errorf("%s reads otherwise: %s", c.title, d))
		} else {
			alike = append(alike, c.title)
		}
	}
	if len(alike) > 0 {
		fmt.Printf("\nOf the first %s packets %s refused the same %d as pktscope, and read the same in the others.\n",
			grouped(checked), list(alike), want.Refused)
	}
	return errors.Join(wrong...)
}

// list joins names: "a, b and c".
func list(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		s := names[0]
		for _, name := range names[1 : n-1] {
			s += ", " + name
		}
		return s + " and " + names[n-1]
	}
}
