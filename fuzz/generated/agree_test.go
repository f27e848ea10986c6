package generated_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/generated"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// The three-way oracle: interpreter, reference (oracle.Oracle runs both) and generated code must agree in verdict,
// kind, path, bit, width, values and bits, and what was accepted must be written back as it was. Generated packages are
// compiled into one program that is given packets.

func compile(tb testing.TB, name string, src []byte) *plan.Plan {
	tb.Helper()
	d, err := decode.Load(name, src)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return d.Plan()
}

// generatedSource is the schema of a package in gogen's testdata.
func generatedSource(tb testing.TB, name string) []byte {
	tb.Helper()
	name = strings.TrimSuffix(name, "fixed") // of fixed arrays
	if src, ok := protocols.Source(name); ok {
		return src
	}
	src, err := os.ReadFile("../../decode/gogen/testdata/" + name + ".pks")
	if err != nil {
		tb.Fatal(err)
	}
	return src
}

// asked is one packet for the program, with what the interpreter says of it.
type asked struct {
	plan   int
	from   decode.Direction
	data   []byte
	answer oracle.Answer
	told   func(answer oracle.Answer, bits int, dump string) error // when all agree; nil for nothing more to hold
}

// batch gathers packets and asks the program about them.
type batch struct {
	g        *program
	in       bytes.Buffer
	asked    []asked
	oracles  []*oracle.Oracle
	derivers []*deriver
	trace    decode.Trace
	held     int
}

func (b *batch) add(tb testing.TB, n int, data []byte, from decode.Direction) {
	tb.Helper()
	b.addTold(tb, n, data, from, nil)
}

// addTold adds a packet about which more is known.
func (b *batch) addTold(tb testing.TB, n int, data []byte, from decode.Direction, told func(answer oracle.Answer, bits int, dump string) error) {
	tb.Helper()
	if b.oracles == nil {
		for _, p := range b.g.plans {
			b.oracles = append(b.oracles, oracle.NewOracle(decode.New(p)))
			b.derivers = append(b.derivers, newDeriver(p))
		}
	}
	data = append([]byte(nil), data...)
	answer, err := b.oracles[n].Decode(data, from)
	if err != nil {
		tb.Fatalf("%s: %x: %v", b.g.names[n], data, err)
	}
	b.asked = append(b.asked, asked{n, from, data, answer, told})
	var head [7]byte
	binary.LittleEndian.PutUint16(head[:], uint16(n))
	head[2] = byte(from)
	binary.LittleEndian.PutUint32(head[3:], uint32(len(data)))
	b.in.Write(head[:])
	b.in.Write(data)
	if len(b.asked) >= 20000 || b.in.Len() > 1<<24 {
		b.hold(tb)
	}
}

// hold runs the program over the gathered packets and compares.
func (b *batch) hold(tb testing.TB) {
	tb.Helper()
	cmd := exec.Command(b.g.bin)
	cmd.Env = append(os.Environ(), "GOGC=400") // as corpus/need has it for tests
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = &b.in, &errs
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	out := bufio.NewReaderSize(pipe, 1<<16)
	failed := 0
	for i := range b.asked {
		a := &b.asked[i]
		text, err := answered(out)
		if err != nil {
			tb.Fatalf("%s: from %v, %x: no answer: %v\n%s", b.g.names[a.plan], a.from, a.data, cmd.Wait(), cut(errs.Bytes()))
		}
		if err := b.compare(a, text); err != nil {
			tb.Errorf("%s: from %v, %x: %v", b.g.names[a.plan], a.from, a.data, err)
			if failed++; failed > 5 {
				break
			}
		}
	}
	pipe.Close()
	_ = cmd.Wait() // what it said counts
	b.held += len(b.asked)
	b.asked = b.asked[:0]
	b.in.Reset()
}

// answered is the program's next answer. Those of a batch are hundreds of megabytes together.
func answered(out io.Reader) (string, error) {
	var size [4]byte
	if _, err := io.ReadFull(out, size[:]); err != nil {
		return "", err
	}
	text := make([]byte, binary.LittleEndian.Uint32(size[:]))
	_, err := io.ReadFull(out, text)
	return string(text), err
}

func (b *batch) compare(a *asked, text string) error {
	lines := strings.SplitN(text, "\n", 7)
	var bit, width, bits int
	if _, err := fmt.Sscan(lines[2], &bit, &width, &bits); err != nil {
		return err
	}
	p := b.g.plans[a.plan]
	if lines[4] != "" {
		if p.SeesBits() && decode.New(p).Decode(a.data, a.from, &b.trace) == nil && slices.ContainsFunc(b.trace.Notes, func(n reject.Note) bool { return n.Kind == reject.TrailingBits }) {
			return nil // a look has seen bits after the last field, which no writer sets
		}
		return errors.New(lines[4])
	}
	want := a.answer
	if want.Kind != reject.None {
		if got := fmt.Sprintf("%s at %q, bit %d, width %d", lines[0], lines[1], bit, width); got != fmt.Sprintf("%s at %q, bit %d, width %d", want.Kind, want.Path, want.Bit, want.Width) {
			return fmt.Errorf("want %v, got %s", want, got)
		}
		return a.tell(0, "")
	}
	if lines[0] != "" {
		return fmt.Errorf("want accepted, got %s at %q, bit %d, width %d", lines[0], lines[1], bit, width)
	}
	t := &b.trace
	if err := decode.New(p).Decode(a.data, a.from, t); err != nil {
		return err
	}
	if bits != t.Bits {
		return fmt.Errorf("want %d bits, got %d", t.Bits, bits)
	}
	out, err := hex.DecodeString(lines[3])
	if err != nil {
		return err
	}
	if err := oracle.Rewritten(t, out); err != nil {
		return err
	}
	if err := b.derivers[a.plan].hold(t, lines[3], lines[5]); err != nil {
		return err
	}
	dump, spoilt, _ := strings.Cut(lines[6], "\x00")
	if err := b.derivers[a.plan].spoilt(a.from, spoilt); err != nil {
		return fmt.Errorf("spoilt: %w", err)
	}
	if err := values(t, dump); err != nil {
		return err
	}
	return a.tell(bits, dump)
}

// tell holds what a packet's own table knows of it.
func (a *asked) tell(bits int, dump string) error {
	if a.told == nil {
		return nil
	}
	return a.told(a.answer, bits, dump)
}

// values holds every field of the trace against the dump of the Go value.
func values(t *decode.Trace, dump string) error {
	have := make(map[string]bool, strings.Count(dump, "\n"))
	for line := range strings.Lines(dump) {
		have[strings.TrimSuffix(line, "\n")] = true
	}
	for ev := range t.Walk() {
		if ev.Kind != decode.Leaf && ev.Kind != decode.Blob {
			continue
		}
		path := string(generated.AppendPath(nil, t, ev))
		if ev.Kind == decode.Blob {
			data := ev.Data
			if v := t.Plan.Nodes[ev.Node].Value; v != nil {
				if text, ok := v.Type.(*schema.TextType); ok && text.Kind == schema.TextChar {
					data = bytes.TrimRight(data, "\x00")
				}
			}
			if want := fmt.Sprintf("%s=%x", path, data); !have[want] {
				return fmt.Errorf("no %s in\n%s", want, cut([]byte(dump)))
			}
			continue
		}
		info := &t.Plan.Info[ev.Leaf]
		if info.Kind == plan.LeafChecksum || t.Plan.Nodes[ev.Node].Kind == plan.NodeItem {
			continue
		}
		v := info.Value(ev.Raw, ev.CodeWidth)
		want := path + "=" + strconv.FormatUint(v, 10)
		if info.IsSigned() {
			want = path + "=" + strconv.FormatInt(int64(v), 10)
		}
		if info.Kind == plan.LeafFloat {
			want = fmt.Sprintf("%s=f%x", path, ev.Raw)
		} else if info.Quant != nil {
			if float := fmt.Sprintf("%s=f%x", path, math.Float32bits(info.Quant.Value(uint32(ev.Raw)))); have[float] {
				continue
			}
		}
		if !have[want] {
			return fmt.Errorf("no %s in\n%s", want, cut([]byte(dump)))
		}
	}
	return nil
}

// attack adds a valid packet, what the mutator makes of it, its truncations and flips of its bits.
func (b *batch) attack(tb testing.TB, n int, m *fuzz.Mutator, data []byte, from decode.Direction, mutations int) {
	data = append([]byte(nil), data...)
	b.add(tb, n, data, from)
	count := 0
	for mutation := range m.Mutations(data, from) {
		if count++; count > mutations {
			break
		}
		b.add(tb, n, mutation.Data, from)
	}
	step := 1 + len(data)/need.Rounds(48, 8)
	for at := 0; at < len(data); at += step {
		b.add(tb, n, data[:at], from)
	}
	for bit := 0; bit < 8*len(data); bit += 1 + len(data)/need.Rounds(24, 4) {
		data[bit/8] ^= 1 << (bit % 8)
		b.add(tb, n, data, from)
		data[bit/8] ^= 1 << (bit % 8)
	}
	b.add(tb, n, append(data, 0), from)
}

// makes attacks packets that the generator makes.
func (b *batch) makes(tb testing.TB, n int, seed uint64, packets, mutations int) (made int) {
	d := decode.New(b.g.plans[n])
	g, m := fuzz.NewGenerator(d), fuzz.NewMutator(d)
	for i := range packets {
		if k, err := g.Random(seed, uint64(i)); err == nil {
			made++
			b.attack(tb, n, m, k.Data, k.From, mutations)
		}
	}
	if made == 0 {
		return 0
	}
	i := 0
	for k := range g.Boundaries(seed, nil) {
		if i++; i > 8*packets {
			break
		}
		made++
		b.attack(tb, n, m, k.Data, k.From, mutations/4)
	}
	return made
}

func TestProtocolsAgree(t *testing.T) {
	g := &program{dir: t.TempDir()}
	add := func(name string, src []byte) {
		if err := g.add(t, name, compile(t, name, src)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	names := protocols.Names()
	if testing.Short() {
		names = corpus.Protocols()[:2]
	}
	for _, name := range names {
		src, _ := protocols.Source(name)
		add(name, src)
	}
	for _, name := range []string{"derived", "flat97"}[:need.Rounds(2, 1)] {
		add(name, generatedSource(t, name))
	}
	g.fixed = true
	for _, name := range corpus.Protocols()[:need.Rounds(len(corpus.Protocols()), 1)] {
		src, _ := protocols.Source(name)
		add(name, src)
	}
	g.fixed, g.parts = false, 12
	for i := range need.Rounds(2, 0) { // the packet of the second is in parts
		src, _ := protocols.Source("rtype")
		add(fmt.Sprintf("rtype-%d", i), src)
	}
	g.build(t)
	g.vet(t)
	b := &batch{g: g}
	for n, name := range g.names {
		m := fuzz.NewMutator(decode.New(g.plans[n]))
		for _, s := range corpus.Seeds(name) {
			b.attack(t, n, m, s.Data, fuzz.Sender(s.From), need.Rounds(150, 10))
		}
		b.makes(t, n, 1, 3, 100)
	}
	b.hold(t)
	t.Logf("%d packets under %d protocols", b.held, len(g.plans))
	derived, written, refused := b.counts()
	t.Logf("%d derived, %d changed and written, %d changed and refused", derived, written, refused)
	if enough := need.Rounds(1000, 50); derived < enough || written < enough || refused < enough/2 {
		t.Error("too few to show anything")
	}
}

// TestAnySchemaAgrees holds schemas that were drawn. ANYSCHEMA=5000+400 draws 400 from seed 5000 on, for a soak.
func TestAnySchemaAgrees(t *testing.T) {
	first, n := 0, need.Rounds(24, 5)
	if soak := os.Getenv("ANYSCHEMA"); soak != "" {
		a, b, _ := strings.Cut(soak, "+")
		first, _ = strconv.Atoi(a)
		n, _ = strconv.Atoi(b)
	}
	var all drawn
	const together = 12
	for end := first + n; first < end; first += together {
		t.Run(fmt.Sprintf("%d+%d", first, min(end-first, together)), func(t *testing.T) { all.agree(t, first, min(end, first+together)) })
	}
	t.Logf("%d packets under %d of %d schemas, of which %d are too large for fixed arrays", all.packets, all.schemas, n, all.large)
}

// drawn counts what was held under schemas that were drawn.
type drawn struct{ packets, schemas, large int }

// agree holds the schemas of some seeds, which are built into one program.
func (d *drawn) agree(t *testing.T, first, end int) {
	g := &program{dir: t.TempDir(), parts: 6}
	var seeds []int
	source := func(seed int) string { return anyschema.Source(anyschema.Seeded(uint64(seed)), 3+seed%40) }
	for seed := first; seed < end; seed++ {
		s, _ := schema.Load("any.pks", []byte(source(seed)), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		for _, p := range append([]*plan.Plan{p}, p.Sections...) { // packets, and whole messages
			g.fixed = seed%2 == 1 || os.Getenv("FIXED") != ""
			err := g.add(t, fmt.Sprintf("seed %d", seed), p)
			if g.fixed && err != nil && strings.Contains(err.Error(), "would make a Packet of fixed arrays") {
				g.fixed = false
				d.large++
				err = g.add(t, fmt.Sprintf("seed %d", seed), p)
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, cut([]byte(err.Error())), source(seed))
			}
			seeds = append(seeds, seed)
		}
	}
	g.build(t)
	b := &batch{g: g}
	for i, seed := range seeds {
		was := t.Failed()
		b.makes(t, i, uint64(seed), 2, 60)
		if b.hold(t); t.Failed() && !was {
			t.Errorf("seed %d:\n%s", seed, source(seed))
		}
	}
	d.packets, d.schemas = d.packets+b.held, d.schemas+len(seeds)
}
