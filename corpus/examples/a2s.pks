// A2S: the questions that servers of Source and GoldSrc games answer, and their answers.
//
// From the page "Server queries" of Valve's developer wiki, and from nothing else: no free program answers.
//
// Not here: compressed answers, the questions of old (ping, getchallenge), the answer of old GoldSource servers (0x6D).
protocol a2s
order lsb
port 27015..27030
max datagram 1400

enum Kind : uint8 {
    AskInfo    = 0x54 // T
    AskPlayers = 0x55 // U
    AskRules   = 0x56 // V
    Challenge  = 0x41 // A
    Info       = 0x49 // I
    Players    = 0x44 // D
    Rules      = 0x45 // E
}

flags Extra : uint8 { GameId = 0x01, SteamId = 0x10, Keywords = 0x20, Spectators = 0x40, Port = 0x80 }

struct ServerInfo {
    protocol    uint8
    name        cstring(256) utf8
    map         cstring(128) utf8
    folder      cstring(128) utf8
    game        cstring(256) utf8
    app         uint16
    players     uint8
    max_players uint8
    bots        uint8
    type        uint8 in {'d', 'l', 'p', 'D', 'L', 'P'}
    system      uint8 in {'l', 'w', 'm', 'o', 'L', 'W', 'M', 'O'}
    password    bool8
    secured     bool8
    if app == 2400 { // The Ship
        mode      uint8
        witnesses uint8
        duration  uint8 @unit("s")
    }
    version cstring(64) utf8
    if rest > 0 {
        extra Extra
        if extra.Port { port uint16 }
        if extra.SteamId { steam_id uint64 }
        if extra.Spectators {
            spectator_port uint16
            spectator_name cstring(256) utf8
        }
        if extra.Keywords { keywords cstring(512) utf8 }
        if extra.GameId { game_id uint64 }
    }
}

packet {
    header int32 in -2..-1
    if header == -2 {
        // A part of a longer answer. What the parts make up begins with a header of -1 again.
        id     uint32 in 0..0x7FFFFFFF // above this the whole is compressed
        total  uint8 in 1..64
        number uint8 in 0..total - 1
        size   uint16
        part   bytes(rest, max 1388)
    } else {
        kind Kind
        body switch kind {
            AskInfo: {
                query bytes(20) == "Source Engine Query\0"
                if rest > 0 { challenge uint32 @hex }
            }
            AskPlayers, AskRules: { challenge uint32 @hex }
            Challenge:            { challenge uint32 @hex }
            Info:                 ServerInfo
            Players: {
                count uint8 in 0..128
                players [count]{
                    index   uint8
                    name    cstring(128) utf8
                    score   int32
                    seconds float32 finite @unit("s")
                }
            }
            Rules: {
                count uint16 in 0..600
                rules [count]{
                    name  cstring(256) utf8
                    value cstring(256) utf8
                }
            }
        }
    }
}
