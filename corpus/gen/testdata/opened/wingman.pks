// Wingman: flight simulators that fly in formation; the host relays. One packet for all, little-endian bytes.
protocol wingman
order lsb
port 49010
max datagram 200

flags Lights : uint16 { Nav = 1, Beacon = 2, Strobe = 4, Landing = 8, Taxi = 16, Cabin = 32 }

packet {
    magic       uint32 == 0x31474E57
    version     uint8 == 3
    plane       uint8
    sequence    uint16
    sim_time    float64 @unit("s")
    lat         float64
    lon         float64
    alt         float32 @unit("m")
    pitch       float32
    roll        float32
    heading     float32
    velocity    vec3(float32)
    throttle    uint8
    flaps       uint8 in 0..4
    gear        bool8
    spoiler     uint8
    lights      Lights
    squawk      uint16
    rpm         uint16
    fuel        float32 @unit("kg")
    stick_x     int8
    stick_y     int8
    rudder      int8
    on_ground   bool8
}
