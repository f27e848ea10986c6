package decode

import "github.com/pktscope/pktscope/decode/schema"

// Direction is who sent a datagram.
type Direction = schema.Direction

// The directions. FromUnknown is what a datagram has whose ports tell nothing; then `@from` notes nothing and
// from(client) and from(server) are both false.
const (
	FromUnknown Direction = schema.FromUnknown
	Client      Direction = schema.Client
	Server      Direction = schema.Server
)

// DirectionOf tells who sent a datagram from its UDP ports and the schema's `port`: FromUnknown when neither port is
// the server's, or both are.
func DirectionOf(s *schema.Schema, src, dst uint16) Direction {
	from, to := s.HasPort(src), s.HasPort(dst)
	switch {
	case from == to:
		return FromUnknown
	case from:
		return Server
	}
	return Client
}

// Ends is the inverse of DirectionOf: the source and the destination of a datagram between a client and a server. One
// from an unknown sender goes from server to server, whose ports tell nothing.
func Ends[Addr any](from Direction, client, server Addr) (src, dst Addr) {
	switch from {
	case Server:
		return server, client
	case Client:
		return client, server
	}
	return server, server
}
