// Moving lights: a console sends each universe's fixtures again and again; nothing answers.
protocol stagebeam
order msb
port 6454
max datagram 600

enum Gobo : bits(3) { Open = 0, Dots = 1, Stars = 2, Bars = 3, Leaves = 4, Spiral = 5 }

struct Fixture {
    address bits(9) in 1..511
    dimmer  uint8
    shutter bits(2)
    pan     bits(12)
    tilt    bits(11)
    red     bits(6)
    green   bits(6)
    blue    bits(6)
    gobo    Gobo
    lamp    bool
}

packet {
    version  bits(4) == 3
    universe bits(6)
    priority bits(3)
    blackout bool
    reserved(2)
    sequence uint8    @seq
    time     bits(24) @unit("ms")
    cue      bits(10)
    master   int(0..100)
    count    bits(5) in 0..24
    fixtures [count]Fixture
}
