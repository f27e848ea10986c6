package man

import "testing"

func TestRoff(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a request", ".TH x", `\&.TH x`},
		{"a request on the next line", "a\n'b", "a\n\\&\\(aqb"},
		{"no request inside a line", "a.b", "a.b"},
		{"a backslash", `\fB`, `\efB`},
		{"hyphens stay hyphens", "-q --quiet", `\-q \-\-quiet`},
		{"quotes and accents", "\"`^~'", `\(dq\(ga\(ha\(ti\(aq`},
		{"beyond ASCII", "‹→😀", `\[u2039]\[u2192]\[u1F600]`},
	} {
		if got := roff(row.text); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}

func TestManText(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"paragraphs are filled", "a\nb\n\nc", ".PP\na\nb\n.PP\nc\n"},
		{"columns are not", "a:\n  b  c", ".PP\n.nf\na:\n  b  c\n.fi\n"},
		{"a list", "- a\n- b", ".PP\n.nf\n\\- a\n\\- b\n.fi\n"},
		{"a fence with an empty line", "```\na\n\n.b\n```\nc", ".PP\n.nf\na\n\n\\&.b\n.fi\n.PP\nc\n"},
		{"a fence that is not closed", "```\na", ".PP\n.nf\na\n.fi\n"},
		{"Markdown is text", "<b> a.__x__ [*]", ".PP\n<b> a.__x__ [*]\n"},
	} {
		var m page
		m.text(row.text)
		if got := string(m.b); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}
