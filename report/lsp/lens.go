package lsp

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/schemadoc"
)

// widths are the bits of structs, by the places of their declarations.
func (s *server) widths(d *document) map[schema.Pos]string {
	a := s.look(d)
	if a.plan != nil && a.width == nil {
		a.width = schemadoc.Widths(a.plan)
	}
	return a.width
}

// lenses stand above structs and messages, with their width, above the packet, with the longest one, and above the
// fields that cost the most in the capture of the budget file.
func (s *server) lenses(d *document, _ *request, _ int) (any, error) {
	a, list := s.look(d), []codeLens{}
	if a.plan == nil {
		return list, nil
	}
	add := func(at schema.Pos, text string) {
		if len(list) >= maxPlaces {
			return
		}
		off := int(at.Off)
		list = append(list, codeLens{d.span(off, off, s.wide), command{Title: text}})
	}
	widths := s.widths(d)
	for _, decl := range a.own().Decls {
		switch decl := decl.(type) {
		case *syntax.PacketDecl:
			bound := a.plan.Bound
			add(decl.Pos, fmt.Sprintf("at least %d bytes; the longest packet has %d", (bound.MinBits+7)/8, (bound.MaxBits+7)/8))
		case *syntax.StructDecl:
			if width, ok := widths[decl.Name.Pos]; ok {
				add(decl.Pos, bitCount(width))
			}
		case *syntax.MessageDecl:
			if width, ok := widths[decl.Name.Pos]; ok {
				add(decl.Pos, bitCount(width))
			}
		}
	}
	costs := s.costs(d)
	for _, c := range costs.list {
		if c.share >= leastShare {
			add(c.at, c.text())
		}
	}
	return list, nil
}

func bitCount(width string) string {
	if width == "1" {
		return "1 bit"
	}
	return width + " bits"
}

// leastShare is the share of a capture from which on a field has a lens.
const leastShare = 0.02

// cost is what a field takes of a capture.
type cost struct {
	at    schema.Pos
	share float64
	bits  float64 // a packet
}

func (c cost) text() string {
	return fmt.Sprintf("costs %.1f %% of the capture, %.1f bits a packet", 100*c.share, c.bits)
}

// costs are those of all fields, in the order of the plan.
type costs struct {
	list []cost
	by   map[int32]int // place → index
}

// cost is what the budget beside a document says of a field, "" without one.
func (s *server) cost(d *document, at schema.Pos) string {
	c := s.costs(d)
	if i, ok := c.by[at.Off]; ok {
		return c.list[i].text()
	}
	return ""
}

// budgets keeps the budget that was read last: it is read again when its file changes.
type budgets struct {
	path string
	time time.Time
	size int64
	list []*budget.Budget
}

// maxBudget is the most bytes of a budget that is read.
const maxBudget = 8 << 20

// read gives the budgets of the file beside a document, nil where there is none that can be read.
func (b *budgets) read(dir fs.FS, path, name string) []*budget.Budget {
	info, err := fs.Stat(dir, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxBudget {
		*b = budgets{}
		return nil
	}
	if b.path == path && b.time.Equal(info.ModTime()) && b.size == info.Size() {
		return b.list
	}
	*b = budgets{path: path, time: info.ModTime(), size: info.Size()}
	if text, err := readPlain(dir, name, maxBudget); err == nil { // the file may have been exchanged
		b.list, _ = budget.Read(bytes.NewReader(text))
	}
	return b.list
}

// costs holds what NAME.budget.json beside NAME.pks says against the plan: a field that both have, by its rule's name.
func (s *server) costs(d *document) *costs {
	a, out := s.look(d), &costs{by: map[int32]int{}}
	if a.plan == nil || d.path == "" || s.o.Dir == nil {
		return out
	}
	path := strings.TrimSuffix(d.path, ".pks") + ".budget.json"
	list := s.budgets.read(s.o.Dir(filepath.Dir(path)), path, filepath.Base(path))
	var of *budget.Budget
	for _, b := range list {
		if b.Plan().Schema.Name == a.plan.Schema.Name {
			of = b
		}
	}
	if of == nil {
		return out
	}
	total := of.Total()
	places := map[string]schema.Pos{}
	for id := range a.plan.Nodes {
		if n := &a.plan.Nodes[id]; n.Pos.IsValid() && a.Diagnostics.Files.At(n.Pos.Off) == a.own() {
			rule := string(a.plan.AppendRule(nil, plan.NodeID(id)))
			if _, ok := places[rule]; !ok {
				places[rule] = n.Pos
			}
		}
	}
	for _, f := range of.Fields() {
		at, ok := places[f.Path]
		if !ok || total.Packets == 0 || total.Bytes == 0 {
			continue
		}
		i, ok := out.by[at.Off]
		if !ok {
			i = len(out.list)
			out.by[at.Off] = i
			out.list = append(out.list, cost{at: at})
		}
		out.list[i].share += saved.Share(f.Bits, of.Read())
		out.list[i].bits += float64(f.Bits) / float64(total.Packets)
	}
	return out
}
