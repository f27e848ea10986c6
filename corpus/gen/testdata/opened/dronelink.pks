// Telemetry of drones to a ground station: attitude and position in float32, a status once a second.
protocol dronelink
order lsb
port 14660
max datagram 100

enum Kind : bits(2) { Attitude = 0, Position = 1, Status = 2 }
enum Mode : bits(4) { Idle = 0, Takeoff = 1, Hover = 2, Mission = 3, Return = 4, Land = 5 }

packet {
    magic  bits(6) == 0x2D
    kind   Kind
    system uint8
    seq    uint8 @seq
    body switch kind {
        Attitude: { boot_ms uint32, roll float32, pitch float32, yaw float32, roll_rate float32, pitch_rate float32, yaw_rate float32 }
        Position: { boot_ms uint32, lat int32, lon int32, alt float32, vx float32, vy float32, vz float32, sats bits(5), fix bits(3) }
        Status: { boot_ms uint32, mode Mode, armed bool, battery bits(15) @unit("mV"), current bits(12), remaining int(0..100), waypoint bits(7), cpu int(0..100), errors bits(11) }
    }
    crc crc16_mcrf4xx(over ..body)
}
