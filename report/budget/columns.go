package budget

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/report/internal/words"
)

// number is a column of numbers: its title, how many cells it has, and when a narrow terminal loses it: 1 is first, 0 never.
type number struct {
	head  string
	wide  int
	loses int
}

// numeric is columns of numbers, a blank before each. Those that were left out have no cells.
type numeric []number

// fit leaves out columns until they take most cells.
func (n numeric) fit(most int) numeric {
	for next := 1; n.cells() > most; next++ {
		at := slices.IndexFunc(n, func(c number) bool { return c.loses == next })
		if at < 0 {
			break
		}
		n[at].wide = 0
	}
	return n
}

func (n numeric) cells() (cells int) {
	for _, c := range n {
		if c.wide > 0 {
			cells += 1 + c.wide
		}
	}
	return cells
}

func (n numeric) heads() string {
	heads := make([]string, len(n))
	for i := range n {
		heads[i] = n[i].head
	}
	return n.row(heads...)
}

// row has a text for each column, also for those that were left out.
func (n numeric) row(texts ...string) string {
	var b []byte
	for i, c := range n {
		if c.wide > 0 {
			b = fmt.Appendf(b, " %*s", c.wide, texts[i])
		}
	}
	return string(b)
}

func decimals(n uint64) string { return strconv.FormatUint(n, 10) }

// tighter is how the table of suggestions is laid out.
type tighter struct {
	wide, was int // cells of the suggestion, and of the type that was; 0 where that is left out
	numbers   numeric
}

func (t *tighter) names(text, was string) string {
	if t.was == 0 {
		return fmt.Sprintf("%-*s", t.wide, text)
	}
	return fmt.Sprintf("%-*s %-*s", t.wide, text, t.was, words.Fit(was, t.was))
}
