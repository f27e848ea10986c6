package report

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
)

// allForms are the forms of `decode -T`, each with all options that go with it: a new row of Formats is tested by what
// the others are.
func allForms(p *plan.Plan, paths []string) map[string]Renderer {
	forms := map[string]Renderer{}
	for i := range Formats {
		f := &Formats[i]
		for _, o := range []FormatOptions{{}, {Tree: true}, {Bits: true}, {Tree: true, Bits: true}, {Paths: paths}} {
			if f.Conflicts(&o) == "" {
				forms[fmt.Sprintf("%s, tree %v, bits %v", f.Word, o.Tree, o.Bits)] = f.New(p, &o)
			}
		}
	}
	return forms
}

func TestFormatConflicts(t *testing.T) {
	for _, row := range []struct {
		word string
		o    FormatOptions
		want string
	}{
		{"text", FormatOptions{Paths: []string{"case"}}, "-e is a column of -T csv or -T fields: name one of them"},
		{"text", FormatOptions{Tree: true, Bits: true}, ""},
		{"json", FormatOptions{Tree: true, Bits: true}, "-V is a text view: leave out -V or -T json, which has every field"},
		{"json", FormatOptions{Bits: true}, "-x is a text view: leave out -x or -T json"},
		{"json", FormatOptions{Paths: []string{"case"}}, "-e is a column of -T csv or -T fields: name one of them"},
		{"csv", FormatOptions{Tree: true}, "-V and -x are text views: leave them out, or -T csv"},
		{"fields", FormatOptions{Bits: true, Paths: []string{"case"}}, "-V and -x are text views: leave them out, or -T fields"},
		{"fields", FormatOptions{}, "-T fields needs -e PATH for each column, such as -e pkt.n -e case"},
		{"csv", FormatOptions{Paths: []string{"case"}}, ""},
	} {
		if got := FormatOf(row.word).Conflicts(&row.o); got != row.want {
			t.Errorf("%s %+v:\nwant %q\ngot  %q", row.word, row.o, row.want, got)
		}
	}
	if FormatOf("xml") != nil {
		t.Error("xml is a form")
	}
}

// What a form writes in pieces is what it appends, after every truncation of a packet.
func TestFormatsWriteWhatTheyAppend(t *testing.T) {
	p := compile(t, cellSchema)
	whole := packet(t, p, cellPacket).Trace.Payload
	forms := allForms(p, []string{"pkt.n", "case", "k[*]"})
	if len(forms) < len(Formats) {
		t.Errorf("%d forms", len(forms))
	}
	for name, form := range forms {
		for n := range len(whole) + 1 {
			pkt := decoded(p, whole[:n])
			var written bytes.Buffer
			if err := form.Write(&written, pkt); err != nil {
				t.Fatal(err)
			}
			if appended := form.Append([]byte("x"), pkt); string(appended) != "x"+written.String() || written.Len() == 0 {
				t.Errorf("%s, %d bytes:\n%s\n%s", name, n, appended, &written)
			}
		}
	}
}
