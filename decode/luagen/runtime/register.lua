-- The protocol in Wireshark.
local function ready(p)
  for _, op in ipairs(p.ops) do
    op.step = steps[op.code]
    op.order, op.a, op.b, op.c = op.order or 0, op.a or 0, op.b or 0, op.c or 0
    op.ih, op.il = op.ih or 0, op.il or 0
    op.most = op.ih * P32 + op.il
  end
  local zero = { 0, 0 }
  for _, leaf in ipairs(p.leaves) do
    leaf.off, leaf.base, leaf.want = leaf.off or 0, leaf.base or zero, leaf.want or zero
    leaf.set = leaf.set or {}
  end
  for _, o in ipairs(p.operands) do
    o.h, o.l = o.h or 0, o.l or 0
    for _, i in ipairs(o.code or {}) do
      i.a, i.h, i.l, i.sx, i.sy = i.a or 0, i.h or 0, i.l or 0, i.sx or false, i.sy or false
    end
  end
  for _, c in ipairs(p.checksums) do
    c.init, c.final, c.xor, c.poly = c.init or zero, c.final or zero, c.xor or zero, c.poly or zero
    c.refin, c.refout = c.refin or false, c.refout or false
    for _, part in ipairs(c.parts) do part.value = part.value or zero end
  end
end

-- Where Wireshark has a protocol of the same name, ours is told apart by its name, and takes no port.
local taken = false
local ok, proto = pcall(Proto, NAME, TITLE)
if not ok then
  taken = true
  NAME = "pks_" .. NAME
  proto = Proto(NAME, TITLE .. " (pktscope)")
end

local made, own = {}, {}
local function keep(field)
  made[#made + 1] = field
  return field
end
own.verdict = keep(ProtoField.string(NAME .. ".verdict", "Verdict"))
own.reject = keep(ProtoField.none(NAME .. ".reject", "Reject"))
own.kind = keep(ProtoField.string(NAME .. ".reject.kind", "Kind"))
own.bit = keep(ProtoField.uint32(NAME .. ".reject.bit", "Bit"))
own.path = keep(ProtoField.string(NAME .. ".reject.path", "Path"))
own.want = keep(ProtoField.string(NAME .. ".reject.want", "Want"))
own.got = keep(ProtoField.string(NAME .. ".reject.got", "Got"))
own.note = keep(ProtoField.string(NAME .. ".note.kind", "Note"))
own.padding = keep(ProtoField.none(NAME .. ".padding", "Padding"))
own.reserved = keep(ProtoField.none(NAME .. ".reserved", "Reserved"))
own.rest = keep(ProtoField.none(NAME .. ".not_decoded", "Not decoded"))
own.section = keep(ProtoField.string(NAME .. ".message", "Message"))
own.rejected = ProtoExpert.new(NAME .. ".rejected", "Refused by the schema", expert.group.MALFORMED, expert.severity.ERROR)
own.noted = ProtoExpert.new(NAME .. ".noted", "Odd, but accepted", expert.group.PROTOCOL, expert.severity.NOTE)

-- cases is an enum as Wireshark wants it: the names of values.
local function cases(enum)
  if not enum or enum.flags then return nil end
  local names = {}
  for _, c in ipairs(enum.values) do names[c[1]] = c[2] end
  return next(names) and names or nil
end

for _, p in ipairs(programs) do
  ready(p)
  for _, f in ipairs(p.fields) do
    local abbr, number = NAME .. "." .. f[1], string.find(f.type, "int", 1, true)
    if number then f.made = keep(ProtoField[f.type](abbr, f[2], f.hex and base.HEX or base.DEC, cases(f.enum)))
    elseif f.type == "string" then f.made = keep(ProtoField.string(abbr, f[2], base.UNICODE))
    else f.made = keep(ProtoField[f.type](abbr, f[2])) end
  end
end
-- groups are the fields that stand for a struct or a list, or for bits between fields.
local groups = { own.padding, own.reserved, own.rest }
for _, p in ipairs(programs) do
  for _, n in ipairs(p.nodes) do
    if n.field then groups[#groups + 1] = p.fields[n.field].made end
  end
end

-- visible is whether all of a datagram is to be shown: not where only a filter asks for fields, and for no group.
local function visible(tree)
  if tree.visible then return true end
  for _, field in ipairs(groups) do
    if tree:referenced(field) then return true end
  end
  return false
end
proto.fields = made
proto.experts = { own.rejected, own.noted }

-- sender is who sent a datagram, by the ports of the schema: 0 where they do not tell.
local function sender(from, to)
  local a, b = serves[from] or false, serves[to] or false
  if a == b then return 0 end
  return a and 2 or 1
end

function proto.dissector(tvb, pinfo, tree)
  local data = tvb:len() > 0 and tvb:raw() or ""
  local size = max(tvb:reported_len(), #data)
  local m = decode(programs[1], data, size, sender(pinfo.src_port, pinfo.dst_port))
  local judged = verdict(m, size > #data)
  pinfo.cols.protocol = NAME
  local info = format("%d bytes: %s", size, judged)
  local tag = programs[1].tag
  if m.caseh and tag and not tag.secret then
    local name = tag.enum and caseName(tag.enum, m.caseh, m.casel)
    if not name and tag.other and not has(tag.arms, tag.signed and (m.caseh + P31) % P32 or m.caseh, m.casel) then name = tag.other end
    info = (name or decimal(m.caseh, m.casel, tag.signed)) .. ", " .. info
  end
  if judged == "reject" then info = info .. ": " .. (refusal(m)) end
  pinfo.cols.info = info
  local root = tree:add(proto, tvb())
  root:append_text(", " .. info)
  root:add(own.verdict, tvb(0, 0), judged):set_generated()
  show({ m = m, tvb = tvb, base = 0, size = #data, tree = root, left = MOST_ITEMS, hidden = 0, open = {}, own = own, fields = programs[1].fields,
    programs = programs, verdict = judged, depth = 0, visible = visible(tree) })
  return #data
end

local ports = DissectorTable.get("udp.port")
if taken then
  ports:add_for_decode_as(proto)
else
  for _, port in ipairs(PORTS) do ports:add(port, proto) end
  if #PORTS == 0 then ports:add_for_decode_as(proto) end
end
