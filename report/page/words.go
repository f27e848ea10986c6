package page

import (
	"fmt"
	"math"
	"net/netip"
	"time"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
)

// How numbers and kinds are said.

// meanings say what the kinds of rejects are, to people who do not know them.
var meanings = map[reject.Kind]string{
	reject.PastEnd:         "ends before a field that must be there",
	reject.OutOfRange:      "a value, count or size outside what is allowed",
	reject.UnknownCase:     "a type of packet or a value of an enum that does not exist",
	reject.ReservedNonzero: "bits set that must be 0",
	reject.ConstMismatch:   "a fixed value that is another",
	reject.CheckMismatch:   "a check between fields that is not there",
	reject.CRCMismatch:     "a checksum that does not fit",
	reject.NonzeroPadding:  "padding that is not 0",
	reject.BadString:       "text that breaks the rules of its type",
	reject.NotFinite:       "NaN or an infinity where a number must be",
	reject.NonUnit:         "a rotation that is none",
	reject.NonCanonical:    "a number in a longer form than it needs",
	reject.NotIncreasing:   "an index that is not larger than the one before",
	reject.TrailingBytes:   "bytes left over after the last field",
	reject.DatagramSize:    "larger than a datagram may be",
	reject.RuleBroken:      "breaks a rule between fields",
	reject.Fragment:        "a piece beyond the end of its message",
	reject.OverBudget:      "takes more work than any packet may",
}

// meaning is what a kind is, by its word; "" for one that is not known.
func meaning(word string) string {
	for k, text := range meanings {
		if k.String() == word {
			return text
		}
	}
	return ""
}

// maxText is how many bytes of somebody's text the page shows: a name in a saved result is as long as its file.
const maxText = 1024

// plain is text from outside as the page has it: escaped as for a terminal, and cut.
func plain(s string) string {
	return syntax.EscapeText(table.Clip(s, maxText))
}

// percent is a part of 0..1 with as many digits as say something.
func percent(part float64) string {
	switch p := 100 * part; {
	case p == 0:
		return "0 %"
	case p < 0.1:
		return "< 0.1 %"
	case p > 99.9 && p < 100:
		return "> 99.9 %"
	default:
		return fmt.Sprintf("%.1f %%", p)
	}
}

// scaled is a number with three digits and the unit's prefix: "1.24 M".
func scaled(n float64) string {
	for _, s := range []struct {
		from float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if n >= s.from {
			return fmt.Sprintf("%.3g%s", n/s.from, s.name)
		}
	}
	return fmt.Sprintf("%.3g ", n)
}

// perSecond is a rate.
func perSecond(n float64) string {
	if n >= 1000 && n < 1e18 {
		return table.Grouped(uint64(n + 0.5))
	}
	return fmt.Sprintf("%.3g", n)
}

func bitsText(n uint64) string { return scaled(float64(n)) + "bit" }
func bitRate(n float64) string { return scaled(n) + "bit/s" }

// seconds is a duration with three digits or so.
func seconds(s float64) string {
	switch {
	case s == 0:
		return "0 s"
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case s < 60:
		return fmt.Sprintf("%.4g s", s)
	case s < 1e9:
		return time.Duration(s * 1e9).Round(time.Second).String()
	}
	return fmt.Sprintf("%.3g years", s/(365*86400))
}

func milliseconds(ms float64) string { return seconds(ms / 1e3) }

// about is milliseconds in as many digits as a percentile of a Sketch is good for.
func about(ms float64) string {
	if ms <= 0 {
		return seconds(0)
	}
	step := math.Pow(10, math.Floor(math.Log10(ms))) / 10 // of two digits
	if thousands := math.Pow(1000, math.Floor(math.Log(ms)/math.Log(1000)+1e-12)); ms/thousands >= 100 {
		step = thousands
	}
	return milliseconds(math.Round(ms/step) * step)
}

// instant is a time as the page has it.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func peerText(a netip.AddrPort) string {
	if !a.IsValid() {
		return "-"
	}
	return plain(a.String()) // a zone is text
}
