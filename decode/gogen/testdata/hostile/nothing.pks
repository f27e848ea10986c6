protocol init
order lsb
packet { }
