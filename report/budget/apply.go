package budget

import (
	"errors"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// maxTries is how often a schema is checked with some of the suggestions, to find those that it cannot have.
const maxTries = 64

// checked drops what the language refuses: a checksum that is then on no byte, an arm that no tag reaches.
func (b *Budget) checked(list []Suggestion) []Suggestion {
	var good, advice []Suggestion
	tries := 0
	var keep func([]Suggestion)
	keep = func(part []Suggestion) {
		if len(part) == 0 || tries == maxTries {
			return
		}
		tries++
		if _, _, err := b.tighten(append(slices.Clip(good), part...)); err == nil {
			good = append(good, part...)
			return
		}
		if len(part) > 1 {
			keep(part[:len(part)/2])
			keep(part[len(part)/2:])
		}
	}
	for _, s := range list {
		if s.Advice {
			advice = append(advice, s)
		}
	}
	keep(list[:len(list)-len(advice)])
	return append(good, advice...)
}

// Apply is the schema's source with the suggestions in it, in the language's one style, and its plan. Advice is left
// out.
func (b *Budget) Apply(list []Suggestion) ([]byte, *plan.Plan, error) { return b.tighten(list) }

var errTightened = errors.New("the tightened schema does not check")

func (b *Budget) tighten(list []Suggestion) ([]byte, *plan.Plan, error) {
	s := b.shape.plan.Schema
	edits := make([]edit, 0, len(list))
	for _, one := range list {
		if !one.Advice {
			edits = append(edits, one.edit)
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return int(a.from - b.from) })
	var text []byte
	at := int32(0)
	for _, e := range edits {
		if e.from < at || e.to < e.from || int(e.to) > len(s.File.Src) {
			return nil, nil, errTightened
		}
		text = append(append(text, s.File.Src[at:e.from]...), e.text...)
		at = e.to
	}
	text = append(text, s.File.Src[at:]...)
	if formatted, _ := syntax.Format(s.File.Name, text); formatted != nil {
		text = formatted
	}
	var params []decode.Param
	for _, p := range s.Params {
		if p.Value != nil {
			params = append(params, decode.Param{Name: p.Name, Value: p.Value})
		}
	}
	d, err := decode.LoadFS(decode.Texts(s.Imports()), s.File.Name, text, params...)
	if err != nil || len(d.Plan().Leaves) != len(b.shape.plan.Leaves) {
		return nil, nil, errTightened
	}
	return text, d.Plan(), nil
}
