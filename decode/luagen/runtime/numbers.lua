-- Numbers whose width is found on the way.
-- take reads n bits of a number.
local function take(m, op, n)
  if not fits(m, n, m.p.leaves[op.a + 1].node) then return end
  local h, l = read(m, op.order, m.bit, n)
  m.bit = m.bit + n
  return h, l
end

function numbers.sized(m, op, x)
  local h, l = evaluate(m, x.operand)
  if h > 0 or l > 64 then
    return refuse(m, "out-of-range", m.bit, 0, m.p.leaves[op.a + 1].node, format("0..%d", x.bits), decimal(h, l, m.p.operands[x.operand + 1].signed))
  end
  return take(m, op, l)
end

function numbers.ranged(m, op, x)
  local h, l = evaluate(m, x.operand)
  if signedLess(h, l, x.lo[1], x.lo[2], x.signed, x.signed) then
    return refuse(m, "out-of-range", m.bit, 0, m.p.leaves[op.a + 1].node, "an upper end from " .. decimal(x.lo[1], x.lo[2], x.signed), decimal(h, l, m.p.operands[x.operand + 1].signed))
  end
  local sh, sl = subtract(h, l, x.lo[1], x.lo[2])
  local ch, cl = take(m, op, bitsOf(sh, sl))
  if not ch or not less(sh, sl, ch, cl) then return ch, cl end
  if not (op.hides and op.hides.size) then m.want = decimal(x.lo[1], x.lo[2], x.signed) .. ".." .. decimal(h, l, x.signed) end
  return ch, cl, "out-of-range"
end

function numbers.varint(m, op, x)
  local h, l, over, groups = 0, 0, false, floor((x.bits + 6) / 7)
  for g = 0, groups - 1 do
    local _, b = take(m, op, 8)
    if not b then return end
    local part = b % 128
    over = over or bitsOf(0, part) + 7 * g > x.bits
    if g < 9 or part <= 1 then
      local ph, pl = shiftLeft(0, part, 7 * g)
      h, l = h + ph, l + pl
    else
      h, l = P32 - 1, P32 - 1
    end
    if b < 128 then return h, l, b == 0 and g > 0 and "non-canonical" or over and "out-of-range" or nil end
  end
  return h, l, "out-of-range"
end

function numbers.below(m, op, x)
  local lh, ll = evaluate(m, x.operand)
  local limit, got, mask = count(lh, ll), 0, 1
  while got + mask < limit do
    local _, b = take(m, op, 1)
    if not b then return end
    got, mask = got + b * mask, mask * 2
  end
  return floor(got / P32), got % P32
end

local relative = { { 1, 1 }, { 2, 6 }, { 7, 23 }, { 24, 280 }, { 281, 4377 }, { 4378, 69914 } }
local ascending = { { 1, 1 }, { 2, 5 }, { 6, 13 }, { 14, 29 }, { 30, 61 }, { 62, 125 } }

-- climb gives a step, -1 on the last rung.
local function climb(m, op, rungs)
  for _, r in ipairs(rungs) do
    local _, flag = take(m, op, 1)
    if not flag then return end
    if flag == 1 then
      local _, code = take(m, op, bitsOf(0, r[2] - r[1]))
      if not code then return end
      return code + r[1], code > r[2] - r[1] and "out-of-range" or nil
    end
  end
  return -1
end

function numbers.ladder(m, op, x)
  local ph, pl = evaluate(m, x.operand)
  local step, kind = climb(m, op, relative)
  if not step then return end
  local h, l
  if step < 0 then
    h, l = take(m, op, 32)
    if not h then return end
  else
    h, l = add(ph, pl, 0, step)
    if less(h, l, ph, pl) then return h, l, "out-of-range" end
  end
  local odd
  if kind then
  elseif h > 0 or l > 2147483647 then kind = "out-of-range"
  elseif not less(ph, pl, h, l) then kind, m.want = "not-increasing", "more than " .. decimal(ph, pl)
  elseif step < 0 and l - pl <= 69914 then odd = "non-canonical" end
  return h, l, kind, odd
end

-- index is an index of a subset: signed, since -1 comes before the first.
local function index(m, op, x, leaf)
  local start, kind, code = m.bit, nil, nil
  local previous = m.rh[x.previous] >= P31 and -1 or count(m.rh[x.previous], m.rl[x.previous])
  if x.kind == "index" then
    local h, l = take(m, op, x.bits)
    code = h and count(h, l)
  else
    local step
    step, kind = climb(m, op, ascending)
    if not step then return end
    if step >= 0 then code = previous + step
    elseif x.most + 1 < 126 then kind, code = "out-of-range", previous
    else
      local _, l = take(m, op, bitsOf(0, x.most + 1 - 126))
      if not l then return end
      if l > x.most + 1 - 126 then kind = "out-of-range" end
      code = l + 126 + previous
    end
  end
  if not code then return end
  local list = x.ends and m.loops[m.p.ops[op.c + 1].a]
  local ended = list and code == x.most
  if kind then
  elseif code > x.most or x.any and list and not ended and list.rec.n > x.most then kind = "out-of-range"
  elseif code <= previous then kind = "not-increasing" end
  local width = m.bit - start
  if kind then
    m.bit = start
    m.leaf, m.h, m.l = leaf, floor(max(code, 0) / P32), max(code, 0) % P32
    return refuse(m, kind, start, width, leaf.node, kind == "not-increasing" and format("more than %d", previous) or nil, format("%d", code))
  end
  if not x.any then m.rh[x.previous], m.rl[x.previous] = floor(code / P32), code % P32 end
  if ended then
    list.rec.n = list.rec.n - 1
    leave(m, list)
    leaf = m.p.leaves[x.last + 1]
  end
  local r = record(m, "leaf", leaf.node, start, width)
  r.leaf, r.h, r.l, r.bits = leaf, floor(code / P32), code % P32, width
end

function steps.number(m, op)
  local x, leaf, start = m.p.numbers[op.b + 1], m.p.leaves[op.a + 1], m.bit
  if not numbers[x.kind] then return index(m, op, x, leaf) end
  local h, l, kind, odd = numbers[x.kind](m, op, x)
  if m.done then return end
  local width, other = m.bit - start, nil
  if not kind then
    kind, other = judge(leaf, h, l, width)
  elseif kind == "out-of-range" and leaf.as == "cases" then kind = "unknown-case"
  elseif kind == "out-of-range" and leaf.as == "flags" and (h - both(h, leaf.want[1]) > 0 or l - both(l, leaf.want[2]) > 0) then
    kind = "reserved-nonzero"
  end
  if kind then
    m.bit, m.leaf, m.h, m.l = start, leaf, h, l
    return refuse(m, kind, start, width, leaf.node, m.want)
  end
  if odd then note(m, odd, start, width, leaf.node) end
  if other then note(m, other, start, width, leaf.node) end
  local r = record(m, "leaf", leaf.node, start, width)
  r.leaf, r.h, r.l, r.bits = leaf, h, l, width
  if x.register then
    m.rh[x.register], m.rl[x.register] = valueOf(h, l, leaf.zigzag and 65 or leaf.signed and width or 0, leaf.base[1], leaf.base[2])
    m.source[x.register] = r
  end
end
