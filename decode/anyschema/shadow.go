package anyschema

import "strings"

// An inline body may declare a name again that it sees from outside, unless it has read that before.

// bodyOf makes a frame that of a body with names of its own.
func (g *generator) bodyOf(f *frame) *frame {
	g.scopes++
	f.scope, f.whole, f.read, f.state = g.scopes, true, len(g.reads), g.seen
	return f
}

// see brings a variable into scope.
func (f *frame) see(v *variable) {
	v.scope = f.scope
	f.vars = append(f.vars, v)
}

// hidden says which variables an inner body has hidden.
func (f *frame) hidden() []bool {
	last := map[string]int{}
	for _, name := range f.veil {
		last[name] = -1
	}
	out := make([]bool, len(f.vars))
	for i := len(f.vars) - 1; i >= 0; i-- {
		v := f.vars[i]
		scope, met := last[root(v.path)]
		if out[i] = met && scope != v.scope; !met {
			last[root(v.path)] = v.scope
		}
	}
	return out
}

// call finds a name for something, and says whether it hides another: that one may not be read in what is declared,
// which ends with done.
func (g *generator) call(f *frame) (name string, hides bool, done func()) {
	if name = g.hide(f); name == "" {
		return g.name(), false, func() {}
	}
	n := len(f.veil)
	f.veil = append(f.veil[:n:n], name)
	return name, true, func() { f.veil = f.veil[:n] }
}

// hide gives a name of a variable around a body that the body may declare, too; "" without one.
func (g *generator) hide(f *frame) string {
	if !f.whole || !g.once(3) {
		return ""
	}
	taken := map[string]bool{}
	for _, name := range g.reads[f.read:] {
		taken[name] = true
	}
	for _, v := range f.vars {
		taken[root(v.path)] = taken[root(v.path)] || v.scope == f.scope
	}
	var free []string
	for _, v := range f.vars {
		if simpleName(v.path) && !taken[v.path] && !v.blank {
			free = append(free, v.path)
		}
	}
	if len(free) == 0 {
		return ""
	}
	return free[len(free)-1-g.draw(len(free))]
}

// root is the first name of a path.
func root(path string) string {
	first, _, _ := strings.Cut(path, ".")
	return first
}
