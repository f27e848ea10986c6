package sealing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// window is how far back a sequence number is old to every reader: more than the 256 that netcode remembers.
const window = 300

// The rules of a seal, in the order in which they are tried.
const (
	ruleTag    = "auth.tag"
	ruleText   = "auth.text"
	ruleAD     = "auth.ad"
	ruleNonce  = "auth.nonce"
	ruleReplay = "auth.replay"
	ruleOld    = "auth.old"
)

var rules = []string{ruleTag, ruleText, ruleAD, ruleNonce, ruleReplay, ruleOld}

// ErrNotGenuine says that a reader refuses what is sealed with the key that it should have: nothing can be said about
// what it refuses.
var ErrNotGenuine = errors.New("the reader refuses a message that is sealed as it should be: it has another key, or another packet around it")

// Auth tries the seal of a message that the reader takes: each bit of the tag, the bits of the text's first and last
// byte, each byte of the additional data and of the nonce that the packet does not say; and, unless the reader forgets
// its packets, a packet that it has had, and one with an old sequence number. A reader that takes one of these has a
// finding. only is the one rule to try, as `auth.tag`, or "". Rows count what was tried by rule. Where nothing has a tag
// there are none.
func Auth(t oracle.Target, s *Sealer, message []byte, only string) (rows []fuzz.RuleResult, found []fuzz.Finding, err error) {
	a := &auth{target: t, sealer: s, message: message, rows: map[string]*fuzz.RuleResult{}, only: only}
	if only != "" && !slices.Contains(rules, only) {
		return nil, nil, fmt.Errorf("%.100q is no rule of a seal: want one of %s", only, strings.Join(rules, ", "))
	}
	if s.around.Sealed().Tag == nil {
		return nil, nil, nil
	}
	if err = a.run(); err != nil {
		return nil, nil, err
	}
	for _, rule := range rules {
		if row := a.rows[rule]; row != nil {
			rows = append(rows, *row)
		}
	}
	return rows, a.found, nil
}

// Try is Auth with the first of some generated messages of a section, which inner decodes, that the reader takes.
func Try(t oracle.Target, s *Sealer, inner *decode.Decoder, only string) (rows []fuzz.RuleResult, found []fuzz.Finding, err error) {
	err = ErrNotGenuine
	for _, m := range fuzz.NewGenerator(inner).Spread(tries, messages, 64) {
		if rows, found, err = Auth(t, s, m.Data, only); !errors.Is(err, ErrNotGenuine) {
			break
		}
	}
	return rows, found, err
}

// How many messages Try makes, and how many of them it tries.
const (
	tries    = 64
	messages = 16
)

// auth is a trial of one reader.
type auth struct {
	target  oracle.Target
	sealer  *Sealer
	message []byte
	only    string
	rows    map[string]*fuzz.RuleResult
	found   []fuzz.Finding
}

func (a *auth) run() error {
	if _, err := a.genuine(); err != nil {
		return err
	}
	nonce, ad := 0, 0
	if _, err := a.forged(func(n, d []byte) { nonce, ad = len(n), len(d) }); err != nil {
		return err
	}
	at, end := a.sealer.around.Text()
	tag := end - a.sealer.around.Sealed().Seal.Algorithm.Tag
	for bit := range 8 * a.sealer.around.Sealed().Seal.Algorithm.Tag {
		if err := a.flipped(ruleTag, tag+bit/8, bit%8, fmt.Sprintf("bit %d of the tag flipped", bit)); err != nil {
			return err
		}
	}
	for _, n := range slices.Compact([]int{0, len(a.message) - 1}) {
		for bit := range 8 {
			if n < 0 || len(a.message) == 0 {
				break
			}
			if err := a.flipped(ruleText, at+n, bit, fmt.Sprintf("bit %d of byte %d of the text flipped", bit, n)); err != nil {
				return err
			}
		}
	}
	for n := range ad {
		if err := a.otherwise(ruleAD, fmt.Sprintf("sealed with another byte %d of the additional data", n), func(_, ad []byte) { ad[n] ^= 1 }); err != nil {
			return err
		}
	}
	for n := range nonce {
		if err := a.otherwise(ruleNonce, fmt.Sprintf("sealed with another byte %d of the nonce", n), func(nonce, _ []byte) { nonce[n] ^= 1 }); err != nil {
			return err
		}
	}
	if _, counts := a.sealer.around.Sequence(); !counts || forgets(a.target) {
		return nil
	}
	return a.sequences()
}

// genuine sends a packet that must be taken.
func (a *auth) genuine() ([]byte, error) {
	packet, err := a.sealer.Append(nil, a.message)
	if err != nil {
		return nil, err
	}
	reply, err := a.target.Send(packet, a.sealer.from)
	if err == nil && reply.Outcome != oracle.Accepted && reply.Outcome != oracle.Survived {
		err = ErrNotGenuine
	}
	return packet, err
}

// flipped sends a packet with a bit of one of its bytes flipped.
func (a *auth) flipped(rule string, at, bit int, done string) error {
	packet, err := a.sealer.Append(nil, a.message)
	if err != nil {
		return err
	}
	packet[at] ^= 1 << bit
	return a.hostile(rule, done, packet, nil)
}

func (a *auth) forged(forge func(nonce, ad []byte)) ([]byte, error) {
	return a.sealer.around.Forge(nil, a.message, a.sealer.cipher, forge)
}

// otherwise sends a packet whose seal does not fit its fields.
func (a *auth) otherwise(rule, done string, forge func(nonce, ad []byte)) error {
	packet, err := a.forged(forge)
	if err != nil {
		return err
	}
	return a.hostile(rule, done, packet, nil)
}

// sequences sends what a reader has had, at once and long after, and what it has not had and is old.
func (a *auth) sequences() error {
	first, err := a.genuine()
	if err != nil {
		return err
	}
	before := []decode.Packet{{Data: first, From: a.sealer.from}}
	if err := a.hostile(ruleReplay, "sent twice", first, before); err != nil {
		return err
	}
	old, err := a.sealer.Append(nil, a.message) // which is kept back
	if err != nil {
		return err
	}
	for range window {
		packet, err := a.genuine()
		if err != nil {
			return err
		}
		before = append(before, decode.Packet{Data: packet, From: a.sealer.from})
	}
	if err := a.hostile(ruleReplay, fmt.Sprintf("sent again after %d others", window), first, before); err != nil {
		return err
	}
	return a.hostile(ruleOld, fmt.Sprintf("sent after %d packets with larger sequence numbers", window), old, before)
}

// hostile sends what must be left alone.
func (a *auth) hostile(rule, done string, packet []byte, before []decode.Packet) error {
	if a.only != "" && a.only != rule {
		return nil
	}
	row := a.rows[rule]
	if row == nil {
		row = &fuzz.RuleResult{Rule: rule, Kind: reject.CRCMismatch}
		a.rows[rule] = row
	}
	row.Tried++
	reply, err := a.target.Send(packet, a.sealer.from)
	if err != nil {
		return err
	}
	f := fuzz.Finding{
		Kind: oracle.FoundAcceptedMalformed, Rule: rule, Reject: reject.CRCMismatch, Done: done, Want: "a packet that is left alone",
		Got: reply.Outcome.String(), Packet: packet, From: a.sealer.from, Before: before, Count: 1, Cause: causes[rule], Seal: true,
	}
	switch reply.Outcome {
	case oracle.Refused:
		row.Right++
		return nil
	case oracle.Survived:
		row.Right++
		row.Survived++
		return nil
	case oracle.Accepted:
	case oracle.Hung:
		f.Kind = oracle.FoundHang
	case oracle.LockedOut:
		f.Kind = oracle.FoundLockedOut
	case oracle.Exhausted:
		f.Kind = oracle.FoundLeak
	case oracle.Crashed:
		f.Kind, f.Report = oracle.FoundCrash, reply.Report
	default:
		panic("pktscope: internal error: unknown outcome " + reply.Outcome.String())
	}
	for i := range a.found {
		if a.found[i].Rule == f.Rule && a.found[i].Kind == f.Kind {
			a.found[i].Count++
			return nil
		}
	}
	a.found = append(a.found, f)
	return nil
}

// causes are the mistakes of readers, by the rule that they break.
var causes = map[string]string{
	ruleTag:    "the reader takes a packet whose tag is wrong",
	ruleText:   "the reader takes a packet whose text was changed",
	ruleAD:     "the reader does not authenticate all of the additional data",
	ruleNonce:  "the reader takes a packet that was sealed with another nonce",
	ruleReplay: "the reader takes a packet twice",
	ruleOld:    "the reader takes a packet with an old sequence number",
}
