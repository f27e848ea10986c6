// Greenhouse: nodes with sensors and valves, and their gateway.
protocol greenhouse
order msb
port 41220
max datagram 512

enum Kind : uint8 { Climate = 0x01, Soil = 0x02, Heartbeat = 0x05, Valve = 0x20, Ack = 0x80 }
enum Power : uint8 { Battery = 0, Solar = 1, Mains = 2 }

struct Probe {
    depth    uint8 @unit("cm")
    moisture uint16 @scale(0.01)
    ec       uint16 @unit("uS/cm")
    temp     int16 @scale(0.01)
}

struct Climate {
    time     uint32
    temp     int16 @scale(0.01)
    humidity uint16 @scale(0.01)
    pressure uint32 @unit("Pa")
    co2      uint16 @unit("ppm")
    light    uint32 @unit("lx")
}

struct Soil {
    time   uint32
    count  uint8 in 0..6
    probes [count]Probe
}

struct Heartbeat {
    uptime  uint32 @unit("s")
    battery uint16 @unit("mV")
    power   Power
    rssi    int8
    resets  uint16
    free    uint32
}

struct Valve {
    zone     uint8
    open     bool8
    duration uint16 @unit("s")
    flow     uint16
}

struct Ack {
    sequence uint16 @ack(sequence)
    status   uint8 in 0..3
    time     uint64 @time(ms)
}

packet {
    magic    uint16 == 0x4748
    version  uint8 == 3
    kind     Kind
    node     uint32 @hex
    sequence uint16 @seq
    body switch kind {
        Climate:   Climate   @from(client)
        Soil:      Soil      @from(client)
        Heartbeat: Heartbeat @from(client)
        Valve:     Valve     @from(server)
        Ack:       Ack
    }
}
