// Beehive sensors: reports with what was measured this time, and the gateway's answers.
protocol hive
order msb
port 8871
max datagram 64

enum Kind : bits(2) { Report = 1, Answer = 2 }

packet {
    network bits(10)
    node    bits(8)
    kind    Kind
    counter bits(14) @seq
    body switch kind {
        Report: {
            uptime      bits(26) @unit("s")
            temperature optional sbits(11)
            humidity    optional int(0..1000)
            weight      optional bits(17)
            audio       optional { peak bits(8), centroid bits(11), level bits(9) }
            battery     optional bits(12)
            door_open   bool
            queen       int(0..2)
            rssi        sbits(8)
        }
        Answer: { epoch uint32, interval bits(11), nonce bits(32), retry bits(3), led bool }
    }
    align
    sum crc8_smbus(over before)
}
