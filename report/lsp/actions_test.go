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

// What an action writes is what the diagnostic is about: it has nothing to say there any more, and nothing of what is
// around is lost.
func TestActionsMendWhatTheySay(t *testing.T) {
	mended := 0
	eachSchema(t, func(t *testing.T, s *server, d *document, _ fstest.MapFS) {
		before := d.text
		for i, one := range s.look(d).Diagnostics.List {
			if one.Replacement() == "" || !need.OneIn(i, 4) {
				continue
			}
			at := int(one.Pos.Off)
			for _, action := range actionsAt(t, s, d, at) {
				if action.Title != "write `"+one.Replacement()+"`" {
					continue // another at the same place
				}
				edit := action.Edit.Changes[d.uri][0]
				d.edit(edit.Range, edit.NewText, s.wide)
				mended++
				for _, left := range s.look(d).Diagnostics.List {
					if int(left.Pos.Off) == at && (left.Message == one.Message || strings.HasPrefix(left.Message, "want a type")) {
						t.Errorf("%s: after %q: %s; %s", one.Pos, edit.NewText, left.Message, left.Fix)
					}
				}
				d.edit(d.span(0, len(d.text), s.wide), before, s.wide)
				s.look(d)
			}
		}
	})
	if mended < 30 && !testing.Short() {
		t.Errorf("%d actions", mended)
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
	for fix, want := range map[string]string{"did you mean `a`?": "a", "did you mean `a` or `b`?": "", "write `a`": "", "did you mean `a`": "", "": ""} {
		if got := (schema.Diagnostic{Fix: fix}).Replacement(); got != want {
			t.Errorf("%q: %q", fix, got)
		}
	}
}
