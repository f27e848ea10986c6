package process

import "strings"

// A sanitizer takes ten times as long over the names of the functions in its report as over all else, and a reader with a
// mistake dies thousands of times at one place. So processes report without names, and a death is repeated with them where
// there are few of that place.

// Of how many deaths at one place, and of how many places, the reports have names.
const (
	namedDeaths = 4
	maxSites    = 1024
)

// toBeNamed decides from the report of a death whether to repeat it with names, or not to look any up for a while.
func (t *Target) toBeNamed(report string) bool {
	_, frame, ok := strings.Cut(report, "#0 0x") // the address is another in each process; module and offset behind it are not
	if !ok {
		return false // no stack
	}
	_, site, _ := strings.Cut(oneLine(frame), " ")
	if t.sites == nil {
		t.sites = map[string]int{}
	}
	t.quick = t.sites[site] >= namedDeaths || len(t.sites) >= maxSites
	if !t.quick {
		t.sites[site]++
	}
	return !t.quick
}
