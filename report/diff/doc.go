// Package diff compares what was decoded: two packets field by field, and two captures of the same traffic packet by
// packet.
//
// Captures are read by package scan, of which a Capture is a Stage.
//
// It answers where two ends part ways. Packets lie in two captures with different numbers, times and lengths, some in
// one only and some in another order, so captures are matched first (Match): by flow, and in it by the field that the
// schema calls @seq; flows that a NAT or a relay gave other addresses are paired by what they carry: by payloads, or by
// messages where a relay made other packets of these. Messages are matched by section and bytes. What matches is
// then compared (Compare), by path: a field that is elsewhere, because something before it is longer, is still
// the same field.
//
// What an attacker may do: both captures are hostile. Comparing takes memory for what is open, not for a packet's
// fields; matching takes a Record a datagram, MaxRecords of them at most, and sorts them. Fields that are @secret are
// one thing each, of which only place and size may be shown.
package diff
