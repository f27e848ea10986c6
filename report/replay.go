package report

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
)

// How many bytes of packets a command to replay has: in text it is to be copied by hand, and no shell takes more than
// the other. JSON has the packets in any case.
const (
	maxReplayBytes  = 1500
	maxCommandBytes = 32 << 10
)

// replay appends the command that shows a finding again.
func (a *Audit) replay(b []byte, f *fuzz.Finding) []byte {
	secret := a.withheld().finding(f)
	switch {
	case len(a.Replay) > 0 && f.State != "":
	case len(a.Replay) > 0 && f.Seal && a.Kept == nil:
		return append(b, "    --findings DIR keeps it, for fuzz --replay\n"...)
	case len(a.Replay) == 0 || !secret && sentBytes(f) > maxReplayBytes:
		return b
	case f.InState() && a.Kept == nil:
		return append(b, "    --findings DIR keeps it with its state, for fuzz --replay\n"...)
	case secret && a.Kept == nil:
		return append(b, "    --findings DIR keeps what holds a secret in a capture, which fuzz --replay sends again\n"...)
	}
	return append(append(append(b, "    "...), syntax.EscapeText(a.replayCommand(f))...), '\n')
}

// sentBytes is how many bytes of packets a finding takes.
func sentBytes(f *fuzz.Finding) int {
	size := len(f.Packet)
	for _, p := range f.Before {
		size += len(p.Data)
	}
	return size
}

// sender is who sends the packet of a finding: to a server only clients do, whatever the packet is by the schema.
func (a *Audit) sender(f *fuzz.Finding) string {
	if strings.HasPrefix(a.Target, "udp:") {
		return decode.Client.String()
	}
	return f.From.String()
}

// replayCommand is the command as a shell takes it, "" where there is none.
func (a *Audit) replayCommand(f *fuzz.Finding) string {
	if len(a.Replay) > 0 && f.State != "" { // spoken again, with fresh values
		return ShellCommand(append(append([]string(nil), a.Replay...), "--state", f.State))
	}
	if len(a.Replay) > 0 && (f.InState() || f.Seal) { // its packets alone say nothing
		if a.Kept == nil {
			return ""
		}
		words := slices.Clone(a.Replay)
		words[1] = "fuzz"
		return ShellCommand(append(words, "--replay", strings.TrimSuffix(a.Kept(f), ".pcapng")+".json"))
	}
	secret := a.withheld().finding(f)
	if len(a.Replay) == 0 || secret && a.Kept == nil || !secret && sentBytes(f) > maxCommandBytes {
		return ""
	}
	words := append([]string(nil), a.Replay...)
	if secret { // what is on a command line is in the shell's history, and in every list of processes
		words[1] = "fuzz"
		return ShellCommand(append(words, "--replay", a.Kept(f)))
	}
	words = append(words, "--from", a.sender(f))
	for _, p := range f.Before {
		words = append(words, "--hex", hex.EncodeToString(p.Data))
	}
	words = append(words, "--hex", hex.EncodeToString(f.Packet))
	return ShellCommand(words)
}

// ShellCommand is a command as a shell takes it, for people to read and copy.
func ShellCommand(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellWord(w)
	}
	return strings.Join(quoted, " ")
}

// shellWord quotes a word so that a shell takes it for one and does nothing with what is in it.
func shellWord(w string) string {
	plain := w != ""
	control := false
	for i := range len(w) {
		c := w[i]
		safe := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_./:,+=@%", c) >= 0
		plain = plain && safe
		control = control || c < ' ' || c >= 0x7f
	}
	switch {
	case plain:
		return w
	case !control:
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	const digits = "0123456789abcdef"
	b := []byte("$'")
	for i := range len(w) {
		switch c := w[i]; {
		case c == '\'' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c >= 0x7f:
			b = append(b, '\\', 'x', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '\''))
}
