package selffuzz

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// maxTrialSteps bounds the packets that Schema tries: a stranger's schema may be proved to take a million steps, and
// the reference needs far longer for each.
const maxTrialSteps = 20_000

// Schema attacks the language: the input is a source and, each after a line `-- NAME --`, the files of its directory.
// Whatever it is, loading and compiling it end in a schema and its plan or in diagnostics that a terminal can be shown;
// a plan verifies within the limits, prints, and decodes packets as the reference does. interesting says that it has a
// plan.
func Schema(input []byte) (bool, error) {
	source, files := directory(input)
	if err := formatted(source); err != nil {
		return false, err
	}
	s, diags := schema.LoadFS(files, "fuzz.pks", source, nil)
	if err := diagnostics(diags); err != nil {
		return false, err
	}
	if (s == nil) != syntax.HasErrors(diags.List) {
		return false, fmt.Errorf("a schema: %v, with errors: %v", s != nil, syntax.HasErrors(diags.List))
	}
	if s == nil {
		return false, nil
	}
	if len(s.Files) > schema.MaxFiles || s.Files.Size() > syntax.MaxSource {
		return false, fmt.Errorf("%d files of %d bytes", len(s.Files), s.Files.Size())
	}
	p, list := plan.Compile(s)
	if err := diagnostics(&schema.Diagnostics{Files: s.Files, List: list}); err != nil {
		return false, err
	}
	if (p == nil) != syntax.HasErrors(list) {
		return false, fmt.Errorf("a plan: %v, with errors: %v", p != nil, syntax.HasErrors(list))
	}
	if p == nil {
		return false, nil
	}
	if err := proof(p); err != nil {
		return false, err
	}
	return true, trials(p, source)
}

// directory cuts an input into the source and the other files of its directory.
func directory(input []byte) ([]byte, decode.Texts) {
	source, rest, more := bytes.Cut(input, []byte("\n-- "))
	files := decode.Texts{}
	for more {
		var file []byte
		file, rest, more = bytes.Cut(rest, []byte("\n-- "))
		name, text, _ := strings.Cut(string(file), " --\n")
		files[name] = text
	}
	return source, files
}

// formatted holds the formatter: what it gives, it gives again.
func formatted(source []byte) error {
	out, diags := syntax.Format("fuzz.pks", source)
	if out == nil {
		return diagnostics(&schema.Diagnostics{Files: schema.Files{{Name: "fuzz.pks", Src: source}}, List: diags})
	}
	again, diags := syntax.Format("fuzz.pks", out)
	if !bytes.Equal(out, again) {
		return fmt.Errorf("formatted again it is another text, %v:\n%s\n----\n%s", diags, out, again)
	}
	return nil
}

// diagnostics holds complaints to what the language page promises.
func diagnostics(diags *schema.Diagnostics) error {
	if len(diags.List) > 101 {
		return fmt.Errorf("%d diagnostics, want 101 at most", len(diags.List))
	}
	var b []byte
	for _, d := range diags.List {
		f, d := diags.Files.Local(d)
		if d.Pos.Off < 0 || d.End.Off < d.Pos.Off || int(d.End.Off) > len(f.Src) {
			return fmt.Errorf("diagnostic at bytes %d..%d of %d in %q: %s", d.Pos.Off, d.End.Off, len(f.Src), f.Name, d.Message)
		}
		if d.Message == "" {
			return fmt.Errorf("a diagnostic at byte %d says nothing", d.Pos.Off)
		}
		b = d.AppendLine(b[:0], "fuzz.pks")
		if err := oracle.Printable(b); err != nil {
			return err
		}
		b = d.AppendText(b[:0], "fuzz.pks", f.Src)
		b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\n"), nil), []byte("\t"), nil)
		if err := oracle.Printable(b); err != nil {
			return err
		}
	}
	return nil
}

// proof holds a compiled plan to its limits.
func proof(p *plan.Plan) error {
	bound := p.Bound
	d := decode.New(p)
	if err := d.Verify(); err != nil {
		return fmt.Errorf("plan does not verify: %w", err)
	}
	if again := p.Prove(); again != bound {
		return fmt.Errorf("proved %+v at first, then %+v", bound, again)
	}
	if p.OpCount()+len(p.Leaves) > plan.MaxOps || bound.MaxFields > schema.DefaultMaxFields || bound.MaxSteps > schema.DefaultMaxSteps ||
		bound.MinBits > bound.MaxBits && bound.MinBits <= 8*int64(p.Schema.MaxDatagram) {
		return fmt.Errorf("%d ops, %d leaves, %+v", p.OpCount(), len(p.Leaves), bound)
	}
	var b bytes.Buffer
	if err := d.Disassemble(&b); err != nil {
		return err
	}
	return oracle.Printable(bytes.ReplaceAll(b.Bytes(), []byte("\n"), nil))
}

// trials decodes a few packets, which the source's own bytes must do for, and attacks those that are accepted.
func trials(p *plan.Plan, source []byte) error {
	if p.Bound.MaxSteps > maxTrialSteps {
		return nil
	}
	d := decode.New(p)
	o := oracle.NewOracle(d)
	most := min(p.Schema.MaxDatagram, 512)
	least := int(min((p.Bound.MinBits+7)/8, int64(most)))
	half := len(source) / 2
	for _, packet := range [][]byte{nil, make([]byte, least), source[:min(len(source), most)], source[half:min(len(source), half+least)], bytes.Repeat([]byte{0xFF}, least)} {
		packet = bytes.Clone(packet)
		p.RepairChecksum(packet)
		if _, err := o.Decode(packet, decode.FromUnknown); err != nil {
			return fmt.Errorf("packet %x: %w", packet, err)
		}
	}
	// Nothing but zeros is accepted by many a small schema, and then every rule of it can be broken on purpose.
	packet := make([]byte, least)
	p.RepairChecksum(packet)
	tries := 0
	for mutation := range fuzz.NewMutator(d).Mutations(packet, decode.FromUnknown) {
		answer, err := o.Decode(mutation.Data, decode.FromUnknown)
		if err == nil {
			err = mutation.Expect.Check(answer)
		}
		if err != nil {
			return fmt.Errorf("%s: packet %x: %w", mutation.What(), mutation.Data, err)
		}
		if tries++; tries == 200 {
			break
		}
	}
	return nil
}
