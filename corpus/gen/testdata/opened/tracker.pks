// A vehicle tracker: one fixed record, GPS, battery and flags.
protocol tracker
order msb
port 5500
max datagram 64

packet {
    device    bits(36)
    seq       bits(12) @seq
    time      uint32 @time(s)
    lat       sbits(25) @scale(0.00001)
    lon       sbits(26) @scale(0.00001)
    altitude  int(-400..6000) @unit("m")
    speed     bits(10)
    course    int(0..359)
    hdop      bits(6)
    sats      bits(5)
    fix       int(0..3)
    battery   bits(13) @unit("mV")
    temp      sbits(8)
    ignition  bool
    moving    bool
    charging  bool
    tamper    bool
    signal    int(0..31)
    odometer  bits(24)
    align
    crc       crc16_ibm_3740(over before)
}
