package sarif

import (
	"strings"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/report/results"
)

// The rules of the driver: one for each kind of finding, for each kind of reject, and for budgets and for what was not
// tested. These are always listed. After them stand those of findings with the reject that the packet deserves, as
// they come: services take two results of one rule in one line for one.

// ruleOf is the rule of a problem: finding/crash, finding/crash/past-end, reject/past-end, budget/over-budget,
// audit/untested.
func ruleOf(p *results.Problem) string {
	switch p.Source {
	case results.FromFinding:
		if p.Reject != "" {
			return "finding/" + p.Kind + "/" + p.Reject
		}
		return "finding/" + p.Kind
	case results.FromBudget:
		return "budget/" + p.Kind
	case results.FromUntested:
		return "audit/" + p.Kind
	}
	return "reject/" + p.Kind
}

// explained is a kind with what it is and what to do.
type explained struct{ kind, short, help string }

var findingKinds = []explained{
	{"crash", "the reader died of a packet", "A packet made the reader crash, panic or abort. Whoever can send it packets can end it. The report of the crash and the command that shows it again are in the finding."},
	{"hang", "the reader did not answer in time", "A packet made the reader run on without an answer, in three new processes one after the other: a loop whose end a packet decides."},
	{"accepted-malformed", "the reader accepted a packet that breaks a rule", "The packet breaks the rule of the schema that is named, and all else in it is right. The reader took it: it does not check this rule, or not here."},
	{"rejected-valid", "the reader refused a valid packet", "The packet keeps every rule of the schema, and the reader refused it: it is stricter than the schema says, or reads something else before."},
	{"refused-elsewhere", "the reader refused a packet for another reason or at another place", "The packet deserves to be refused, and was, but not for what is wrong with it. The check that is meant to stop it may be missing after the one that did."},
	{"wrong-value", "the reader read another value", "The packet is valid and was accepted, and a field has another value than the bits say."},
	{"wrong-bits", "the reader took another number of bits", "The packet is valid and was accepted, and the reader stopped at another bit than its end: all after it is read wrongly."},
	{"not-canonical", "what was read is not written the same", "The values that were read make other bits when they are written again."},
	{"slow", "a packet costs more than the bound", "A packet took more steps than the schema's plan proves to be enough."},
	{"leak", "a packet costs memory without measure", "A packet made the reader hold more memory than it may: something is sized by what a packet says."},
	{"disagreement", "two decoders of pktscope disagree", "The decoder and its reference do not agree on a packet. This is a mistake of pktscope."},
	{"difference", "two readers differ", "The two readers that were compared gave different answers to a packet."},
	{"accepted-in-wrong-state", "the server accepts a packet that its state does not allow", "Before the state that the dialogue names, or after the end, the server answered a packet as only that state may, or let the client in without its step."},
	{"locked-out", "a packet makes the server refuse its sender from then on", "After the packet the server did not let the client in again for 10 s, and let in another one. Who can send in a client's name, or make it send, shuts it out."},
}

var rejectKinds = map[reject.Kind]explained{
	reject.PastEnd:         {short: "a field needs more bits than are left", help: "The packet ends before the field does. It was cut on the way, or it says of itself that there is more than there is."},
	reject.OutOfRange:      {short: "a value, count, size or index outside of what is allowed", help: "The code fits into the field's bits and is none of its values. A reader that does not check it indexes and loops with what a stranger wrote."},
	reject.UnknownCase:     {short: "a tag or enum value that is no case", help: "The value is none of those that the schema lists. The sender has a newer protocol, or means no good."},
	reject.ReservedNonzero: {short: "reserved bits are set", help: "Bits that are reserved, or that no flag names, have to be zero."},
	reject.ConstMismatch:   {short: "a constant is another", help: "A field that always has one value has another one: it is no packet of this protocol, or of another version."},
	reject.CheckMismatch:   {short: "a serialize check is not there", help: "The mark between two parts of the packet is missing: what is before it was read with another length than it was written with."},
	reject.CRCMismatch:     {short: "the checksum does not fit", help: "The packet was changed on the way, or the sender starts from another protocol id."},
	reject.NonzeroPadding:  {short: "padding bits are set", help: "Bits that only align what comes next have to be zero."},
	reject.BadString:       {short: "a text breaks its type's rules", help: "The text is no UTF-8, or has something after its end, or a character that it may not have."},
	reject.NotFinite:       {short: "a number is NaN or infinite", help: "The field has to be a finite number. NaN compares with nothing and goes through every check that is written as a comparison."},
	reject.NonUnit:         {short: "a quaternion is longer than one", help: "The three components that are sent are more than a unit quaternion can have: the fourth would be the root of a negative number."},
	reject.NonCanonical:    {short: "a number is written longer than need be", help: "The same value has a shorter encoding, which is the only one allowed."},
	reject.NotIncreasing:   {short: "an index is not larger than the one before", help: "The indexes of a list have to rise, so that no element is written twice."},
	reject.TrailingBytes:   {short: "bytes are left after the packet's end", help: "All fields were read, and whole bytes are left: something was appended, or a count says less than there is."},
	reject.DatagramSize:    {short: "the datagram is larger than it may be", help: "The schema says how large a datagram can be (max datagram)."},
	reject.RuleBroken:      {short: "a require does not hold", help: "The relation between fields that the schema requires does not hold."},
	reject.Fragment:        {short: "a piece is part of no message", help: "The index or offset of a piece lies beyond the count or total that it gives itself, or beyond what a message can have."},
	reject.OverBudget:      {short: "the decoder's tripwire", help: "A packet took more steps than the plan proves to be enough. This is a mistake of pktscope."},
}

// ruleTable is the rules, and the index of each.
func ruleTable() (rules []rule, at map[string]int) {
	at = map[string]int{}
	add := func(group string, e explained, level results.Level) {
		id := group + "/" + e.kind
		at[id] = len(rules)
		rules = append(rules, rule{
			ID: id, Name: camel(id), ShortDescription: message{e.short}, FullDescription: message{e.short + ". " + e.help}, Help: message{e.help},
			Default: configuration{levelWord(level)}, Properties: tags{[]string{group}},
		})
	}
	for _, e := range findingKinds {
		add("finding", e, results.Error)
	}
	add("budget", explained{"over-budget", "packets are larger than their budget", "The schema says with @budget how many bits a part of a packet may take, or --max-packet how many bytes a packet may have."}, results.Error)
	add("audit", explained{"untested", "nothing is known about a part of the protocol", "No valid packet was found that has this part, or no packet was refused for this rule, and nothing proves that none can be; or packets of it were given up, because the reader hung on others like them or filled its memory. What an audit says about the reader does not hold here: give it packets of a capture (--corpus), or see whether other rules of the schema leave no room."}, results.Error)
	for _, k := range reject.Kinds() {
		e := rejectKinds[k]
		e.kind = k.String()
		add("reject", e, results.Warning)
	}
	return rules, at
}

// otherRule is the rule of a finding with what its packet deserves, or of a kind that only a later version knows.
func otherRule(id string, level results.Level) rule {
	group, rest, _ := strings.Cut(id, "/")
	kind, deserved, _ := strings.Cut(rest, "/")
	short, help := "", ""
	for _, e := range findingKinds {
		if e.kind == kind {
			short, help = e.short, e.help
		}
	}
	for k, e := range rejectKinds {
		if k.String() == deserved && short != "" {
			short, help = short+": "+e.short, help+" What is wrong with the packet ("+deserved+"): "+e.short+". "+e.help
			return rule{ID: id, Name: camel(id), ShortDescription: message{short}, FullDescription: message{short + ". " + help}, Help: message{help},
				Default: configuration{levelWord(level)}, Properties: tags{[]string{group}}}
		}
	}
	short = "a kind that this version does not know: " + rest
	return rule{ID: id, Name: camel(id), ShortDescription: message{short}, FullDescription: message{short}, Help: message{short}, Default: configuration{levelWord(level)},
		Properties: tags{[]string{group}}}
}

// camel is an id as a name: FindingAcceptedMalformed.
func camel(id string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(id, func(r rune) bool { return r == '/' || r == '-' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
