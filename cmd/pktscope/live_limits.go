package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap"
)

// The limits of -a, where a capture stops, and of -b, where its file is changed for the next: KIND:VALUE, as tshark has
// them.

// limits is where something ends; 0 is nowhere.
type limits struct {
	duration time.Duration
	bytes    int64
	packets  int64
	files    int64
}

var (
	stopKinds = []string{"duration", "packets", "filesize"}
	ringKinds = []string{"duration", "filesize", "files"}
)

// limitsVar adds a flag whose values are limits of some kinds, and completes the kinds.
func limitsVar(cmd *cobra.Command, l *limits, name, letter, usage string, kinds []string) {
	add(cmd, &limitsValue{l, kinds}, name, letter, usage)
	var words []string
	for _, kind := range kinds {
		words = append(words, kind+":")
	}
	mustComplete(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)))
}

// limitsValue is a flag that may be given once for each kind of limit.
type limitsValue struct {
	*limits
	kinds []string
}

func (l *limitsValue) String() string { return "" }

func (l *limitsValue) Type() string { return "stringArray" }

// Set reads KIND:VALUE.
func (l *limitsValue) Set(text string) error {
	kind, value, ok := strings.Cut(text, ":")
	if !ok || value == "" {
		return fmt.Errorf("want KIND:VALUE, such as %s:10", l.kinds[0])
	}
	if !slices.Contains(l.kinds, kind) {
		return fmt.Errorf("want %s%s", strings.Join(l.kinds, ", "), didYouMean(kind, l.kinds))
	}
	before := *l.limits
	var err error
	again := false
	switch kind {
	case "duration":
		l.duration, err = parseDuration(value)
		again = before.duration != 0
	case "filesize":
		l.bytes, err = parseBytes(value)
		again = before.bytes != 0
	case "packets":
		l.packets, err = parseCount(value, math.MaxInt64)
		again = before.packets != 0
	case "files":
		l.files, err = parseCount(value, pcap.MaxFiles)
		again = before.files != 0
	}
	if err == nil && again {
		err = fmt.Errorf("%s is given twice", kind)
	}
	return err
}

// parseDuration reads seconds, or a number with a unit: 90, 1m30s, 2h. At least 10 ms.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if n, numeric := strconv.ParseInt(text, 10, 32); numeric == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err != nil || d < 10*time.Millisecond {
		return 0, fmt.Errorf("want seconds, or a time such as 500ms, 90s, 2h")
	}
	return d, nil
}

// parseBytes reads kilobytes, of 1000 bytes as tshark's, or a number with a unit: 500, 20MB, 1GB.
func parseBytes(text string) (int64, error) {
	number, unit := text, int64(1e3)
	for suffix, size := range map[string]int64{"kB": 1e3, "MB": 1e6, "GB": 1e9} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			number, unit = rest, size
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("want kilobytes, or a size such as 500kB, 20MB, 1GB")
	}
	return n * unit, nil
}

func parseCount(text string, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("want a number from 1 to %d", most)
	}
	return n, nil
}
