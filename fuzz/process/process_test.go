//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// options are those of a nasty target: its deadlines are generous but where the target is known to miss them.
func options(t testing.TB, word string) process.Options {
	t.Setenv(nastyWord, word)
	o := process.Options{Args: []string{os.Args[0]}, Patience: time.Second}
	if strings.Contains("never-read close-stdin hang ignore-signals endless-values slow-report", word) {
		o.Patience = 100 * time.Millisecond
	}
	if strings.Contains("never-read close-stdin", word) {
		o.Patience = 40 * time.Millisecond
	}
	if word == "eat" {
		o.Memory = 64 << 20
		o.Patience = time.Hour // on a busy machine it would miss a deadline before it has taken too much
	}
	return o
}

func persistent(t testing.TB, word string) *process.Target {
	t.Helper()
	target, err := process.New(context.Background(), options(t, word))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { target.Close() })
	return target
}

// A command line is words, and nothing in it is a shell's business.
func TestSplit(t *testing.T) {
	for _, line := range []string{"", "  ", `'a`, `"a`, `a\`, "a\x00b", `''`} {
		if words, err := process.Split(line); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: want an error of one line, got %q, %v", line, words, err)
		}
	}
	for line, want := range map[string]string{
		"reader":                      "reader",
		" ./reader -x  1 ":            "./reader|-x|1",
		`r 'a b' "c 'd' \"e\" \\ \n"`: `r|a b|c 'd' "e" \ \n`,
		`r a\ b ""`:                   "r|a b|",
		`r;rm -rf $HOME | x > y && z`: "r;rm|-rf|$HOME|||x|>|y|&&|z",
		"r `id` $(id) *":              "r|`id`|$(id)|*",
	} {
		words, err := process.Split(line)
		if got := strings.Join(words, "|"); err != nil || got != want {
			t.Errorf("%q: want %q, got %q, %v", line, want, got, err)
		}
	}
}

// No shell sees the packet's neighbours: what looks like one is an argument.
func TestNoShell(t *testing.T) {
	file := filepath.Join(t.TempDir(), "injected")
	args, err := process.Split("true ; touch " + file + " $(touch " + file + ")")
	if err != nil {
		t.Fatal(err)
	}
	target, err := process.NewSingle(context.Background(), process.Options{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	if r, err := target.Send([]byte("x"), decode.FromUnknown); err != nil || r.Outcome != oracle.Accepted {
		t.Errorf("%v, %v", r.Outcome, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a shell ran")
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	for _, o := range []process.Options{
		{Args: []string{"./no-such-program"}}, {Args: []string{"no-such-program"}}, {Args: []string{"true"}, RejectCode: 99},
		{Args: []string{"true"}, RejectCode: 256}, {Args: []string{"true"}, RejectCode: -1}, {Args: []string{t.TempDir()}},
	} {
		if _, err := process.New(ctx, o); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "target ") {
			t.Errorf("%+v: want an error of one line about the target, got %v", o, err)
		}
	}
}

// A persistent target that is of no use is an error of one line, in bounded time.
func TestUseless(t *testing.T) {
	for word, want := range map[string]string{
		"never-read":     "no answer to its first packet in 3 processes, within 80ms, 160ms and 320ms: does it read",
		"close-stdin":    "no answer to its first packet",
		"close-stdout":   "closed its stdin or stdout",
		"end-at-once":    "exit status 3",
		"garbage":        `"hello`,
		"flood":          "want A, R or N",
		"garbage-next":   `"hello`,
		"end-next":       "it ended before its first answer, exit status 3",
		"garbage-later":  `it answers "\x1b[2Jwhat?`,
		"twice":          "more often than it is asked",
		"twice-in-lines": `more often than it is asked: "R\n`,
		"line-ends":      "line ends and no answer",
		"endless-values": "no end of line",
	} {
		t.Run(word, func(t *testing.T) {
			t.Setenv(nastyFile, filepath.Join(t.TempDir(), "begun"))
			target := persistent(t, word)
			var err error
			for _, packet := range []string{"good", packetRefuse, packetBad} {
				if _, err = target.Send([]byte(packet), decode.FromUnknown); err != nil {
					break
				}
			}
			if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("want an error of one line with %q, got %v", want, err)
			}
		})
	}
}

func TestSingle(t *testing.T) {
	target, err := process.NewSingle(context.Background(), options(t, "single"))
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for _, row := range []struct {
		packet string
		want   oracle.Outcome
		report string
	}{
		{"good", oracle.Accepted, ""},
		{packetRefuse, oracle.Refused, ""},
		{packetBad, oracle.Crashed, "SIGKILL"},
		{"odd", oracle.Crashed, "exit status 7"},
		{"report", oracle.Crashed, "reader.c:3:2: runtime error"},
		{"leak", oracle.Exhausted, "LeakSanitizer"},
		{"fork", oracle.Accepted, ""},
		{strings.Repeat("x", 1<<20), oracle.Accepted, ""},
	} {
		r, err := target.Send([]byte(row.packet), decode.FromUnknown)
		if err != nil || r.Outcome != row.want || !strings.Contains(r.Report, row.report) {
			t.Errorf("%.20s: want %v, got %v %q, %v", row.packet, row.want, r.Outcome, r.Report, err)
		}
	}
	target.Close()
	orphans(t, "never-read")
	hasty, err := process.NewSingle(context.Background(), process.Options{Args: []string{"cat", "-u", "/dev/zero"}, Patience: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer hasty.Close()
	const never = "does not end on its first packet, in 3 processes, within 40ms, 80ms and 160ms: "
	if _, err := hasty.Send([]byte("x"), decode.FromUnknown); err == nil || !strings.Contains(err.Error(), never) {
		t.Errorf("got %v", err)
	}
}

// Where the time ends before a target has had all its tries, what it has missed is told all the same.
func TestUselessByTheEnd(t *testing.T) {
	ctx, end := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer end()
	o := process.Options{Args: []string{"sleep", "1000"}, Patience: 50 * time.Millisecond}
	target, err := process.New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	single, err := process.NewSingle(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer single.Close()
	var wait sync.WaitGroup
	for want, reader := range map[string]oracle.Target{"no answer to its first packet in ": target, "it does not end on its first packet, in ": single} {
		wait.Go(func() {
			_, err := reader.Send([]byte("good"), decode.FromUnknown)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "100ms") ||
				!strings.Contains(err.Error(), ", and the time was over: ") {
				t.Errorf("want %q, got %v", want, err)
			}
		})
	}
	wait.Wait()
}

// A first packet that hangs a target which is well otherwise is a finding about the packet, also where the packet that
// it is asked next hangs it, too: a reader may hang with every packet that is not empty.
func TestFirstPacketHangs(t *testing.T) {
	if need.Race {
		t.Skip("a race build takes longer to start than its patience")
	}
	for _, warm := range []struct{ single, persistent string }{{"good", "good"}, {"hang", packetBad}} {
		o := options(t, "single")
		o.Patience, o.Warm = 100*time.Millisecond, []byte(warm.single)
		single, err := process.NewSingle(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer single.Close()
		if r, err := single.Send([]byte("hang"), decode.FromUnknown); err != nil || r.Outcome != oracle.Hung || !strings.Contains(r.Report, "in 3 new processes") {
			t.Errorf("single, %s: %v %s, %v", warm.single, r.Outcome, r.Report, err)
		}
		o = options(t, "hang")
		o.Warm = []byte(warm.persistent)
		target, err := process.New(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer target.Close()
		if r, err := target.Send([]byte(packetBad), decode.FromUnknown); err != nil || r.Outcome != oracle.Hung || !strings.Contains(r.Report, "in 3 new processes") {
			t.Errorf("persistent, %s: %v %s, %v", warm.persistent, r.Outcome, r.Report, err)
		}
	}
}

// The end of the context ends a SendBatch that waits for an answer, and one that waits to be read; also where the pipes
// are held open by a process that left the target's group.
func TestContext(t *testing.T) {
	large := make([]byte, 1<<20) // no pipe takes it
	for word, packets := range map[string][][]byte{"hang": {[]byte(packetBad)}, "escape": {[]byte(packetBad), large}} {
		ctx, cancel := context.WithCancel(context.Background())
		o := options(t, word)
		o.Patience = time.Hour
		target, err := process.New(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		defer target.Close()
		if _, err := target.Send([]byte("good"), decode.FromUnknown); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(50*time.Millisecond, cancel)
		if err := target.SendBatch(packets, make([]decode.Direction, len(packets)), func(int, oracle.Reply) bool { return true }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", word, err)
		}
		target.Close()
		orphans(t, word)
		orphans(t, "never-read")
	}
}
