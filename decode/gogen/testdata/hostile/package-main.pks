protocol main
order lsb
packet { a uint8 }
