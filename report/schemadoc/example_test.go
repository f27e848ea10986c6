package schemadoc_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/schemadoc"
)

func ExampleMarkdown() {
	d, err := decode.Load("shot.pks", []byte("protocol shot\norder msb\n/// One shot.\npacket { weapon bits(3), angle bits(13) }\n"))
	if err != nil {
		log.Fatal(err)
	}
	var page strings.Builder
	if err := schemadoc.Markdown(&page, d.Plan()); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(page.String()) {
		if strings.HasPrefix(line, "| `weapon`") {
			fmt.Print(line)
		}
	}
	// Output: | `weapon` | `bits(3)` | 3 | 0..7 |
}
