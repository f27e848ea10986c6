// Package relay passes UDP datagrams between clients and one server, and lets a program see each of them on the way:
// keep it, change it, or lose it. It knows nothing of what a datagram holds.
//
//	client A ──► listening socket ─┬─► socket of A ──► server
//	client B ──►                   └─► socket of B ──►
//
// Each client has a socket of its own towards the server, which so tells clients apart, and whose answers go back to
// that client alone. A [Handler] is asked about each datagram, one at a time.
//
// # What an attacker may do
//
// Whoever may send to the listening socket could be hostile: at most [MaxClients] are served at a time, one that is
// silent for a minute, like its server, is forgotten, and the kernel throws away what comes back from anybody but the
// server. A relay on an address that others can reach speaks for this machine: whoever makes one decides about that.
package relay
