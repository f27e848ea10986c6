package syntax

import (
	"sort"
	"strings"
)

// Doc comments. A node's text is the block of comments right above it, without a blank line between and with nothing
// before the node on its line, and the comment right after it on the line where it ends, or after a `{` of its own on
// the line where it begins: not that of something inside it, nor that of what follows it (`a uint8 } else { // text`).
// Right after means that no other token but a comma is between, so that in `a uint8, b uint8 // text` the text is b's.

// doc gives the text of the node that began with token start and ended with the last consumed token.
func (p *parser) doc(start int) string {
	var parts []string
	line := p.at(start).line
	if start == 0 || p.toks[start-1].line < line {
		last := sort.Search(len(p.comments), func(k int) bool { return p.comments[k].Pos.Line >= line })
		first := last
		for first > 0 && !p.comments[first-1].Trailing && p.comments[first-1].Pos.Line == line-int32(last-first)-1 {
			first--
		}
		for _, c := range p.comments[first:last] {
			parts = append(parts, c.Text)
		}
	}
	if k := p.trailingComment(line); k >= 0 {
		if b := int(p.behind[k]); p.opens(start, b) {
			p.claimed[k] = true
			parts = append(parts, p.comments[k].Text)
		}
	}
	if p.prev >= start {
		if k := p.trailingComment(p.toks[p.prev].line); k >= 0 {
			if b := int(p.behind[k]); b == p.prev || b == p.prev+1 && p.toks[b].kind == tokComma {
				p.claimed[k] = true
				parts = append(parts, p.comments[k].Text)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// opens reports whether token b is a `{` of the node that began with token start and ended with the last consumed one,
// with no other open around it. Only what encloses b is asked, and that is nested maxNesting deep at most.
func (p *parser) opens(start, b int) bool {
	if b <= start || b > p.prev || p.toks[b].kind != tokLBrace {
		return false
	}
	depth := 0
	for _, t := range p.toks[start:b] {
		switch t.kind {
		case tokLBrace:
			depth++
		case tokRBrace:
			depth--
		}
	}
	return depth == 0
}

// trailingComment gives the index of the comment after code on a line, -1 where there is none that is still free.
func (p *parser) trailingComment(line int32) int {
	k := sort.Search(len(p.comments), func(k int) bool { return p.comments[k].Pos.Line >= line })
	if k == len(p.comments) || p.comments[k].Pos.Line != line || !p.comments[k].Trailing || p.claimed[k] {
		return -1
	}
	return k
}
