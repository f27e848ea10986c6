-- R-Type for tshark, as one would write it: tshark -X lua_script:rtype.lua -Y 'rtype.bad || udp.length == 8'
-- shows what it refuses: an empty datagram comes to no dissector.
local rtype = Proto("rtype", "R-Type")
local f = {
  type = ProtoField.uint16("rtype.type", "type", base.HEX),
  seq = ProtoField.uint16("rtype.seq", "sequence_num"),
  time = ProtoField.uint64("rtype.time", "timestamp"),
  count = ProtoField.uint8("rtype.count", "count"),
  id8 = ProtoField.uint8("rtype.id8", "id"),
  id16 = ProtoField.uint16("rtype.id16", "id"),
  owner = ProtoField.uint8("rtype.owner", "owner_id"),
  x = ProtoField.uint16("rtype.x", "x"),
  y = ProtoField.uint16("rtype.y", "y"),
  health = ProtoField.uint8("rtype.health", "health"),
  alive = ProtoField.uint8("rtype.alive", "alive"),
  acked = ProtoField.uint16("rtype.acked", "last_acked_input_seq"),
  skin = ProtoField.uint8("rtype.skin", "ship_skin"),
  kind = ProtoField.uint8("rtype.kind", "enemy_type"),
  keys = ProtoField.uint16("rtype.keys", "keys", base.HEX),
  token = ProtoField.bytes("rtype.token", "token"),
  text = ProtoField.string("rtype.text", "text"),
  damage = ProtoField.uint8("rtype.damage", "damage"),
  player = ProtoField.uint8("rtype.player_health", "new_health"),
}
rtype.fields = f
local bad = ProtoExpert.new("rtype.bad", "refused", expert.group.MALFORMED, expert.severity.ERROR)
rtype.experts = { bad }


local function ranged(tree, field, tvb, at, most, least)
  local item = tree:add(field, tvb(at, 1))
  local v = tvb(at, 1):uint()
  if v > most or v < (least or 0) then item:add_proto_expert_info(bad) end
  return v
end

-- utf8 is whether text is UTF-8: Lua 5.2 has no library for it.
local function utf8(s)
  if not s:find("[\128-\255]") then return true end
  s = s:gsub("[\194-\223][\128-\191]", ".")
  s = s:gsub("\224[\160-\191][\128-\191]", "."):gsub("\237[\128-\159][\128-\191]", ".")
  s = s:gsub("[\225-\236\238\239][\128-\191][\128-\191]", ".")
  s = s:gsub("\240[\144-\191][\128-\191][\128-\191]", "."):gsub("\244[\128-\143][\128-\191][\128-\191]", ".")
  s = s:gsub("[\241-\243][\128-\191][\128-\191][\128-\191]", ".")
  return not s:find("[\128-\255]")
end

-- text is refused when it is no UTF-8, or with something behind its end.
local function text(tree, tvb, at, size)
  local item = tree:add(f.text, tvb(at, size))
  local raw = tvb:raw(at, size)
  local kept = raw:match("^[^%z]*")
  if raw:find("[^%z]", #kept + 1) or not utf8(kept) then item:add_proto_expert_info(bad) end
  return at + size
end

-- counted gives how many elements follow; none where they are more than the packet holds, which is then wrong.
local function counted(tree, tvb, at, most, size)
  if tvb:len() <= at then return nil end
  local n = ranged(tree, f.count, tvb, at, most)
  if n > most or tvb:len() < at + 1 + n * size then return nil end
  return n, at + 1
end

local function missiles(tree, tvb, at)
  local n
  n, at = counted(tree, tvb, at, 32, 7)
  for _ = 1, n or 0 do
    tree:add(f.id16, tvb(at, 2)) tree:add(f.owner, tvb(at + 2, 1))
    tree:add(f.x, tvb(at + 3, 2)) tree:add(f.y, tvb(at + 5, 2))
    at = at + 7
  end
  return at
end

local function snapshot(tree, tvb, at)
  local n
  n, at = counted(tree, tvb, at, 4, 10)
  if not n then return nil end
  for _ = 1, n do
    tree:add(f.id8, tvb(at, 1)) tree:add(f.x, tvb(at + 1, 2)) tree:add(f.y, tvb(at + 3, 2))
    ranged(tree, f.health, tvb, at + 5, 100)
    ranged(tree, f.alive, tvb, at + 6, 1)
    tree:add(f.acked, tvb(at + 7, 2))
    ranged(tree, f.skin, tvb, at + 9, 6, 1)
    at = at + 10
  end
  at = missiles(tree, tvb, at)
  if not at then return nil end
  n, at = counted(tree, tvb, at, 16, 8)
  if not n then return nil end
  for _ = 1, n do
    tree:add(f.id16, tvb(at, 2)) tree:add(f.x, tvb(at + 2, 2)) tree:add(f.y, tvb(at + 4, 2))
    tree:add(f.health, tvb(at + 6, 1)) tree:add(f.kind, tvb(at + 7, 1))
    at = at + 8
  end
  return missiles(tree, tvb, at)
end

-- sizes are the bytes of each message but the snapshot.
local sizes = { [0x01] = 12, [0x02] = 12, [0x10] = 51, [0x11] = 13, [0x12] = 76, [0x61] = 16, [0x70] = 13, [0x71] = 13,
  [0x80] = 12, [0x81] = 19, [0x82] = 14, [0x91] = 14, [0xa0] = 15, [0xa1] = 13 }

local function body(tree, tvb, t)
  local at = 12
  if t == 0x40 then return snapshot(tree, tvb, at) end
  if not sizes[t] or tvb:len() < sizes[t] then return nil end
  if t == 0x61 then
    local item = tree:add(f.keys, tvb(at, 2))
    if tvb(at, 2):uint() > 0x1f then item:add_proto_expert_info(bad) end
    tree:add(f.seq, tvb(at + 2, 2))
  elseif t == 0x10 then
    tree:add(f.token, tvb(at, 32)) ranged(tree, f.skin, tvb, at + 32, 6, 1) text(tree, tvb, at + 33, 6)
  elseif t == 0x12 then text(tree, tvb, at, 64)
  elseif t == 0x81 then
    tree:add(f.id16, tvb(at, 2)) tree:add(f.owner, tvb(at + 2, 1)) tree:add(f.x, tvb(at + 3, 2)) tree:add(f.y, tvb(at + 5, 2))
  elseif t == 0x82 or t == 0x91 then tree:add(f.id16, tvb(at, 2))
  elseif t == 0xa0 then
    tree:add(f.id8, tvb(at, 1)) tree:add(f.damage, tvb(at + 1, 1)) ranged(tree, f.player, tvb, at + 2, 100)
  elseif sizes[t] == 13 then tree:add(f.id8, tvb(at, 1))
  end
  return sizes[t]
end

function rtype.dissector(tvb, pinfo, root)
  pinfo.cols.protocol = "R-Type"
  local tree = root:add(rtype, tvb())
  if tvb:len() < 12 or tvb:len() > 1200 then tree:add_proto_expert_info(bad) return end
  tree:add(f.type, tvb(0, 2)) tree:add(f.seq, tvb(2, 2)) tree:add(f.time, tvb(4, 8))
  if body(tree, tvb, tvb(0, 2):uint()) ~= tvb:len() then tree:add_proto_expert_info(bad) end
end

DissectorTable.get("udp.port"):add(4124, rtype)
