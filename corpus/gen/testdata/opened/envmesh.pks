// Envmesh: battery-powered climate sensors and their gateway. Whole bytes, big-endian.
protocol envmesh
order msb
port 5690
max datagram 256

enum Kind : bits(4) { Reading = 1, Batch = 2, Alarm = 3, Join = 5, JoinAck = 6, Ack = 8, Config = 9 }
enum Sensor : uint8 { Temperature = 1, Humidity = 2, Co2 = 3, Tamper = 9 }

struct Reading {
    temp     int16 @scale(0.01)
    humidity uint16 @scale(0.01)
    pressure uint32 @unit("Pa")
    light    uint16 @unit("lx")
    battery  uint16 @unit("mV")
    rssi     int8
}
struct Sample { temp int16 @scale(0.01), humidity uint8, co2 uint16 @unit("ppm") }
struct Batch {
    interval uint16 @unit("s")
    count    uint8 in 1..24
    samples  [count]Sample
}
struct Alarm { sensor Sensor, level uint8, value int32, limit int32 }
struct Join { eui uint64 @hex, hardware uint8, major uint8, minor uint8, patch uint8, nonce uint32 @hex }
struct JoinAck { token uint32 @hex, interval uint16 }
struct Ack { sequence uint16, status uint8 }
struct Config { interval uint16, high int16, low int16, options uint8 @hex }

packet {
    version  bits(4) == 2
    kind     Kind
    node     uint32 @hex
    sequence uint16 @seq
    time     uint32 @time(s)
    body switch kind {
        Reading: Reading
        Batch:   Batch
        Alarm:   Alarm
        Join:    Join
        JoinAck: JoinAck
        Ack:     Ack
        Config:  Config
    }
}
