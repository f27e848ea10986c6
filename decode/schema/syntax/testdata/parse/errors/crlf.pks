protocol crlf
order lsb
packet {
    a unit8 //! did you mean `uint8`?
    b uint8 == "x //! no closing quote
}
