package schema

// Severity of a Diagnostic.
type Severity uint8

// A schema with an Error has no plan; a Warning is worth a look.
const (
	Error Severity = iota
	Warning
)

// Diagnostic is one complaint about a source file.
type Diagnostic struct {
	Span
	Severity Severity
	Message  string // lower case, no full stop: what is wrong
	Fix      string // what to write instead, or "" ("did you mean `uint8`?")
}
