package results_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report/results"
)

// Objects that are small enough each are not taken without end.
func TestKeptIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads the largest results")
	}
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
			if i < n-1 {
				b.WriteByte(',')
			}
		}
		return b.String()
	}
	const half = 1<<17 + 1
	object := func(kind, target, rest string) string {
		return fmt.Sprintf(`{"schema_version":1,"kind":%q,"protocol":"p","target":%q,%s}`+"\n", kind, target, rest)
	}
	rules := func(from int) string {
		return `"rules":[` + list(half, fmt.Sprintf(`{"rule":"%d.%%d","kind":"a"}`, from)) + `]`
	}
	findings := func(from int) string {
		return `"findings":[` + list(half/8, fmt.Sprintf(`{"kind":"a","rule":"%d.%%d","from":"client"}`, from)) + `]`
	}
	proved := `"out_of_reach":[` + list(half, `{"name":"%d","reason":"a"}`) + `]`
	for _, row := range []struct {
		name, want string
		text       func(i int) string
		taken      int // so many are taken, one more is not
	}{
		{"one audit, other rules", "audits of more than 262144", func(i int) string { return object("audit", "t", rules(i)) }, 1},
		{"one audit, the same rules", "", func(i int) string { return object("audit", "t", rules(0)) }, 2},
		{"one audit, other proofs", "audits of more than 262144", func(i int) string {
			return object("audit", "t", strings.ReplaceAll(proved, `"a"`, fmt.Sprintf(`"%d"`, i)))
		}, 1},
		{"many audits", "results of more than 524288", func(i int) string { return object("audit", fmt.Sprint(i), rules(0)) }, 3},
		{"one campaign, other findings", "campaigns of more than 262144", func(i int) string { return object("fuzz", "t", findings(i)) }, 2},
		{"many campaigns", "results of more than 524288", func(i int) string {
			return object("fuzz", fmt.Sprint(i), `"unreached":[`+list(half, `"%d"`)+`]`)
		}, 3},
		{"many rejects", "results of more than 524288", func(i int) string {
			return fmt.Sprintf(`{"schema_version":1,"kind":"rejects","protocol":"p%d","packets":0,"rejected":0,"rules":[%s],"files":[]}`+"\n", i, list(4096, `{"rule":"%d","kind":"a","packets":0}`))
		}, 32},
	} {
		t.Run(row.name, func(t *testing.T) {
			var b strings.Builder
			for i := range row.taken + 1 {
				b.WriteString(row.text(i))
			}
			_, err := results.Read(strings.NewReader(b.String()), "x", results.Limits{})
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("x: line %d: %s", row.taken+1, row.want))) {
				t.Errorf("want %q of object %d, got %v", row.want, row.taken+1, err)
			}
		})
	}
}
