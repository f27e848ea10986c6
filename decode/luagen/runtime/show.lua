-- What Wireshark shows of a datagram that was read.
local MOST_ITEMS = 20000 -- of one datagram: hostile ones have many fields

local function mask(node, bits)
  if node.unsized or bits == 0 then return "‹secret›" end
  return format("‹secret %d B›", floor((bits + 7) / 8))
end

local function spread(h, l, bits)
  local b = {}
  for i = floor((bits + 7) / 8) - 1, 0, -1 do
    local _, v = shiftRight(h, l, 8 * i)
    b[#b + 1] = char(v % 256)
  end
  return concat(b)
end

-- numberOf is the value of a code as a word, and whether it has a sign.
local function numberOf(leaf, h, l, bits)
  h, l = valueOf(h, l, leaf.zigzag and 65 or leaf.signed and bits or 0, leaf.base[1], leaf.base[2])
  return h, l, leaf.signed or leaf.negative
end

local function double(h, l, signed)
  if signed and h >= P31 then
    h, l = negate(h, l)
    return -(h * P32 + l)
  end
  return h * P32 + l
end

local function floatOf(leaf, h, l, bits)
  if leaf.quantized then return dequantize(l, leaf.quantized), 32 end
  if bits == 32 then return float32(l), 32 end
  return float64(h, l), 64
end

local function flagsText(leaf, h, l)
  local names, lh, ll = {}, h, l
  for _, f in ipairs(leaf.enum.flags) do
    if both(h, f[1]) == f[1] and both(l, f[2]) == f[2] then
      names[#names + 1] = f[3]
      lh, ll = lh - both(lh, f[1]), ll - both(ll, f[2])
    end
  end
  if lh > 0 or ll > 0 then names[#names + 1] = "0x" .. hex(lh, ll) end
  return #names > 0 and concat(names, "|") or "none"
end

-- plainText is a value in one line, as `decode` has it; whole is with its unit and what the wire has.
local function plainText(leaf, h, l, bits)
  local vh, vl, signed = numberOf(leaf, h, l, bits)
  if leaf.display == "hex" then
    if not signed then return "0x" .. hex(vh, vl, floor((leaf.bits + 3) / 4)) end
    if vh >= P31 then return "-0x" .. hex(negate(vh, vl)) end
    return "0x" .. hex(vh, vl)
  elseif leaf.display then return displays[leaf.display](spread(vh, vl, leaf.bits))
  elseif leaf.form == "bool" then return l ~= 0 and "true" or "false"
  elseif leaf.form == "float" then return floatText(floatOf(leaf, h, l, bits))
  elseif leaf.form == "flags" then return flagsText(leaf, h, l)
  elseif leaf.form == "hex" then return "0x" .. hex(h, l, floor((bits + 3) / 4)) end
  return leaf.enum and caseName(leaf.enum, h, l) or decimal(vh, vl, signed)
end

local function wholeText(leaf, h, l, bits)
  local unit = leaf.unit and " " .. leaf.unit or ""
  local vh, vl, signed = numberOf(leaf, h, l, bits)
  local number = decimal(vh, vl, signed)
  local text = plainText(leaf, h, l, bits)
  if leaf.form == "case" then return text .. (caseName(leaf.enum, h, l) and " (" .. number .. ")" or " (unlisted)") .. unit
  elseif leaf.form == "flags" then return text .. " (0x" .. hex(h, l, floor((leaf.width + 3) / 4)) .. ")"
  elseif leaf.quantized then return text .. unit .. " (code " .. decimal(h, l) .. ")"
  elseif leaf.form == "int" then
    if leaf.display then return text .. unit .. " (" .. number .. ")"
    elseif leaf.scale then return format("%.12g", double(vh, vl, signed) * leaf.scale) .. unit .. " (" .. number .. ")"
    elseif leaf.time then return text .. unit .. " " .. leaf.time[1] .. clock(vh, vl, signed, leaf.time[2]) end
  end
  return text .. unit
end

-- pattern is the bits of a number among those of its bytes: `..10 1... = `.
local function pattern(m, r)
  local first, last = floor(r.bit / 8), floor((r.bit + r.width - 1) / 8)
  if r.width == 0 or last - first > 3 or r.bit % 8 == 0 and r.width % 8 == 0 or last >= #m.data then return "" end
  local lsb = m.p.order == LSB
  local b = {}
  for i = first, last do
    local c = byte(m.data, i + 1)
    for k = 0, 7 do
      local at = 8 * i + (lsb and 7 - k or k)
      b[#b + 1] = at >= r.bit and at < r.bit + r.width and format("%d", floor(c / 2 ^ (7 - k)) % 2) or "."
      if k == 3 then b[#b + 1] = " " end
    end
    b[#b + 1] = " "
  end
  return concat(b) .. "= "
end

-- How a value becomes one of a field of Wireshark's, by its type.
local setters = {
  uint32 = function(_, _, l) return l end,
  int32 = function(_, h, l) return h >= P31 and l - P32 or l end,
  uint64 = function(_, h, l) return UInt64.new(l, h) end,
  int64 = function(_, h, l) return Int64.new(l, h) end,
  ipv4 = function(_, h, l) return Address.ip(displays.ipv4(spread(h, l, 32))) end,
  ether = function(_, h, l) return Address.ether(displays.mac(spread(h, l, 48))) end,
}

-- printable is a text that a field can hold: no NUL ends it early.
local function printable(s)
  if string.find(s, "\0", 1, true) or utf8Fault(s) then return escaped(s) end
  return s
end

-- inQuotes is a text as a label has it, which Wireshark would cut at 240 bytes.
local function inQuotes(s)
  if #s <= 36 then return '"' .. escaped(s, true) .. '"' end
  local stop = 36
  while stop > 32 and byte(s, stop + 1) >= 128 and byte(s, stop + 1) < 192 do stop = stop - 1 end
  return '"' .. escaped(sub(s, 1, stop), true) .. format('…" (%d bytes)', #s)
end

local shower = {}

-- range is the bytes that some bits are in.
function shower.range(v, bit, width)
  local first = min(floor(bit / 8), v.size)
  local last = min(floor((bit + width + 7) / 8), v.size)
  if width == 0 then last = first end
  return v.tvb(v.base + first, last - first)
end

function shower.count(v)
  v.left = v.left - 1
  if v.left >= 0 then return true end
  v.hidden = v.hidden + 1
end

-- group opens a struct, a list or an element.
local function open(v, f, bit)
  local node = v.m.p.nodes[f.node]
  local range = shower.range(v, bit, 0)
  local parent = #v.open > 0 and v.open[#v.open].item or v.tree
  local label = node.elem and format("[%d]", f.index) or node.name
  if node.list then
    local n = f.count or 0
    label = label .. ": " .. format(n == 1 and "%d element" or "%d elements", n)
  elseif node.case then label = label .. ": " .. node.case end
  if node.secret then label = (node.elem and format("[%d]", f.index) or node.name) .. ": ‹secret›" end
  f.first, f.last = bit, bit
  local around = v.open[#v.open]
  f.masked = node.secret
  if not (around and around.masked) and shower.count(v) then
    f.item = node.field and parent:add(v.fields[node.field].made, range) or parent:add(range, label)
    f.item:set_text(label)
  else
    f.item = parent
    f.shared = true
  end
  v.open[#v.open + 1] = f
end

local function closeTo(v, depth)
  while #v.open > depth do
    local f = table.remove(v.open)
    if f.parts and not f.shared then f.item:append_text(": " .. concat(f.parts, ", ")) end
    if not f.shared then
      local first, last = floor(f.first / 8), floor((f.last + 7) / 8)
      f.item:set_len(max(min(last, v.size) - min(first, v.size), 0))
    end
    local around = v.open[#v.open]
    if around then around.last = max(around.last, f.last) end
  end
end

-- goTo makes a node the innermost open group.
local function goTo(v, node, parent, index, bit, n)
  local nodes, chain = v.m.p.nodes, {}
  while nodes[node].parent do
    chain[#chain + 1] = { node = node, parent = parent, index = index }
    if nodes[node].elem then parent, index = parent.parent, parent.index end
    node = nodes[node].parent
  end
  local same = 0
  while same < #v.open and same < #chain do
    local a, b = v.open[same + 1], chain[#chain - same]
    if a.node ~= b.node or a.parent ~= b.parent or a.index ~= b.index then break end
    same = same + 1
  end
  closeTo(v, same)
  if #chain - same > 0 then chain[1].count = n end
  for i = #chain - same, 1, -1 do open(v, chain[i], bit) end
end

-- label is a value behind its name; a count or a length has that of what it is of in front of its own.
local function label(v, r, text)
  local node = v.m.p.nodes[r.node]
  if node.elem then return format("[%d]: ", r.index) .. text end
  if not (node.item and node.named) then return node.name .. ": " .. text end
  local of = v.m.p.nodes[node.parent]
  return (of.elem and format("[%d]", r.index) or of.name) .. "." .. node.name .. ": " .. text
end

local showLeaf, showBlob

-- place shows a record in its group.
local function place(v, r)
  local nodes = v.m.p.nodes
  local n = nodes[r.node]
  local node, parent, index = n.parent or r.node, r.parent, r.index
  if n.elem then parent, index = parent.parent, parent.index end
  if n.named and not n.elem and nodes[node].struct ~= true then
    if nodes[node].elem then parent, index = parent.parent, parent.index end
    node = nodes[node].parent
  end
  goTo(v, node, parent, index, r.bit)
  local group = v.open[#v.open]
  if group then group.last = max(group.last, min(r.bit + r.width, r.clip or FAR)) end
  if group and group.masked or not shower.count(v) then return end
  return group and group.item or v.tree
end

-- showFlags shows each flag under the field, with its bits in the field's number.
local function showFlags(v, r, item, range)
  for k, f in ipairs(r.leaf.enum.flags) do
    local made, set = v.fields[r.leaf.flags[k]].made, both(r.h, f[1]) == f[1] and both(r.l, f[2]) == f[2]
    if (v.visible or v.tree:referenced(made)) and shower.count(v) then
      local b, width = {}, r.leaf.bits
      for n = width - 1, 0, -1 do
        local part, code = n >= 32 and f[1] or f[2], n >= 32 and r.h or r.l
        b[#b + 1] = floor(part / 2 ^ (n % 32)) % 2 == 0 and "." or format("%d", floor(code / 2 ^ (n % 32)) % 2)
        if n % 4 == 0 and n > 0 then b[#b + 1] = " " end
      end
      item:add(made, range, set):set_text(concat(b) .. " = " .. f[3] .. (set and ": set" or ": not set"))
    end
  end
end

function showLeaf(v, r, item)
  local leaf, node = r.leaf, v.m.p.nodes[r.node]
  local bit, width = r.bit, r.width
  if r.clip then bit, width = min(bit, r.clip), max(0, min(bit + width, r.clip) - min(bit, r.clip)) end
  local range = shower.range(v, bit, width)
  if leaf.flag then -- of what is not there: see showRecord
    item:add(v.fields[leaf.field].made, range, false):set_text(pattern(v.m, r) .. (node.elem and format("[%d]", r.index) or node.name) .. " is absent")
    return
  end
  local field = v.fields[leaf.field]
  local text, value
  if node.secret then
    text = mask(node, r.bits)
    value = text
  else
    text = wholeText(leaf, r.h, r.l, r.bits)
    local h, l, signed = numberOf(leaf, r.h, r.l, r.bits)
    if field.type == "double" then value = leaf.form == "float" and floatOf(leaf, r.h, r.l, r.bits) or double(h, l, signed)
    elseif field.type == "bool" then value = l ~= 0
    elseif field.type == "string" then value = plainText(leaf, r.h, r.l, r.bits)
    else value = setters[field.type](leaf, h, l) end
  end
  local i = item:add(field.made, range, value)
  if leaf.check then i:set_text(pattern(v.m, r) .. leaf.check)
  elseif leaf.as == "reserved" then i:set_text(pattern(v.m, r) .. "reserved: " .. text)
  else
    if r.sum then text = text .. " [" .. r.sum.name .. ", correct]" end
    i:set_text(pattern(v.m, r) .. label(v, r, (leaf.let and "= " or "") .. text))
  end
  if leaf.let then i:set_generated() end
  local group = v.open[#v.open]
  if group and v.m.p.nodes[group.node].parts and not node.secret then
    group.parts = group.parts or {}
    group.parts[#group.parts + 1] = node.name .. " " .. plainText(leaf, r.h, r.l, r.bits)
  end
  if leaf.flags and not node.secret then showFlags(v, r, i, range) end
  return i
end

function showBlob(v, r, item)
  local b, node = r.blob, v.m.p.nodes[r.node]
  local bit, width = r.bit, r.width
  if r.clip then bit, width = min(bit, r.clip), max(0, min(bit + width, r.clip) - min(bit, r.clip)) end
  local range, field, i = shower.range(v, bit, width), v.fields[b.field], nil
  if node.secret then
    i = item:add(field.made, range, mask(node, r.width))
    i:set_text(label(v, r, mask(node, r.width)))
    return i
  end
  if field.type == "bytes" then
    if #r.data == 0 then i = item:add(field.made, range)
    elseif bit % 8 == 0 and width == 8 * #r.data then i = item:add(field.made, range)
    elseif r.clip or bit % 8 == 0 then -- a window that was filled with zeros cut it: the packet has not all of it
      i = item:add(field.made, ByteArray.new(hexOf(r.data)):tvb(node.name)())
    else
      i = item:add(field.made, v.tvb(v.base + floor(bit / 8), #r.data), r.data)
      i:set_len(range:len())
    end
    i:set_text(label(v, r, #r.data == 0 and "empty" or #r.data <= 16 and hexOf(r.data) or format("%d bytes", #r.data)))
    return i
  end
  local value
  if field.type == "string" then value = b.display and displays[b.display](r.data) or printable(r.value)
  elseif field.type == "ipv4" then value = Address.ip(displays.ipv4(r.data))
  elseif field.type == "ipv6" then value = Address.ipv6(displays.ipv6(r.data))
  else value = Address.ether(displays.mac(r.data)) end
  i = item:add(field.made, range, value)
  i:set_text(label(v, r, b.display and displays[b.display](r.data) or inQuotes(r.value)))
  return i
end

local showMessage

local function showRecord(v, r)
  local shape = r.shape
  if shape == "list" or shape == "struct" then
    goTo(v, r.node, r.parent, r.index, r.bit, r.n)
    return
  end
  if shape == "padding" or shape == "reserved" then
    local item = place(v, r)
    if not item then return end
    item:add(v.own[shape], shower.range(v, r.bit, r.width)):set_text(format("%s%s: %d bits", pattern(v.m, r), shape, r.width))
    return
  end
  if shape == "leaf" and r.leaf.flag and (r.l == 1 or not v.m.p.nodes[r.node].named) then return end
  local item = place(v, r)
  if not item then return end
  if shape == "leaf" then return showLeaf(v, r, item) end
  local i = showBlob(v, r, item)
  if r.blob.message then showMessage(v, r, i) end
end

-- leafValue is the value of a refused code: a number, whatever its name and its unit are.
local function leafValue(leaf, h, l, width)
  if leaf.coded then return decimal(h, l) end
  if leaf.form == "float" then return floatInGo(floatOf(leaf, h, l, width)) end
  if leaf.form == "bool" and h == 0 and l <= 1 then return l == 1 and "true" or "false" end
  local vh, vl, signed = numberOf(leaf, h, l, width)
  if leaf.hexed then return "0x" .. hex(vh, vl, leaf.digits and floor((width + 3) / 4)) end
  return decimal(vh, vl, signed)
end

-- What a kind wants whatever the field is, and the kinds whose codes are shown as the wire has them.
local always = { ["trailing-bytes"] = "0", ["nonzero-padding"] = "0", ["reserved-nonzero"] = "0", ["not-finite"] = "a finite number",
  ["non-unit"] = "squares that sum to 1 at most", ["non-canonical"] = "the shortest encoding", fragment = "a piece within its message" }
local raw = { ["check-mismatch"] = true, ["not-finite"] = true, ["non-canonical"] = true }

local function wantOf(m)
  local leaf, kind = m.leaf, m.kind
  if m.want or always[kind] or not leaf then return m.want or always[kind] end
  if kind == "check-mismatch" then return "0x" .. hex(leaf.want[1], leaf.want[2], 8) end
  local wants = leaf.wants or {}
  local over = kind == "out-of-range" and wants.span and less(leaf.span[1], leaf.span[2], m.h, m.l)
  return atWidth(over and wants.span or wants[kind], leaf.width > 0 and leaf.width or m.width)
end

local function gotOf(m)
  local leaf, kind = m.leaf, m.kind
  if m.got or not leaf then return m.got end
  if raw[kind] then return "0x" .. hex(m.h, m.l, floor((m.width + 3) / 4)) end
  if kind == "reserved-nonzero" then
    local want = leaf.enum and leaf.want or { 0, 0 }
    return "0x" .. hex(m.h - both(m.h, want[1]), m.l - both(m.l, want[2]))
  end
  return leafValue(leaf, m.h, m.l, leaf.width > 0 and leaf.width or m.width)
end

-- units are what want and got count, by kind.
local units = { ["past-end"] = { " bits", " left" }, ["trailing-bytes"] = { "", " bits" }, ["datagram-size"] = { " bytes at most", "" } }

-- hidden is what of a refusal tells a secret: want and got.
local function hidden(m)
  local hides, kind = m.op and m.op.hides or {}, m.kind
  local masked = hides.decided or hides.size or m.node and m.p.nodes[m.node].masked
  if hides.decided then return true, kind ~= "fragment" end
  if kind == "past-end" then return hides.width, hides.width or hides.left end
  if kind == "trailing-bytes" or kind == "nonzero-padding" then return false, hides.left end
  if kind == "datagram-size" or kind == "rule-broken" or kind == "fragment" then return false, false end
  if m.bounds then return m.bounds.secret, masked or m.bounds.secret end
  return kind == "crc-mismatch" and m.p.nodes[m.node].masked, masked
end

-- want and got are what a correct packet has, and what this one has.
local function wanted(m)
  local want, got = wantOf(m), gotOf(m)
  local noWant, noGot = hidden(m)
  if m.kind == "not-increasing" and noGot then want = "more than ‹secret›" end
  if noWant then want = nil end
  if noGot then got = nil end
  return want, got
end

local function refusal(m)
  local want, got = wanted(m)
  local text = (m.path ~= "" and m.path or "packet") .. format(": %s at bit %d (byte %d)", m.kind, m.at, floor(m.at / 8))
  local unit = units[m.kind] or { "", "" }
  if want then text = text .. ": want " .. want .. unit[1] end
  if got then text = text .. (want and ", got " or ": got ") .. got .. unit[2] end
  return text, want, got
end

-- verdict is accept, reject, or cut: nothing is wrong but what the bytes explain that the capture lacks.
local function verdict(m, cut)
  local op = m.p.ops[m.pc - 1]
  local explained = not m.kind or m.kind == "past-end" or m.kind == "crc-mismatch"
    or m.kind == "out-of-range" and not m.leaf and op and op.grows and sub(m.got or "", 1, 1) == "-"
  if cut and explained then return "cut" end
  return m.kind and "reject" or "accept"
end

-- showAsked adds, where nobody looks, the fields alone that a filter or a column asks for.
local function showAsked(v)
  for _, r in ipairs(v.m.recs) do
    local of = r.leaf or r.blob
    local asked = of and not (of.flag and r.l == 1) and (of.message or v.tree:referenced(v.fields[of.field].made))
    for _, flag in ipairs(of and of.flags or {}) do asked = asked or v.tree:referenced(v.fields[flag].made) end
    if asked and shower.count(v) then
      local i = r.leaf and showLeaf(v, r, v.tree) or r.blob and showBlob(v, r, v.tree)
      if of.message then showMessage(v, r, i) end
    end
  end
end

-- showRest marks what lies behind what was refused.
local function showRest(v)
  local m, from, stop = v.m, min(v.m.bit, v.m.clip), 8 * v.size
  if m.at >= from then from = min(max(from, m.at + m.width), stop) end
  local hides = m.op and m.op.hides or {}
  if from >= stop then return end
  local item = v.tree:add(v.own.rest, shower.range(v, from, stop - from))
  if hides.width or hides.left or hides.decided then item:set_text("not decoded")
  else item:set_text(format(stop - from == 1 and "not decoded: %d bit" or "not decoded: %d bits", stop - from)) end
end

local function show(v)
  if v.visible then
    for _, r in ipairs(v.m.recs) do showRecord(v, r) end
    closeTo(v, 0)
  else
    showAsked(v)
  end
  local m, own, tree = v.m, v.own, v.tree
  if v.hidden > 0 then tree:add(v.tvb(v.base, v.size), format("… %d more, which are not shown", v.hidden)) end
  if m.kind and v.verdict == "reject" then
    local text, want, got = refusal(m)
    local range = shower.range(v, m.at, min(m.width, 8 * v.size))
    local item = tree:add(own.reject, range)
    item:set_text("reject: " .. text)
    item:add(own.kind, range, m.kind)
    item:add(own.bit, range, m.at)
    item:add(own.path, range, m.path)
    if want then item:add(own.want, range, want) end
    if got then item:add(own.got, range, got) end
    item:add_proto_expert_info(own.rejected, text)
    showRest(v)
  end
  for _, n in ipairs(m.kind and {} or m.notes) do
    local range = shower.range(v, n.bit, n.width)
    local item = tree:add(own.note, range, n.kind)
    item:set_text(format("note: %s: %s at bit %d", n.path ~= "" and n.path or "packet", n.kind, n.bit))
    item:add_proto_expert_info(own.noted, format("%s: %s at bit %d", n.path ~= "" and n.path or "packet", n.kind, n.bit))
  end
end

-- showMessage shows a message that a field holds; of a piece, that it is one.
function showMessage(v, r, item)
  local note = r.blob.message
  local p = v.programs[note.section]
  if v.m.kind and not note.piece then return end
  if note.piece then
    item:append_text(" [a piece of " .. p.name .. ": put together by pktscope decode]")
    return
  end
  if r.clip or v.m.p.nodes[r.node].secret or v.depth >= 4 then return end
  local m = decode(p, r.data, #r.data, v.m.from)
  local tvb, base = v.tvb, v.base + floor(r.bit / 8)
  if r.bit % 8 ~= 0 or r.width ~= 8 * #r.data then
    if #r.data == 0 then return end
    tvb, base = ByteArray.new(hexOf(r.data)):tvb(p.name), 0
  end
  local inner = { m = m, tvb = tvb, base = base, size = #r.data, tree = item, left = v.left, hidden = 0, open = {}, own = v.own, fields = p.fields,
    programs = v.programs, verdict = verdict(m, false), depth = v.depth + 1, visible = v.visible }
  item:add(v.own.section, tvb(base, #r.data), p.name)
  show(inner)
  v.left = inner.left
end
