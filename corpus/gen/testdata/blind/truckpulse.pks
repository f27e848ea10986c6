// Trucks of a haulier, each with a modem: fixed records, packed to the bit, without a checksum.
protocol truckpulse
order lsb
port 9310
max datagram 128

enum Kind : bits(5) { Motion = 1, Engine = 2, Tyres = 3, Cargo = 4, Driver = 9, Fault = 12, Receipt = 30 }
enum Duty : bits(3) { Off = 0, Rest = 1, Work = 2, Drive = 3, Ferry = 4 }
enum Severity : bits(2) { Info = 0, Warn = 1, Stop = 2 }

packet {
    truck    bits(11)
    sequence bits(12) @seq
    kind     Kind
    clock    bits(27) @unit("ms") // since midnight
    body switch kind {
        Motion: {
            lat     sbits(25) @scale(0.00001)
            lon     sbits(26) @scale(0.00001)
            speed   bits(10)  @scale(0.2) @unit("km/h")
            course  int(0..359)
            height  int(-100..3995) @unit("m")
            sats    bits(5)
            fix     bits(2)
            braking bool
            cruise  bool
        } @from(client)
        Engine: {
            rpm     bits(12)
            load    int(0..100)
            gear    sbits(5)
            coolant int(-40..150) @unit("°C")
            oil     bits(7)       @scale(0.1) @unit("bar")
            fuel    int(0..1000)  @scale(0.1)
            used    bits(24)      @unit("dl")
            odo     bits(23)      @scale(0.1) @unit("km")
        } @from(client)
        Tyres:   { wheels [6]{ pressure bits(10) @unit("hPa/10"), temp int(-40..87) }, slow_leak bool }                          @from(client)
        Cargo:   { weight bits(16) @unit("kg"), zones [3]sbits(10) @scale(0.1), door bool, cooling bool, setpoint int(-30..30) } @from(client)
        Driver:  { card uint32, duty Duty, driven bits(10) @unit("min"), seatbelt bool, reserved(4) }                            @from(client)
        Fault:   { spn bits(19), fmi bits(5), severity Severity, seen bits(7), active bool }                                     @from(client)
        Receipt: { upto bits(12) @ack(sequence), queued bits(6), alert bool }                                                    @from(server)
    }
}
