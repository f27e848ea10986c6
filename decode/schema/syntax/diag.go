package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// Severity of a Diagnostic.
type Severity uint8

// A schema with an Error has no plan; a Warning is worth a look.
const (
	Error Severity = iota
	Warning
)

// String gives "error" or "warning".
func (s Severity) String() string { return [...]string{"error", "warning"}[s] }

// Diagnostic is one complaint about a source file. The zero Span is for what is about no place in it, like a value
// given for a param that it does not have: such a diagnostic is rendered without a place and an excerpt. Message and
// Fix may quote the source, which a stranger wrote: AppendText and AppendLine escape all of it, and whoever renders a
// Diagnostic another way has to (see EscapeText).
type Diagnostic struct {
	Span
	Severity Severity
	Message  string // lower case, no full stop: what is wrong
	Fix      string // what to write instead, or "" ("did you mean `uint8`?")
}

// Replacement is the text that Fix says to write: in "did you mean `uint8`?" in place of what Span covers, in "write `x
// uint8`" somewhere about there; "" of a Fix for people.
func (d Diagnostic) Replacement() string {
	text, ok := strings.CutPrefix(d.Fix, "did you mean `")
	if ok {
		text, ok = strings.CutSuffix(text, "`?")
	} else if text, ok = strings.CutPrefix(d.Fix, "write `"); ok {
		text, ok = strings.CutSuffix(text, "`")
	}
	if !ok || strings.ContainsRune(text, '`') {
		return ""
	}
	return text
}

// IsAdvice reports whether it is not said what Replacement is in place of.
func (d Diagnostic) IsAdvice() bool { return strings.HasPrefix(d.Fix, "write ") }

// Diagnostics is the error of a schema that does not check or compile: all complaints about its files, warnings
// included, in source order.
type Diagnostics struct {
	Files Files // the schema's own first
	List  []Diagnostic
}

// Error gives each complaint on a line of its own: `file:line:column: error: message; fix`.
func (d *Diagnostics) Error() string {
	var b []byte
	for i, one := range d.List {
		if i > 0 {
			b = append(b, '\n')
		}
		f, local := d.Files.Local(one)
		b = local.AppendLine(b, f.Name)
	}
	return string(b)
}

// SortDiagnostics brings diagnostics into source order; those at the same place keep theirs.
func SortDiagnostics(list []Diagnostic) {
	slices.SortStableFunc(list, func(a, b Diagnostic) int { return cmp.Compare(a.Pos.Off, b.Pos.Off) })
}

// HasErrors reports whether one of the diagnostics is an Error, so that the tree must not be used.
func HasErrors(list []Diagnostic) bool {
	return slices.ContainsFunc(list, func(d Diagnostic) bool { return d.Severity == Error })
}
