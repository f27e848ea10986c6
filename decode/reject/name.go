package reject

import "strings"

// NameOf is the one name that people are shown for a rule, also where `: ` and more is after it: the rule's, and for
// what the schema gives no name, such as check#1, its owner's, as Path has it; "packet" for the packet itself.
func NameOf(rule string) string {
	rule, more, found := strings.Cut(rule, ": ")
	if found {
		more = ": " + more
	}
	owner, item := "", rule
	if at := strings.LastIndexByte(rule, '.'); at >= 0 {
		owner, item = rule[:at], rule[at+1:]
	}
	if strings.IndexByte(item, '#') < 0 {
		return rule + more
	}
	if owner == "" {
		owner = Packet
	}
	return owner + more
}
