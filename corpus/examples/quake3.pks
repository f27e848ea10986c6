// Quake 3: commands without a connection, and the headers of a connection's packets. Their bits are Huffman coded and
// stay bytes.
//
// From the source of ioquake3 (net_chan.c, sv_main.c), which is its only specification.
//
// Not here: what is Huffman coded, and the fragments put together.
protocol quake3
order msb
port 27960
max datagram 16384

// The first five letters tell the commands apart.
enum Word : bits(40) {
    GetStatus  = 0x6765747374 // getst
    GetInfo    = 0x676574696E // getin
    Challenge  = 0x6765746368 // getch
    Status     = 0x7374617475 // statu
    Info       = 0x696E666F52 // infoR
    Challenged = 0x6368616C6C // chall
    Connect    = 0x636F6E6E65 // conne
    Print      = 0x7072696E74 // print
    Rcon       = 0x72636F6E20 // "rcon "
}

packet {
    mark uint32 le
    if mark == 0xFFFFFFFF {
        command switch peek(40) {
            Word.GetStatus: {
                word      bytes(9) == "getstatus"
                challenge bytes(rest, max 128) latin1
            }
            Word.GetInfo: {
                word      bytes(7) == "getinfo"
                challenge bytes(rest, max 128) latin1
            }
            Word.Challenge: {
                word  bytes(12) == "getchallenge"
                rest_ bytes(rest, max 1024) latin1
            }
            // A line of \key\value pairs, then a line of score, ping and name for each player.
            Word.Status: {
                word bytes(15) == "statusResponse\n"
                text bytes(rest, max 16000) latin1
            }
            Word.Info: {
                word bytes(13) == "infoResponse\n"
                text bytes(rest, max 1400) latin1
            }
            Word.Challenged: {
                word    bytes(18) == "challengeResponse "
                numbers bytes(rest, max 64) ascii
            }
            Word.Connect: {
                word  bytes(7) == "connect"
                coded bytes(rest, max 1400) // connectResponse is no more than its word
            }
            Word.Print: {
                word bytes(6) == "print\n"
                text bytes(rest, max 16000) latin1
            }
            Word.Rcon: {
                word    bytes(5) == "rcon "
                command bytes(rest, max 1024) @secret // begins with the password
            }
        }
    } else {
        let sequence = mark & 0x7FFFFFFF @seq
        if from(client) { qport uint16 le }
        if mark >= 0x80000000 {
            start  uint16 le
            length uint16 le in 0..1300 // below 1300 in the last fragment
            coded  bytes(rest, max 1400) @fragment(Coded, sequence, offset start, last length < 1300)
        } else {
            coded bytes(rest, max 1400) @message(Coded)
        }
    }
}

// What Huffman's code makes of a message of at most 16,384 bytes.
message Coded max 16384 {
    coded bytes(rest, max 16384)
}
