// Arena: a small first-person shooter, bits packed as in the articles.
protocol arena
order lsb
port 40001
max datagram 1200

const MaxPlayers = 12

enum PacketType : bits(3) { Connect = 0, Accept = 1, Input = 2, Snapshot = 3, Hit = 4, Ping = 5, Bye = 6 }
enum Weapon : bits(3) { Knife = 0, Pistol = 1, Shotgun = 2, Rifle = 3, Rail = 4 }
enum Leave : bits(2) { Quit = 0, Kicked = 1, Timeout = 2 }
flags Buttons : bits(7) { Forward = 1, Back = 2, Left = 4, Right = 8, Jump = 16, Crouch = 32, Fire = 64 }

struct Connect {
    token   uint64 @hex
    version uint16
    skin    bits(5)
}

struct Accept {
    token   uint64 @hex
    slot    int(0..11)
    map     bits(6)
    tick    bits(24)
}

struct Input {
    tick    bits(24)
    buttons Buttons
    yaw     bits(12)
    pitch   sbits(11)
    weapon  Weapon
}

struct Player {
    slot     int(0..11)
    x        float(-128..128, 0.01)
    y        float(-128..128, 0.01)
    z        float(-8..56, 0.01)
    yaw      bits(10)
    pitch    sbits(8)
    health   int(0..100)
    armor    int(0..100)
    weapon   Weapon
    crouched bool
    firing   bool
}

struct Snapshot {
    tick       bits(24)
    last_input bits(24)
    count      int(0..12)
    players    [count]Player
}

struct Hit {
    tick     bits(24)
    attacker int(0..11)
    victim   int(0..11)
    damage   bits(7)
    weapon   Weapon
    kill     bool
}

struct Ping {
    sent_ms uint32
    echo_ms uint32
}

packet {
    crc      crc32(prefix 0x61526E41 : uint32)
    sequence uint16 @seq
    ack      uint16
    ack_bits uint32 @hex
    type     PacketType
    body switch type {
        Connect:  Connect  @from(client)
        Accept:   Accept   @from(server)
        Input:    Input    @from(client)
        Snapshot: Snapshot @from(server)
        Hit:      Hit      @from(server)
        Ping:     Ping
        Bye:      { slot int(0..11), reason Leave }
    }
    check "arena packet"
}
