package page_test

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/report/page"
)

// A report of nothing is a page, too: one file that stands alone.
func Example() {
	var b strings.Builder
	err := page.Write(&b, &page.Report{Title: "Nightly", Remarks: []string{"no capture was readable"}})
	fmt.Println(strings.Contains(b.String(), "<title>Nightly"), strings.Contains(b.String(), "no capture was readable"), err)
	// Output:
	// true true <nil>
}
