package page

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/budget"
)

func TestStepsOfPaths(t *testing.T) {
	for path, want := range map[string]string{
		"body<State>.players[].x": "State|players[]|x", "kind": "every packet|kind", "header.n": "every packet|header|n", "body<Option.KeepAlive>.n": "Option.KeepAlive|n",
		"body<State>": "State|value", "(rest of the last byte)": "every packet|(rest of the last byte)", "a.body<X>.y": "every packet|a|body<X>|y", "": "every packet|", "a<": "every packet|a<", ">": "every packet|>",
	} {
		if got := strings.Join(stepsOf(path), "|"); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// Whatever the protocol, each part is the sum of its parts, and the whole is all bits.
func TestIcicleAddsUp(t *testing.T) {
	for _, name := range corpus.Protocols() {
		m := newMaker(builtin(t, name), 0)
		for i, seed := range corpus.Seeds(name) {
			m.send(int64(i+1), "10.0.0.2:5000", "10.0.0.1:4124", seed.Data)
		}
		total := m.budget.Read()
		root := newIcicle(m.budget)
		if root.Bits != total {
			t.Errorf("%s: %d bits, want %d", name, root.Bits, total)
		}
		var walk func(n *icicleNode)
		walk = func(n *icicleNode) {
			sum := uint64(0)
			for _, kid := range n.Kids {
				sum += kid.Bits
				walk(kid)
			}
			if len(n.Kids) > 0 && sum != n.Bits || n.Used < 0 || n.Used > 100 || n.Tip == "" || n.Name == "" {
				t.Errorf("%s: %s has %d bits, its parts %d, %d %% carry information", name, n.Name, n.Bits, sum, n.Used)
			}
		}
		walk(root)
	}
}

// The field that wastes is marked, with the declaration that the budget's advice has.
func TestIcicleNamesTheTighterDeclaration(t *testing.T) {
	root := newIcicle(planned(t).budget)
	find := func(n *icicleNode, name string) *icicleNode {
		at := slices.IndexFunc(n.Kids, func(k *icicleNode) bool { return k.Name == name })
		if at < 0 {
			t.Fatalf("no %s in %s", name, n.Name)
		}
		return n.Kids[at]
	}
	alive := find(find(find(root, "State"), "players[]"), "alive")
	if !alive.Tighter || !strings.Contains(alive.Tip, "Tighter: bool (a bool8 has 7 bits that are always 0)") {
		t.Errorf("%+v", alive)
	}
	if n := find(find(root, "State"), "seen"); n.Tighter {
		t.Errorf("%+v", n)
	}
}

func TestIcicleInChromium(t *testing.T) {
	b := newBrowser(t)
	b.size(1440, 900)
	b.open(write(t, planned(t).report(t)), "")
	b.eval("document.querySelector('.icicle').scrollIntoView({ block: 'center' })", nil)
	b.shot("icicle", false)
	width := func(name string) (w float64) {
		b.eval("[...document.querySelectorAll('.icicle button')].find((n) => n.firstChild.textContent.trim() === '"+name+"').getBoundingClientRect().width / document.querySelector('.icicle').clientWidth", &w)
		return w
	}
	if all, state := width("payload of all packets"), width("State"); all < 0.99 || state < 0.75 || state > 0.85 {
		t.Errorf("all has %v of the width, State %v; want 1 and 0.79", all, state)
	}
	b.eval("document.querySelector('.icicle button').focus()", nil)
	for _, key := range []string{"ArrowDown", "ArrowDown", "ArrowDown", "End"} {
		b.press(key)
	}
	b.holds(".icicle-told", "body<State>.players[].")
	for range 3 {
		b.press("ArrowRight")
	}
	b.holds(".icicle-told", "Tighter: ")
	b.press("ArrowUp")
	b.press("Enter")
	if got := width("players[]"); got < 0.99 {
		t.Errorf("looked at closer, players[] has %v of the width", got)
	}
	b.press("ArrowUp")
	b.press("ArrowUp")
	b.press("Enter")
	if got := width("State"); got > 0.85 {
		t.Errorf("looked at all again, State has %v of the width", got)
	}
	b.quiet()
}

// The share of a case is one number, in the statistics, the budget and the tree: also where packets are refused and cut.
func TestShareOfACase(t *testing.T) {
	m := planned(t)
	m.add(&pcap.Datagram{Time: 1, Src: netip.MustParseAddrPort("10.0.0.2:5000"), Dst: netip.MustParseAddrPort("10.0.0.1:4000"), Payload: []byte{1, 0}, Size: 900, Cut: true}, "test")
	share := func(n uint64) float64 { return float64(n) / float64(m.stats.Summary().Total.PayloadBits()) }
	want, refused := map[string]uint64{}, uint64(0)
	for _, c := range m.stats.Summary().Cases {
		want[c.Case] += c.PayloadBits()
		refused += c.Rejected.PayloadBits + c.Cut.PayloadBits
		if c.Share != share(c.PayloadBits()) {
			t.Errorf("statistics: %s has %v of payload, want %v", c.Case, c.Share, share(c.PayloadBits()))
		}
	}
	list, err := budget.Read(bytes.NewReader(m.budget.AppendJSON(nil)))
	if err != nil {
		t.Fatal(err)
	}
	root := newIcicle(list[0])
	cases := list[0].Cases()
	if len(cases) < 2 || refused < 8*900 || root.Bits != m.stats.Summary().Total.PayloadBits() {
		t.Fatalf("%d cases, %d refused bits, %d of %d bits", len(cases), refused, root.Bits, m.stats.Summary().Total.PayloadBits())
	}
	for _, c := range cases {
		i := slices.IndexFunc(root.Kids, func(k *icicleNode) bool { return k.Name == c.Name })
		if n := want[c.Name]; n == 0 || c.Share != share(n) || i < 0 || root.Kids[i].Bits != n || root.Kids[i].Share != percent(share(n)) {
			t.Errorf("%s: the budget has %v, the tree %+v; want %d bits, %v", c.Name, c.Share, root.Kids, n, share(n))
		}
	}
}

// The card of the field that wastes most says nothing against the table of tighter declarations below it.
func TestAdviceAloneIsSaid(t *testing.T) {
	m := newMaker(compile(t, "protocol a\norder msb\npacket { node uint32 }\n"), 0)
	for i := range byte(200) {
		m.add(&pcap.Datagram{Time: int64(i+1) * 1e8, Src: netip.MustParseAddrPort("10.0.0.2:5000"), Dst: netip.MustParseAddrPort("10.0.0.1:4000"), Payload: []byte{0, 0, 0, i % 3}, Size: 4}, "test")
	}
	page := string(write(t, m.report(t)))
	if strings.Contains(page, "No declaration is wider") || !strings.Contains(page, "No declaration can be tightened for certain") || !strings.Contains(page, "(advice: not in the sum)") {
		t.Error("want the advice told of, and no other word")
	}
	if strings.Contains(page, "well formed") || !strings.Contains(page, "No packet of the captures was refused.") {
		t.Error("want no more said of the packets than that none was refused")
	}
}
