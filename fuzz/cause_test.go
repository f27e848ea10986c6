package fuzz_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A protocol whose packets share what they are made of, so that one mistake of a reader shows at many rules.
const manySchema = `protocol many
order lsb
max datagram 600

enum Kind : uint8 { Move = 1, Chat = 2, Shot = 3, Item = 4, Join = 5, Leave = 6 }

struct Player {
    id uint8
    health uint8 in 0..100
    name_size uint8 in 0..16
    name bytes(name_size)
}

struct Blob {
    size uint8 in 0..16
    data bytes(size)
}

packet {
    kind Kind
    seq uint16
    body switch kind {
        Move: {
            who Player
            x uint16
            y uint16
        }
        Chat: {
            who Player
            text Blob
            more Blob
        }
        Shot: {
            who Player
            target Player
            blob Blob
        }
        Item: {
            who Player
            n uint8 in 0..4
            items [n]uint16
        }
        Join: {
            who Player
            key Blob
            token uint32
        }
        Leave: {
            who Player
            reason uint8 in 0..9
        }
    }
}
`

func manyDecoder(t testing.TB) *decode.Decoder {
	t.Helper()
	s, diags := schema.Load("many.pks", []byte(manySchema), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatal(diags)
	}
	return decode.New(p)
}

// mistake is what a manyReader does wrongly.
type mistake uint

const (
	readsBehind    mistake = 1 << iota // takes what is after the end for zeros
	readsBlobs                         // the same of blobs alone
	readsReason                        // and of reason alone
	anyHealth                          // no range of health
	anySize                            // no range of a blob's size
	anyReason                          // no range of reason
	noEmptyBlob                        // refuses a blob without data
	noFullHealth                       // refuses a health of 100
	noLeave                            // does not know the kind Leave
	dropsBlob                          // dies of a blob above its size
	dropsName                          // dies of a name above its size
	wrongSeq                           // reads seq with its bytes swapped
	wrongToken                         // and token
	noTwo                              // refuses two blobs of one size above zero
	everythingIsOK                     // accepts all that it reads to the end
	dropsHealth                        // dies of a health of 100, of packets that are right so far
)

// manyReader reads packets of manySchema by hand, in process.
type manyReader struct {
	mistakes mistake
	data     []byte
	at       int
	bad      bool
	blind    mistake // what reads after the end at the moment
	values   map[string]any
}

func (mr *manyReader) has(m mistake) bool { return mr.mistakes&m != 0 }

func (mr *manyReader) u8() int {
	if mr.at >= len(mr.data) {
		if mr.at++; !mr.has(readsBehind | mr.blind) {
			mr.bad = true
		}
		return 0
	}
	mr.at++
	return int(mr.data[mr.at-1])
}

func (mr *manyReader) u16() int { return mr.u8() | mr.u8()<<8 }

func (mr *manyReader) check(ok bool) {
	mr.bad = mr.bad || !ok && !mr.has(everythingIsOK)
}

func (mr *manyReader) bytes(path string, n int, blind mistake) []byte {
	mr.blind = blind
	var b []byte
	for range n {
		b = append(b, byte(mr.u8()))
	}
	mr.blind = 0
	mr.values[path] = fmt.Sprintf("%x", b)
	return b
}

func (mr *manyReader) player(path string) {
	mr.values[path+".id"] = mr.u8()
	health := mr.u8()
	if health == 100 && !mr.bad && mr.has(dropsHealth) {
		panic("full health")
	}
	mr.values[path+".health"] = health
	mr.check(health <= 100 || mr.has(anyHealth))
	mr.check(health != 100 || !mr.has(noFullHealth))
	size := mr.u8()
	if size > 16 && mr.has(dropsName) {
		nameTooLong()
	}
	mr.check(size <= 16)
	mr.bytes(path+".name", size, 0)
}

func (mr *manyReader) blob(path string) int {
	size := mr.u8()
	if size > 16 && mr.has(dropsBlob) {
		blobTooLong()
	}
	mr.check(size <= 16 || mr.has(anySize))
	mr.check(size > 0 || !mr.has(noEmptyBlob))
	mr.bytes(path+".data", size, readsBlobs)
	return size
}

//go:noinline
func nameTooLong() { panic("a name that is too long") }

//go:noinline
func blobTooLong() { panic("a blob that is too long") }

func (mr *manyReader) read() (accepted bool) {
	mr.at, mr.bad, mr.values = 0, false, map[string]any{}
	kind := mr.u8()
	seq := mr.u16()
	if mr.has(wrongSeq) {
		seq = seq>>8 | seq&0xff<<8
	}
	mr.values["seq"] = seq
	switch kind {
	case 1:
		mr.player("body.who")
		mr.values["body.x"], mr.values["body.y"] = mr.u16(), mr.u16()
	case 2:
		mr.player("body.who")
		one, other := mr.blob("body.text"), mr.blob("body.more")
		mr.check(one == 0 || one != other || !mr.has(noTwo))
	case 3:
		mr.player("body.who")
		mr.player("body.target")
		mr.blob("body.blob")
	case 4:
		mr.player("body.who")
		n := mr.u8()
		mr.check(n <= 4)
		for i := range n {
			mr.values[fmt.Sprintf("body.items[%d]", i)] = mr.u16()
		}
	case 5:
		mr.player("body.who")
		mr.blob("body.key")
		token := mr.u16() | mr.u16()<<16
		if mr.has(wrongToken) {
			token = token>>16 | token&0xffff<<16
		}
		mr.values["body.token"] = token
	case 6:
		mr.check(!mr.has(noLeave))
		mr.player("body.who")
		mr.blind = readsReason
		reason := mr.u8()
		mr.blind = 0
		mr.check(reason <= 9 || mr.has(anyReason))
		mr.values["body.reason"] = reason
	default:
		return false
	}
	return !mr.bad && mr.at >= len(mr.data)
}

func (mr *manyReader) Send(packet []byte, _ decode.Direction) (reply oracle.Reply, err error) {
	reply = oracle.Reply{Outcome: oracle.Refused, Bits: -1}
	defer func() {
		if dead := recover(); dead != nil {
			reply.Outcome, reply.Report = oracle.Crashed, fmt.Sprintf("panic: %v\n\n%s", dead, debug.Stack())
		}
	}()
	mr.data = packet
	if mr.read() {
		reply.Outcome = oracle.Accepted
		reply.Fields, err = json.Marshal(mr.values)
	}
	return reply, err
}

func (mr *manyReader) Close() error { return nil }

func manyAudit(t testing.TB, m mistake) *fuzz.AuditResult {
	t.Helper()
	a := fuzz.Audit{Decoder: manyDecoder(t), Seed: 1, Workers: 2, NewTarget: func(context.Context) (oracle.Target, error) { return &manyReader{mistakes: m}, nil }}
	r, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func causes(found []fuzz.Finding) (list []string) {
	for i := range found {
		f := &found[i]
		list = append(list, fmt.Sprintf("%v: %s", f.Kind, f.Cause))
	}
	slices.Sort(list)
	return list
}

// One mistake is one finding, whatever number of rules it shows at; two are two.
func TestCausesOfAudit(t *testing.T) {
	for i, row := range []struct {
		name     string
		mistakes mistake
		want     []string
	}{
		{"none", 0, nil},
		{"a crash at five rules", dropsBlob, []string{"crash: the reader dies in blobTooLong"}},
		{"two crashes", dropsBlob | dropsName, []string{"crash: the reader dies in blobTooLong", "crash: the reader dies in nameTooLong"}},
		{"no check of the end", readsBehind, []string{"accepted-malformed: the reader does not check where the packet ends"}},
		{"two fields without a check of the end", readsBlobs | readsReason, []string{
			"accepted-malformed: the reader does not refuse past-end at Blob.data", "accepted-malformed: the reader does not refuse past-end at body<Leave>.reason",
		}},
		{"a range of a struct that all cases have", anyHealth, []string{"accepted-malformed: the reader does not refuse out-of-range at Player.health"}},
		{"two ranges", anyHealth | anyReason, []string{
			"accepted-malformed: the reader does not refuse out-of-range at Player.health", "accepted-malformed: the reader does not refuse out-of-range at body<Leave>.reason",
		}},
		{"no empty blob", noEmptyBlob, []string{"rejected-valid: the reader refuses Blob.data of 0 bytes"}},
		{"neither an empty blob nor full health", noEmptyBlob | noFullHealth, []string{
			"rejected-valid: the reader refuses Blob.data of 0 bytes", "rejected-valid: the reader refuses Player.health = 100",
		}},
		{"not a case", noLeave, []string{"rejected-valid: the reader refuses kind = Leave"}},
		{"neither a case nor an empty blob", noLeave | noEmptyBlob, []string{"rejected-valid: the reader refuses Blob.data of 0 bytes", "rejected-valid: the reader refuses kind = Leave"}},
		{"a relation of two fields", noTwo, []string{"rejected-valid: the reader refuses Blob.data of 1 byte"}},
		{"two values", wrongSeq | wrongToken, []string{"wrong-value: the reader reads another value for body<Join>.token", "wrong-value: the reader reads another value for seq"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if i%need.Rounds(1, 3) > 0 {
				t.Skip("-short audits each third reader")
			}
			r := manyAudit(t, row.mistakes)
			got := causes(r.Findings)
			for i, line := range got { // without what is another in each version of this file
				got[i], _, _ = strings.Cut(strings.ReplaceAll(line, "github.com/pktscope/pktscope/fuzz_test.", ""), ", cause_test.go:")
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("want\n  %s\ngot\n  %s", strings.Join(row.want, "\n  "), strings.Join(got, "\n  "))
				for i := range r.Findings {
					t.Logf("%v %s %x", r.Findings[i].Kind, r.Findings[i].What(), r.Findings[i].Packet)
				}
			}
		})
	}
}

// A campaign knows the same causes.
func TestCausesOfCampaign(t *testing.T) {
	for _, row := range []struct {
		mistakes mistake
		want     []string
	}{
		{noEmptyBlob | noFullHealth, []string{"rejected-valid: the reader refuses Blob.data of 0 bytes", "rejected-valid: the reader refuses Player.health = 100"}},
		{readsBehind, []string{"accepted-malformed: the reader does not check where the packet ends"}},
		{readsBlobs | readsReason, []string{
			"accepted-malformed: the reader does not refuse past-end at Blob.data", "accepted-malformed: the reader does not refuse past-end at body<Leave>.reason",
		}},
	} {
		c := fuzz.Campaign{Decoder: manyDecoder(t), Seed: 1, Workers: 2, Execs: need.Rounds[int64](30000, 5000), NewTarget: func(context.Context) (oracle.Target, error) {
			return &manyReader{mistakes: row.mistakes}, nil
		}}
		s, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var found []fuzz.Finding
		for _, f := range s.Findings {
			found = append(found, *f)
		}
		if got := causes(found); !slices.Equal(got, row.want) {
			t.Errorf("want\n  %s\ngot\n  %s", strings.Join(row.want, "\n  "), strings.Join(got, "\n  "))
		}
	}
}

// What was accepted and read wrongly was accepted.
func TestMisread(t *testing.T) {
	r := manyAudit(t, wrongSeq)
	if r.Accepted != r.Valid || r.Refused != r.Hostile || r.Misread == 0 || r.Misread > r.Valid {
		t.Errorf("want %d of %d valid packets accepted and some misread, got %d and %d; %d of %d refused", r.Valid, r.Valid, r.Accepted, r.Misread, r.Refused, r.Hostile)
	}
	sum := 0
	for _, rule := range r.Rules {
		if sum += rule.Misread; rule.Misread > rule.Right {
			t.Errorf("%s: %d of %d right answers misread", rule.Rule, rule.Misread, rule.Right)
		}
	}
	if sum != r.Misread || len(r.Findings) == 0 {
		t.Errorf("want %d misread by the rules, and findings; got %d and %d", r.Misread, sum, len(r.Findings))
	}
	if r = manyAudit(t, noFullHealth); r.Accepted == r.Valid || r.Misread > 0 {
		t.Errorf("a reader that refuses: %d of %d accepted, %d misread", r.Accepted, r.Valid, r.Misread)
	}
}

// narrow is a reader of one rule too many: no tail of 30 bytes. It stays alive.
type narrow struct{ oracle.Target }

func (n narrow) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	r, err := n.Target.Send(packet, from)
	if r.Why = nil; r.Outcome == oracle.Accepted && len(packet) == 1+8+30 {
		r.Outcome = oracle.Refused
	}
	return r, err
}

// A finding of a reader that stays alive takes few starts of it, also where a text of one size cannot be shorter.
func TestFewStarts(t *testing.T) {
	d := compile(t, "protocol n\norder msb\nmax datagram 60\npacket {\n    k uint8 in 1..3\n    name char(8)\n    tail bytes(rest, max 30)\n}")
	starts := 0
	a := fuzz.Audit{Decoder: d, Seed: 1, Workers: 1, NewTarget: func(context.Context) (oracle.Target, error) {
		starts++
		return narrow{Target: oracle.NewBuiltin(d)}, nil
	}}
	r, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := causes(r.Findings)
	if want := []string{"rejected-valid: the reader refuses tail of 30 bytes"}; !slices.Equal(got, want) || starts > 40 || r.Hurried {
		t.Errorf("want %q in few starts, got %q in %d", want, got, starts)
	}
}

// nameless is a reader of one rule too many: no name.
type nameless struct{ oracle.Target }

func (n nameless) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	r, err := n.Target.Send(packet, from)
	if r.Why = nil; r.Outcome == oracle.Accepted && string(packet[1:9]) != "\x00\x00\x00\x00\x00\x00\x00\x00" {
		r.Outcome = oracle.Refused
	}
	return r, err
}

// Bytes and texts of one size are blamed for what is in them: most packets show it, and it is one finding.
func TestCauseInOneSize(t *testing.T) {
	for _, typ := range []string{"char(8)", "bytes(8)"} {
		d := compile(t, "protocol n\norder msb\npacket {\n    k uint8 in 1..3\n    name "+typ+"\n    tail uint16\n}")
		a := fuzz.Audit{Decoder: d, Seed: 1, Workers: 1, NewTarget: func(context.Context) (oracle.Target, error) { return nameless{oracle.NewBuiltin(d)}, nil }}
		r, err := a.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := causes(r.Findings), []string{"rejected-valid: the reader refuses what is in name"}; !slices.Equal(got, want) {
			t.Errorf("%s: want %q, got %q", typ, want, got)
		}
	}
}
