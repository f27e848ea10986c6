package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The kinds of flags that cobra does not have, and what holds between flags. A value is judged when it is parsed, and
// flagError reports a wrong one, so that every command says the same: "-j 0: want 1..1024".

// checked is a flag whose values parse judges. Its error says what is wanted.
type checked[T comparable] struct {
	value *T
	parse func(string) (T, error)
	kind  string // as pflag names it
}

func (c *checked[T]) Set(text string) error {
	v, err := c.parse(text)
	if err == nil {
		*c.value = v
	}
	return err
}

func (c *checked[T]) String() string {
	var zero T
	if c.value == nil || *c.value == zero {
		return ""
	}
	return fmt.Sprint(*c.value)
}

func (c *checked[T]) Type() string { return c.kind }

// choiceVar adds a flag that takes one of some words, and lists them after usage and in completions. A word may have a
// note after a space: "note (or reject)". usual may be none of them, for a flag that has to be given to mean anything.
func choiceVar(cmd *cobra.Command, value *string, name, letter, usual, usage string, words []string) {
	*value = usual
	choices, completions := make([]string, len(words)), make([]string, len(words))
	for i, word := range words {
		note := ""
		choices[i], note, _ = strings.Cut(word, " ")
		completions[i] = choices[i]
		if note != "" {
			completions[i] = cobra.CompletionWithDesc(choices[i], strings.Trim(note, "()"))
		}
	}
	parse := func(text string) (string, error) {
		if !slices.Contains(choices, text) {
			return "", fmt.Errorf("want %s%s", strings.Join(choices, ", "), didYouMean(text, choices))
		}
		return text, nil
	}
	add(cmd, &checked[string]{value, parse, "string"}, name, letter, usage+": "+alternatives(words))
	mustComplete(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(completions, cobra.ShellCompDirectiveNoFileComp)))
}

// alternatives joins words: "text, json or csv".
func alternatives(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// filledVar adds a flag whose text may not be blank; want says what it is to be. What value holds is what it is unless
// given.
func filledVar(cmd *cobra.Command, value *string, name, letter, usage, want string) {
	parse := func(text string) (string, error) {
		if strings.TrimSpace(text) == "" {
			return "", errors.New("want " + want)
		}
		return text, nil
	}
	add(cmd, &checked[string]{value, parse, "string"}, name, letter, usage)
}

// What several flags want.
const (
	fileOrStdout = "a file, or - for stdout"
	filterWanted = "an expression, such as 'pkt.rejected'"
)

var (
	textOrJSON = []string{"text", "json"}
	withPage   = append(textOrJSON[:2:2], "html (a page by itself)")
	senders    = []string{"client", "server", "unknown"}
)

// outputVar adds -o, stdout unless it is given.
func outputVar(cmd *cobra.Command, value *string) {
	*value = "-"
	filledVar(cmd, value, "output", "o", "write to `FILE` (- is stdout)", fileOrStdout)
}

// choicesVar adds a flag that takes some words, separated by commas, in the order given.
func choicesVar(cmd *cobra.Command, value *[]string, name, usage string, words []string) {
	add(cmd, &choices{value, words}, name, "", usage+": "+alternatives(words))
	mustComplete(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

type choices struct {
	value *[]string
	words []string
}

func (c *choices) String() string { return strings.Join(*c.value, ",") }

func (c *choices) Type() string { return "string" }

func (c *choices) Set(text string) error {
	list := strings.Split(text, ",")
	for _, word := range list {
		if !slices.Contains(c.words, word) {
			return fmt.Errorf("want %s, separated by commas%s", strings.Join(c.words, ", "), didYouMean(word, c.words))
		}
	}
	*c.value = list
	return nil
}

// numberVar adds a flag that is a number from least to most; unit, such as " packets", ends an error.
func numberVar[T int | int64](cmd *cobra.Command, value *T, name, letter string, usual, least, most T, usage, unit string) {
	*value = usual
	want := fmt.Sprintf("want %d..%d%s", least, most, unit)
	if int64(most) == math.MaxInt64 {
		want = fmt.Sprintf("want at least %d%s", least, unit)
	}
	parse := func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, strconv.IntSize)
		if err != nil || T(n) < least || T(n) > most {
			return 0, errors.New(want)
		}
		return T(n), nil
	}
	add(cmd, &checked[T]{value, parse, "int"}, name, letter, usage)
}

// timeVar adds a flag that is a time of at least least.
func timeVar(cmd *cobra.Command, value *time.Duration, name string, usual, least time.Duration, usage string) {
	*value = usual
	want := "want a time such as 500ms, 30s or 8h"
	if least > 1 {
		want += fmt.Sprintf(", at least %s", least)
	}
	parse := func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < least {
			return 0, errors.New(want)
		}
		return d, nil
	}
	add(cmd, &checked[time.Duration]{value, parse, "duration"}, name, "", usage)
}

// addressVar adds a flag that is an IP address.
func addressVar(cmd *cobra.Command, value *netip.Addr, name, usage string) {
	parse := func(text string) (netip.Addr, error) {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			err = errors.New("want an address, no name")
		}
		return addr, err
	}
	add(cmd, &checked[netip.Addr]{value, parse, "string"}, name, "", usage)
}

func add(cmd *cobra.Command, value pflag.Value, name, letter, usage string) {
	cmd.Flags().VarP(value, name, letter, usage)
}

// former is a letter or a name that a flag had: it still sets it, for one release, and is not shown.
type former struct{ *pflag.Flag }

func (f former) String() string { return "" }

func (f former) Type() string { return f.Value.Type() }

func (f former) Set(text string) error {
	if err := f.Value.Set(text); err != nil {
		return err
	}
	f.Changed = true
	return nil
}

// formerLetter lets a flag be set by the letter that it had in the last release.
func formerLetter(cmd *cobra.Command, name, letter string) {
	addFormer(cmd, name, "former-"+letter, letter)
}

// formerName lets a flag be set by the name that it had in the last release.
func formerName(cmd *cobra.Command, name, old string) { addFormer(cmd, name, old, "") }

func addFormer(cmd *cobra.Command, name, oldName, oldLetter string) {
	set := cmd.Flags()
	now := set.Lookup(name)
	old := set.VarPF(former{now}, oldName, oldLetter, "")
	old.NoOptDefVal, old.Hidden = now.NoOptDefVal, true
}

// letterOf is a flag as it is written: -T, or --only where it has no letter.
func letterOf(f *pflag.Flag) string {
	switch {
	case strings.HasPrefix(f.Name, "former-"), f.Shorthand != "":
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// The annotations of a flag for what holds between flags.
const (
	needsFlag   = "needs"  // another flag, and why
	clashReason = "clash " // and the other flag: why they exclude each other
)

// needs says that a flag means nothing without another one; why follows in the error: "-D needs -p, which …".
func needs(cmd *cobra.Command, name, other, why string) {
	if err := cmd.Flags().SetAnnotation(name, needsFlag, []string{other, why}); err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
}

// excludes says that a flag and any of some others may not be given together, and why.
func excludes(cmd *cobra.Command, why, name string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(name, other)
		if err := cmd.Flags().SetAnnotation(name, clashReason+other, []string{why}); err != nil {
			panic("pktscope: internal error: " + err.Error())
		}
	}
}

// checkFlags judges the flags of a command beside each other.
func checkFlags(cmd *cobra.Command) error {
	set := cmd.Flags()
	var missing []string
	set.VisitAll(func(f *pflag.Flag) {
		if need := f.Annotations[needsFlag]; f.Changed && need != nil && !set.Changed(need[0]) {
			missing = append(missing, fmt.Sprintf("%s needs %s%s", letterOf(f), letterOf(set.Lookup(need[0])), need[1]))
		}
	})
	if len(missing) > 0 {
		return usagef(cmd, "%s", missing[0])
	}
	if err := cmd.ValidateFlagGroups(); err != nil {
		return groupError(cmd, err)
	}
	return nil
}

// groups finds the flags in an error of cobra's: those that exclude each other, or of which one is missing.
var groups = regexp.MustCompile(`(; \[(.*)\] were all set|; missing \[(.*)\])$`)

// groupError is an error of ValidateFlagGroups in our words.
func groupError(cmd *cobra.Command, err error) error {
	found := groups.FindStringSubmatch(err.Error())
	if found == nil {
		return usagef(cmd, "%s", err)
	}
	var letters []string
	names := strings.Fields(cmp.Or(found[2], found[3]))
	for _, name := range names {
		letters = append(letters, letterOf(cmd.Flags().Lookup(name)))
	}
	if found[3] != "" {
		return usagef(cmd, "want %s as well", strings.Join(letters, " and "))
	}
	for i, name := range names {
		why := cmd.Flags().Lookup(name).Annotations[clashReason+names[1-i]]
		if why != nil {
			return usagef(cmd, "want %s or %s, got both: %s", letters[i], letters[1-i], why[0])
		}
	}
	return usagef(cmd, "want one of %s", strings.Join(letters, ", "))
}

// plainNumber is a number, with or without a unit.
var plainNumber = regexp.MustCompile(`^-?[0-9][0-9a-zA-Z.]*$`)

// lettersElsewhere are flags of other programs, and of explain, that a command which takes captures has not.
var lettersElsewhere = map[string]string{
	"r": "a capture is an argument: `%s FILE`",
	"n": "one packet is `pktscope explain -r FILE -n 12`; as a filter: `%s -Y 'pkt.n == 12' FILE`",
}

// flagError says which flag was meant, or what its value is to be. A mistake in flags is a usage error.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		text := value.GetValue()
		if !plainNumber.MatchString(text) {
			text = strconv.Quote(text)
		}
		want := value.Unwrap().Error()
		switch kind := value.GetFlag().Value.Type(); { // pflag's own kinds say how Go parses
		case strings.HasPrefix(kind, "uint"):
			want = "want a whole number, 0 or more"
		case kind == "bool":
			want = "want true or false"
		}
		if strings.TrimSpace(value.GetValue()) == "" {
			return usagef(cmd, "%s is empty: %s", letterOf(value.GetFlag()), want)
		}
		return usagef(cmd, "%s %s: %s", letterOf(value.GetFlag()), text, want)
	}
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 { // the flag is of what is no command
		return unknownCommand(cmd, words[0])
	}
	message := err.Error()
	if letter, ok := strings.CutPrefix(message, "unknown shorthand flag: '"); ok && lettersElsewhere[letter[:1]] != "" && cmd.Flags().Lookup("filter") != nil {
		message = fmt.Sprintf("unknown flag -%s: "+lettersElsewhere[letter[:1]], letter[:1], cmd.CommandPath())
	}
	if name, ok := strings.CutPrefix(message, "unknown flag: --"); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if s := syntax.Suggest(name, names); s != "" {
			message += "; did you mean --" + s + "?"
		}
	}
	return usagef(cmd, "%s", message)
}
