package lsp_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/report/lsp"
)

// A session that asks for the end at once. An editor keeps the stream open, and gives lsp.Options a Dir for imports.
func ExampleServe() {
	var in, out bytes.Buffer
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x.pks","text":"protocol x\norder lsb\npacket { a uint9 }"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`,
		`{"jsonrpc":"2.0","method":"exit"}`,
	} {
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(message), message)
	}
	err := lsp.Serve(&in, &out, lsp.Options{Version: "1"})
	_, said, _ := strings.Cut(out.String(), `"message":`)
	said, _, _ = strings.Cut(said, "}")
	fmt.Println(said, err)
	// Output: "unknown type `uint9`; did you mean `bits(9)`?" <nil>
}
