package generated_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/gogen"
	"github.com/pktscope/pktscope/decode/plan"
)

// program is generated packages, built.
type program struct {
	dir    string
	bin    string
	plans  []*plan.Plan
	names  []string // for messages
	arrays []bool   // of each: it is of fixed arrays
	parts  int      // every other package is of functions of so many ops and leaves; 0 for none
	fixed  bool     // the packages that are added are of fixed arrays
}

func (g *program) add(tb testing.TB, name string, p *plan.Plan) error {
	tb.Helper()
	weight := 0
	if g.parts > 0 && len(g.plans)%2 == 1 {
		weight = g.parts
	}
	out, err := gogen.Generate(p, gogen.Options{Package: fmt.Sprintf("p%d", len(g.plans)), Fixed: g.fixed, FunctionSize: weight})
	if err != nil {
		return err
	}
	dir := filepath.Join(g.dir, out.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	for _, f := range out.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Source, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	g.plans, g.names, g.arrays = append(g.plans, p), append(g.names, name), append(g.arrays, g.fixed)
	return nil
}

func (g *program) build(tb testing.TB) {
	tb.Helper()
	driver, err := os.ReadFile("testdata/driver.go.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"encoding/hex\"\n\t\"fmt\"\n\t\"hash/crc32\"\n\t\"reflect\"\n")
	for i := range g.plans {
		fmt.Fprintf(&b, "\t\"hold/p%d\"\n", i)
	}
	b.WriteString(")\n\nvar packages = []func(data []byte, from byte) result{\n")
	for i := range g.plans {
		rules, forget := "", ""
		if g.plans[i].ReadsAhead() && slices.ContainsFunc(g.plans[i].Steps, func(s plan.Step) bool { w, ok := s.(*plan.Window); return ok && (w.Fill > 0 || w.Unit < 8) }) {
			forget = "bare.DatagramSize = 0 // of the packet with a window that was longer than it must be"
		}
		for _, path := range sizingRules(g.plans[i]) {
			rules += fmt.Sprintf("%q: true, ", path)
		}
		fmt.Fprintf(&b, `	func(data []byte, from byte) (res result) {
		side := p%[1]d.From(from)
		err := used%[1]d.Decode(data, side, &reused%[1]d)
		if err != nil {
			r := err.(*p%[1]d.PacketReject)
			return result{kind: r.Kind.String(), path: r.Path(), bit: r.Bit, width: r.Width}
		}
		res.bits = used%[1]d.Bits()
		out, err := reused%[1]d.Append(nil, side)
		if err != nil {
			return result{problem: "reused: " + err.Error(), bits: res.bits}
		}
		res.out = out
		fresh := new(p%[1]d.Packet)
		if err := used%[1]d.Decode(data, side, fresh); err != nil {
			return result{problem: "again: " + err.Error()}
		}
		out, err = fresh.Append([]byte("before"), side)
		if err != nil || string(out[6:]) != string(res.out) {
			res.problem = "a fresh packet is written as another"
		}
		buf := make([]byte, 0, 2*len(data)+64)
		if count%[1]d++; count%[1]d%%16 == 0 && allocates(func() {
			_ = used%[1]d.Decode(data, side, &reused%[1]d)
			_, _ = reused%[1]d.Append(buf, side)
		}) {
			res.problem = "Decode or Append allocates"
		}
		if fixed := %[2]t; fixed && count%[1]d%%16 == 0 && allocates(func() {
			*room%[1]d = p%[1]d.Packet{}
			_ = used%[1]d.Decode(data, side, room%[1]d)
		}) {
			res.problem = "Decode into a fresh Packet allocates"
		}
		res.value = *fresh
		if rules := (map[string]bool{%[3]s}); len(rules) > 0 {
			bare := new(p%[1]d.Packet)
			_ = used%[1]d.Decode(data, side, bare)
			zero(reflect.ValueOf(bare).Elem(), "", rules)
			%[4]s
			if out, err := bare.Append(nil, side); err != nil {
				res.derived = err.Error()
			} else {
				res.derived = hex.EncodeToString(out)
			}
		}
		crc := crc32.ChecksumIEEE(data)
		if fixed := %[2]t; !fixed && crc%%2 == 0 {
			bad := new(p%[1]d.Packet)
			_ = used%[1]d.Decode(data, side, bad)
			spoil(reflect.ValueOf(bad).Elem(), uint64(crc))
			out, err := bad.Append(nil, side)
			res.spoilt = spoilt(reflect.ValueOf(bad).Elem(), out, err, func(err error) string {
				r := err.(*p%[1]d.PacketReject)
				return fmt.Sprintf("%%v %%q %%d", r.Kind, r.Path(), r.Bit)
			})
		}
		return res
	},
`, i, g.arrays[i], rules, forget)
	}
	b.WriteString("}\n")
	for i := range g.plans {
		fmt.Fprintf(&b, "\nvar used%[1]d p%[1]d.PacketReader\nvar reused%[1]d p%[1]d.Packet\nvar count%[1]d int\nvar room%[1]d = new(p%[1]d.Packet)\n", i)
	}
	spoil, err := os.ReadFile("testdata/spoil.go.txt")
	if err != nil {
		tb.Fatal(err)
	}
	for name, text := range map[string]string{"spoil.go": string(spoil), "go.mod": "module hold\n\ngo 1.26\n", "main.go": string(driver), "packages.go": b.String()} {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	g.bin = filepath.Join(g.dir, "hold")
	g.run(tb, "go", "build", "-ldflags=-s -w", "-o", g.bin, ".")
}

// vet vets the program, if the test is not short: it takes as long as the build.
func (g *program) vet(tb testing.TB) {
	tb.Helper()
	if !testing.Short() {
		g.run(tb, "go", "vet", "./...")
	}
}

// run runs a go command in the program's module, offline. Without paths, what was built once in another temporary
// directory is in the build cache.
func (g *program) run(tb testing.TB, args ...string) {
	tb.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %v\n%s", args, err, cut(out))
	}
}

func cut(b []byte) []byte { return b[:min(len(b), 4000)] }
