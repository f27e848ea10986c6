// Survey helicopters and their ground station. All numbers are whole bytes, big-endian.
protocol heliscan
order msb
port 14600
max datagram 300

enum Kind : uint8 { Heartbeat = 1, Attitude = 2, Position = 3, Lidar = 4, Command = 16, CommandAck = 17 }
enum Mode : uint8 { Idle = 0, Takeoff = 1, Survey = 2, Hold = 3, Return = 4, Land = 5 }
enum Result : uint8 { Accepted = 0, Busy = 1, Denied = 2 }
flags Sensors : uint16 { Gyro = 0x0001, Baro = 0x0002, Gps = 0x0004, Compass = 0x0008, Lidar = 0x0020, Radio = 0x0100 }

packet {
    crc    crc16_ibm_3740(over rest)
    system uint8 // 1.. a helicopter, 255 the ground
    seq    uint8
    kind   Kind
    body switch kind {
        Heartbeat: { mode Mode, armed bool8, battery uint8 in 0..100, healthy Sensors, voltage uint16 @unit("mV") }
        Attitude: {
            time  uint32 @unit("ms")
            roll  float32 finite
            pitch float32 finite
            yaw   float32 finite
            rotor uint16 @unit("rpm")
        }
        Position: {
            time    uint32 @unit("ms")
            lat     int32  @scale(0.0000001)
            lon     int32  @scale(0.0000001)
            alt     int32  @unit("mm")
            vx      int16  @unit("cm/s")
            vy      int16  @unit("cm/s")
            vz      int16  @unit("cm/s")
            heading uint16 in 0..35999
            sats    uint8
        }
        Lidar:      { time uint32 @unit("ms"), ranges [8]uint16 @unit("cm"), quality uint8 in 0..100 }
        Command:    { command uint16, confirm uint8, params [4]float32 }        @from(server)
        CommandAck: { command uint16, result Result, progress uint8 in 0..100 } @from(client)
    }
}
