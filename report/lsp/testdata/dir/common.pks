protocol common
order lsb

// What a packet is about.
enum Kind : bits(2) { Fire = 0, Hit = 1, Miss = 2 }

struct Shot {
    x  int(-100..100) @unit("m")
    y  int(-100..100) @unit("m")
    hp float(0..1, 0.01)
}
