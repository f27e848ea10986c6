// Fleetgw: trackers in lorries, over a mobile network. Big-endian.
protocol fleetgw
order msb
port 7700
max datagram 256

enum Kind : uint16 {
    Position = 0x0101, Status = 0x0102, Geofence = 0x0103, Driver = 0x0104, Ack = 0x8001, Command = 0x8002
}

struct Position {
    time     uint32 @time(s)
    lat      int32 @scale(0.0000001)
    lon      int32 @scale(0.0000001)
    alt      int16 @unit("m")
    speed    uint16 @scale(0.1)
    course   uint16 @scale(0.1)
    sats     uint8
    hdop     uint8 @scale(0.1)
    ignition bool
    moving   bool
    roaming  bool
    has_can  bool
    event    bits(4)
    if has_can {
        rpm      uint16
        fuel     uint8 @unit("%")
        coolant  int8
        odometer uint32 @unit("m")
    }
}
struct Status { battery_mv uint16, external_mv uint16, csq uint8, temp int8, uptime uint32, cell uint32 @hex }
struct Geofence { time uint32 @time(s), fence uint16, entered bool8, lat int32, lon int32 }
struct Driver { time uint32 @time(s), card uint64 @hex, logged_in bool8 }

packet {
    magic    uint16 == 0x4654
    version  uint8 == 1
    flags    uint8
    kind     Kind
    device   bits(48) @hex
    sequence uint16 @seq
    body switch kind {
        Position: Position
        Status:   Status
        Geofence: Geofence
        Driver:   Driver
        Ack:      { sequence uint16, code uint8 }
        Command:  { command uint8, argument uint32 }
    }
    crc crc16_modbus(over before)
}
