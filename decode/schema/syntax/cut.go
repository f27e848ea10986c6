package syntax

// AppendCut appends text of a schema, cut after 200 bytes at the end of a character.
func AppendCut(b []byte, s string) []byte {
	const most = 200
	if len(s) <= most {
		return append(b, s...)
	}
	for i := range s {
		if i > most {
			return append(append(b, s[:i]...), "…"...)
		}
	}
	return append(b, s...)
}
