protocol x_test
order lsb
packet { a uint8 }
