// Quadlink: drones to a ground station, whole bytes, little-endian.
protocol quadlink
order lsb
port 14600
max datagram 280

enum Msg : uint8 {
    Heartbeat = 0, Gps = 24, Imu = 26, Attitude = 30, Manual = 69, Command = 76, CommandAck = 77, Battery = 147
}
enum State : uint8 { Boot = 1, Standby = 3, Active = 4, Critical = 5 }

struct Heartbeat { custom_mode uint32, kind uint8, base_mode uint8 @hex, state State }
struct Gps {
    time_usec uint64
    lat       int32 @scale(0.0000001)
    lon       int32 @scale(0.0000001)
    alt       int32 @unit("mm")
    eph       uint16
    epv       uint16
    vel       uint16 @unit("cm/s")
    cog       uint16 @scale(0.01)
    fix       uint8
    sats      uint8
}
struct Imu {
    time_ms uint32
    acc     vec3(int16)
    gyro    vec3(int16)
    mag     vec3(int16)
    temp    int16 @scale(0.01)
}
struct Attitude {
    time_ms    uint32
    roll       float32
    pitch      float32
    yaw        float32
    roll_rate  float32
    pitch_rate float32
    yaw_rate   float32
}
struct Manual { x int16, y int16, z int16, r int16, buttons uint16 @hex, target uint8 }
struct Command {
    p1           float32
    p2           float32
    p3           float32
    p4           float32
    command      uint16
    target       uint8
    confirmation uint8
}
struct CommandAck { command uint16, result uint8 }
struct Battery {
    consumed  int32 @unit("mAh")
    cells     [4]uint16
    current   int16 @unit("cA")
    temp      int16
    remaining int8
}

packet {
    magic    uint8 == 0xA7
    length   uint8
    sequence uint8 @seq
    system   uint8
    part     uint8
    msg      Msg
    within(length) {
        body switch msg {
            Heartbeat:  Heartbeat
            Gps:        Gps
            Imu:        Imu
            Attitude:   Attitude
            Manual:     Manual
            Command:    Command
            CommandAck: CommandAck
            Battery:    Battery
        }
    }
    crc crc16_mcrf4xx(over length..)
}
