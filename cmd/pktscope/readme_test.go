package main

import (
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// The README's example protocol is one: no error, no warning.
func TestReadmeProtocol(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, src, ok := strings.Cut(string(text), "```\nprotocol mygame\n")
	src, _, ok2 := strings.Cut(src, "```\n")
	if !ok || !ok2 {
		t.Fatal("the README has no protocol mygame")
	}
	s, diags := schema.Load("README.md", []byte("protocol mygame\n"+src), nil)
	if s == nil || len(diags) > 0 {
		t.Fatalf("%v", diags)
	}
	if p, diags := plan.Compile(s); p == nil || len(diags) > 0 {
		t.Errorf("%v", diags)
	}
}
