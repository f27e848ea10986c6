-- A dissector for R-Type, as one would write it for tshark: the peer in BenchmarkMillion.
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

local function missiles(tree, tvb, at)
  local n = ranged(tree, f.count, tvb, at, 32)
  at = at + 1
  for _ = 1, n do
    tree:add(f.id16, tvb(at, 2)) tree:add(f.owner, tvb(at + 2, 1))
    tree:add(f.x, tvb(at + 3, 2)) tree:add(f.y, tvb(at + 5, 2))
    at = at + 7
  end
  return at
end

local function snapshot(tree, tvb, at)
  local n = ranged(tree, f.count, tvb, at, 4)
  at = at + 1
  for _ = 1, n do
    tree:add(f.id8, tvb(at, 1)) tree:add(f.x, tvb(at + 1, 2)) tree:add(f.y, tvb(at + 3, 2))
    ranged(tree, f.health, tvb, at + 5, 100)
    ranged(tree, f.alive, tvb, at + 6, 1)
    tree:add(f.acked, tvb(at + 7, 2))
    ranged(tree, f.skin, tvb, at + 9, 6, 1)
    at = at + 10
  end
  at = missiles(tree, tvb, at)
  n = ranged(tree, f.count, tvb, at, 16)
  at = at + 1
  for _ = 1, n do
    tree:add(f.id16, tvb(at, 2)) tree:add(f.x, tvb(at + 2, 2)) tree:add(f.y, tvb(at + 4, 2))
    tree:add(f.health, tvb(at + 6, 1)) tree:add(f.kind, tvb(at + 7, 1))
    at = at + 8
  end
  return missiles(tree, tvb, at)
end

function rtype.dissector(tvb, pinfo, root)
  pinfo.cols.protocol = "R-Type"
  local tree = root:add(rtype, tvb())
  tree:add(f.type, tvb(0, 2)) tree:add(f.seq, tvb(2, 2)) tree:add(f.time, tvb(4, 8))
  local t, at = tvb(0, 2):uint(), 12
  if t == 0x40 then at = snapshot(tree, tvb, at)
  elseif t == 0x61 then tree:add(f.keys, tvb(12, 2)) tree:add(f.seq, tvb(14, 2)) at = 16
  elseif t == 0x10 then tree:add(f.token, tvb(12, 32)) ranged(tree, f.skin, tvb, 44, 6, 1) tree:add(f.text, tvb(45, 6)) at = 51
  elseif t == 0x12 then tree:add(f.text, tvb(12, 64)) at = 76
  elseif t == 0x81 then tree:add(f.id16, tvb(12, 2)) tree:add(f.owner, tvb(14, 1)) tree:add(f.x, tvb(15, 2)) tree:add(f.y, tvb(17, 2)) at = 19
  elseif t == 0x82 or t == 0x91 then tree:add(f.id16, tvb(12, 2)) at = 14
  elseif t == 0xa0 then tree:add(f.id8, tvb(12, 1)) tree:add(f.id8, tvb(13, 1)) ranged(tree, f.health, tvb, 14, 100) at = 15
  elseif t == 0x11 or t == 0x70 or t == 0x71 or t == 0xa1 then tree:add(f.id8, tvb(12, 1)) at = 13
  elseif t ~= 1 and t ~= 2 and t ~= 0x80 then tree:add_proto_expert_info(bad) end
  if at < tvb:len() then tree:add_proto_expert_info(bad) end
end

DissectorTable.get("udp.port"):add(4124, rtype)
