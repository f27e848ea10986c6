-- Expressions: a stack machine over words. m is the machine below.
local function truth(v) if v then return 0, 1 end return 0, 0 end

local function signedLess(ah, al, bh, bl, sx, sy)
  local na, nb = sx and ah >= P31, sy and bh >= P31
  if na ~= nb then return na end
  return less(ah, al, bh, bl)
end

local function quotient(ah, al, bh, bl, sx, sy, rest)
  local na, nb = sx and ah >= P31 or false, sy and bh >= P31 or false
  if na then ah, al = negate(ah, al) end
  if nb then bh, bl = negate(bh, bl) end
  local qh, ql, rh, rl = divide(ah, al, bh, bl)
  local negative = na ~= nb
  if rest then qh, ql, negative = rh, rl, na end
  if negative then return negate(qh, ql) end
  return qh, ql
end

local function keyed(in_, h)
  if in_.sx then return (h + P31) % P32 end
  return h
end

local pushes = {
  const = function(_, i) return i.h, i.l end,
  register = function(m, i) return m.rh[i.a], m.rl[i.a] end,
  rest = function(m) return 0, floor(max(m.stop - m.bit, 0) / 8) end,
  peek = function(m, i) return look(m.data, m.seen, i.l, m.bit, i.a, m.bit, m.stop) end,
  tail = function(m, i) return look(m.data, m.seen, i.l, m.stop - i.a, i.a, m.bit, m.stop) end,
  from = function(m, i) return truth(m.from ~= 0 and m.from == i.a) end,
  here = function(m, i) return 0, m.bit + -m.bit % i.a end,
}

local unaries = {
  flag = function(i, h, l) return truth(both(h, i.h) > 0 or both(l, i.l) > 0) end,
  neg = function(_, h, l) return negate(h, l) end,
  ["not"] = function(_, h, l) return h, l % 2 == 0 and l + 1 or l - 1 end,
  ["in"] = function(i, h, l) return truth(has(i.rows, keyed(i, h), l)) end,
  table = function(i, h, l)
    local row = has(i.rows, keyed(i, h), l)
    if row then return row[5], row[6] end
    return i.h, i.l
  end,
}

local binaries = {
  add = function(_, ...) return add(...) end,
  sub = function(_, ...) return subtract(...) end,
  mul = function(_, ...) return multiply(...) end,
  div = function(i, ah, al, bh, bl) return quotient(ah, al, bh, bl, i.sx, i.sy) end,
  mod = function(i, ah, al, bh, bl) return quotient(ah, al, bh, bl, i.sx, i.sy, true) end,
  ["and"] = function(_, ah, al, bh, bl) return both(ah, bh), both(al, bl) end,
  ["or"] = function(_, ah, al, bh, bl) return either(ah, bh), either(al, bl) end,
  xor = function(_, ah, al, bh, bl) return xor(ah, bh), xor(al, bl) end,
  shl = function(_, ah, al, _, bl) return shiftLeft(ah, al, bl % 64) end,
  shr = function(i, ah, al, _, bl)
    if not (i.sx and ah >= P31) then return shiftRight(ah, al, bl % 64) end
    local h, l = shiftRight(P32 - 1 - ah, P32 - 1 - al, bl % 64)
    return P32 - 1 - h, P32 - 1 - l
  end,
  eq = function(i, ah, al, bh, bl) return truth(ah == bh and al == bl and (ah < P31 or i.sx == i.sy)) end,
  lt = function(i, ah, al, bh, bl) return truth(signedLess(ah, al, bh, bl, i.sx, i.sy)) end,
  le = function(i, ah, al, bh, bl) return truth(not signedLess(bh, bl, ah, al, i.sy, i.sx)) end,
}

-- valueOf is the number of a code: extension is 0, the bits of two's complement, or 65 where the sign is in bit 0.
local function valueOf(h, l, extension, bh, bl)
  if extension == 65 then
    local odd = l % 2 == 1
    h, l = shiftRight(h, l, 1)
    if odd then return P32 - 1 - h, P32 - 1 - l end
    return h, l
  end
  h, l = add(h, l, bh, bl)
  if extension > 0 then return extend(h, l, extension) end
  return h, l
end

local function evaluate(m, operand)
  local o = m.p.operands[operand + 1]
  if o.k == "const" then return o.h, o.l end
  if o.k == "register" then return m.rh[o.r], m.rl[o.r] end
  if o.k == "leaf" then
    local r = m.recs[m.run + o.r]
    return valueOf(r.h, r.l, o.x or 0, o.h, o.l)
  end
  local hs, ls, n = {}, {}, 0
  for _, i in ipairs(o.code) do
    local push, one = pushes[i.code], unaries[i.code]
    if push then
      n = n + 1
      hs[n], ls[n] = push(m, i)
    elseif one then
      hs[n], ls[n] = one(i, hs[n], ls[n])
    else
      n = n - 1
      hs[n], ls[n] = binaries[i.code](i, hs[n], ls[n], hs[n + 1], ls[n + 1])
    end
  end
  return hs[1], ls[1]
end
