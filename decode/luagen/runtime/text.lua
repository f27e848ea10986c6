-- Text.
local function utf8Of(r)
  if r < 128 then return char(r) end
  if r < 2048 then return char(192 + floor(r / 64), 128 + r % 64) end
  if r < 65536 then return char(224 + floor(r / 4096), 128 + floor(r / 64) % 64, 128 + r % 64) end
  return char(240 + floor(r / 262144), 128 + floor(r / 4096) % 64, 128 + floor(r / 64) % 64, 128 + r % 64)
end

-- rune is the character at byte i of a text, and its size; nil where there is none.
local function rune(s, i)
  local c = byte(s, i)
  if c < 128 then return c, 1 end
  local more = c >= 194 and c < 224 and 1 or c >= 224 and c < 240 and 2 or c >= 240 and c < 245 and 3
  if not more or i + more > #s then return end
  local r = c % 2 ^ (6 - more)
  for k = 1, more do
    local d = byte(s, i + k)
    if d < 128 or d > 191 then return end
    r = r * 64 + d % 64
  end
  if more == 2 and (r < 2048 or r >= 55296 and r < 57344) or more == 3 and (r < 65536 or r > 1114111) then return end
  return r, more + 1
end

-- utf8Fault is where a text is no UTF-8, from 0.
local function utf8Fault(s)
  local i = 1
  while i <= #s do
    local r, n = rune(s, i)
    if not r then return i - 1 end
    i = i + n
  end
end

-- units of UTF-16 to UTF-8.
local function utf16Text(units)
  local b, i = {}, 1
  while i <= #units do
    local u, low = units[i], units[i + 1]
    if u >= 55296 and u < 56320 and low and low >= 56320 and low < 57344 then
      u, i = (u - 55296) * 1024 + low - 56320 + 65536, i + 1
    end
    if u >= 55296 and u < 57344 or u > 1114111 then u = 65533 end
    b[#b + 1], i = utf8Of(u), i + 1
  end
  return concat(b)
end

local function halves(s, big)
  local units = {}
  for i = 1, #s - 1, 2 do
    local a, b = byte(s, i, i + 1)
    units[#units + 1] = big and a * 256 + b or b * 256 + a
  end
  return units
end

-- escaped is a text that a screen shows and obeys none of it.
local function escaped(s, quotes)
  local b, i = {}, 1
  while i <= #s do
    local r, n = rune(s, i)
    if not r then b[#b + 1], n = format("\\x%02x", byte(s, i)), 1
    elseif quotes and (r == 34 or r == 92) then b[#b + 1] = "\\" .. char(r)
    elseif r < 32 or r == 127 then b[#b + 1] = format("\\x%02x", r)
    elseif r >= 128 and r < 161 or r == 173 or r >= 768 and r < 880 or r >= 8192 and r < 8208 or r >= 8232 and r < 8240 or r >= 8287 and r < 8304
      or r == 65279 or r >= 57344 and r < 63744 then b[#b + 1] = format("\\u%04x", r)
    elseif r >= 917504 then b[#b + 1] = format("\\U%08x", r)
    else b[#b + 1] = sub(s, i, i + n - 1) end
    i = i + n
  end
  return concat(b)
end

local function hexOf(s)
  return (string.gsub(s, ".", function(c) return format("%02x", byte(c)) end))
end

-- surrogateFault is whether half of a pair stands alone.
local function surrogateFault(units)
  local before = false
  for _, u in ipairs(units) do
    if (u >= 56320 and u < 57344) ~= before then return true end
    before = u >= 55296 and u < 56320
  end
  return before
end

-- judgeBytes judges a text that is no dnsname; of a wstring units are its words.
local function judgeBytes(b, s, units)
  local n = #s
  if b.text == "wstring" then
    for _, u in ipairs(units) do
      if u == 0 or u > 65535 then return "bad-string" end
    end
    if surrogateFault(units) then return "bad-string" end
    n, s = #units, utf16Text(units)
  elseif b.text == "char" then
    n = (string.find(s, "\0", 1, true) or #s + 1) - 1
    for i = n + 1, #s do
      if byte(s, i) ~= 0 then return "bad-string" end
    end
    s = sub(s, 1, n)
  elseif b.text == "string" then
    if string.find(s, "\0", 1, true) or utf8Fault(s) then return "bad-string" end
  end
  if b.encoding == "utf8" and utf8Fault(s) then return "bad-string" end
  if b.encoding == "ascii" then
    for i = 1, #s do
      if byte(s, i) > 127 then return "bad-string" end
    end
  end
  if b.encoding == "utf16le" or b.encoding == "utf16be" then
    if #s % 2 ~= 0 or surrogateFault(halves(s, b.encoding == "utf16be")) then return "bad-string" end
  end
  if b.encoding or not b.same then return end
  if (s == b.same) ~= (b.equal == true) then return "const-mismatch" end
end

-- readName reads a domain name at a byte of the datagram: the kind that it is refused with, the size of its own bytes,
-- its text, and whether it has a pointer.
local function readName(data, room, at, stop)
  local run, next, size, pointers, own, labels = at, at, 1, 0, 0, {}
  while true do
    if next >= stop then return pointers > 0 and "bad-string" or "past-end", pointers > 0 and own or next + 1 - at end
    local c = next < room and byte(data, next + 1) or 0
    local more = c <= 63 and c or 1
    if c > 63 and c < 192 or c > 0 and c <= 63 and size + 1 + c > 255 then return "bad-string", pointers > 0 and own or next + 1 - at end
    if more >= stop - next then return pointers > 0 and "bad-string" or "past-end", pointers > 0 and own or next + 1 + more - at end
    if pointers == 0 then own = next + 1 + more - at end
    if c == 0 then
      if #labels == 0 then labels[1] = "." end
      return nil, own, concat(labels), pointers > 0
    elseif c <= 63 then
      local label = {}
      for i = next + 1, next + c do
        local d = i < room and byte(data, i + 1) or 0
        if d == 46 or d == 92 then label[#label + 1] = "\\" .. char(d)
        elseif d <= 32 or d >= 127 then label[#label + 1] = format("\\%03d", d)
        else label[#label + 1] = char(d) end
      end
      labels[#labels + 1] = concat(label) .. "."
      size, next = size + 1 + c, next + 1 + c
    else
      local to = c % 64 * 256 + (next + 1 < room and byte(data, next + 2) or 0)
      if to >= run or pointers == 64 then return "bad-string", own end
      run, next, stop, pointers = to, to, at, pointers + 1
    end
  end
end
