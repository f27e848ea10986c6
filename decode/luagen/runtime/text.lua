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

-- badText is a text that breaks a rule at a byte or a unit, which is u.
local function badText(want, u, what, at)
  return "bad-string", want, format("0x%02x at %s %d", u, what, at)
end

-- surrogateFault is the unit from 0 where half of a pair stands alone, and what is there.
local function surrogateFault(units)
  local before
  for i, u in ipairs(units) do
    if (u >= 56320 and u < 57344) ~= (before or false) then return i - 1, u end
    before = u >= 55296 and u < 56320
  end
  if before then return #units - 1, units[#units] end
end

local function wideFault(units)
  local before = false
  for i, u in ipairs(units) do
    if u == 0 then return badText("no NUL inside", u, "unit", i - 1) end
    if u > 65535 then return badText("a UTF-16 unit", u, "unit", i - 1) end
    if (u >= 56320 and u < 57344) ~= before then return badText("surrogates in pairs", u, "unit", i - 1) end
    before = u >= 55296 and u < 56320
  end
  if before then return badText("surrogates in pairs", units[#units], "unit", #units - 1) end
end

local function utf8Judged(s)
  local at = utf8Fault(s)
  if at then return badText("UTF-8", byte(s, at + 1), "byte", at) end
end

-- encodings judge the bytes of a text.
local encodings = { utf8 = utf8Judged, latin1 = function() end }

function encodings.ascii(s)
  for i = 1, #s do
    if byte(s, i) > 127 then return badText("ASCII", byte(s, i), "byte", i - 1) end
  end
end

local function utf16Judged(s, big)
  local at, u = surrogateFault(halves(s, big))
  if at then return badText("surrogates in pairs", u, "byte", 2 * at) end
  if #s % 2 ~= 0 then return badText("an even number of bytes", byte(s, #s), "byte", #s - 1) end
end

function encodings.utf16le(s) return utf16Judged(s) end
function encodings.utf16be(s) return utf16Judged(s, true) end

-- inGo is bytes as a quoted string of ASCII, cut at 64 bytes.
local escapes = { [7] = "a", [8] = "b", [9] = "t", [10] = "n", [11] = "v", [12] = "f", [13] = "r", [34] = '"', [92] = "\\" }
local function inGo(s)
  local b, i, more = {}, 1, #s > 64 and "…" or ""
  s = sub(s, 1, 64)
  while i <= #s do
    local r, n = rune(s, i)
    if not r then b[#b + 1], n = format("\\x%02x", byte(s, i)), 1
    elseif escapes[r] then b[#b + 1] = "\\" .. escapes[r]
    elseif r < 32 or r == 127 then b[#b + 1] = format("\\x%02x", r)
    elseif r < 128 then b[#b + 1] = char(r)
    else b[#b + 1] = format(r < 65536 and "\\u%04x" or "\\U%08x", r) end
    i = i + n
  end
  return '"' .. concat(b) .. '"' .. more
end

-- judgeBytes judges a text that is no dnsname, and gives what is wrong with it: the kind, what it had to be, what it is.
-- Of a wstring units are its words.
local function judgeBytes(b, s, units)
  local kind, want, got
  if b.text == "wstring" then
    kind, want, got = wideFault(units)
    s = utf16Text(units)
  elseif b.text == "char" then
    local n = (string.find(s, "\0", 1, true) or #s + 1) - 1
    for i = n + 1, #s do
      if byte(s, i) ~= 0 then return badText("nothing but NULs after a NUL", byte(s, i), "byte", i - 1) end
    end
    s = sub(s, 1, n)
  elseif b.text == "string" then
    local nul = string.find(s, "\0", 1, true)
    if nul then return badText("no NUL inside", 0, "byte", nul - 1) end
    kind, want, got = utf8Judged(s)
  end
  if kind then return kind, want, got end
  if b.encoding then return encodings[b.encoding](s) end
  if b.same and (s == b.same) ~= (b.equal == true) then
    return "const-mismatch", (b.equal and "" or "not ") .. inGo(b.same), inGo(s)
  end
end

-- readName reads a domain name at a byte of the datagram: the kind that it is refused with, the size of its own bytes,
-- its text, whether it has a pointer, and of a bad one what it had to be and what it is.
local function readName(data, room, at, stop)
  local run, next, size, pointers, own, labels = at, at, 1, 0, 0, {}
  local function bad(want, c, looked)
    return "bad-string", pointers > 0 and own or looked, nil, nil, want, format("0x%02x at byte %d of the datagram", c, next)
  end
  local function cut(c, looked)
    if pointers > 0 then return bad("labels that end in front of the name", c) end
    return "past-end", looked
  end
  while true do
    if next >= stop then return cut(0, next + 1 - at) end
    local c = next < room and byte(data, next + 1) or 0
    local more = c <= 63 and c or 1
    if c > 63 and c < 192 then return bad("a label of at most 63 bytes, or a pointer", c, next + 1 - at) end
    if c > 0 and c <= 63 and size + 1 + c > 255 then return bad("at most 255 bytes of labels", c, next + 1 - at) end
    if more >= stop - next then return cut(c, next + 1 + more - at) end
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
      if to >= run then return bad("a pointer at earlier labels", c, own) end
      if pointers == 64 then return bad("at most 64 pointers", c, own) end
      run, next, stop, pointers = to, to, at, pointers + 1
    end
  end
end
