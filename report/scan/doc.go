// Package scan is the way from captures to decoded packets, in order, on all cores. It is the lowest package that knows
// both: package pcap knows no decoder, and package decode no capture.
//
// The way of the data:
//
//	file, stdin, interface ─► Source ─► shipment ─► worker: decoder by port ► filter ► Stage.New ─► batch ─► Stage.Drain
//	                                        └─ a large packet: decoded in its turn, on Drain's goroutine ─► Stage.Large
//
// Reading, decoding with rendering, and draining are three stages, which package batch runs. A [Packet] is one decoded
// datagram: the decode.Envelope that the capture has of it, and its decode.Trace. A worker owns one Trace, which never
// waits in a queue: what is wanted of a packet is put into the batch at once. Shipments and batches are used again, so
// that a steady state allocates nothing.
//
// What is done with packets is a [Stage]; [Join] makes one of two.
//
// What an attacker may do: send packets of any content, size and order. Their number, the size of their payloads and
// what a worker makes of them are bounded by the shipment; what is too large for one is rendered by itself, by
// Stage.Large, which can write in pieces.
package scan
