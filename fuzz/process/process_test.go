//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
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
		o.Memory = 256 << 20
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
	if r, err := target.Send([]byte("x"), decode.Unknown); err != nil || r.Outcome != fuzz.Accepted {
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
				if _, err = target.Send([]byte(packet), decode.Unknown); err != nil {
					break
				}
			}
			if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("want an error of one line with %q, got %v", want, err)
			}
		})
	}
}

// batch sends packets and lists how they end.
func batch(t testing.TB, target fuzz.Batcher, packets ...string) []fuzz.Reply {
	t.Helper()
	var data [][]byte
	for _, p := range packets {
		data = append(data, []byte(p))
	}
	var replies []fuzz.Reply
	err := target.SendBatch(data, make([]decode.Direction, len(data)), func(i int, r fuzz.Reply) {
		if i != len(replies) {
			t.Fatalf("reply %d comes as number %d", i, len(replies))
		}
		replies = append(replies, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	return replies
}

func outcomes(replies []fuzz.Reply) string {
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
		{"eat", "good bad good", "accept leak accept", "of the 256 that it may"},
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
				if row.word == "pair" && r.Outcome == fuzz.Crashed && len(r.Culprit) != 2 {
					t.Errorf("culprits %q", r.Culprit)
				}
			}
		})
	}
	// One by one, a late death is that of the packet before.
	target := persistent(t, "late")
	for _, packet := range []string{"good", packetBad} {
		if r, err := target.Send([]byte(packet), decode.Unknown); err != nil || r.Outcome != fuzz.Accepted {
			t.Fatalf("%s: %v, %v", packet, r.Outcome, err)
		}
	}
	r, err := target.Send([]byte("good"), decode.Unknown)
	if err != nil || r.Outcome != fuzz.Crashed || len(r.Culprit) != 1 || string(r.Culprit[0]) != packetBad {
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
	var leak fuzz.Reply
	had := 0
	for i, r := range batch(t, target, packets...) {
		if r.Outcome == fuzz.Exhausted {
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
		r, err := again.Send(p, decode.Unknown)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome == fuzz.Exhausted {
			return
		}
	}
	t.Errorf("%q do not fill it again", leak.Culprit)
}

func TestValues(t *testing.T) {
	target := persistent(t, "values")
	for _, r := range batch(t, target, "a", "four", packetRefuse, strings.Repeat("x", 5000)) {
		switch {
		case r.Outcome == fuzz.Refused && r.Fields == nil && r.Bits == -1:
		case r.Outcome == fuzz.Accepted && bytes.HasPrefix(r.Fields, []byte(`{"size":`)) && r.Bits > 0 && r.Bits%8 == 0:
		default:
			t.Errorf("%v %q %d", r.Outcome, r.Fields, r.Bits)
		}
	}
	// Values that come apart from their A are lost once, and then waited for.
	target = persistent(t, "values-late")
	var last fuzz.Reply
	for range 3 {
		var err error
		if last, err = target.Send([]byte("four"), decode.Unknown); err != nil {
			t.Fatal(err)
		}
	}
	if string(last.Fields) != `{"size":4}` {
		t.Errorf("got %q", last.Fields)
	}
}

// A line end between answers is nothing, wherever values stand.
func TestValuesInLines(t *testing.T) {
	for _, r := range batch(t, persistent(t, "values-in-lines"), "a", packetRefuse, "four") {
		if r.Outcome == fuzz.Accepted && r.Bits <= 0 {
			t.Errorf("%v %q %d: its values are lost", r.Outcome, r.Fields, r.Bits)
		}
	}
}

// A target may say why it refuses; one that has done so always does.
func TestReasons(t *testing.T) {
	target := persistent(t, "reasons")
	for _, row := range []struct{ packet, want string }{
		{"good", ""},
		{packetRefuse + `{"kind":"past-end","path":"body.x","bit":12,"width":8}`, `reject: past-end at "body.x", bit 12, 8 bits`},
		{packetRefuse + `{}`, ""},
		{"good", ""},
		{packetRefuse + `{"bit":7}`, "reject: bit 7"},
	} {
		r, err := target.Send([]byte(row.packet), decode.Unknown)
		got := ""
		if r.Why != nil {
			got = r.Why.String()
		}
		if err != nil || got != row.want || (r.Outcome == fuzz.Refused) != (row.packet != "good") {
			t.Errorf("%s: %v %q, %v", row.packet, r.Outcome, got, err)
		}
	}
	for _, row := range []struct{ reason, want string }{
		{`{"kind":"bad"}`, "which is none"},
		{`{"kind":`, "no JSON object"},
		{`{"values":{}}`, "unknown field"},
		{`R`, "it answers"},
	} {
		target := persistent(t, "reasons")
		if _, err := target.Send([]byte(packetRefuse+`{}`), decode.Unknown); err != nil {
			t.Fatal(err)
		}
		if _, err := target.Send([]byte(packetRefuse+row.reason), decode.Unknown); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.reason, row.want, err)
		}
	}
	// A reason that comes apart from its R is lost once, and then waited for.
	target = persistent(t, "reasons-late")
	var last fuzz.Reply
	for range 3 {
		var err error
		if last, err = target.Send([]byte(packetRefuse), decode.Unknown); err != nil {
			t.Fatal(err)
		}
	}
	if last.Why == nil || last.Why.Kind != reject.PastEnd {
		t.Errorf("got %v", last.Why)
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
		want   fuzz.Outcome
		report string
	}{
		{"good", fuzz.Accepted, ""},
		{packetRefuse, fuzz.Refused, ""},
		{packetBad, fuzz.Crashed, "SIGKILL"},
		{"odd", fuzz.Crashed, "exit status 7"},
		{"report", fuzz.Crashed, "reader.c:3:2: runtime error"},
		{"leak", fuzz.Exhausted, "LeakSanitizer"},
		{"fork", fuzz.Accepted, ""},
		{strings.Repeat("x", 1<<20), fuzz.Accepted, ""},
	} {
		r, err := target.Send([]byte(row.packet), decode.Unknown)
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
	if _, err := hasty.Send([]byte("x"), decode.Unknown); err == nil || !strings.Contains(err.Error(), never) {
		t.Errorf("got %v", err)
	}
}

// A first packet that hangs a target which is well otherwise is a finding about the packet, also where the packet that it is
// asked next hangs it, too: a reader may hang with every packet that is not empty.
func TestFirstPacketHangs(t *testing.T) {
	for _, warm := range []struct{ single, persistent string }{{"good", "good"}, {"hang", packetBad}} {
		o := options(t, "single")
		o.Patience, o.Warm = 100*time.Millisecond, []byte(warm.single)
		single, err := process.NewSingle(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer single.Close()
		if r, err := single.Send([]byte("hang"), decode.Unknown); err != nil || r.Outcome != fuzz.Hung || !strings.Contains(r.Report, "in 3 new processes") {
			t.Errorf("single, %s: %v %s, %v", warm.single, r.Outcome, r.Report, err)
		}
		o = options(t, "hang")
		o.Warm = []byte(warm.persistent)
		target, err := process.New(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer target.Close()
		if r, err := target.Send([]byte(packetBad), decode.Unknown); err != nil || r.Outcome != fuzz.Hung || !strings.Contains(r.Report, "in 3 new processes") {
			t.Errorf("persistent, %s: %v %s, %v", warm.persistent, r.Outcome, r.Report, err)
		}
	}
}

// A death whose report takes longer than an answer may is no hang, also not after a hang, when deadlines are short; a hang
// says the deadline that it missed.
func TestSlowReport(t *testing.T) {
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
		want   fuzz.Outcome
	}{{"good", fuzz.Accepted}, {"hang", fuzz.Hung}, {"slow-report", fuzz.Crashed}} {
		if r, err := single.Send([]byte(row.packet), decode.Unknown); err != nil || r.Outcome != row.want {
			t.Errorf("%s: want %v, got %v %q, %v", row.packet, row.want, r.Outcome, r.Report, err)
		}
	}
}

// The end of the context ends a SendBatch that waits for an answer, and one that waits to be read; also where the pipes are
// held open by a process that left the target's group.
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
		if _, err := target.Send([]byte("good"), decode.Unknown); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(50*time.Millisecond, cancel)
		if err := target.SendBatch(packets, make([]decode.Direction, len(packets)), func(int, fuzz.Reply) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", word, err)
		}
		target.Close()
		orphans(t, word)
		orphans(t, "never-read")
	}
}

// A process that is late once is not stopped: it would forget what it had.
func TestLateOnce(t *testing.T) {
	target := persistent(t, "pid")
	var pids []string
	for _, packet := range []string{"good", "doze", "good"} {
		r, err := target.Send([]byte(packet), decode.Unknown)
		if err != nil || r.Outcome != fuzz.Accepted {
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

// A death is told wherever the time ends while it is looked for what it takes: a run in which a process died is no pass.
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
		err = target.SendBatch([][]byte{[]byte("good"), []byte(packetBad), []byte(packetTrigger), []byte("good")}, make([]decode.Direction, 4), func(_ int, r fuzz.Reply) {
			crashed = crashed || r.Outcome == fuzz.Crashed
			if r.Outcome == fuzz.Crashed && r.Undone == fuzz.NotTried && len(r.Culprit) > 0 {
				untried++
			}
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
