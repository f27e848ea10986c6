package schema

import (
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// What the model and its diagnostics share with the tree that they are made from, so that those who read a model need
// not know the tree.

type (
	Pos         = syntax.Pos
	Span        = syntax.Span
	Diagnostic  = syntax.Diagnostic
	Diagnostics = syntax.Diagnostics
	Files       = syntax.Files
	Severity    = syntax.Severity

	Order      = wire.Order
	Direction  = syntax.Direction
	SubsetKind = syntax.SubsetKind
	RuleKind   = syntax.RuleKind
)

const (
	Error   = syntax.Error
	Warning = syntax.Warning

	LSB      = wire.LSB
	MSB      = wire.MSB
	Bytewise = wire.Bytewise

	FromUnknown = syntax.FromUnknown
	Client      = syntax.Client
	Server      = syntax.Server

	SubsetNone     = syntax.SubsetNone
	SubsetBitmap   = syntax.SubsetBitmap
	SubsetIndex    = syntax.SubsetIndex
	SubsetSentinel = syntax.SubsetSentinel
	SubsetRelative = syntax.SubsetRelative

	RuleIn       = syntax.RuleIn
	RuleEq       = syntax.RuleEq
	RuleNe       = syntax.RuleNe
	RuleFinite   = syntax.RuleFinite
	RuleEncoding = syntax.RuleEncoding
)
