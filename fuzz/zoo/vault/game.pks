message Game max 1200 {
    kind uint8 in 1..3
    sealed switch kind {
        1: { x uint16 in 0..1000, y uint16 in 0..1000 }
        2: { n uint8 in 0..32, text bytes(n) }
        3: { slot uint8 in 0..9, count uint8 in 1..64 }
    }
}
