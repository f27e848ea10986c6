package lsp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"
)

// client speaks with a server over pipes.
type client struct {
	t   testing.TB
	in  io.WriteCloser
	out chan string // what the server says: it is read while we write
	end chan error
	n   int
}

func newClient(t testing.TB, o Options) *client {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: t, in: toServer, out: make(chan string, 10000), end: make(chan error, 1)}
	go func() {
		defer close(c.out)
		for r := bufio.NewReaderSize(fromServer, maxHead); ; {
			body, err := readMessage(r)
			if err != nil {
				return
			}
			c.out <- string(body)
		}
	}()
	go func() {
		err := Serve(in, out, o)
		in.CloseWithError(io.ErrClosedPipe)
		out.Close()
		c.end <- err
	}()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
	})
	return c
}

// write sends a message as it is.
func (c *client) write(body string) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		c.t.Fatal(err)
	}
}

// read gets the next message.
func (c *client) read() string {
	c.t.Helper()
	select {
	case body, ok := <-c.out:
		if !ok {
			c.t.Fatal("the server has ended")
		}
		return body
	case <-time.After(time.Minute):
		c.t.Fatal("the server says nothing")
		return ""
	}
}

// until gets messages up to the reply to a request that nobody knows, which is sent now.
func (c *client) until() (list []string) {
	c.t.Helper()
	c.n++
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"ping %d","method":"ping"}`, c.n))
	for {
		body := c.read()
		var m message
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			c.t.Fatalf("%v: %s", err, body)
		}
		if string(m.ID) == fmt.Sprintf(`"ping %d"`, c.n) {
			return list
		}
		list = append(list, body)
	}
}

// finish waits for the server's end.
func (c *client) finish() error {
	c.t.Helper()
	select {
	case err := <-c.end:
		return err
	case <-time.After(time.Minute):
		c.t.Fatal("the server does not end")
		return nil
	}
}

// call sends a request and decodes its result; the error is the server's.
func (c *client) call(method string, params, result any) error {
	c.t.Helper()
	c.n++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.n, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(body))
	for {
		var got struct {
			ID     json.RawMessage
			Result json.RawMessage
			Error  *failure
		}
		text := c.read()
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			c.t.Fatalf("%v: %s", err, text)
		}
		switch {
		case string(got.ID) != fmt.Sprint(c.n):
			continue
		case got.Error != nil:
			return got.Error
		case result != nil:
			if err := json.Unmarshal(got.Result, result); err != nil {
				c.t.Fatalf("%v: %s", err, text)
			}
		}
		return nil
	}
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(body))
}

// initialize begins a session.
func (c *client) initialize() {
	c.t.Helper()
	if err := c.call("initialize", map[string]any{"capabilities": map[string]any{}}, nil); err != nil {
		c.t.Fatal(err)
	}
}

// open opens a document.
func (c *client) open(uri, text string) {
	c.t.Helper()
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "pks", "version": 1, "text": text}})
}

// local is a server without a stream, and a document.
func local(path, text string, dir fs.FS) (*server, *document) {
	s := &server{o: Options{Dir: func(string) fs.FS { return dir }}, sender: sender{w: io.Discard}, docs: map[string]*document{}, wide: true}
	d := newDocument(uriOf(path), text)
	s.docs[d.uri] = d
	s.size = len(text)
	return s, d
}

// schemas are all .pks files of the repository, each with what its directory has of schemas.
func schemas(t testing.TB) map[string]fstest.MapFS {
	t.Helper()
	all := map[string]fstest.MapFS{}
	err := filepath.WalkDir("../..", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".pks" {
			return err
		}
		text, err := os.ReadFile(name)
		dir := all[filepath.Dir(name)]
		if dir == nil {
			dir = fstest.MapFS{}
			all[filepath.Dir(name)] = dir
		}
		dir[filepath.Base(name)] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, dir := range all {
		n += len(dir)
	}
	if n < 100 {
		t.Fatalf("%d schemas", n)
	}
	return all
}
