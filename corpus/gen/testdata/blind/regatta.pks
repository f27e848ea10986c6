// Regatta: a sailing race of up to eight boats.
protocol regatta
order lsb
port 41200
max datagram 1200

param ProtocolId = 0x52475432 in 0..0xFFFFFFFF

enum Kind : bits(3) { Join = 0, Welcome = 1, Helm = 2, Fleet = 3, Mark = 4, Wind = 5 }
enum Sails : bits(2) { Main = 0, MainJib = 1, Spinnaker = 2, Luffing = 3 }

struct Boat {
    id      bits(3)
    x       float(-1024..1024, 0.0625) @unit("m")
    y       float(-1024..1024, 0.0625) @unit("m")
    heading bits(9) in 0..359 @unit("deg")
    heel    int(-50..50) @unit("deg")
    speed   float(0..25, 0.05) @unit("kn")
    rudder  int(-20..20)
    sails   Sails
    penalty bool
}

struct Join {
    token   uint64
    version bits(10)
    color   bits(4)
}

struct Welcome {
    token uint64
    boat  bits(3)
    tick  bits(22)
    marks bits(4)
}

struct Helm {
    tick   bits(22)
    rudder int(-20..20)
    trim   bits(6)
    hike   bool
    spin   bool
}

struct Fleet {
    tick  bits(22)
    count bits(4) in 0..8
    boats [count]Boat
}

struct Mark {
    boat bits(3)
    mark bits(4)
    lap  bits(2)
    time bits(21) @unit("ms")
    rank bits(3)
}

struct Wind {
    tick      bits(22)
    direction bits(9) in 0..359
    speed     float(0..40, 0.1) @unit("kn")
    gust      float(0..60, 0.1) @unit("kn")
}

packet {
    crc      crc32(prefix ProtocolId : uint32)
    sequence uint16 @seq
    ack      uint16 @ack(sequence)
    ack_bits uint32
    kind     Kind
    body switch kind {
        Join:    Join    @from(client)
        Welcome: Welcome @from(server)
        Helm:    Helm    @from(client)
        Fleet:   Fleet   @from(server)
        Mark:    Mark    @from(server)
        Wind:    Wind    @from(server)
    }
}
