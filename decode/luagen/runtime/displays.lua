-- What values are shown as that stand for something else; s is whole bytes, the highest first.
local displays = {}

function displays.ipv4(s) return format("%d.%d.%d.%d", byte(s, 1, 4)) end

function displays.ipv6(s)
  if sub(s, 1, 12) == rep("\0", 10) .. "\255\255" then return "::ffff:" .. displays.ipv4(sub(s, 13)) end
  local groups, from, size = halves(s, true), 0, 1
  for i = 1, 8 do -- the first of the longest runs of zeros, of two groups or more
    local n = 0
    while i + n <= 8 and groups[i + n] == 0 do n = n + 1 end
    if n > size then from, size = i, n end
  end
  local b = {}
  for i = 1, 8 do
    if i == from then b[#b + 1] = "::"
    elseif from == 0 or i < from or i >= from + size then
      if i > 1 and i ~= from + size then b[#b + 1] = ":" end
      b[#b + 1] = format("%x", groups[i])
    end
  end
  return concat(b)
end

function displays.mac(s) return format("%02x:%02x:%02x:%02x:%02x:%02x", byte(s, 1, 6)) end

function displays.uuid(s)
  local h = hexOf(s)
  return concat({ sub(h, 1, 8), sub(h, 9, 12), sub(h, 13, 16), sub(h, 17, 20), sub(h, 21) }, "-")
end

function displays.bcd(s)
  local h = hexOf(s)
  return string.find(h, "[a-f]") and "0x" .. h or h
end

-- date is seconds since 1970 as a date and a time.
local function date(seconds)
  local days = floor(seconds / 86400)
  local rest = seconds - days * 86400
  local z = days + 719468
  local era = floor(z / 146097)
  local doe = z - era * 146097
  local yoe = floor((doe - floor(doe / 1460) + floor(doe / 36524) - floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + floor(yoe / 4) - floor(yoe / 100))
  local mp = floor((5 * doy + 2) / 153)
  local month = mp < 10 and mp + 3 or mp - 9
  local year = yoe + era * 400 + (month <= 2 and 1 or 0)
  return format("%04d-%02d-%02dT%02d:%02d:%02d", year, month, doy - floor((153 * mp + 2) / 5) + 1, floor(rest / 3600), floor(rest / 60) % 60, rest % 60)
end

function displays.time(s)
  local a, b, c, d, e, f, g, h = byte(s, 1, 8)
  local seconds = ((a * 256 + b) * 256 + c) * 256 + d
  if a < 128 then seconds = seconds + P32 end
  local fraction = ((e * 256 + f) * 256 + g) * 256 + h
  local th, tl = multiply(0, fraction, 0, 9765625) -- times 10^10, divided by 2^32, to the nearest
  th, tl = shiftRight(th, tl, 21)
  th, tl = shiftRight(th, tl + 1, 1)
  return date(seconds - 2208988800) .. format(".%sZ", rep("0", 10 - #decimal(th, tl)) .. decimal(th, tl))
end

-- clock is the date of an @time of a number whose unit is so many to the second.
local function clock(h, l, signed, units)
  local negative = signed and h >= P31
  if negative then h, l = negate(h, l) end
  local qh, ql, _, rest = divide(h, l, 0, units)
  local seconds = qh * P32 + ql
  if negative then
    seconds = -seconds
    if rest > 0 then seconds, rest = seconds - 1, units - rest end
  end
  if seconds < -62135596800 or seconds > 253402300799 then return "" end
  local fraction = rest > 0 and "." .. string.gsub(format("%09d", rest * (1000000000 / units)), "0+$", "") or ""
  return " (" .. date(seconds) .. fraction .. "Z)"
end
