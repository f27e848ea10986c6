// Package schemadoc writes a protocol for people to read: what a packet may be, a bit diagram and a table for each
// struct, the enums, and every rule that refuses a packet, by the name that
// the plan gives it. It is what `pktscope schema doc` prints.
//
//	Plan ─► page (structure.go, words.go, grid.go, rules.go) ─┬─► Markdown (markdown.go, grid_text.go)
//	                                                          └─► HTML (html.go, page.html, page.css)
//
// The page holds text only, with everything that a schema's author wrote escaped for a terminal's sake (control bytes,
// bidi marks); each writer escapes it once more for its own format. A schema may come from a stranger, and its page may
// be put on a web site: no comment becomes markup, no name a link.
package schemadoc
