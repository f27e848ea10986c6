package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	million = 1_000_000 // packets: 155 MB
	checked = 20_000    // packets that every reader has to read alike
)

// contender is a program that is measured over the first packets of the capture.
type contender struct {
	title   string
	ours    string // the command line of pktscope; "" of another program
	packets int
	command []string                              // its capture is the one of a million packets
	facts   func(context.Context) (*facts, error) // what it reads in the first packets; nil: it decodes no payload
	fastest time.Duration
	works   []time.Duration // of all cores together
	most    int64           // bytes resident; 0: unknown
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
	c.works = append(c.works, work)
	c.most = max(c.most, resident(p.ProcessState))
	return nil
}

func (c *contender) perSecond() float64 { return float64(c.packets) / c.fastest.Seconds() }

// perCore is how many packets it reads in a second of one core: pktscope uses all of them, the other programs one.
func (c *contender) perCore() float64 { return float64(c.packets) / slices.Min(c.works).Seconds() }

func (c *contender) megabytes() int64 { return (c.most + 1<<19) >> 20 }

// ourCommands are what is measured of pktscope; the first of them is what the others are held against.
var ourCommands = [][]string{
	{"decode", "--only", "rejects"}, {"decode"}, {"decode", "-T", "json"},
	{"decode", "-p", "rtype", "-T", "csv", "-e", "pkt.n", "-e", "pkt.src", "-e", "sequence_num", "-e", "case"}, {"stats"}, {"budget"},
}

// generate writes the first packets of the capture.
func generate(ctx context.Context, packets int, file string) error {
	_, err := command(ctx, "", "go", "run", "./corpus/gen", "-packets", fmt.Sprint(packets), "-o", file)
	return err
}

// build makes the program of a tree.
func build(ctx context.Context, tree, program string) error {
	_, err := command(ctx, tree, "go", "build", "-trimpath", "-o", program, "./cmd/pktscope")
	return err
}

// inTurn runs all of them once in each round.
func inTurn(ctx context.Context, all []*contender, rounds int) error {
	for round := range rounds {
		progress("bench: programs, round %d of %d", round+1, rounds)
		for _, c := range all {
			if err := c.once(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// took are the turns of pktscope's commands, for each packet on one core.
func took(all []*contender) turns {
	t := turns{}
	for _, c := range all {
		if c.ours == "" {
			continue
		}
		for _, work := range c.works {
			t[ofPrograms+c.ours] = append(t[ofPrograms+c.ours], float64(work)/float64(c.packets))
		}
	}
	return t
}

// programTurns runs the commands of each tree's program in turn.
func programTurns(ctx context.Context, of []side, rounds int) error {
	capture := of[0].program + ".pcap"
	if err := generate(ctx, million, capture); err != nil {
		return err
	}
	var all []*contender
	each := make([][]*contender, len(of))
	for _, s := range of {
		if err := build(ctx, s.tree, s.program); err != nil {
			return err
		}
	}
	for _, args := range ourCommands {
		for i, s := range of {
			c := ours(s.program, capture, args...)
			all, each[i] = append(all, c), append(each[i], c)
		}
	}
	if err := inTurn(ctx, all, rounds); err != nil {
		return err
	}
	for i, s := range of {
		s.took.join(took(each[i]))
	}
	return nil
}

// measureMillion runs everything over the packets, prints the table, and holds what was read against what pktscope
// reads.
func measureMillion(ctx context.Context, dir string, rounds int) (turns, error) {
	capture, small, program := filepath.Join(dir, "million.pcap"), filepath.Join(dir, "checked.pcap"), filepath.Join(dir, "pktscope")
	if err := errors.Join(generate(ctx, million, capture), generate(ctx, checked, small), build(ctx, "", program)); err != nil {
		return nil, err
	}
	var all []*contender
	for _, args := range ourCommands {
		all = append(all, ours(program, capture, args...))
	}
	encode, err := encoding(ctx, program, capture, filepath.Join(dir, "lines.json"))
	if err != nil {
		return nil, err
	}
	all = append(append(all, encode), peers(ctx, capture, small)...)
	starts := []*contender{starting(program, "--help"), starting(program, "decode -q -c 10", small)}
	if err := errors.Join(inTurn(ctx, all, rounds), inTurn(ctx, starts, startRounds)); err != nil {
		return nil, err
	}
	fmt.Print(millionTable(all), "\n")
	for _, c := range starts {
		fmt.Printf("%s takes %.1f ms of CPU and %d MB.\n", c.title, slices.Min(c.works).Seconds()*1000, c.megabytes())
	}
	return took(append(all, starts...)), check(ctx, program, small, all)
}

const (
	encoded     = 200_000 // packets, whose lines of JSON are 120 MB
	startRounds = 20
)

// encoding makes lines of JSON, of packets without secrets, and packets of them. The lines go to the file at once: what
// this program holds would count as resident in those that it starts.
func encoding(ctx context.Context, program, capture, lines string) (*contender, error) {
	file, err := os.Create(lines)
	if err != nil {
		return nil, err
	}
	write := exec.CommandContext(ctx, program, "decode", "-p", "rtype", "-q", "-T", "json", "-c", fmt.Sprint(encoded),
		"-Y", `pkt.verdict == "accept" && case != "JoinGame"`, capture)
	write.Stdout = file
	if err := errors.Join(write.Run(), file.Close()); err != nil {
		return nil, fmt.Errorf("lines of JSON to encode: %w", err)
	}
	const line = "encode -p rtype"
	return &contender{title: "`pktscope " + line + "`", ours: line, packets: encoded,
		command: []string{program, "encode", "-q", "-p", "rtype", "-w", os.DevNull, lines}}, nil
}

// starting is a command that has next to nothing to do with the files.
func starting(program, line string, files ...string) *contender {
	return &contender{title: "`pktscope " + line + "`", ours: "start: " + line, packets: 1,
		command: append(append([]string{program}, strings.Fields(line)...), files...)}
}

func ours(program, capture string, args ...string) *contender {
	line := strings.Join(args, " ")
	return &contender{title: "`pktscope " + line + "`", ours: line, packets: million, command: append(append([]string{program}, args...), "-q", capture)}
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
			memory = fmt.Sprintf("%d MB", c.megabytes())
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
