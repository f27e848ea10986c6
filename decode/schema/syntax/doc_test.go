package syntax

import "testing"

// docs gives the text of everything in a file that has one, by name.
func docs(f *File) map[string]string {
	found := map[string]string{"protocol": f.Doc}
	var body func(b *Body)
	value := func(v *ValueExpr) {
		if b, ok := v.Type.(BodyType); ok {
			body(b.Body)
		}
	}
	body = func(b *Body) {
		for _, it := range b.Items {
			switch it := it.(type) {
			case *FieldItem:
				found[it.Name.Text] = it.Doc
				if it.Value != nil {
					value(it.Value)
				} else {
					for _, a := range it.Switch.Arms {
						label := it.Name.Text + " default"
						if !a.Default {
							label = dumpSet(a.Labels)
						}
						found[label] = a.Doc
						if a.Value != nil {
							value(a.Value)
						}
					}
				}
			case *IfItem:
				for n := it; n != nil; {
					body(n.Then)
					next := n.Else
					if n = nil; next != nil {
						if next.Body != nil {
							body(next.Body)
						}
						n = next.If
					}
				}
			case *LetItem:
				found["let"] = it.Doc
			case *RequireItem:
				found["require"] = it.Doc
			case *AlignItem:
				found["align"] = it.Doc
			case *ReservedItem:
				found["reserved"] = it.Doc
			case *CheckItem:
				found["check"] = it.Doc
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ConstDecl:
			found[d.Name.Text] = d.Doc
		case *ParamDecl:
			found[d.Name.Text] = d.Doc
		case *EnumDecl:
			found[d.Name.Text] = d.Doc
			for _, c := range d.Cases {
				found[c.Name.Text] = c.Doc
			}
		case *StructDecl:
			found[d.Name.Text] = d.Doc
			body(d.Body)
		case *MessageDecl:
			found[d.Name.Text] = d.Doc
			body(d.Body)
		case *PacketDecl:
			found["packet"] = d.Doc
			body(d.Body)
		}
	}
	return found
}

const documented = `// License, not about the protocol.

// about the protocol
//   indented
protocol docs // and behind it

order lsb // no text of anything
// far

// one
const One = 1 // uno
const Two = 2
    // not for Two, below it

//three
//
// lines
param Three = 3 in 1..4
enum Kind : uint8 { // kinds
    // first
    A = 1 // one
    B = 2, // two
    C = 3, D = 4 // four

    // E is apart

    E = 5
} // after
flags Bits : uint8 { X = 1, Y = 2 } // bits
/// a struct
struct S { // of a kind
    // above
    a uint8 // behind
    b uint8, c uint8 // for c
    // for d, which is first on its line
    d uint8, e uint8
    f { g uint8 } // for f
    h { // for h
        i uint8
    }
    j [ // inside j
        4
    ]uint8 // for j
    k uint8 in { // inside
        1, 2 } // for k
}
packet {
    // computed
    let n = 1 // let
    require n == 1 // must
    align(8) // pad
    reserved(8) // zero
    check "x" // sum
    // if has none
    if n == 1 { // nor here
        l uint8 // in if
    } // nor here
    if n == 1 { aa uint8 } else { // not for aa
        ab uint8
    }
    if n == 1 { // nor for ac
        ac uint8 } else if n == 2 { // nor here
        ad uint8 // for ad
    } else { // nor here
        ae uint8 }
    q { if n == 1 { // not for q
        r uint8
    } }
    v switch (n in {1, 2}) { // for v
        true: { w uint8 }, default: { // for its arm
            x uint8 }
    }
    m switch n { // tagged
        1: uint8 // first arm
        // others
        default: { // rest
            o { p uint8 } // for o
        } // all
    } // done
}
`

func TestDoc(t *testing.T) {
	f, diags := Parse("t.pks", []byte(documented))
	if len(diags) > 0 {
		t.Fatal(render(diags, "t.pks", []byte(documented)))
	}
	want := map[string]string{
		"protocol": "about the protocol\n  indented\nand behind it",
		"One":      "one\nuno", "Two": "", "Three": "three\n\nlines",
		"Kind": "kinds\nafter", "A": "first\none", "B": "two", "C": "", "D": "four", "E": "", "Bits": "bits", "X": "", "Y": "",
		"S": "a struct\nof a kind", "a": "above\nbehind", "b": "", "c": "for c", "d": "for d, which is first on its line",
		"e": "", "f": "for f", "g": "", "h": "for h", "i": "", "j": "for j", "k": "inside\nfor k",
		"packet": "", "let": "computed\nlet", "require": "must", "align": "pad", "reserved": "zero", "check": "sum",
		"l": "in if", "m": "tagged\ndone", "{1}": "first arm", "m default": "others\nrest\nall",
		"aa": "", "ab": "", "ac": "", "ad": "for ad", "ae": "", "q": "", "r": "", "v": "for v", "{true}": "", "w": "",
		"v default": "for its arm", "x": "", "o": "for o", "p": "",
	}
	got := docs(f)
	for name, text := range want {
		if g, ok := got[name]; !ok || g != text {
			t.Errorf("%s: got %q, want %q", name, g, text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d names, want %d", len(got), len(want))
	}
}

func TestComments(t *testing.T) {
	src := "// a\r\n//b\nprotocol t //  c\nconst A = \"//\" // d\n\n  //\norder lsb // e"
	f, _ := Parse("t.pks", []byte(src))
	want := []Comment{
		{Span{Pos{0, 1, 1}, Pos{4, 1, 5}}, "a", false},
		{Span{Pos{6, 2, 1}, Pos{9, 2, 4}}, "b", false},
		{Span{Pos{21, 3, 12}, Pos{26, 3, 17}}, " c", true},
		{Span{Pos{42, 4, 16}, Pos{46, 4, 20}}, "d", true},
		{Span{Pos{50, 6, 3}, Pos{52, 6, 5}}, "", false},
		{Span{Pos{63, 7, 11}, Pos{67, 7, 15}}, "e", true},
	}
	if len(f.Comments) != len(want) {
		t.Fatalf("got %v", f.Comments)
	}
	for i, c := range f.Comments {
		if c != want[i] {
			t.Errorf("comment %d: got %v, want %v", i, c, want[i])
		}
	}
}
