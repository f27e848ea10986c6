// Drafted from all.schema by `pktscope schema import`: add `port` and `max datagram`.
protocol all
order lsb

// Units = 1.5
const Most = 12 // twelve
// Huge = 295147905179352825840
const Twelve = 12
const Shape_count = 3
const Flagged = 2

struct Pair {
    // Along.
    x float(-1.5..1.5, 0.25) // default 0.5
    y float32                // across
}

packet {
    position Pair
    speed    float32
    // seen is local: it is not sent
}

// all.schema:12:6: warning: `Kind` is in no message, so it is left out
// all.schema:14:6: warning: `Roomy` is in no message, so it is left out
// all.schema:15:6: warning: `Nothing` is in no message, so it is left out
// all.schema:16:7: warning: `Caps` is in no message, so it is left out
// all.schema:17:7: warning: `Wide` is in no message, so it is left out
// all.schema:18:7: warning: `Bare` is in no message, so it is left out
// all.schema:19:7: warning: `Gone` is in no message, so it is left out
// all.schema:22:6: warning: `unused_thing` is in no message, so it is left out
// all.schema:29:6: warning: `Empty` is in no message, so it is left out
// all.schema:30:6: warning: `Fine` is in no message, so it is left out
// all.schema:32:7: warning: `Shape` is in no message, so it is left out
