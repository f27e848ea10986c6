package filter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// CheckPath judges the path of a field, a struct or a list, with any indexes or *. The error of one that no packet has
// suggests the nearest.
func CheckPath(p *plan.Plan, path string) error {
	var names []string
	generic := anyElement(path)
	for _, known := range Paths(p) {
		if pathWithin(known.Path, generic) || known.Secret && pathWithin(generic, known.Path) {
			return nil
		}
		names = append(names, known.Path)
		if i := strings.LastIndexAny(known.Path, ".["); i > 0 { // a struct or a list may be named, too
			names = append(names, strings.TrimSuffix(known.Path[:i], "[*]"))
		}
	}
	if !slices.Contains(names, generic) {
		if near := syntax.Suggest(generic, names); near != "" {
			return fmt.Errorf("%s has no field %q; did you mean %q?", p.Schema.Name, path, near)
		}
		return fmt.Errorf("%s has no field %q", p.Schema.Name, path)
	}
	return nil
}

// pathWithin reports whether path is field or something in it.
func pathWithin(path, field string) bool {
	rest, ok := strings.CutPrefix(path, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// anyElement is a path with its indexes as *.
func anyElement(path string) string {
	var b []byte
	for i := 0; i < len(path); i++ {
		b = append(b, path[i])
		if path[i] == '[' {
			if end := strings.IndexByte(path[i:], ']'); end > 1 {
				b = append(b, "*]"...)
				i += end
			}
		}
	}
	return string(b)
}
