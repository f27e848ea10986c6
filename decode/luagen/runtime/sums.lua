-- Checksums.
local function reverse(h, l, n)
  local rh, rl = 0, 0
  for i = 0, n - 1 do
    local b = i >= 32 and floor(h / 2 ^ (i - 32)) % 2 or floor(l / 2 ^ i) % 2
    local to = n - 1 - i
    if to >= 32 then rh = rh + b * 2 ^ (to - 32) else rl = rl + b * 2 ^ to end
  end
  return rh, rl
end

-- crcTable has two numbers for each byte.
local function crcTable(c)
  if c.table then return c.table end
  local t, n = {}, c.width
  local ph, pl = c.poly[1], c.poly[2]
  if c.refin then ph, pl = reverse(ph, pl, n) end
  for i = 0, 255 do
    local h, l = 0, i
    if not c.refin then h, l = shiftLeft(0, i, n - 8) end
    for _ = 1, 8 do
      local out
      if c.refin then
        out = l % 2
        h, l = shiftRight(h, l, 1)
      else
        out = n > 32 and floor(h / 2 ^ (n - 33)) % 2 or floor(l / 2 ^ (n - 1)) % 2
        h, l = shiftLeft(h, l, 1)
        h, l = lowest(h, l, n)
      end
      if out == 1 then h, l = xor(h, ph), xor(l, pl) end
    end
    t[2 * i], t[2 * i + 1] = h, l
  end
  c.table = t
  return t
end

-- summing takes bytes in, one by one.
local summing = {}

function summing.CRC(c, s, b)
  local t, h, l = crcTable(c), s.h, s.l
  if c.refin then
    local i = 2 * xor(l % 256, b)
    h, l = shiftRight(h, l, 8)
    s.h, s.l = xor(t[i], h), xor(t[i + 1], l)
  else
    local _, top = shiftRight(h, l, c.width - 8)
    local i = 2 * xor(top % 256, b)
    h, l = shiftLeft(h, l, 8)
    h, l = lowest(h, l, c.width)
    s.h, s.l = xor(t[i], h), xor(t[i + 1], l)
  end
end

function summing.BYTES(_, s, b) s.l = (s.l + b) % P32 end
function summing.XOR(_, s, b) s.l = xor(s.l, b) end

function summing.FLETCHER(c, s, b)
  s.l = (s.l + b) % c.poly[2]
  s.b = (s.b + s.l) % c.poly[2]
end

function summing.FLETCHER32(_, s, b)
  if not s.last then s.last = b return end
  s.l = (s.l + s.last + b * 256) % 65535
  s.b = (s.b + s.l) % 65535
  s.last = nil
end

function summing.INTERNET(_, s, b)
  if not s.last then s.last = b return end
  s.l = s.l + s.last * 256 + b
  s.last = nil
end

-- sum is a checksum over bytes from … to-1 of the datagram, in which its own count as zeros.
local function sum(c, values, data, from, to, own)
  local s, take, wide = { h = c.init[1], l = c.init[2], b = 0 }, summing[c.kind], c.width / 8
  if c.kind == "CRC" and c.refin then s.h, s.l = reverse(s.h, s.l, c.width) end
  local function value(i)
    local p, v = c.parts[i], values[i]
    for k = 0, p.size - 1 do
      local _, b = shiftRight(v[1], v[2], 8 * (p.big and p.size - 1 - k or k))
      take(c, s, b % 256)
    end
  end
  for i = 1, c.prefixes do value(i) end
  local zero = own >= from and own + wide <= to
  for k = from, to - 1 do
    take(c, s, zero and k >= own and k < own + wide and 0 or byte(data, k + 1))
  end
  for i = c.prefixes + 1, #c.parts do value(i) end
  if s.last then take(c, s, 0) end
  local h, l = s.h, s.l
  if c.kind == "CRC" then
    if c.refin ~= c.refout then h, l = reverse(h, l, c.width) end
    h, l = xor(h, c.final[1]), xor(l, c.final[2])
  elseif c.kind == "BYTES" then
    if c.negated then l = (P32 - l) % P32 end
    l = l % 2 ^ c.width
  elseif c.kind == "FLETCHER" or c.kind == "FLETCHER32" then
    l = l + s.b * 2 ^ (c.width / 2)
  elseif c.kind == "INTERNET" then
    while l > 65535 do l = floor(l / 65536) + l % 65536 end
    l = 65535 - l
  end
  return xor(h, c.xor[1]), xor(l, c.xor[2])
end
