package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"strings"
	"testing"
)

const (
	secret = "a5b6c7d8e9fa0b1c2d3e4f5061728394"
	other  = "0102030405060708090a0b0c0d0e0f10"
)

var refused = []struct{ name, src, err string }{
	{"a key alone", secret, "k:1: want `NAME HEX` or `flow CLIENT:PORT SERVER:PORT NAME HEX HEX`, got 1 words"},
	{"a key and a name", secret + " private!", "k:1: a key is hexadecimal digits without anything between them"},
	{"a digit and a name", "1" + secret + " private", "k:1: the first word is no name: want a letter, then letters, digits and `_`"},
	{"a flow of a key", "flow " + secret, "k:1: want `flow CLIENT:PORT SERVER:PORT NAME HEX HEX`, got 2 words"},
	{"half a byte", "private " + secret[1:], "k:1: a key has two hexadecimal digits a byte, got 31 digits"},
	{"no digits", "private " + secret[2:] + "zz", "k:1: a key is hexadecimal digits without anything between them"},
	{"0x", "private 0x" + secret, "k:1: a key is hexadecimal digits without anything between them"},
	{"blanks", "private a5 b6", "k:1: want `NAME HEX` or `flow CLIENT:PORT SERVER:PORT NAME HEX HEX`, got 3 words"},
	{"twice", "private " + secret + "\n\nprivate " + other, "k:3: a key of this name is in the file already"},
	{"no port", "flow 10.0.0.1 10.0.0.2:1 key " + secret + " " + other,
		"k:1: want two addresses with ports after `flow`, as 10.0.0.2:50000 or [fe80::1]:50000"},
	{"a host's name", "flow " + secret + ":1 10.0.0.2:1 key " + secret + " " + other,
		"k:1: want two addresses with ports after `flow`, as 10.0.0.2:50000 or [fe80::1]:50000"},
	{"one end", "flow 10.0.0.2:1 [::ffff:10.0.0.2]:1 key " + secret + " " + other, "k:1: a flow has two ends, and these are one"},
	{"a flow the other way", "flow 10.0.0.1:1 10.0.0.2:1 key " + secret + " " + other + "\nflow 10.0.0.2:1 10.0.0.1:1 key " + secret + " " + other,
		"k:2: keys of this flow and name are in the file already"},
	{"a flow's key for a name", "flow 10.0.0.1:1 10.0.0.2:1 1" + secret + " " + secret + " " + other,
		"k:1: the word after the addresses is no name: want a letter, then letters, digits and `_`"},
	{"the second is none", "flow 10.0.0.1:1 10.0.0.2:1 key " + secret + " " + other + "0", "k:1: a key has two hexadecimal digits a byte, got 33 digits"},
	{"a long key", "private " + strings.Repeat("a5", MaxKey+1), "k:1: a key has at most 4096 bytes, got 8194 digits"},
	{"a long line", strings.Repeat(" ", MaxSize+1), "k: a file of keys has at most 1048576 bytes"},
	{"many lines", strings.Repeat("\n", MaxSize+1), "k: a file of keys has at most 1048576 bytes"},
	{"many keys", many(MaxKeys + 1), "k:16385: a file of keys has at most 16384 keys"},
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d 00\n", i)
	}
	return b.String()
}

func TestRefused(t *testing.T) {
	for _, row := range refused {
		f, err := Read("k", strings.NewReader(row.src))
		if f != nil || err == nil || err.Error() != row.err {
			t.Errorf("%s: %v, want %s", row.name, err, row.err)
		}
	}
	if _, err := Read("k", broken{}); err == nil || err.Error() != "k: the disk is gone" {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestRead(t *testing.T) {
	src := "# keys of a test\r\n\n  private  " + strings.ToUpper(secret) + " # ours\r\nflow 10.0.0.2:50000 [::ffff:10.0.0.1]:40000 key " + secret + "\t" + other
	f, err := Read("k", strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	client, server := netip.MustParseAddrPort("10.0.0.2:50000"), netip.MustParseAddrPort("10.0.0.1:40000")
	mapped := netip.MustParseAddrPort("[::ffff:10.0.0.2]:50000")
	for _, row := range []struct {
		what string
		key  Key
		want string
	}{
		{"private", f.Named("private"), secret},
		{"no name", f.Named("Private"), ""},
		{"up", f.Flow(client, server, "key"), secret},
		{"up, mapped", f.Flow(mapped, server, "key"), secret},
		{"down", f.Flow(server, client, "key"), other},
		{"another name", f.Flow(client, server, "private"), ""},
		{"another port", f.Flow(netip.AddrPortFrom(client.Addr(), 1), server, "key"), ""},
		{"of no file", (*File)(nil).Named("private"), ""},
		{"of no file's flow", (*File)(nil).Flow(client, server, "key"), ""},
	} {
		if got := string(fmt.Appendf(nil, "%x", row.key.Reveal())); got != row.want || row.key.IsZero() != (row.want == "") {
			t.Errorf("%s: %s, want %s", row.what, got, row.want)
		}
	}
	if f.Len() != 3 || (*File)(nil).Len() != 0 {
		t.Error(f.Len())
	}
	if _, err := Read("k", strings.NewReader(many(MaxKeys))); err != nil {
		t.Error(err)
	}
	if _, err := Read("k", strings.NewReader(strings.Repeat("\n", MaxSize))); err != nil {
		t.Error(err)
	}
}

// TestNothingShowsAKey prints keys, and what holds them, in every way that could walk into them.
func TestNothingShowsAKey(t *testing.T) {
	f, err := Read("k", strings.NewReader("private "+secret+"\nflow 10.0.0.2:50000 10.0.0.1:40000 key "+secret+" "+secret))
	if err != nil {
		t.Fatal(err)
	}
	k := f.Named("private")
	var shown []string
	for _, v := range []any{k, &k, []Key{k}, map[string]Key{"a": k}, struct{ K Key }{k}, f, *f, struct{ F *File }{f}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			shown = append(shown, fmt.Sprintf(verb, v))
		}
		if b, err := json.Marshal(v); err == nil {
			shown = append(shown, string(b))
		}
	}
	shown = append(shown, k.String(), k.GoString(), fmt.Sprint(panics(k)))
	for _, s := range shown {
		lower := strings.ToLower(s)
		if strings.Contains(lower, secret[:6]) || strings.Contains(s, "165 182") || strings.Contains(lower, "0xa5") || strings.Contains(s, "pbbH2") {
			t.Errorf("%s", s)
		}
	}
	if len(shown) < 70 {
		t.Errorf("only %d were looked at", len(shown))
	}
}

func panics(v any) (got any) {
	defer func() { got = recover() }()
	panic(v)
}

func TestExposed(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		0o600: "", 0o400: "", 0o700: "", fs.ModeNamedPipe | 0o644: "",
		0o640: "k: others than its owner may read these keys (mode 0640): chmod 600 it",
		0o602: "k: others than its owner may read these keys (mode 0602): chmod 600 it",
	} {
		if got := Exposed("k", mode); got != want {
			t.Errorf("%v: %q, want %q", mode, got, want)
		}
	}
}

// FuzzRead: no file makes Read fail otherwise than with a line, and no error quotes what is in the file.
func FuzzRead(f *testing.F) {
	for _, row := range refused {
		if len(row.src) < 1000 {
			f.Add(row.src)
		}
	}
	f.Add("private " + secret + "\nflow [::1]:1 [::2]:2 key " + secret + " " + other + " # both")
	f.Fuzz(func(t *testing.T, src string) {
		const name = "§"
		file, err := Read(name, strings.NewReader(src))
		if err != nil {
			if file != nil || !strings.HasPrefix(err.Error(), name+":") || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%q", err)
			}
			for _, word := range strings.Fields(src) {
				if len(word) >= 8 && len(strings.Trim(word, "0123456789abcdefABCDEF")) == 0 && strings.Contains(err.Error(), word) {
					t.Fatalf("%q shows a key", err)
				}
			}
			return
		}
		again, err := Read(name, strings.NewReader(strings.ReplaceAll(src, "\n", " # x\n\n")))
		if err != nil && len(src) < MaxSize/8 || err == nil && again.Len() != file.Len() {
			t.Fatalf("with comments %v, %v, not %v", again, err, file)
		}
		for name, key := range file.named {
			if key.IsZero() || len(key.Reveal()) > MaxKey || !isName(name) {
				t.Fatalf("a key of %d bytes", len(key.Reveal()))
			}
		}
	})
}
