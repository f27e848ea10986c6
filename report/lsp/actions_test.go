package lsp

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// actionsAt are the code actions at one place.
func actionsAt(t *testing.T, s *server, d *document, at int) []codeAction {
	t.Helper()
	got, err := s.actions(d, &request{Range: d.span(at, at, s.wide)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return got.([]codeAction)
}

// What an action writes mends what its diagnostic is about: there is nothing to say of it at its place any more.
func TestActionsMendWhatTheySay(t *testing.T) {
	meant, advised := 0, 0
	eachSchema(t, func(t *testing.T, s *server, d *document, _ fstest.MapFS) {
		before := d.text
		for i, one := range s.look(d).Diagnostics.List {
			if one.Replacement() == "" || !need.OneIn(i, 8) {
				continue
			}
			at := int(one.Pos.Off)
			for _, action := range actionsAt(t, s, d, at) {
				if action.Title != "write `"+one.Replacement()+"`" {
					continue // another at the same place
				}
				edit := action.Edit.Changes[d.uri][0]
				errors := s.errors(d, d.text)
				d.edit(edit.Range, edit.NewText, s.wide)
				if one.IsAdvice() {
					if advised++; s.errors(d, d.text) >= errors {
						t.Errorf("%s: %q has as many errors", one.Pos, edit.NewText)
					}
				} else {
					meant++
					for _, left := range s.look(d).Diagnostics.List {
						if int(left.Pos.Off) == at && (left.Message == one.Message || strings.HasPrefix(left.Message, "want a type")) {
							t.Errorf("%s: after %q: %s; %s", one.Pos, edit.NewText, left.Message, left.Fix)
						}
					}
				}
				d.edit(d.span(0, len(d.text), s.wide), before, s.wide)
				s.look(d)
				break
			}
		}
	})
	if !testing.Short() && (meant < 30 || advised < 90) {
		t.Errorf("%d and %d actions", meant, advised)
	}
}

// Advice is written in place of all that it says anew, and nothing else is lost; an example is no advice.
func TestActionsOfAdvice(t *testing.T) {
	for _, row := range []struct{ before, after string }{
		{"    ‹uint8_t hp; // points\n    b uint8\n", "    hp uint8 // points\n    b uint8\n"},
		{"    ‹char name[16] @secret\n", "    name char(16) @secret\n"},
		{"    ‹Player p, b uint8\n", "    p Player, b uint8\n"},
		{"    x int(0‹, 10) @unit(\"m\")\n", "    x int(0..10) @unit(\"m\")\n"},
		{"    ‹playerCount uint8\n", "    player_count uint8\n"},
		{"    x float(0..1‹) in 0..0.5\n", "    x float(0..1, 0.01) in 0..0.5\n"},
		{"    c crc32(‹0x1234)\n    x uint8\n", "    c crc32(prefix 0x1234 : uint32)\n    x uint8\n"},
		{"    align ‹32\n", "    align(32)\n"},
		{"    n uint8\n    x [rest‹ max 4]uint8\n", ""},
		{"    x uint8 @‹units(\"m\")\n", "    x uint8 @unit(\"m\")\n"},
	} {
		const head, tail = "protocol x\norder lsb\nstruct Player { a uint8 }\npacket {\n", "}\n"
		text, offset := at(t, head+row.before+tail)
		s, d := local("/x/a.pks", text, nil)
		list := actionsAt(t, s, d, offset)
		switch {
		case row.after == "" && len(list) > 0:
			t.Errorf("%s: %+v", row.before, list)
		case row.after == "":
		case len(list) != 1:
			t.Errorf("%s: %d actions: %s", row.before, len(list), said(s, d))
		default:
			edit := list[0].Edit.Changes[d.uri][0]
			d.edit(edit.Range, edit.NewText, s.wide)
			if got := strings.TrimSuffix(strings.TrimPrefix(d.text, head), tail); got != row.after {
				t.Errorf("%s: got %q, want %q", row.before, got, row.after)
			}
		}
	}
}

// A type whose name has a letter too many gets its own name back, and the text is the same as before.
func TestActionsSpellTypes(t *testing.T) {
	offered, right := 0, 0
	eachSchema(t, func(t *testing.T, s *server, d *document, _ fstest.MapFS) {
		if s.look(d).plan == nil || len(d.text) > 4096 {
			return
		}
		before := d.text
		all, _ := syntax.Scan([]byte(before))
		for i, l := range all {
			if !need.OneIn(i, 20) || l.Kind != syntax.TokenWord || wordRule(l.Text) == "" || !strings.HasPrefix(wordRule(l.Text), "`") {
				continue
			}
			if i == 0 || all[i-1].Kind != syntax.TokenWord || i+1 < len(all) && all[i+1].Text == ":" {
				continue
			}
			d.edit(d.span(int(l.Pos.Off), int(l.End.Off), s.wide), l.Text+"z", s.wide)
			for _, action := range actionsAt(t, s, d, int(l.Pos.Off)) {
				edit := action.Edit.Changes[d.uri][0]
				d.edit(edit.Range, edit.NewText, s.wide)
				offered++
				if d.text == before {
					right++
				}
				break
			}
			d.edit(d.span(0, len(d.text), s.wide), before, s.wide)
		}
	})
	t.Logf("%d of %d", right, offered)
	if right < offered*8/10 || offered < 10 {
		t.Errorf("%d of %d actions give the text from before", right, offered)
	}
}

// A diagnostic whose advice is for people has no action, and an action elsewhere is not offered.
func TestNoActions(t *testing.T) {
	const text = "protocol x\norder lsb\npacket {\n    a unit8\n    a uint8\n}\n"
	s, d := local("/x/a.pks", text, nil)
	if list := actionsAt(t, s, d, strings.Index(text, "unit8")); len(list) != 1 || list[0].Title != "write `uint8`" || list[0].Kind != "quickfix" || len(list[0].Diagnostics) != 1 {
		t.Errorf("%+v", list)
	}
	if list := actionsAt(t, s, d, 0); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	for fix, want := range map[string]string{"did you mean `a`?": "a", "did you mean `a` or `b`?": "", "write `a`": "a", "write `a` or `b`": "", "write `a`; then": "", "did you mean `a`": "", "": ""} {
		if got := (schema.Diagnostic{Fix: fix}).Replacement(); got != want {
			t.Errorf("%q: %q", fix, got)
		}
	}
}
