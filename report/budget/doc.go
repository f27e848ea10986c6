// Package budget counts where a protocol's bits go: per field and case how many, how they spread over packets, which
// values were seen against those that the declaration has room for; which tighter declaration the schema could have;
// and what the same packets would cost as XML, JSON, text, packed structs and bytes.
//
// A Budget belongs to one plan. Add counts one Trace in it, straight from its codes; each goroutine has a Budget of its
// own, and Merge puts them together. AppendJSON saves one, Read brings it back, on another machine too: the schema is
// in it.
//
// What is exact: packets, bits, the least and the largest value, how often a declared code came, and all that a
// suggestion promises. They merge exactly. What has an error:
//
//   - Percentiles come from a Spread: exact below 64, within 1/64 (1.6 %) above.
//   - Distinct values and entropy are exact while a field has at most 1024 different values (fewer in a schema of more
//     than 4096 fields). Beyond that the values whose hash is small are kept, each with its true count; the distinct
//     values are then known with a standard error of 1.2/√kept, at most 5.4 %. Which values are kept depends on the set
//     of values alone, so ten slices merge to the state of the whole.
//
// How large each number was over time is kept at up to 128 moments of all packets and of up to 8 senders: which they
// are depends on the set of packets alone. It tells what grows with the session (growth.go), whose range is not the
// schema's business.
//
// Packets are the attacker's. Memory is bounded by the schema's fields, not by the traffic: at most 2 M values and 1 M
// moments over all fields, and a histogram of 4 KB for each. Of a @secret field nothing is kept but how many bits it
// takes. Only accepted packets count; the refused and the cut are counted apart, and with the cut those that need
// context.
package budget
