package process

import (
	"strconv"
	"strings"
)

// A sanitizer takes ten times as long over the names of the functions in its report as over all else, and a reader with
// a mistake dies thousands of times at one place. So processes report without names, a death at a place that is new is
// repeated with them, and those of the same place get its names.

// Of how many places there are names, how many calls tell places apart, and how often a place is tried that does not
// show itself again.
const (
	maxSites  = 1024
	siteCalls = 3 // after those of shared libraries: the line, and two that called it
	siteTries = 4
)

// site is a place where processes died.
type site struct {
	tries int
	names []string // the lines of its calls, with names; nil as long as there are none
}

// stackOf cuts the first stack out of a sanitizer's report: lines[from:to].
func stackOf(lines []string) (from, to int) {
	frame := func(line string, n int) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "#"+strconv.Itoa(n)+" 0x")
	}
	for from < len(lines) && !frame(lines[from], 0) {
		from++
	}
	for to = from; to < len(lines) && frame(lines[to], to-from); {
		to++
	}
	return from, to
}

// addressOf is the address of a frame.
func addressOf(frame string) string {
	_, address, _ := strings.Cut(strings.TrimSpace(frame), " ")
	address, _, _ = strings.Cut(address, " ")
	return address
}

// siteOf is what names the place of a report without names: the module and the offset of each call, which stay while
// addresses are others in each process. "" is a report without a stack. calls is how many of its frames they are.
func siteOf(report string) (at string, calls int) {
	lines := strings.Split(report, "\n")
	from, to := stackOf(lines)
	own := 0
	for _, line := range lines[from:to] {
		_, module, _ := strings.Cut(line, "(")
		at += module + "\n"
		calls++
		if own > 0 || !strings.Contains(module, ".so") {
			own++
		}
		if own == siteCalls {
			break
		}
	}
	return at, calls
}

// toBeNamed decides from the report of a death whether to repeat it with names. Until the next call, trials look no
// names up otherwise.
func (t *Target) toBeNamed(report string) bool {
	at, _ := siteOf(report)
	if at == "" {
		return false
	}
	if t.sites == nil {
		t.sites = map[string]*site{}
	}
	s := t.sites[at]
	if s == nil && len(t.sites) < maxSites {
		s = &site{}
		t.sites[at] = s
	}
	t.quick = s == nil || s.names != nil || s.tries == siteTries
	if !t.quick {
		s.tries++
	}
	return !t.quick
}

// named gives the report of a death its names. death is its report, and again that of its repetition, perhaps with
// names, which are then learned if it died at the same place.
func (t *Target) named(death, again string) string {
	at, calls := siteOf(death)
	if s := t.sites[at]; s != nil && s.names == nil {
		s.names = namesOf(death, again, calls)
	}
	at, calls = siteOf(again)
	s := t.sites[at]
	if s == nil || s.names == nil {
		return again
	}
	lines := strings.Split(again, "\n")
	from, _ := stackOf(lines)
	return strings.Join(append(append(lines[:from:from], s.names...), lines[from+calls:]...), "\n")
}

// namesOf are the lines with names in a report, again, for the first calls of another of the same death; nil when they
// are not the same, or have no names. Where code lies is another address in each process, but for its last three
// digits. With names an address has several frames, of what was inlined.
func namesOf(death, again string, calls int) (names []string) {
	lines, others := strings.Split(death, "\n"), strings.Split(again, "\n")
	from, _ := stackOf(lines)
	at, to := stackOf(others)
	named := false
	for _, line := range lines[from : from+calls] {
		address := addressOf(line)
		if at == to || !samePage(address, addressOf(others[at])) {
			return nil
		}
		for other := addressOf(others[at]); at < to && addressOf(others[at]) == other; at++ {
			names = append(names, others[at])
			named = named || strings.Contains(others[at], " in ")
		}
	}
	if !named {
		return nil
	}
	return names
}

func samePage(a, b string) bool {
	const digits = 3
	return len(a) > digits && len(b) > digits && a[len(a)-digits:] == b[len(b)-digits:]
}
