protocol durations
order lsb
packet {
    a uint8 @every(20hz) //! a rate is given by its interval; write `50ms`
    b uint8 @every(60Hz) @seq //! write `16666us`
    c uint8 @every(5 hz) //! a rate is given by its interval; write `200ms`
    d uint8 @every(20 ms) //! no blank between a duration and its unit; write `20ms`
    e uint8 @every(0hz) //! write a duration like `50ms`
    f uint8 @every(5min) //! malformed number `5min`
}
expect timeout 1hz //! write `1000ms`
