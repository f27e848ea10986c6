package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"
)

// Options are what a server is given.
type Options struct {
	// Dir opens a directory, in which schemas, what they import and budgets are looked for: decode.Dir. Nothing else is
	// opened. With nil nothing is, and only documents that are open can be imported.
	Dir func(path string) fs.FS
	// Version is what the server says of itself.
	Version string
}

// ErrNoShutdown is the error of a client that ends without a `shutdown`, as the protocol wants it.
var ErrNoShutdown = errors.New("the client ended without `shutdown`")

// How long the end of a session waits for what was asked before.
const (
	shutdownWait = time.Second
	endWait      = 10 * time.Second
)

// Serve speaks the Language Server Protocol until the client says `exit` or r ends. The error is one line: what is no
// message, a write that failed, ErrNoShutdown. Requests are handled one after the other; `shutdown` and `exit` are seen
// while one is.
func Serve(r io.Reader, w io.Writer, o Options) error {
	s := &server{o: o, sender: sender{w: w}, docs: map[string]*document{}, wide: true}
	q, done := newQueue(), make(chan struct{})
	go func() {
		defer close(done)
		s.work(q)
	}()
	err := s.read(bufio.NewReaderSize(r, maxHead), q)
	if err == io.EOF { // a client that is gone, or a file of messages
		q.wait(endWait)
	}
	q.close()
	switch {
	case err != nil && err != io.EOF:
	case s.down:
		err = nil
	default:
		err = ErrNoShutdown
	}
	select {
	case <-done:
	case <-time.After(shutdownWait): // it is in something long: nobody waits for that
		return err
	}
	if s.err != nil {
		return s.err
	}
	return err
}

// server is one session.
type server struct {
	sender
	o     Options
	down  bool        // the client said `shutdown`; of the reader
	ready atomic.Bool // the client said `initialize`

	// Of the worker.
	wide    bool // places count in UTF-16 units, not in bytes
	docs    map[string]*document
	size    int         // bytes of all documents
	dirty   []*document // whose diagnostics are not what the client was told
	kept    []*document // that have an analysis, the oldest first
	budgets budgets
}

// read passes messages to the worker, up to `exit`.
func (s *server) read(r *bufio.Reader, q *queue) error {
	for {
		body, err := readMessage(r)
		if err != nil {
			return err
		}
		m := &message{size: len(body) + overhead}
		if err := json.Unmarshal(body, m); err != nil {
			code := parseError
			if json.Valid(body) {
				code = invalidRequest
			}
			s.answer(nil, nil, &failure{code, "no message of the protocol"})
			continue
		}
		switch {
		case m.Method == "exit":
			return nil
		case m.Method == "$/cancelRequest":
			var p struct{ ID json.RawMessage }
			if json.Unmarshal(m.Params, &p) == nil {
				q.cancel(p.ID)
			}
		case s.down:
			if m.ID != nil && m.Method != "" {
				s.answer(m.ID, nil, &failure{invalidRequest, "the server is shut down"})
			}
		case m.Method == "shutdown" && m.ID != nil:
			q.wait(shutdownWait)
			if s.down = s.ready.Load(); s.down {
				q.close()
				s.answer(m.ID, nil, nil)
			} else {
				s.answer(m.ID, nil, &failure{notInitialized, "want `initialize` first"})
			}
		default:
			q.push(m)
		}
	}
}

// replyWork is how many bytes are checked for diagnostics before a reply: when they are more, the reply does not wait for
// the rest.
const replyWork = 1 << 20

// work handles messages in their order. Diagnostics are published before a reply, within replyWork, and where nothing is
// waiting: so those of a text that is typed on are left out.
func (s *server) work(q *queue) {
	idle := func() { s.publish(func(int) bool { return q.waiting() }) }
	for m := q.pop(idle); m != nil; m = q.pop(idle) {
		switch {
		case m.Method == "": // a reply; we ask nothing
		case m.ID == nil:
			if do := notifications[m.Method]; do != nil && s.ready.Load() {
				var p request
				if json.Unmarshal(m.Params, &p) == nil {
					do(s, &p)
				}
			}
		case m.cancelled:
			s.answer(m.ID, nil, &failure{cancelledByUser, "cancelled"})
		default:
			s.publish(func(checked int) bool { return checked >= replyWork })
			result, err := s.call(m)
			var f *failure
			if err != nil && !errors.As(err, &f) {
				f = &failure{requestFailed, err.Error()}
			}
			s.answer(m.ID, result, f)
		}
	}
}

// notifications are those that do something.
var notifications = map[string]func(*server, *request){
	"textDocument/didOpen":            (*server).didOpen,
	"textDocument/didChange":          (*server).didChange,
	"textDocument/didClose":           (*server).didClose,
	"textDocument/didSave":            func(s *server, _ *request) { s.forget(nil) }, // others may import what is on the disk now
	"workspace/didChangeWatchedFiles": func(s *server, _ *request) { s.forget(nil) },
}

// method answers a request about an open document; at is the place in its text, where the request has one.
type method func(s *server, d *document, p *request, at int) (any, error)

var methods = map[string]method{
	"textDocument/formatting":        (*server).format,
	"textDocument/hover":             (*server).hover,
	"textDocument/completion":        (*server).complete,
	"textDocument/definition":        (*server).definition,
	"textDocument/references":        (*server).references,
	"textDocument/documentHighlight": (*server).highlight,
	"textDocument/documentSymbol":    (*server).symbols,
	"textDocument/prepareRename":     (*server).prepareRename,
	"textDocument/rename":            (*server).rename,
	"textDocument/codeLens":          (*server).lenses,
	"textDocument/codeAction":        (*server).actions,
}

// capabilities are what `initialize` says of the server.
const capabilities = `{"positionEncoding":%q,"textDocumentSync":{"openClose":true,"change":2,"save":true},"hoverProvider":true,
"completionProvider":{"triggerCharacters":["@","."]},"definitionProvider":true,"referencesProvider":true,
"documentHighlightProvider":true,"documentSymbolProvider":true,"renameProvider":{"prepareProvider":true},
"documentFormattingProvider":true,"codeLensProvider":{},"codeActionProvider":{"codeActionKinds":["quickfix"]}}`

// call handles a request.
func (s *server) call(m *message) (any, error) {
	var p request
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &p) != nil {
		return nil, &failure{invalidParams, "params of another form"}
	}
	switch {
	case m.Method == "initialize" && s.ready.Load():
		return nil, &failure{invalidRequest, "the server is initialized already"}
	case m.Method == "initialize":
		return s.initialize(&p), nil
	case !s.ready.Load():
		return nil, &failure{notInitialized, "want `initialize` first"}
	}
	do := methods[m.Method]
	if do == nil {
		return nil, &failure{unknownMethod, "no such method"}
	}
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, &failure{invalidParams, "the document is not open"}
	}
	return do(s, d, &p, d.offset(p.Position, s.wide))
}

func (s *server) initialize(p *request) any {
	encoding := "utf-16"
	if slices.Contains(p.Capabilities.General.PositionEncodings, "utf-8") {
		encoding, s.wide = "utf-8", false
	}
	s.ready.Store(true)
	return map[string]any{
		"capabilities": json.RawMessage(fmt.Sprintf(capabilities, encoding)),
		"serverInfo":   map[string]string{"name": "pktscope", "version": s.o.Version},
	}
}
