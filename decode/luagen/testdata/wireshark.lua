-- What a dissector uses of Wireshark, for a plain Lua: `lua5.4 wireshark.lua dissector.lua <packets`. Packets are lines of
-- a source port, a destination port, the size and the bytes in hexadecimal. What the dissector adds is written as PDML.
local function fail(...) error(string.format(...), 3) end

Struct = {
  pack = function(f, x) return string.pack(f, x) end,
  unpack = function(f, s) return (string.unpack(f, s)) end,
}

-- A number of 64 bits that the dissector made of two halves, as text.
local function word(signed)
  return { new = function(l, h)
    l, h = math.tointeger(l) or fail("half %s", l), math.tointeger(h) or fail("half %s", h)
    if l < 0 or h < 0 or l >= 1 << 32 or h >= 1 << 32 then fail("halves %d, %d", h, l) end
    return { word = string.format(signed and "%d" or "0x%x", h << 32 | l) }
  end }
end
UInt64, Int64 = word(false), word(true)
local function address(s) return { address = s } end
Address = { ip = address, ipv6 = address, ether = address }
base = { DEC = "DEC", HEX = "HEX", UNICODE = "UNICODE" }
expert = { group = { MALFORMED = 1, PROTOCOL = 2 }, severity = { ERROR = 1, NOTE = 2 } }
ProtoExpert = { new = function(name) return { name = name } end }
ProtoField = setmetatable({}, { __index = function(_, kind)
  return function(filter, name) return { filter = filter, kind = kind, name = name } end
end })

local protocol
function Proto(name, title)
  if protocol then error("there cannot be two") end
  protocol = { filter = name, name = title, kind = "protocol" }
  return protocol
end
DissectorTable = { get = function() return { add = function() end, add_for_decode_as = function() end } end }

local Range = {}
Range.__index = Range
function Range:len() return self.n end

local function tvb(data, size)
  local t = setmetatable({}, { __call = function(_, at, n)
    at = at or 0
    n = n or #data - at
    if at < 0 or n < 0 or at + n > #data then fail("range %s, %s of %d bytes", at, n, #data) end
    return setmetatable({ data = data:sub(at + 1, at + n), n = n }, Range)
  end })
  function t:len() return #data end
  function t:reported_len() return size end
  function t:raw() return data end
  return t
end
ByteArray = { new = function(hex)
  local data = hex:gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end)
  return { tvb = function() return tvb(data, #data) end }
end }

local function hexOf(s) return (s:gsub(".", function(c) return string.format("%02x", c:byte()) end)) end

-- What a value is to filters, by the type of the field.
local function shown(field, range, value)
  local kind = field.kind
  if kind == "none" or kind == "protocol" then return "" end
  if kind == "bytes" then return hexOf(value and value:sub(1, range.n) or range.data) end
  if value == nil then fail("no value for %s", field.filter) end
  if kind == "string" then return value end
  if kind == "bool" then
    if type(value) ~= "boolean" then fail("%s is no bool", value) end
    return value and "1" or "0"
  end
  if kind == "uint64" or kind == "int64" then return value.word end
  if kind == "uint32" or kind == "int32" then return string.format("%d", value) end
  if kind == "double" then return string.format("%.17g", value) end
  return value.address
end

local Item = {}
Item.__index = Item
Item.visible = true
function Item:add(field, range, value)
  local i
  if getmetatable(field) == Range then i = { filter = "", show = range, label = range }
  else i = { filter = field.filter, show = shown(field, range, value), label = field.name } end
  setmetatable(i, Item)
  self[#self + 1] = i
  return i
end
function Item:set_text(text) self.label = text if self.filter == "" then self.show = text end end
function Item:append_text(text)
  self.label = self.label .. text
  if self.filter == "" then self.show = self.label end
end
function Item:set_generated() end
function Item:set_len(n) if n < 0 or math.tointeger(n) == nil then fail("length %s", n) end end
function Item:add_proto_expert_info() end
function Item:referenced() return true end

local function quoted(s)
  s = tostring(s):gsub('[&<>"]', { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" })
  return '"' .. s:gsub("[\0-\31\127]", "?") .. '"'
end
local function write(i, element)
  io.write("<", element, " name=", quoted(i.filter), " showname=", quoted(i.label), " show=", quoted(i.show), ">")
  for _, inner in ipairs(i) do write(inner, "field") end
  io.write("</", element, ">")
end

dofile(arg[1])
io.write("<pdml>\n")
local n = 0
for line in io.lines() do
  n = n + 1
  local from, to, size, hex = line:match("^(%d+) (%d+) (%d+) (%x*)$")
  local data = hex:gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end)
  local root = setmetatable({}, Item)
  local ok, trouble = pcall(protocol.dissector, tvb(data, tonumber(size)), { src_port = tonumber(from), dst_port = tonumber(to), cols = {} }, root)
  io.write('<packet><proto name="geninfo"><field name="num" show="', n, '"/></proto>')
  if not ok then io.write('<proto name="fake-field-wrapper"><field show=', quoted("Lua Error: " .. trouble), "/></proto>") end
  if root[1] then write(root[1], "proto") end
  io.write("</packet>\n")
end
io.write("</pdml>\n")
