package report

import (
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report/saved"
)

// What audits, campaigns and findings are as JSON: WriteJSON and AppendFinding write it, report/results reads it.

// The kinds of objects that are saved, as their key `kind` says; a file of a finding has the finding's there.
const (
	KindAudit = "audit"
	KindFuzz  = "fuzz"
)

// SavedAudit is an audit as JSON.
type SavedAudit struct {
	saved.Header
	Seed            uint64          `json:"seed"`
	Runs            int             `json:"runs,omitempty"` // that were merged; 0 of one
	Partial         bool            `json:"partial,omitempty"`
	Incomplete      saved.Gaps      `json:"incomplete,omitempty"` // what was to be merged and is not in it
	Packets         int             `json:"packets"`
	Hostile         int             `json:"hostile"`
	Refused         int             `json:"refused"`
	Valid           int             `json:"valid"`
	Accepted        int             `json:"accepted"`
	Misread         int             `json:"misread,omitempty"`          // as in SavedRule, of all packets
	SurvivedHostile int             `json:"survived_hostile,omitempty"` // without a verdict, which the target does not give
	SurvivedValid   int             `json:"survived_valid,omitempty"`
	Known           int             `json:"known"`
	Bases           int             `json:"bases"`
	Steps           int             `json:"steps"`
	MaxSteps        int64           `json:"max_steps"`
	Rules           []SavedRule     `json:"rules"`
	Findings        []SavedFinding  `json:"findings"`
	KnownMistakes   []SavedFinding  `json:"known_mistakes,omitempty"` // findings that are accepted: see Known
	Gone            []string        `json:"known_gone,omitempty"`     // those accepted that were not seen, by name
	Lost            int             `json:"lost,omitempty"`           // packets of findings beyond the most that are kept
	Untested        []SavedUntested `json:"untested,omitempty"`
	Unreached       []string        `json:"unreached,omitempty"`
	Proved          []SavedProof    `json:"out_of_reach,omitempty"`
	Missed          []SavedMissed   `json:"missed,omitempty"`
	// Unfinished are the rules of which not all packets were sent when the target's part was over.
	Unfinished []SavedUnfinished `json:"unfinished,omitempty"`
	States     *SavedStates      `json:"states,omitempty"` // of a server that a dialogue is spoken with
}

// SavedUnfinished is a rule that was not finished.
type SavedUnfinished struct {
	Rule  string `json:"rule"`
	Tried int    `json:"tried"`
	Of    int    `json:"of"`
	// AtLeast says that not all of its packets were made.
	AtLeast bool `json:"at_least,omitempty"`
}

// SavedRule is how a reader did with one rule.
type SavedRule struct {
	Rule     string       `json:"rule"`
	Kind     string       `json:"kind"` // a reject kind, or "valid"
	Tried    int          `json:"tried"`
	Right    int          `json:"right"`
	Survived int          `json:"survived,omitempty"` // of the right ones, without a verdict
	Misread  int          `json:"misread,omitempty"`  // of the right ones, with something else that is wrong: a value, the bits, the cost
	Kicked   int          `json:"kicked,omitempty"`   // after each of which a server did not know the session any more
	Sampled  bool         `json:"sampled,omitempty"`
	LeftOut  uint64       `json:"left_out,omitempty"` // packets that a whole enumeration would have had besides; saved.MaxCount of as many and more
	Classes  []string     `json:"classes"`
	Place    *saved.Place `json:"place,omitempty"` // where the schema states it
}

// SavedUntested is a part of a protocol that nothing is known about: a way to be refused (Kind) that no packet met, or
// what no valid packet has (Part); neither where nothing was tested at all.
type SavedUntested struct {
	Rule  string `json:"rule"`
	Kind  string `json:"kind,omitempty"` // a reject kind
	Part  string `json:"part,omitempty"`
	What  string `json:"what"`            // in words
	Known bool   `json:"known,omitempty"` // it is accepted: see Known
	// NotReached says that the run ended before it came there: it is no result.
	NotReached bool         `json:"not_reached,omitempty"`
	Place      *saved.Place `json:"place,omitempty"`
}

// Unaccepted is how many rows are results that are not accepted.
func Unaccepted(list []SavedUntested) (n int) {
	for i := range list {
		if !list[i].Known && !list[i].NotReached {
			n++
		}
	}
	return n
}

// SavedFinding is a finding as JSON. Texts of it come from the reader that was attacked, and from the schema.
type SavedFinding struct {
	Kind    string     `json:"kind"`
	Rule    string     `json:"rule"`
	Reject  string     `json:"reject,omitempty"`
	Path    string     `json:"path"`
	Bit     saved.Bits `json:"bit"`
	Width   saved.Bits `json:"width"`
	Changed string     `json:"changed,omitempty"`
	Done    string     `json:"done"`
	Want    string     `json:"want"`
	Got     string     `json:"got"`
	// Cause is the mistake in a sentence, where it is known: findings of one kind and cause are one.
	Cause string `json:"cause,omitempty"`
	// Places are the declarations that the cause is about, where it is about many.
	Places []string `json:"places,omitempty"`
	Report string   `json:"report,omitempty"`
	// Stack is the reader's calls in a crash's report, the innermost first.
	Stack  []fuzz.Frame `json:"stack,omitempty"`
	From   string       `json:"from"`
	Bytes  int          `json:"bytes"`
	Packet string       `json:"packet,omitempty"` // hexadecimal; left out where it holds a secret
	Secret bool         `json:"secret,omitempty"` // the packet is left out
	Count  int          `json:"count"`
	// Before is what has to be sent first, as far as Undone does not say otherwise.
	Before []SavedPacket `json:"before,omitempty"`
	// Seal says that rule is one of what is sealed: packets are left out, fuzz --replay makes them anew with --keys.
	Seal bool `json:"seal,omitempty"`
	// LeftOut says that packets and report are not here: a result with all of them would be too large to be read.
	LeftOut bool `json:"left_out,omitempty"`
	// Undone is what was not tried of it, or did not succeed: a word of oracle.Undone.
	Undone   string         `json:"undone,omitempty"`
	State    string         `json:"state,omitempty"`    // of a dialogue, and the case that was sent in it: `Start: Shoot`
	Dialogue *SavedDialogue `json:"dialogue,omitempty"` // in which the packet was sent: fuzz --replay speaks it again
	Replay   string         `json:"replay,omitempty"`   // the command for a shell that shows it again
	Place    *saved.Place   `json:"place,omitempty"`    // where the schema states the rule
}

// SavedDialogue is the dialogue of a finding, without secrets.
type SavedDialogue struct {
	Text  string      `json:"text"`            // of the .pkd file
	State string      `json:"state,omitempty"` // in which the first packet was sent; left out for the last
	Names []SavedName `json:"names,omitempty"`
}

// SavedName is a name of a dialogue with the value that it had.
type SavedName struct {
	Name   string `json:"name"`
	Value  string `json:"value,omitempty"`  // as --set takes it; left out where it had none, and where it is too long
	Secret bool   `json:"secret,omitempty"` // the value is left out
}

// SavedPacket is a packet that is sent before another.
type SavedPacket struct {
	From   string `json:"from"`
	Packet string `json:"packet,omitempty"`
	Secret bool   `json:"secret,omitempty"` // the packet is left out
}

// SavedProof is a way to be refused that no packet is refused by, and why.
type SavedProof struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// SavedMissed is a boundary that no packet was found for.
type SavedMissed struct {
	Boundary string `json:"boundary"`
	Error    string `json:"error"`
}

// SavedCampaign is a campaign as JSON.
type SavedCampaign struct {
	saved.Header
	Seed          uint64          `json:"seed"`
	Runs          int             `json:"runs,omitempty"` // that were merged; 0 of one
	Workers       int             `json:"workers"`
	Seconds       float64         `json:"seconds"` // of all runs together
	Packets       int64           `json:"packets"`
	Useful        int64           `json:"useful"`
	Held          int64           `json:"held,omitempty"` // packets that were not sent, because the target was likely to die of them
	Corpus        int             `json:"corpus"`         // of several runs the largest
	Queue         int             `json:"queue"`
	Passed        int             `json:"passed,omitempty"`    // states with cases, and two cases in a row, that sessions of a dialogue passed through
	Sequences     int             `json:"sequences,omitempty"` // kept for that
	Synced        *fuzz.Synced    `json:"synced,omitempty"`    // packets of other campaigns, under --sync
	Coverage      float64         `json:"coverage"`            // percent; of several runs at least
	Rules         []SavedReach    `json:"rules"`
	Untested      []SavedUntested `json:"untested,omitempty"`
	Unreached     []string        `json:"unreached,omitempty"`
	Findings      []SavedFinding  `json:"findings"`
	KnownMistakes []SavedFinding  `json:"known_mistakes,omitempty"` // as in SavedAudit
	Incomplete    saved.Gaps      `json:"incomplete,omitempty"`     // as in SavedAudit
	Gone          []string        `json:"known_gone,omitempty"`
	Lost          int             `json:"lost,omitempty"`
}

// SavedReach is how many of the ways to break a rule were met.
type SavedReach struct {
	Rule    string `json:"rule"`
	Reached int    `json:"reached"`
	Of      int    `json:"of"`
}

// SavedFile is the file of one finding.
type SavedFile struct {
	saved.Header
	findingBody
}

// NewSavedFile makes the file of a finding.
func NewSavedFile(h saved.Header, f *SavedFinding) *SavedFile {
	h.Kind = f.Kind
	return &SavedFile{h, findingBody{*f}}
}

// findingBody keeps the kind of a finding below its file's, which is the same and comes first.
type findingBody struct {
	SavedFinding
}
