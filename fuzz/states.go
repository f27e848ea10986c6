package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What a finding keeps of a dialogue, as an oracle's reply has it.
type (
	Spoken = oracle.Spoken
	Named  = oracle.Named
)

// StateTable is how a server answered each case of a client in each state of a dialogue: one valid packet each, then the
// same twice with what only a later state answers. That a server is silent is no proof that it refused.
type StateTable struct {
	States, Cases []string
	Cells         [][]StateCell // by state, then case
	Untried       int           // cells for which there was no time, or no way to come to
}

// StateCell is one cell of a StateTable.
type StateCell struct {
	Word    string   // silent, answered, kicked, died or not tried
	Answers []string // cases that the server answered with, in the order in which they came first
	Allowed bool     // the dialogue lets the case come in that state
}

// The words of a StateCell.
const (
	CellSilent   = "silent"
	CellAnswered = "answered"
	CellKicked   = "kicked" // and the server lets the client in again
	CellDied     = "died"
	CellNotTried = "not tried"
)

// StateFinding makes the finding of a packet in a state: a case that was accepted there, or that the server did not
// live through.
func StateFinding(kind oracle.FindingKind, state, called string, packet []byte, want, got, report string) Finding {
	f := Finding{
		Kind: kind, Rule: state + ": " + called, State: state + ": " + called, Changed: "", Done: "sent in state " + state, Want: want, Got: got, Packet: packet, From: decode.Client,
		Report: report, Count: 1,
	}
	f.Cause = "the server accepts " + called + " in state " + state
	if kind != oracle.FoundWrongState {
		f.Cause = "the server does not live through " + called + " in state " + state
	}
	return f
}
