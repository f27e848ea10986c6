package fuzz_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// lentPacket is a schema whose packet is the packet of src, and its import.
func lentPacket(src string) (string, decode.Texts) {
	f, _ := syntax.Parse("x.pks", []byte(src))
	main, order := "protocol lending\n", syntax.LSB
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *syntax.PortDecl, *syntax.MaxDecl:
			main += declText(f, d) + "\n"
		case *syntax.OrderDecl:
			order = d.Kind.Order
		case *syntax.PacketDecl:
			if d.Order != nil {
				order = d.Order.Order
			}
		}
	}
	name := ""
	for _, part := range strings.Split(f.Protocol.Text, "_") {
		name += strings.ToUpper(part[:1]) + part[1:]
	}
	return fmt.Sprintf("%sorder %v\nimport \"x.pks\"\npacket { inner %s }\n", main, order, name), decode.Texts{"x.pks": src}
}

// lentDeclarations is a schema of which all but the packet is imported.
func lentDeclarations(src string) (string, decode.Texts) {
	f, _ := syntax.Parse("x.pks", []byte(src))
	main, lib := "protocol "+f.Protocol.Text+"\nimport \"lib.pks\"\n", "protocol lib\n"
	for _, d := range f.Decls {
		text := declText(f, d) + "\n"
		switch d.(type) {
		case *syntax.OrderDecl:
			main, lib = main+text, lib+text
		case *syntax.ConstDecl, *syntax.ParamDecl, *syntax.EnumDecl, *syntax.StructDecl, *syntax.MessageDecl:
			lib += text
		default:
			main += text
		}
	}
	return main, decode.Texts{"lib.pks": lib}
}

func declText(f *syntax.File, d syntax.Decl) string {
	return string(f.Src[d.Place().Pos.Off:d.Place().End.Off])
}

// Whatever is drawn is the same packet where it is imported: its packet as a struct, and its declarations for a packet
// of another file.
func TestImportedAnySchema(t *testing.T) {
	need.OneGoroutine(t)
	const perSchema = 6
	made, refused := map[string]int{}, map[string]int{}
	seeds := need.RoundsIn[uint64](t, need.Long, 2000, 200, 30)
	for seed := range seeds {
		src := anyschema.Source(anyschema.Seeded(seed), 5+int(seed%40))
		alone, err := decode.Load("x.pks", []byte(src))
		if err != nil {
			continue
		}
		for _, form := range []struct {
			name string
			of   func(string) (string, decode.Texts)
		}{{"packet", lentPacket}, {"declarations", lentDeclarations}} {
			main, files := form.of(src)
			lent, err := decode.LoadFS(files, "main.pks", []byte(main))
			if err != nil {
				if !strings.Contains(err.Error(), "are allowed") && !strings.Contains(err.Error(), "nest more than") && !strings.Contains(err.Error(), "first value") {
					t.Fatalf("seed %d, %s: %v\n%s----\n%s", seed, form.name, err, main, src)
				}
				refused[form.name]++
				continue
			}
			if err := holdImported(alone, lent, seed, perSchema, func() { made[form.name]++ }); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s----\n%s", seed, form.name, err, main, src)
			}
		}
	}
	t.Logf("packets %v, schemas refused %v", made, refused)
	for name, n := range made {
		if n < need.Rounds(500, 100) || refused[name] > n/20 {
			t.Errorf("%s: %d packets, and %d schemas were refused", name, n, refused[name])
		}
	}
}

// holdImported compares the two on valid packets, on what random bits make of them, and on their beginnings.
func holdImported(alone, lent *decode.Decoder, seed uint64, packets int, count func()) error {
	g, o := fuzz.NewGenerator(alone), oracle.NewOracle(lent)
	var a, b decode.Trace
	hold := func(data []byte, from decode.Direction) error {
		one, two := said(alone, data, from, &a), said(lent, data, from, &b)
		if one != two || a.Bits != b.Bits || !slices.Equal(a.Raw, b.Raw) || len(a.Notes) != len(b.Notes) {
			return fmt.Errorf("%x from %v: alone %q, %d bits, %x; imported %q, %d bits, %x", data, from, one, a.Bits, a.Raw, two, b.Bits, b.Raw)
		}
		count()
		return nil
	}
	for n := range packets {
		k, err := g.Random(seed, uint64(n))
		if err != nil {
			continue
		}
		data := bytes.Clone(k.Data)
		if _, err := o.Decode(data, k.From); err != nil {
			return fmt.Errorf("imported: %x from %v: %w", data, k.From, err)
		}
		for i := range min(8*len(data), 40) {
			if i > 0 {
				bit := (i * 7919) % (8 * len(data))
				data[bit/8] ^= 1 << (bit % 8)
			}
			if err := hold(data, k.From); err != nil {
				return err
			}
			copy(data, k.Data)
			if err := hold(data[:i*len(data)/40], k.From); err != nil {
				return err
			}
		}
	}
	return nil
}

// said is the verdict of a decoder.
func said(d *decode.Decoder, data []byte, from decode.Direction, t *decode.Trace) string {
	if d.Decode(data, from, t) == nil {
		return "accept"
	}
	return fmt.Sprint(t.Reject().Kind, t.Reject().Bit, t.Reject().Width)
}
