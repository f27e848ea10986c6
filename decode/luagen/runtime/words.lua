-- Words of 64 bits as two numbers, the upper and the lower 32 bits: a Lua number is a double, in newer versions also an
-- integer, and neither holds all of them. P32 is a float, so that no product of integers wraps.
local P32, P16, P31 = 4294967296.0, 65536.0, 2147483648.0
local floor, byte, sub, rep, format, char = math.floor, string.byte, string.sub, string.rep, string.format, string.char
local concat, min, max = table.concat, math.min, math.max

local function add(ah, al, bh, bl)
  local h, l = ah + bh, al + bl
  if l >= P32 then h, l = h + 1, l - P32 end
  if h >= P32 then h = h - P32 end
  return h, l
end

local function subtract(ah, al, bh, bl)
  local h, l = ah - bh, al - bl
  if l < 0 then h, l = h - 1, l + P32 end
  if h < 0 then h = h + P32 end
  return h, l
end

local function negate(h, l) return subtract(0, 0, h, l) end

-- less compares without signs.
local function less(ah, al, bh, bl) return ah < bh or ah == bh and al < bl end

local function multiply(ah, al, bh, bl)
  local a0, a1 = al % P16, floor(al / P16)
  local a2, a3 = ah % P16, floor(ah / P16)
  local b0, b1 = bl % P16, floor(bl / P16)
  local b2, b3 = bh % P16, floor(bh / P16)
  local c0 = a0 * b0
  local c1 = a1 * b0 + a0 * b1 + floor(c0 / P16)
  local c2 = a2 * b0 + a1 * b1 + a0 * b2 + floor(c1 / P16)
  local c3 = a3 * b0 + a2 * b1 + a1 * b2 + a0 * b3 + floor(c2 / P16)
  return c3 % P16 * P16 + c2 % P16, c1 % P16 * P16 + c0 % P16
end

-- divide gives quotient and rest without signs; 0 and 0 of a division by 0.
local function divide(ah, al, bh, bl)
  if bh == 0 and bl == 0 then return 0, 0, 0, 0 end
  if ah < 2097152 and bh < 2097152 then -- both are exact as doubles
    local a, b = ah * P32 + al, bh * P32 + bl
    local q = floor(a / b)
    local r = a - q * b
    if r < 0 then q, r = q - 1, r + b end -- the quotient was rounded up
    return floor(q / P32), q % P32, floor(r / P32), r % P32
  end
  local qh, ql, rh, rl = 0, 0, 0, 0
  for i = 63, 0, -1 do
    local bit = i >= 32 and floor(ah / 2 ^ (i - 32)) % 2 or floor(al / 2 ^ i) % 2
    rh, rl = add(rh, rl, rh, rl) -- of at most 63 bits: those that were taken of a
    rl = rl + bit
    if not less(rh, rl, bh, bl) then
      rh, rl = subtract(rh, rl, bh, bl)
      if i >= 32 then qh = qh + 2 ^ (i - 32) else ql = ql + 2 ^ i end
    end
  end
  return qh, ql, rh, rl
end

local function shiftLeft(h, l, n)
  if n >= 32 then return l * 2 ^ (n - 32) % P32, 0 end
  return h * 2 ^ n % P32 + floor(l / 2 ^ (32 - n)), l * 2 ^ n % P32
end

local function shiftRight(h, l, n)
  if n >= 32 then return 0, floor(h / 2 ^ (n - 32)) end
  return floor(h / 2 ^ n), floor(l / 2 ^ n) + h * 2 ^ (32 - n) % P32
end

-- lowest keeps the n lowest bits.
local function lowest(h, l, n)
  if n >= 64 then return h, l end
  if n >= 32 then return h % 2 ^ (n - 32), l end
  return 0, l % 2 ^ n
end

-- extend makes a signed number of the n bits of a code.
local function extend(h, l, n)
  h, l = lowest(h, l, n)
  if n >= 64 or n == 0 then return h, l end
  if n > 32 then
    if h >= 2 ^ (n - 33) then h = h + P32 - 2 ^ (n - 32) end
  elseif l >= 2 ^ (n - 1) then
    h, l = P32 - 1, l + P32 - 2 ^ n
  end
  return h, l
end

local ands -- of two nibbles
local function both(a, b)
  if not ands then
    ands = {}
    for x = 0, 15 do
      for y = 0, 15 do
        local v = 0
        for i = 0, 3 do
          if floor(x / 2 ^ i) % 2 == 1 and floor(y / 2 ^ i) % 2 == 1 then v = v + 2 ^ i end
        end
        ands[x * 16 + y] = v
      end
    end
  end
  local v, place = 0, 1
  while a > 0 and b > 0 do
    v = v + ands[a % 16 * 16 + b % 16] * place
    a, b, place = floor(a / 16), floor(b / 16), place * 16
  end
  return v
end

local function xor(a, b) return a + b - 2 * both(a, b) end
local function either(a, b) return a + b - both(a, b) end

-- decimal is a number as text. As a double it may be rounded: these are not.
local function decimal(h, l, signed)
  if signed and h >= P31 then return "-" .. decimal(negate(h, l)) end
  if h == 0 then return format("%d", l) end
  local qh, ql, _, r = divide(h, l, 0, 1000000000)
  if qh == 0 and ql == 0 then return format("%d", r) end
  return decimal(qh, ql) .. format("%09d", r)
end

local function hex(h, l, digits)
  local s = h > 0 and format("%x%08x", h, l) or format("%x", l)
  return rep("0", (digits or 0) - #s) .. s
end

-- bitsOf is how many bits a number takes.
local function bitsOf(h, l)
  local n = 0
  if h > 0 then n, l = 32, h end
  while l > 0 do n, l = n + 1, floor(l / 2) end
  return n
end

-- has finds a word in sorted intervals of four numbers each.
local function has(set, h, l)
  local lo, hi = 1, #set + 1
  while lo < hi do
    local mid = floor((lo + hi) / 2)
    if less(set[mid][3], set[mid][4], h, l) then lo = mid + 1 else hi = mid end
  end
  local r = set[lo]
  if r and not less(h, l, r[1], r[2]) then return r end
end
