package wirediff

import (
	"fmt"
	"slices"
	"strings"
)

// Defines says which of two schemas gets each definition of a param, Name=value. With old: or new: before it, it is for
// that schema; else for both that have such a param, and one has to. has are the names of their params.
func Defines(list []string, has [2][]string) (given [2][]string, err error) {
	for _, text := range list {
		sides := []int{0, 1}
		which, define, named := strings.Cut(text, ":")
		switch {
		case !named:
			define = text
		case which == "old":
			sides = []int{0}
		case which == "new":
			sides = []int{1}
		default:
			return given, fmt.Errorf("%q: want old: or new: before a param of one schema", text)
		}
		param, _, _ := strings.Cut(define, "=")
		found := false
		for _, i := range sides {
			// One that is named gets it anyway: what the schema says of a param that it does not have is more.
			if named || slices.Contains(has[i], param) {
				given[i] = append(given[i], define)
				found = true
			}
		}
		if !found {
			given[1] = append(given[1], define)
		}
	}
	return given, nil
}
