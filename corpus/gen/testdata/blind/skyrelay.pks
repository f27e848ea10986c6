// Skyrelay: survey drones and their ground station.
protocol skyrelay
order msb
port 41210
max datagram 256

enum Kind : bits(4) { Attitude = 1, Position = 2, Power = 3, Command = 8, CommandAck = 9, Beacon = 12 }
enum Mode : bits(3) { Idle = 0, Takeoff = 1, Loiter = 2, Mission = 3, Return = 4, Land = 5 }
enum Fix : bits(2) { None = 0, Fix2D = 1, Fix3D = 2, Rtk = 3 }
enum Order : bits(5) { Arm = 1, Takeoff = 2, Goto = 3, Hold = 4, Home = 5, Gimbal = 16 }
enum Result : bits(3) { Ok = 0, Denied = 1, Busy = 2 }

struct Attitude {
    time      bits(27) @unit("ms")
    roll      sbits(12) @scale(0.1)
    pitch     sbits(12) @scale(0.1)
    yaw       bits(12) in 0..3599 @scale(0.1)
    rate_x    sbits(10)
    rate_y    sbits(10)
    rate_z    sbits(10)
    throttle  bits(7) in 0..100
    armed     bool
    mode      Mode
}

struct Position {
    time bits(27) @unit("ms")
    lat  int32 @scale(0.0000001)
    lon  int32 @scale(0.0000001)
    alt  bits(17) @unit("cm")
    vn   sbits(12) @unit("cm/s")
    ve   sbits(12) @unit("cm/s")
    vd   sbits(12) @unit("cm/s")
    fix  Fix
    sats bits(5)
    hdop bits(9) @scale(0.01)
}

struct Power {
    voltage bits(15) @unit("mV")
    current bits(11) @scale(0.1)
    percent bits(7) in 0..100
    temp    sbits(8)
    rpm     [4]bits(14)
}

struct Command {
    token uint16
    order Order
    x     float32 finite
    y     float32 finite
    z     float32 finite
}

struct CommandAck {
    token  uint16
    order  Order
    result Result
}

struct Beacon {
    uptime bits(30) @unit("ms")
    rssi   int(-120..0)
    noise  int(-120..0)
    lost   uint8
}

packet {
    version  bits(3) == 2
    relayed  bool
    vehicle  bits(6)
    kind     Kind
    sequence bits(10) @seq
    body switch kind {
        Attitude:   Attitude   @from(client)
        Position:   Position   @from(client)
        Power:      Power      @from(client)
        Command:    Command    @from(server)
        CommandAck: CommandAck @from(client)
        Beacon:     Beacon     @from(server)
    }
    align
    crc crc16_ibm_3740(over before)
}
