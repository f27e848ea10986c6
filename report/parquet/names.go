package parquet

import "strings"

// names hands out the names of columns beside each other. DuckDB does not tell cases of letters apart.
type names map[string]bool

// take makes a name of a word: letters, digits and _, with _ after it as often as it is taken. suffixes are further
// names that the column needs.
func (n names) take(word string, suffixes ...string) string {
	name := identifier(word)
	for n.has(name, suffixes) {
		name += "_"
	}
	for _, suffix := range append(suffixes, "") {
		n[strings.ToLower(name+suffix)] = true
	}
	return name
}

func (n names) has(name string, suffixes []string) bool {
	for _, suffix := range append(suffixes, "") {
		if n[strings.ToLower(name+suffix)] {
			return true
		}
	}
	return false
}

// identifier replaces what is no letter, digit or _: a dot would be a member to ClickHouse.
func identifier(word string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, word)
	if name == "" {
		return "_"
	}
	return name
}
