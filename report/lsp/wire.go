package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// What a message may have, in bytes.
const (
	maxHead    = 4 << 10
	maxMessage = 16 << 20
)

var errNoLength = errors.New("a message without Content-Length: want messages of the Language Server Protocol, which an editor sends")

// readMessage reads the body of the next message: a head of lines with Content-Length in it, an empty line, JSON. The
// length is the client's: nothing is allocated by it. io.EOF is the end between two messages.
func readMessage(r *bufio.Reader) ([]byte, error) {
	length, head := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		if head += len(line); head > maxHead || errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("the head of a message has more than %d bytes", maxHead)
		}
		switch {
		case err == io.EOF && head > 0 && length < 0:
			return nil, errNoLength
		case err == io.EOF && head > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
		text := strings.TrimSpace(string(line))
		if text == "" && length >= 0 {
			break
		}
		name, value, _ := strings.Cut(text, ":")
		value = strings.TrimSpace(value)
		switch {
		case text == "":
			return nil, errNoLength
		case !strings.EqualFold(strings.TrimSpace(name), "Content-Length"):
		default:
			if length, err = strconv.Atoi(value); err != nil || length < 0 || length > maxMessage {
				return nil, fmt.Errorf("Content-Length: want 0..%d, got %.20q", maxMessage, value)
			}
		}
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(length)))
	if err == nil && len(body) < length {
		err = io.ErrUnexpectedEOF
	}
	return body, err
}

// message is what a client sends: a request has an ID, a notification none; what has no Method answers us.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`

	size      int
	cancelled bool
}

// failure is the error of a reply.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Message }

// The codes of failures, by JSON-RPC and the protocol.
const (
	parseError      = -32700
	invalidRequest  = -32600
	unknownMethod   = -32601
	invalidParams   = -32602
	notInitialized  = -32002
	cancelledByUser = -32800
	requestFailed   = -32803
)

// reply and refusal answer a request, and notice is a notification.
type (
	reply struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}
	refusal struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *failure        `json:"error"`
	}
	notice struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
)

// sender writes whole messages, from any goroutine.
type sender struct {
	mu  sync.Mutex
	w   io.Writer
	err error // the first
}

func (s *sender) send(v any) {
	body, err := json.Marshal(v)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.err == nil {
		_, err = fmt.Fprintf(s.w, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	if s.err == nil {
		s.err = err
	}
}

// answer replies to a request with its result or an error.
func (s *sender) answer(id json.RawMessage, result any, f *failure) {
	if f != nil {
		s.send(refusal{"2.0", id, f})
		return
	}
	s.send(reply{"2.0", id, result})
}
