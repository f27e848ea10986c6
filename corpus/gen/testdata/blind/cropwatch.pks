// Field sensors of a farm, which report to a collector over LTE and repeat what is not acknowledged.
protocol cropwatch
order lsb
port 5690
max datagram 256

enum Kind : uint8 { Soil = 0x10, Weather = 0x11, Valve = 0x20, Status = 0x30, Ack = 0x80 }
enum Fault : uint8 { None = 0, NoFlow = 1, Leak = 2, Stuck = 3 }

packet {
    version  uint8 == 2
    kind     Kind
    node     uint16
    sequence uint16 @seq
    uptime   uint32 @unit("ms")
    body switch kind {
        Soil: {
            moisture     [3]uint16 @scale(0.1) // per cent, at 10, 30 and 60 cm
            temperature  int16     @scale(0.01) @unit("°C")
            conductivity uint16    @unit("µS/cm")
            battery      uint16    @unit("mV")
        } @from(client)
        Weather: {
            temperature int16 @scale(0.01) @unit("°C")
            humidity    uint8 in 0..100
            pressure    uint32 @unit("Pa")
            wind_dir    uint16 in 0..359
            wind        float32 finite @unit("m/s")
            rain        uint16         @scale(0.2) @unit("mm") // tips of the bucket
            light       uint32         @unit("lx")
        } @from(client)
        Valve: {
            valve  uint8 in 1..8
            open   bool8
            fault  Fault
            flow   uint16 @scale(0.1) @unit("l/min")
            litres uint32
        } @from(client)
        Status: { firmware char(8), battery uint16 @unit("mV"), rssi int8 @unit("dBm"), boots uint16, free uint32 } @from(client)
        Ack:    { acked uint16 @ack(sequence), clock uint64 @time(ms), interval uint16 @unit("s") }                 @from(server)
    }
    crc crc16_modbus(over before)
}
