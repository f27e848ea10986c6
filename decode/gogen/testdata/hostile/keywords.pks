protocol func
order lsb
packet { type uint8, var uint8, range uint8, go uint8, map uint8, chan uint8, nil uint8, string uint8, _ uint8, __ uint8, _1 uint8, len uint8, data uint8, bit uint8, end uint8, v uint8, r uint8 }
