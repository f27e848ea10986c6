package schemadoc

import (
	"strings"
	"testing"
)

// heldSchema has all that a field can hold, and a message that is larger than a datagram.
const heldSchema = `protocol h
order lsb
max datagram 100
state {
    each key bytes(32) @secret // seals what follows
    each once_key bytes(16) @secret
    size int(1..20) once // of what comes
}
struct Big { data bytes(rest, max 5000) }
packet {
    n uint8
    whole bytes(2) @message(Small)
    piece bytes(3) @fragment(Large, n, offset n * 8, total n + 1)
    body switch n {
        1, 2: sealed(4) aes128gcm {
            key   state.once_key
            nonce uint32 0, uint64 be n
            ad    "x", uint8 n
            open  Small
        }
        3: sealed(4) xor {
            key  key.pad
            at   n % 4
            open Small
        }
        4: bytes(5) @fragment(Large, n, index n, last n == 4)
        5: sealed(4) chacha20poly1305 {
            key   state.key
            nonce uint32 0, uint64 n
        }
        default: empty
    }
}
message Small max 4 { a uint8 in 3..4 }
message Large max 4000 { b Big }
message Key max 32 {
    k bytes(32) @secret
    let state.key.server = k
}
`

// A table after a struct's own says what each field holds, by what words; the sizes of a message are those of a message.
func TestHolds(t *testing.T) {
	p := docPlan(t, "h.pks", []byte(heldSchema))
	d := newPage(p)
	got := map[string]string{}
	for _, list := range [][]*structPart{d.Packet, d.Messages} {
		for _, s := range list {
			for _, row := range s.Holds.Rows {
				var cells []string
				for i, c := range row.Cells {
					if i > 0 && c.Text != "" {
						cells = append(cells, s.Holds.Heads[i]+"="+c.Text)
					}
				}
				got[row.Cells[0].Text] = strings.Join(cells, "; ")
			}
		}
	}
	const tag = ", a tag of 16 bytes after it"
	want := map[string]string{
		"whole": "Holds=Small; How=all of it",
		"piece": "Holds=Large; How=a piece; Pieces by=id n, offset n * 8, total n + 1",
		"body<1, 2>": "Holds=Small; How=sealed with aes128gcm" + tag + "; the key is what the flow keeps; Key=state.once_key; " +
			`Nonce=uint32 0, uint64 be n; Authenticated beside it="x", uint8 n`,
		"body<3>": "Holds=Small; How=sealed with xor; the key is a line of --keys; Key=key.pad; Pad from=n % 4",
		"body<4>": "Holds=Large; How=a piece; Pieces by=id n, index n, last n == 4",
		"body<5>": "How=sealed with chacha20poly1305" + tag + "; nothing is known of the text; the key is what the flow keeps; Key=state.key; " +
			"Nonce=uint32 0, uint64 n",
		"k": "Holds=state.key.server; How=kept once the packet is accepted",
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	doc := markdownOf(t, p)
	checkMarkdown(t, doc)
	checkHTML(t, htmlOf(t, p))
	for _, line := range []string{
		"### message Large max 4000\n\nSize: 0..32000 bits.", "### message Small max 4\n\nSize: 8 bits, 1 byte.",
		"### struct Big\n\nSize: 0..32000 bits.",
		"\nWhat refuses the message:\n\n| Rule | Refused as | Wanted |\n| --- | --- | --- |\n| `a` | `out-of-range` | 3..4 |\n",
		"| `state.key` | a key of 32 bytes |  | one for each direction | `@secret` | seals what follows |\n",
		"| `state.size` | the first value that was said | 1..20 | one of a flow |  | of what comes |\n",
	} {
		if !strings.Contains(doc, line) {
			t.Errorf("no %q in\n%s", line, doc)
		}
	}
	if doc := markdownOf(t, docPlan(t, "plain.pks", []byte("protocol p\norder lsb\npacket { a uint8 }\n"))); strings.Contains(doc, "## State") ||
		strings.Contains(doc, "## Messages") || strings.Contains(doc, "hold:") {
		t.Errorf("a schema without messages:\n%s", doc)
	}
}
