// A2S: the answers of Source's server queries (Valve's developer wiki, "Server queries"): info, players and rules, each in one
// datagram. Integers are little-endian, text ends with a NUL. What The Ship adds (app 2400) is not here.
protocol a2s
order lsb
port 27015
max datagram 1400

enum Header : uint8 { Info = 'I', Players = 'D', Rules = 'E' }

flags Extra : uint8 { Port = 0x80, Steam = 0x10, Tv = 0x40, Keywords = 0x20, Game = 0x01 }

packet {
    split  bytes(4) == "\xff\xff\xff\xff"
    header Header
    body switch header {
        Info: {
            protocol    uint8
            name        cstring(1400)
            map         cstring(1400)
            folder      cstring(1400)
            game        cstring(1400)
            app         uint16 != 2400
            players     uint8
            max_players uint8
            bots        uint8
            type        uint8 in {'d', 'l', 'p'}
            os          uint8 in {'l', 'w', 'm', 'o'}
            visibility  bool8
            vac         bool8
            version     cstring(1400)
            if rest > 0 {
                extra Extra
                if extra.Port { game_port uint16 }
                if extra.Steam { steam uint64 }
                if extra.Tv {
                    tv_port uint16
                    tv_name cstring(1400)
                }
                if extra.Keywords { keywords cstring(1400) }
                if extra.Game { game_id uint64 }
            }
        }
        Players: {
            count   uint8
            players [count]{
                index    uint8
                name     cstring(1400)
                score    int32
                duration float32 finite
            }
        }
        Rules: {
            count uint16
            rules [count, max 697]{
                name  cstring(1400)
                value cstring(1400)
            }
        }
    }
}
