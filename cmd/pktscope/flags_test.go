package main

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// What several flags want of their values, and of each other, in the words of an error.
func TestFlagErrors(t *testing.T) {
	for _, row := range []struct {
		args string // | for spaces
		want string // "" is no error
	}{
		{"", ""},
		{"-T|json", ""},
		{"-T|jsn", `-T "jsn": want text, json; did you mean "json"?`},
		{"-T|", "-T is empty: want text, json"},
		{"-w|", "-w is empty: want a file, or - for stdout"},
		{"-w|  ", "-w is empty: want a file, or - for stdout"},
		{"-c|0", "-c 0: want 1..9 packets"},
		{"-c|10", "-c 10: want 1..9 packets"},
		{"-c|99999999999999999999", "-c 99999999999999999999: want 1..9 packets"},
		{"-c|few", `-c "few": want 1..9 packets`},
		{"-n|0", "-n 0: want 1..9 packets"},
		{"-n|3", ""},
		{"--every|1ms", "--every 1ms: want a time such as 500ms, 30s or 8h, at least 100ms"},
		{"--to|here", `--to "here": want an address, no name`},
		{"--words|a,c", `--words "a,c": want a, b, separated by commas`},
		{"-q", "-q needs -c, which says of how many"},
		{"-q|-c|1", ""},
		{"-q|-n|1", ""},
		{"-w|a|-T|json", "want -w or -T, got both: -w is no view"},
		{"-T|json|-w|a", "want -w or -T, got both: -w is no view"},
		{"--lo|1", "want --hi as well"},
		{"--formt|json", "unknown flag: --formt; did you mean --format?"},
	} {
		var text, format string
		var n int64
		cmd := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, PreRunE: func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd) }, Run: func(*cobra.Command, []string) {}}
		cmd.SetFlagErrorFunc(flagError)
		choiceVar(cmd, &format, "format", "T", "text", "`FORMAT`", []string{"text", "json (a note)"})
		filledVar(cmd, &text, "write", "w", "", fileOrStdout)
		numberVar(cmd, &n, "count", "c", 0, 1, 9, "", " packets")
		formerLetter(cmd, "count", "n")
		cmd.Flags().BoolP("quick", "q", false, "")
		needs(cmd, "quick", "count", ", which says of how many")
		excludes(cmd, "-w is no view", "write", "format")
		timeVar(cmd, new(time.Duration), "every", 0, 100e6, "")
		addressVar(cmd, new(netip.Addr), "to", "")
		choicesVar(cmd, &[]string{"a"}, "words", "", []string{"a", "b"})
		cmd.Flags().Int("lo", 0, "")
		cmd.Flags().Int("hi", 0, "")
		cmd.MarkFlagsRequiredTogether("lo", "hi")
		args := []string{}
		if row.args != "" {
			args = strings.Split(row.args, "|")
		}
		cmd.SetArgs(args)
		err := cmd.Execute()
		switch {
		case err == nil && row.want == "":
		case err == nil || err.Error() != row.want:
			t.Errorf("%s: %v, want %s", row.args, err, row.want)
		}
		if row.args == "-q|-n|1" && n != 1 {
			t.Errorf("a letter of old set %d", n)
		}
		if help := cmd.UsageString(); strings.Contains(help, "former") || !strings.Contains(help, "FORMAT: text or json (a note)") {
			t.Errorf("help:\n%s", help)
		}
	}
}
