package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// The limits of -a, where a capture stops, and of -b, where its file is changed for the next: KIND:VALUE, as tshark has them.

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

// parseLimits reads the values of a flag, of the kinds that it has.
func parseLimits(cmd *cobra.Command, flag string, values, kinds []string) (limits, error) {
	var l limits
	for _, v := range values {
		kind, value, ok := strings.Cut(v, ":")
		if !ok || value == "" {
			return l, usagef(cmd, "%s %q: want KIND:VALUE, such as %s %s:10", flag, v, flag, kinds[0])
		}
		if err := oneOf(cmd, flag, kind, kinds); err != nil {
			return l, err
		}
		var err error
		again := false
		switch kind {
		case "duration":
			again = l.duration != 0
			l.duration, err = parseDuration(value)
		case "filesize":
			again = l.bytes != 0
			l.bytes, err = parseBytes(value)
		case "packets":
			again = l.packets != 0
			l.packets, err = parseCount(value, math.MaxInt64)
		case "files":
			again = l.files != 0
			l.files, err = parseCount(value, maxRingFiles)
		}
		if err != nil {
			return l, usagef(cmd, "%s %s: %s", flag, v, err)
		}
		if again {
			return l, usagef(cmd, "%s %s: is given twice", flag, kind)
		}
	}
	return l, nil
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
