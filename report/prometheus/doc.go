// Package prometheus shows what is counted of decoded packets to a Prometheus server: its text format, and the few pages
// of HTTP that one scrapes. It is for a program that runs for days.
//
//	Metrics  what is counted
//	Listen   where it is served
//
// # What an attacker may do
//
// Whoever reaches the port can ask as often as he likes: what is counted is put into words once a second at most,
// connections and the times that they take are bounded, and nothing but GET and HEAD of /metrics is answered. Who sends
// packets decides how many cases there are, which statistics bound; no label is an address.
//
// A field that is @secret is not counted.
package prometheus
