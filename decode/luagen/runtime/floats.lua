-- Floats.
local function round32(x) return (Struct.unpack("<f", Struct.pack("<f", x))) end

local function float32(l)
  local e, m, sign = floor(l / 8388608) % 256, l % 8388608, l >= P31 and -1 or 1
  if e == 255 then return m == 0 and sign / 0 or 0 / 0 end
  if e == 0 then return sign * m * 2 ^ -149 end
  return sign * (m + 8388608) * 2 ^ (e - 150)
end

local function float64(h, l)
  local e, m, sign = floor(h / 1048576) % 2048, h % 1048576 * P32 + l, h >= P31 and -1 or 1
  if e == 2047 then return m == 0 and sign / 0 or 0 / 0 end
  if e == 0 then return sign * m * 2 ^ -537 * 2 ^ -537 end
  m = m + 4503599627370496.0
  if e < 1023 then return sign * m * 2 ^ -500 * 2 ^ (e - 575) end
  return sign * m * 2 ^ (e - 1075)
end

-- dequantize computes in floats of 32 bits: every step is rounded.
local function dequantize(code, q)
  if q.steps == 0 then return q.min end
  local t = round32(round32(code) / round32(q.steps))
  return round32(round32(t * q.delta) + q.min)
end

-- digitsOf is the sign, the digits and the exponent of the shortest number that reads back as v in its width.
local function digitsOf(v, width)
  local text
  for n = 0, 16 do
    text = format("%." .. n .. "e", v)
    local back = tonumber(text)
    if width == 32 then back = round32(back) end
    if back == v then break end
  end
  local sign, first, more, e = string.match(text, "^(%-?)(%d)%.?(%d*)e([+-]%d+)$")
  return sign, (string.gsub(first .. more, "0+$", "")), tonumber(e)
end

local function withExponent(sign, digits, e)
  if #digits > 1 then digits = sub(digits, 1, 1) .. "." .. sub(digits, 2) end
  return format("%s%se%s%02d", sign, digits, e < 0 and "-" or "+", e < 0 and -e or e)
end

local function withoutExponent(sign, digits, e)
  if e < 0 then return sign .. "0." .. rep("0", -e - 1) .. digits end
  if #digits <= e + 1 then return sign .. digits .. rep("0", e + 1 - #digits) end
  return sign .. sub(digits, 1, e + 1) .. "." .. sub(digits, e + 2)
end

-- floatText is v as values have it, floatInGo as refusals do.
local function floatText(v, width)
  if v ~= v then return "NaN" end
  if v == 1 / 0 then return "Infinity" elseif v == -1 / 0 then return "-Infinity" end
  if v == 0 then return 1 / v < 0 and "-0" or "0" end
  local sign, digits, e = digitsOf(v, width)
  local abs = v < 0 and -v or v
  return (abs < 1e-6 or abs >= 1e21) and withExponent(sign, digits, e) or withoutExponent(sign, digits, e)
end

local function floatInGo(v, width)
  if v ~= v then return "NaN" end
  if v == 1 / 0 then return "+Inf" elseif v == -1 / 0 then return "-Inf" end
  if v == 0 then return 1 / v < 0 and "-0" or "0" end
  local sign, digits, e = digitsOf(v, width)
  return (e < -4 or e >= 6) and withExponent(sign, digits, e) or withoutExponent(sign, digits, e)
end

-- The parts of a smallest-three quaternion, whose fourth is what they leave of 1.
local smallestMost = round32(1 / round32(1.414214))
local smallestDelta = round32(2 * smallestMost)

local function smallestPart(code, n)
  local t = round32(round32(code) / round32(2 ^ n - 1))
  return round32(round32(t * smallestDelta) - smallestMost)
end

local function smallestLeft(codes, n)
  local left, most = 1, 0
  for i = 1, 3 do
    local v = smallestPart(codes[i], n)
    left = round32(left - round32(v * v))
    most = max(most, v < 0 and -v or v)
  end
  return left, most
end
