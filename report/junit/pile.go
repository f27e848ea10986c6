package junit

import (
	"github.com/pktscope/pktscope/report/results"
)

// A pile is the problems that are in no case yet: each is in one.
type pile struct {
	list  []results.Problem
	taken []bool
	at    map[key][]int // findings by what a rule's case is about
}

// key is what a case of an audit is about.
type key struct {
	source                           results.Source
	tool, name, target, rule, reject string
}

func newPile(list []results.Problem) *pile {
	p := &pile{list: list, taken: make([]bool, len(list)), at: map[key][]int{}}
	for i := range list {
		one := &list[i]
		k := key{one.Source, one.Tool, one.Name, one.Target, one.Rule, one.Reject}
		p.at[k] = append(p.at[k], i)
	}
	return p
}

// take takes those of a key.
func (p *pile) take(k key) (list []*results.Problem) {
	for _, i := range p.at[k] {
		if !p.taken[i] {
			p.taken[i] = true
			list = append(list, &p.list[i])
		}
	}
	return list
}

// takeAll takes those that fit.
func (p *pile) takeAll(fits func(*results.Problem) bool) (list []*results.Problem) {
	for i := range p.list {
		if !p.taken[i] && fits(&p.list[i]) {
			p.taken[i] = true
			list = append(list, &p.list[i])
		}
	}
	return list
}

// rest is a suite of what is left of a source.
func (p *pile) rest(name string, source results.Source) *suite {
	s := &suite{Name: name}
	for _, one := range p.takeAll(func(one *results.Problem) bool { return one.Source == source }) {
		s.other(one.Name+".finding", []*results.Problem{one})
	}
	return s
}
