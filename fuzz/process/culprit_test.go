//go:build unix

package process_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// batch sends packets and lists how they end.
func batch(t testing.TB, target oracle.Batcher, packets ...string) []oracle.Reply {
	t.Helper()
	var data [][]byte
	for _, p := range packets {
		data = append(data, []byte(p))
	}
	var replies []oracle.Reply
	err := target.SendBatch(data, make([]decode.Direction, len(data)), func(i int, r oracle.Reply) bool {
		if i != len(replies) {
			t.Fatalf("reply %d comes as number %d", i, len(replies))
		}
		replies = append(replies, r)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return replies
}

func outcomes(replies []oracle.Reply) string {
	var words []string
	for _, r := range replies {
		words = append(words, r.Outcome.String())
	}
	return strings.Join(words, " ")
}

// What a packet does to a target is that packet's, one by one and in batches, and the target goes on.
func TestCulprits(t *testing.T) {
	for _, row := range []struct{ word, packets, want, report string }{
		{"crash", "good bad refuse good", "accept crash reject accept", "SIGKILL"},
		{"crash", "bad bad good", "crash crash accept", "about to die"},
		{"hang", "good bad refuse bad good", "accept hang reject hang accept", "no answer within"},
		{"ignore-signals", "good bad good", "accept hang accept", "no answer within"},
		{"slow-report", "good bad refuse bad good", "accept crash reject crash accept", "reader.c:3:2: runtime error"},
		{"eat", "good bad good", "accept leak accept", "of the 64 that it may"},
		{"flood-stderr", "good bad good", "accept crash accept", "the last words"},
		{"linger", "good refuse", "accept reject", ""},
		{"lines", "good refuse refuse good", "accept reject reject accept", ""},
		{"late", "good bad refuse good", "accept crash reject accept", "SIGKILL"},
		{"pair", "good bad trigger good", "accept accept crash accept", "SIGKILL"},
	} {
		t.Run(row.word, func(t *testing.T) {
			target := persistent(t, row.word)
			replies := batch(t, target, strings.Fields(row.packets)...)
			if got := outcomes(replies); got != row.want {
				t.Fatalf("want %s, got %s", row.want, got)
			}
			for _, r := range replies {
				if r.Report != "" && !strings.Contains(r.Report, row.report) || len(r.Report) > 32<<10 {
					t.Errorf("report of %d bytes: %.300s", len(r.Report), r.Report)
				}
				if n := len(r.Culprit); n > 0 && (row.word != "pair" || n != 2 || string(r.Culprit[0]) != packetBad || string(r.Culprit[1]) != packetTrigger) {
					t.Errorf("culprits %q", r.Culprit)
				}
				if row.word == "pair" && r.Outcome == oracle.Crashed && len(r.Culprit) != 2 {
					t.Errorf("culprits %q", r.Culprit)
				}
			}
		})
	}
	// One by one, a late death is that of the packet before.
	target := persistent(t, "late")
	for _, packet := range []string{"good", packetBad} {
		if r, err := target.Send([]byte(packet), decode.FromUnknown); err != nil || r.Outcome != oracle.Accepted {
			t.Fatalf("%s: %v, %v", packet, r.Outcome, err)
		}
	}
	r, err := target.Send([]byte("good"), decode.FromUnknown)
	if err != nil || r.Outcome != oracle.Crashed || len(r.Culprit) != 1 || string(r.Culprit[0]) != packetBad {
		t.Errorf("%v, culprit %q, %v", r.Outcome, r.Culprit, err)
	}
}

// Memory that many packets fill is a leak of those that fill it, and shows itself again when they are sent again.
func TestLeakOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("its culprits are looked for in processes that fill 96 MiB each; TestCulprits has a leak of one packet")
	}
	o := options(t, "eat-slowly")
	o.Memory, o.Patience = 96<<20, 5*time.Second
	target, err := process.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	var packets []string
	for range 8 {
		packets = append(packets, "good", packetRefuse, packetBad, "fine")
	}
	var leak oracle.Reply
	had := 0
	for i, r := range batch(t, target, packets...) {
		if r.Outcome == oracle.Exhausted {
			leak, had = r, i+1
			break
		}
	}
	bad := 0
	for _, p := range leak.Culprit {
		if string(p) == packetBad {
			bad++
		}
	}
	// How short they become is a matter of time.
	if bad < 3 || len(leak.Culprit) >= had || !strings.Contains(leak.Report, "of the 96 that it may, with ") {
		t.Fatalf("%v: %d bad ones in culprits %q: %s", leak.Outcome, bad, leak.Culprit, leak.Report)
	}
	again, err := process.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for _, p := range leak.Culprit {
		r, err := again.Send(p, decode.FromUnknown)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome == oracle.Exhausted {
			return
		}
	}
	t.Errorf("%q do not fill it again", leak.Culprit)
}

// A death that is looked at when the time ends has its names all the same, and what it takes.
func TestLastDeath(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	t.Setenv(nastyFile, begun)
	ctx, end := context.WithCancel(context.Background())
	defer end()
	o := options(t, "slow-names")
	o.Patience = time.Hour
	target, err := process.New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	if _, err := target.Send([]byte("good"), decode.FromUnknown); err != nil {
		t.Fatal(err)
	}
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(begun); err == nil {
				end()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	r, err := target.Send([]byte(packetBad), decode.FromUnknown)
	if err != nil || r.Outcome != oracle.Crashed || !strings.Contains(r.Report, "in copy /tmp/reader.c:14:3") || len(r.Culprit) > 0 {
		t.Errorf("want a crash in copy, of its packet alone, got %v %s of %d packets, %v", r.Outcome, r.Report, len(r.Culprit), err)
	}
}

// A death whose report takes longer than an answer may is no hang, also not after a hang, when deadlines are short; a
// hang says the deadline that it missed.
func TestSlowReport(t *testing.T) {
	if need.Race {
		t.Skip("a race build takes longer to start than its patience")
	}
	target := persistent(t, "slow-report")
	replies := batch(t, target, "good", "stuck", packetBad, "good")
	if got := outcomes(replies); got != "accept hang crash accept" {
		t.Fatalf("got %s", got)
	}
	if r := replies[1].Report; strings.Contains(r, "within 20ms") {
		t.Errorf("it had 100ms or more: %s", r)
	}
	o := options(t, "single")
	o.Patience = 100 * time.Millisecond
	single, err := process.NewSingle(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer single.Close()
	for _, row := range []struct {
		packet string
		want   oracle.Outcome
	}{{"good", oracle.Accepted}, {"hang", oracle.Hung}, {"slow-report", oracle.Crashed}} {
		if r, err := single.Send([]byte(row.packet), decode.FromUnknown); err != nil || r.Outcome != row.want {
			t.Errorf("%s: want %v, got %v %q, %v", row.packet, row.want, r.Outcome, r.Report, err)
		}
	}
}

// A process that is late once is not stopped: it would forget what it had.
func TestLateOnce(t *testing.T) {
	target := persistent(t, "pid")
	var pids []string
	for _, packet := range []string{"good", "doze", "good"} {
		r, err := target.Send([]byte(packet), decode.FromUnknown)
		if err != nil || r.Outcome != oracle.Accepted {
			t.Fatalf("%s: %v, %v", packet, r, err)
		}
		pids = append(pids, string(r.Fields))
	}
	if pids[0] != pids[1] || pids[1] != pids[2] {
		t.Errorf("it was started anew: %s", pids)
	}
}

// countdown is a context that ends when it has been asked so often whether it has.
type countdown struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int32
}

func (c *countdown) Err() error {
	if c.left.Add(-1) <= 0 {
		c.end()
	}
	return c.Context.Err()
}

// A death is told wherever the time ends while it is looked for what it takes: a run in which a process died is no
// pass.
func TestDeathAtTheEnd(t *testing.T) {
	told, untried := false, 0
	for asked := int32(1); ; asked++ {
		ctx := &countdown{}
		ctx.Context, ctx.end = context.WithCancel(t.Context())
		ctx.left.Store(asked)
		target, err := process.New(ctx, options(t, "pair"))
		if err != nil {
			continue // it ended before there was a process
		}
		crashed := false
		err = target.SendBatch([][]byte{[]byte("good"), []byte(packetBad), []byte(packetTrigger), []byte("good")}, make([]decode.Direction, 4), func(_ int, r oracle.Reply) bool {
			crashed = crashed || r.Outcome == oracle.Crashed
			if r.Outcome == oracle.Crashed && r.Undone == oracle.NotTried && len(r.Culprit) > 0 {
				untried++
			}
			return true
		})
		target.Close()
		if told && !crashed {
			t.Fatalf("with %d looks at the context the death is not told, with fewer it is", asked)
		}
		told = crashed
		if err == nil {
			break
		}
	}
	if !told || untried == 0 {
		t.Errorf("told: %v, with what it takes not tried: %d times", told, untried)
	}
}
