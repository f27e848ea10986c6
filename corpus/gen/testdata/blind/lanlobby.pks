// The lobby of a strategy game: rooms, chat, who is ready. Whole bytes, little-endian.
protocol lanlobby
order lsb
port 8767
max datagram 1000

enum Kind : uint8 { Hello = 1, Welcome = 2, Chat = 3, ListRooms = 4, Rooms = 5, EnterRoom = 6, Ready = 7, Alive = 8 }
enum Faction : uint8 { Random = 0, Empire = 1, Nomads = 2, Guild = 3 }
enum RoomState : uint8 { Open = 0, Locked = 1, Playing = 2 }

struct Room {
    id         uint16
    state      RoomState
    players    uint8
    seats      uint8 in 2..8
    map_size   uint16
    title_size uint8
    title      bytes(title_size, max 32) utf8
}

packet {
    kind   Kind
    number uint16 @seq
    user   uint32
    body switch kind {
        Hello:     { build uint16, locale char(5), size uint8, name bytes(size, max 24) utf8 } @from(client)
        Welcome:   { given uint32, online uint16, size uint8, motd bytes(size, max 120) utf8 } @from(server)
        Chat:      { room uint16, author uint32, size uint8, text bytes(size, max 200) utf8 }
        ListRooms: { page uint8, only_open bool8 } @from(client)
        Rooms: {
            page  uint8
            total uint16
            count uint8 in 0..16
            rooms [count]Room
        } @from(server)
        EnterRoom: { room uint16, seat uint8 in 0..7, watch bool8 }
        Ready:     { room uint16, author uint32, faction Faction, color uint8 in 0..11, ready bool8 }
        Alive:     { clock uint64 @time(ms), ping uint16 @unit("ms") }
    }
}
