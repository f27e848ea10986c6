// Buoynet: weather buoys that report over a satellite modem.
protocol buoynet
order lsb
port 41240
max datagram 256

enum Type : uint16 { Register = 0x0101, Registered = 0x0102, Report = 0x0200, Warn = 0x0210, Ack = 0x02FF }
flags Status : uint8 { Fix = 0x01, Charging = 0x02, Storm = 0x04, Serviced = 0x08, Drifting = 0x10 }

struct Register {
    token    uint32
    firmware uint16
    size     uint8 in 1..24
    name     bytes(size) utf8
}

struct Registered {
    token    uint32
    interval uint16 @unit("s")
    time     uint64 @time(ms)
}

struct Report {
    time        uint32
    status      Status
    wave_height float32 in 0..30
    wave_period float32 in 0..40
    wave_dir    uint16 in 0..359
    sea_temp    float32 finite
    pressure    float32 finite
    wind        uint16 @scale(0.01)
    battery     uint16 @unit("mV")
    if status.Fix {
        lat   int32 @scale(0.0000001)
        lon   int32 @scale(0.0000001)
        sats  uint8 in 0..32
        drift uint16 @unit("mm/s")
    }
}

struct Warn {
    time  uint32
    code  uint16
    value float32 finite
    level uint8 in 1..3
}

struct Ack {
    sequence uint16
    queued   uint8
}

packet {
    station  uint32
    sequence uint16 @seq
    type     Type
    body switch type {
        Register:   Register   @from(client)
        Registered: Registered @from(server)
        Report:     Report     @from(client)
        Warn:       Warn       @from(client)
        Ack:        Ack        @from(server)
    }
}
