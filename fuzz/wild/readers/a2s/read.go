// A harness for go-a2s: an answer to its queries, which a server on loopback gives. The answer says which query it is to.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/rumblefrog/go-a2s"
)

var (
	answer atomic.Pointer[[]byte] // to the next request; nil for none
	server *net.UDPConn
	client = connected(soon)
)

// An answer is there at once, unless the machine is busy: then the client waits once more, on other sockets, because what
// comes late would be taken for the answer to the next query.
const (
	soon = 50 * time.Millisecond
	late = 250 * time.Millisecond
)

// connected is a client of a server that answers one request. It waits so long for an answer.
func connected(wait time.Duration) *a2s.Client {
	listening, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic(err)
	}
	server = listening
	go func() {
		request := make([]byte, 2048)
		for {
			_, from, err := listening.ReadFromUDP(request)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				panic(err)
			}
			if packet := answer.Swap(nil); packet != nil {
				if _, err := listening.WriteToUDP(*packet, from); err != nil && !errors.Is(err, net.ErrClosed) {
					panic(err)
				}
			}
		}
	}()
	c, err := a2s.NewClient(listening.LocalAddr().String(), a2s.TimeoutOption(wait))
	if err != nil {
		panic(err)
	}
	return c
}

// reconnect ends the sockets, with what is on its way between them, and makes others.
func reconnect(wait time.Duration) {
	_ = client.Close() // nothing is sent by it any more
	_ = server.Close()
	client = connected(wait)
}

func readPacket(packet []byte) (accepted bool, values map[string]any) {
	values, err := read(packet)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() && !isPart(packet) {
		reconnect(late)
		values, err = read(packet)
		reconnect(soon)
	}
	return err == nil, values
}

// isPart reports whether an answer says that it is one of several packets: the client waits for the others, which there are
// none of.
func isPart(packet []byte) bool { return bytes.HasPrefix(packet, []byte{0xfe, 0xff, 0xff, 0xff}) }

func read(packet []byte) (values map[string]any, err error) {
	answer.Store(&packet)
	values = map[string]any{}
	switch kind(packet) {
	case 'D':
		p, err := client.QueryPlayer()
		if err != nil {
			return nil, err
		}
		values["body.count"] = p.Count
		for i, one := range p.Players {
			at := fmt.Sprintf("body.players[%d].", i)
			values[at+"index"], values[at+"name"], values[at+"score"], values[at+"duration"] = one.Index, one.Name, one.Score, one.Duration
		}
	case 'E':
		r, err := client.QueryRules()
		if err != nil {
			return nil, err
		}
		values["body.count"] = r.Count
	default:
		i, err := client.QueryInfo()
		if err != nil {
			return nil, err
		}
		values["body.protocol"], values["body.name"], values["body.map"], values["body.folder"], values["body.game"] = i.Protocol, i.Name, i.Map, i.Folder, i.Game
		values["body.app"], values["body.players"], values["body.max_players"], values["body.bots"] = i.ID, i.Players, i.MaxPlayers, i.Bots
		values["body.visibility"], values["body.vac"], values["body.version"] = i.Visibility, i.VAC, i.Version
		if i.EDF&0x80 != 0 {
			values["body.game_port"] = i.ExtendedServerInfo.Port
		}
		if i.EDF&0x10 != 0 {
			values["body.steam"] = i.ExtendedServerInfo.SteamID
		}
		if i.EDF&0x40 != 0 {
			values["body.tv_port"], values["body.tv_name"] = i.SourceTV.Port, i.SourceTV.Name
		}
		if i.EDF&0x20 != 0 {
			values["body.keywords"] = i.ExtendedServerInfo.Keywords
		}
		if i.EDF&0x01 != 0 {
			values["body.game_id"] = i.ExtendedServerInfo.GameID
		}
	}
	return values, nil
}

// kind is what an answer says that it is.
func kind(packet []byte) byte {
	if len(packet) < 5 {
		return 0
	}
	return packet[4]
}
