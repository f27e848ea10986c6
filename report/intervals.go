package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"time"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/stats"
)

// intervalTitles are the columns of intervals: start is in seconds since the first datagram, bytes are of payload.
var intervalTitles = []string{"start", "protocol", "packets", "accepted", "rejected", "cut", "needs_context", "bytes"}

// eachInterval hands over a row for each interval of each protocol.
func eachInterval(v *stats.Intervals, row func(texts ...string)) {
	digits := 0 // as many as the size of an interval needs
	for unit := time.Second; digits < 9 && v.Size()%unit != 0; unit /= 10 {
		digits++
	}
	v.Each(func(n int, protocol string, i stats.Interval) bool {
		texts := []string{string(appendStart(nil, int64(n)*int64(v.Size()), digits)), protocol}
		for _, number := range []uint64{i.Packets(), i.Accepted, i.Rejected, i.Cut, i.NeedsContext, i.Bytes} {
			texts = append(texts, strconv.FormatUint(number, 10))
		}
		row(texts...)
		return true
	})
}

// appendStart appends when an interval begins.
func appendStart(b []byte, ns int64, digits int) []byte {
	if digits == 0 {
		return strconv.AppendInt(b, ns/int64(time.Second), 10)
	}
	return appendSeconds(b, ns, digits)
}

// AppendIntervals appends a table of packets over time.
func AppendIntervals(b []byte, v *stats.Intervals, o StatisticsOptions) []byte {
	st := newStyle(o.Colour)
	t := table.New(intervalTitles...)
	t.Left(1)
	eachInterval(v, func(texts ...string) {
		t.Row(texts...)
		t.Paint(4, st.refused)
	})
	return t.Append(b, columnsOf(o.Columns), st.kind, st.dim)
}

// AppendIntervalsCSV appends packets over time as CSV with a header.
func AppendIntervalsCSV(b []byte, v *stats.Intervals) []byte {
	return appendCSV(b, intervalTitles, func(row func(texts ...string)) { eachInterval(v, row) })
}

// appendCSV appends rows under a header, as RFC 4180 has them, with lines ended by LF. The texts are addresses, numbers
// and names of a schema.
func appendCSV(b []byte, header []string, rows func(row func(texts ...string))) []byte {
	out := bytes.NewBuffer(b)
	w := csv.NewWriter(out)
	_ = w.Write(header) // a Buffer takes all
	rows(func(texts ...string) { _ = w.Write(texts) })
	w.Flush()
	return out.Bytes()
}
