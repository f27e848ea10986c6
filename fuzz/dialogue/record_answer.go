package dialogue

import (
	"slices"
	"strings"
)

// Answers of clients, such as acknowledgements: packets that repeat fields of one of the server's last packets.

// Bounds of what is compared, whatever a capture holds: answers, and pairs of fields.
const (
	maxAnswering = 512
	maxRepeats   = 256
)

// reaction is which cases of the server a case of clients answers, and what it repeats of them.
type reaction struct {
	to     []uint64
	copies []repeat
}

// repeat is a field of an answer, and the one of the server's packet that it repeats.
type repeat struct{ mine, theirs string }

// name is what the dialogue calls the value.
func (r repeat) name() string {
	return "its_" + strings.NewReplacer(".", "_", "[", "_", "]", "").Replace(r.theirs[strings.LastIndexByte(r.theirs, '.')+1:])
}

func (r *reaction) names() map[string]string {
	all := map[string]string{}
	for _, c := range r.copies {
		all[c.mine] = c.name()
	}
	return all
}

// taken are the names that an answer's line takes of a server's packet.
func (r *Recorder) taken(tag uint64, copies []repeat) string {
	var all []string
	for _, c := range copies {
		all = append(all, r.short(tag, c.theirs)+" -> "+c.name())
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// answering is a packet of a client with the server's last ones before it, the latest first.
type answering struct {
	packet *recorded
	to     []*recorded
}

// reactionOf finds what a case of clients answers; a zero one where that holds not for each of its packets.
func (r *Recorder) reactionOf(tag uint64) *reaction {
	all := r.answerings(tag)
	found := &reaction{}
	if len(all) < leastAcked {
		return found
	}
	theirs := map[string]bool{}
	for _, a := range all {
		if len(a.to) == 0 {
			return found
		}
		for _, p := range a.to {
			for _, f := range p.fields {
				theirs[f.path] = theirs[f.path] || f.number && !f.secret
			}
		}
	}
	var candidates []repeat
	for _, path := range r.paths(tag, true) {
		occurrences := r.occurrences(path, tag, true)
		f := &occurrences[0].field
		if len(occurrences) < len(all) || !f.number || f.secret || f.size < fewDrawn || !strings.HasPrefix(r.ruleOf(path, occurrences, false).note, "?") {
			continue
		}
		distinct := map[string]bool{}
		for _, o := range occurrences {
			distinct[o.field.value] = true
		}
		for their, is := range theirs {
			if is && len(distinct) >= leastAcked {
				candidates = append(candidates, repeat{path, their})
			}
		}
	}
	slices.SortFunc(candidates, func(a, b repeat) int { return strings.Compare(a.mine+" "+a.theirs, b.mine+" "+b.theirs) })
	for _, c := range candidates[:min(len(candidates), maxRepeats)] {
		if slices.ContainsFunc(found.copies, func(o repeat) bool { return o.mine == c.mine }) {
			continue
		}
		if try := append(slices.Clone(found.copies), c); answersAll(all, try) != nil {
			found.copies = try
		}
	}
	if len(found.copies) == 0 {
		return found
	}
	for _, path := range r.paths(tag, true) { // what says little alone, such as a channel
		c := repeat{path, path}
		if theirs[path] && !slices.ContainsFunc(found.copies, func(o repeat) bool { return o.mine == path }) && !r.same(path, tag) {
			if try := append(slices.Clone(found.copies), c); answersAll(all, try) != nil {
				found.copies = try
			}
		}
	}
	for _, p := range answersAll(all, found.copies) {
		if !slices.Contains(found.to, p.tag) {
			found.to = append(found.to, p.tag)
		}
	}
	return found
}

// same reports whether a field has one value in all packets of a case.
func (r *Recorder) same(path string, tag uint64) bool {
	all := r.occurrences(path, tag, true)
	return !slices.ContainsFunc(all, func(o occurrence) bool { return o.field.value != all[0].field.value })
}

// answerings are the packets of a case with those that they may answer.
func (r *Recorder) answerings(tag uint64) (all []answering) {
	for _, flow := range r.order {
		var before []*recorded
		for i := range r.flows[flow] {
			p := &r.flows[flow][i]
			if !p.client {
				before = append([]*recorded{p}, before[:min(len(before), recent-1)]...)
			} else if p.tag == tag {
				if all = append(all, answering{p, before}); len(all) == maxAnswering {
					return all
				}
			}
		}
	}
	return all
}

// answersAll finds for each packet the latest that it repeats all fields of; nil where one has none.
func answersAll(all []answering, copies []repeat) (to []*recorded) {
	for _, a := range all {
		i := slices.IndexFunc(a.to, func(p *recorded) bool {
			return !slices.ContainsFunc(copies, func(c repeat) bool {
				mine, ok := a.packet.field(c.mine)
				theirs, has := p.field(c.theirs)
				return !ok || !has || mine.value != theirs.value
			})
		})
		if i < 0 {
			return nil
		}
		to = append(to, a.to[i])
	}
	return to
}

// field is a field of a packet by its path.
func (r *recorded) field(path string) (*heldField, bool) {
	i := slices.IndexFunc(r.fields, func(f heldField) bool { return f.path == path })
	if i < 0 {
		return nil, false
	}
	return &r.fields[i], true
}
