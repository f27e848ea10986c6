package lsp

// The part of the Language Server Protocol 3.17 that is used, under its own names.

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0, in the units of the position encoding
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"` // 1 error, 2 warning
	Source   string `json:"source"`
	Message  string `json:"message"`
}

type published struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"`
	Text    string `json:"text"`
}

// request has the parameters of all requests: each uses some.
type request struct {
	TextDocument   textDocument `json:"textDocument"`
	Position       position     `json:"position"`
	Range          span         `json:"range"` // of code actions
	NewName        string       `json:"newName"`
	ContentChanges []struct {
		Range *span  `json:"range"` // nil: Text is all of the document
		Text  string `json:"text"`
	} `json:"contentChanges"`
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
	} `json:"capabilities"`
}

type markup struct {
	Kind  string `json:"kind"` // markdown
	Value string `json:"value"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

type completion struct {
	Label         string  `json:"label"`
	Kind          int     `json:"kind"`
	Detail        string  `json:"detail,omitempty"`
	Documentation *markup `json:"documentation,omitempty"`
	SortText      string  `json:"sortText,omitempty"` // in place of Label, where it is given
}

// The kinds of completions.
const (
	kindField    = 5
	kindVariable = 6
	kindProperty = 10
	kindEnum     = 13
	kindKeyword  = 14
	kindMember   = 20
	kindConstant = 21
	kindStruct   = 22
	kindType     = 25
)

type command struct {
	Title   string `json:"title"`
	Command string `json:"command"` // "": it is to read
}

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"` // quickfix
	Diagnostics []diagnostic  `json:"diagnostics"`
	Edit        workspaceEdit `json:"edit"`
}

type codeLens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

// symbol is one of the outline.
type symbol struct {
	Name           string   `json:"name"`
	Detail         string   `json:"detail,omitempty"`
	Kind           int      `json:"kind"`
	Range          span     `json:"range"`
	SelectionRange span     `json:"selectionRange"`
	Children       []symbol `json:"children,omitempty"`
}
