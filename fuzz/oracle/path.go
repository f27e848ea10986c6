package oracle

import "bytes"

// PathRule is a path without the numbers of elements: body.players[].health.
func PathRule(path string) string {
	b := make([]byte, 0, len(path))
	inside := false
	for i := range len(path) {
		if path[i] == ']' {
			inside = false
		}
		if !inside {
			b = append(b, path[i])
		}
		if path[i] == '[' {
			inside = true
		}
	}
	return string(b)
}

// OwnerPath cuts the last name off a path: the path of what contains the field.
func OwnerPath(path []byte) []byte { return path[:max(0, bytes.LastIndexByte(path, '.'))] }
