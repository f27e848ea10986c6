// A harness for go-a2s: an answer to its queries, which a server on loopback gives. The answer says which query it is to.
package main

import (
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/rumblefrog/go-a2s"
)

var (
	answer atomic.Pointer[[]byte] // to the next request; nil for none
	client = connected()
)

// connected is a client of a server that answers one request.
func connected() *a2s.Client {
	server, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic(err)
	}
	go func() {
		request := make([]byte, 2048)
		for {
			_, from, err := server.ReadFromUDP(request)
			if err != nil {
				panic(err)
			}
			if packet := answer.Swap(nil); packet != nil {
				if _, err := server.WriteToUDP(*packet, from); err != nil {
					panic(err)
				}
			}
		}
	}()
	c, err := a2s.NewClient(server.LocalAddr().String(), a2s.TimeoutOption(50*time.Millisecond))
	if err != nil {
		panic(err)
	}
	return c
}

func readPacket(packet []byte) (accepted bool, values map[string]any) {
	answer.Store(&packet)
	values = map[string]any{}
	switch kind(packet) {
	case 'D':
		p, err := client.QueryPlayer()
		if err != nil {
			return false, nil
		}
		values["body.count"] = p.Count
		for i, one := range p.Players {
			at := fmt.Sprintf("body.players[%d].", i)
			values[at+"index"], values[at+"name"], values[at+"score"], values[at+"duration"] = one.Index, one.Name, one.Score, one.Duration
		}
	case 'E':
		r, err := client.QueryRules()
		if err != nil {
			return false, nil
		}
		values["body.count"] = r.Count
	default:
		i, err := client.QueryInfo()
		if err != nil {
			return false, nil
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
	return true, values
}

// kind is what an answer says that it is.
func kind(packet []byte) byte {
	if len(packet) < 5 {
		return 0
	}
	return packet[4]
}
