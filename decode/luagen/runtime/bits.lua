-- The three orders of bits: 0 lsb, 1 msb, 2 bousk. A bit from `room` on is zero.
local LSB, MSB = 0, 1

local function high(data, room, bit, n) -- n ≤ 32
  local v = 0
  while n > 0 do
    local s = bit % 8
    local g = min(n, 8 - s)
    local b = bit < room and byte(data, floor(bit / 8) + 1) or 0
    v = v * 2 ^ g + floor(b / 2 ^ (8 - s - g)) % 2 ^ g
    bit, n = bit + g, n - g
  end
  return v
end

local function low(data, room, bit, n) -- n ≤ 32
  local v, got = 0, 0
  while got < n do
    local s = bit % 8
    local g = min(n - got, 8 - s)
    local b = bit < room and byte(data, floor(bit / 8) + 1) or 0
    v = v + floor(b / 2 ^ s) % 2 ^ g * 2 ^ got
    bit, got = bit + g, got + g
  end
  return v
end

local function bytewise(data, room, bit, n) -- n ≤ 32
  local v, got = 0, 0
  while got < n do
    local free, g = 8 - bit % 8, min(n - got, 8)
    local b
    if g <= free then b = high(data, room, bit, g)
    else b = high(data, room, bit, free) + high(data, room, bit + free, g - free) * 2 ^ free end
    v = v + b * 2 ^ got
    bit, got = bit + g, got + g
  end
  return v
end

local function load(data, room, order, bit, n)
  if order == MSB then
    if n <= 32 then return 0, high(data, room, bit, n) end
    return high(data, room, bit, n - 32), high(data, room, bit + n - 32, 32)
  end
  local part = order == LSB and low or bytewise
  if n <= 32 then return 0, part(data, room, bit, n) end
  return part(data, room, bit + 32, n - 32), part(data, room, bit, 32)
end

-- look is the n bits at p of which only those from `from` to `to` count.
local function look(data, room, order, p, n, from, to)
  local h, l = 0, 0
  to = min(to, room)
  for k = 0, n - 1 do
    local i
    if order == LSB then i = p + k
    elseif order == MSB then i = p + n - 1 - k
    else
      local q = p + floor(k / 8) * 8
      local g, b, free = min(8, n - floor(k / 8) * 8), k % 8, 8 - q % 8
      if g <= free then i = q + g - 1 - b elseif b < free then i = q + free - 1 - b else i = q + free + g - 1 - b end
    end
    if i >= from and i < to then
      local shift = order == LSB and i % 8 or 7 - i % 8
      local v = floor(byte(data, floor(i / 8) + 1) / 2 ^ shift) % 2
      if k >= 32 then h = h + v * 2 ^ (k - 32) else l = l + v * 2 ^ k end
    end
  end
  return h, l
end

-- turn turns the bytes of a word of n bits around.
local function turn(h, l, n)
  local th, tl = 0, 0
  for i = 0, n / 8 - 1 do
    local b = i >= 4 and floor(h / 2 ^ (8 * i - 32)) % 256 or floor(l / 2 ^ (8 * i)) % 256
    local to = n - 8 - 8 * i
    if to >= 32 then th = th + b * 2 ^ (to - 32) else tl = tl + b * 2 ^ to end
  end
  return th, tl
end

-- bytesAt is n bytes at a bit.
local function bytesAt(data, room, order, bit, n)
  if bit % 8 == 0 and bit + 8 * n <= room then return sub(data, bit / 8 + 1, bit / 8 + n) end
  local b = {}
  for i = 1, n do
    local _, v = load(data, room, order, bit + 8 * (i - 1), 8)
    b[i] = char(v)
  end
  return concat(b)
end
