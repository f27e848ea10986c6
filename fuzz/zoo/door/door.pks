// A server that lets a client in: hello, a challenge, its answer, a heartbeat, a goodbye. It is what the zoo's server
// speaks.
protocol door
order msb
port 41000
max datagram 64

enum Kind : uint8 {
    Hello     = 1
    Challenge = 2
    Answer    = 3
    Welcome   = 4
    Beat      = 5
    BeatAck   = 6
    Move      = 7
    MoveAck   = 8
    Shoot     = 9
    Hit       = 10
    Leave     = 11
    Bye       = 12
    Nack      = 13
}

packet {
    kind Kind
    seq  uint16 @seq
    body switch kind {
        Hello:     { token bytes(8) @secret } @from(client)
        Challenge: { cookie uint32 }          @from(server)
        Answer:    { cookie uint32 }          @from(client)
        Welcome:   { id uint8 }               @from(server)
        Beat:      empty                      @from(client)
        BeatAck:   empty                      @from(server)
        Move:      { x uint8 in 0..100, y uint8 in 0..100 } @from(client)
        MoveAck:   { x uint8, y uint8 }       @from(server)
        Shoot:     { power uint8 in 1..10 }   @from(client)
        Hit:       { score uint16 }           @from(server)
        Leave:     empty                      @from(client)
        Bye:       empty                      @from(server)
        Nack:      { reason uint8 }           @from(server)
    }
}
