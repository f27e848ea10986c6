protocol shot
order lsb

enum Weapon : bits(3) {
  Laser = 1
  Missile = 4
}

packet {
  token  bytes(4) @secret
  weapon Weapon
  at     vec2(float(-64..64, 0.25)) @unit("m")
  n      int(0..3)
  hits   [n]int(0..100)
  name   string(15)
}
