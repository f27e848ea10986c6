-- caseName is the name of a code, nil where the enum lists none.
local function caseName(enum, h, l)
  if h < 2097152 then return enum.names[h * P32 + l] end
  return enum.names[hex(h, l)]
end

-- judge is the kind that a leaf's code is refused with, or nil; and what is odd about one that is accepted.
local function judge(leaf, h, l, width)
  local as, note = leaf.as, nil
  if as == "sum" then return end
  if as == "check" then return (h ~= leaf.want[1] or l ~= leaf.want[2]) and "check-mismatch" or nil end
  if as == "reserved" then
    if h == 0 and l == 0 then return end
    if leaf.any then return nil, "ignored-bits" end
    return "reserved-nonzero"
  end
  local enum = leaf.enum
  if enum and enum.flags then
    if h - both(h, leaf.want[1]) > 0 or l - both(l, leaf.want[2]) > 0 then
      if not enum.open then return "reserved-nonzero" end
      note = "unlisted-value"
    end
  elseif enum and not caseName(enum, h, l) then
    if not enum.open then return "unknown-case" end
    note = "unlisted-value"
  end
  if less(leaf.span[1], leaf.span[2], h, l) then return "out-of-range", note end
  local by = leaf.by
  if not by then return nil, note end
  if by == "finite" or by == "float" then
    local e = leaf.exponent
    if e and both(h, e[1]) == e[1] and both(l, e[2]) == e[2] then return "not-finite", note end
    if by == "finite" then return nil, note end
  end
  local kh, kl = h, l
  if not leaf.codes then
    kh, kl = valueOf(h, l, leaf.zigzag and 65 or leaf.signed and width or 0, leaf.base[1], leaf.base[2])
    if leaf.signed or leaf.negative then kh = (kh + P31) % P32 end
  end
  local is = has(leaf.set, kh, kl) ~= nil
  if by == "in" or by == "float" then return not is and "out-of-range" or nil, note end
  return is ~= (by == "eq") and "const-mismatch" or nil, note
end
