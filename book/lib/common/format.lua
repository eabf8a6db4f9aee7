-- Numbers as the book prints them.
local format = {}

local function with_commas(text)
  local sign, digits, rest = text:match('^([ +-]*)(%d+)(.*)$')
  if not digits then return text end
  digits = digits:reverse():gsub('(%d%d%d)', '%1,'):reverse():gsub('^,', '')
  return sign .. digits .. rest
end

-- Any value; a whole number without a point, whatever it is to Lua.
function format.plain(value)
  if type(value) ~= 'number' then return tostring(value) end
  if value % 1 == 0 and math.abs(value) < 2^53 then
    return string.format('%d', value)
  end
  return string.format('%.10g', value)
end

-- One value through one directive with text around it: "%.1f us", "%'d",
-- "%+.1f %%". The flag ' separates thousands. Returns nil and a reason when
-- they don't fit. With "/1000" at its end a pattern shows a thousandth of it:
-- of microseconds, milliseconds.
function format.value(value, pattern)
  if not pattern or pattern == '' then pattern = '%s' end
  local thousandth = pattern:match '^(.*)/1000$'
  if thousandth and type(value) == 'number' then
    value, pattern = value / 1000, thousandth
  end
  local before, flags, width, kind, after = pattern:gsub('%%%%', '\1')
    :match("^([^%%]*)%%([-+' ]*)([%d.]*)([dfegs])([^%%]*)$")
  if not kind then
    return nil, string.format(
      'format "%s" needs exactly one of %%d %%f %%e %%g %%s', pattern)
  end
  local text
  if kind == 's' then
    text = format.plain(value)
  elseif type(value) ~= 'number' then
    return nil, string.format('"%s" is not a number, as format "%s" wants',
      tostring(value), pattern)
  elseif kind == 'd' and not math.tointeger(value) then
    return nil, string.format('%s is not whole, as format "%s" wants',
      format.plain(value), pattern)
  else
    if kind == 'd' then value = math.tointeger(value) end
    text = string.format('%' .. flags:gsub("'", '') .. width .. kind, value)
  end
  if flags:find("'", 1, true) then text = with_commas(text) end
  text = before .. text:gsub('^(%s*)%-', '%1\u{2212}') .. after
  return (text:gsub('\1', '%%'):gsub(' ', '\u{a0}'))
end

function format.escape(text)
  return (text:gsub('[&<>"]',
    { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }))
end

-- A template of pandoc's with these values, which are HTML.
function format.fill(template, values)
  return pandoc.layout.render(
    pandoc.template.apply(pandoc.template.compile(template), values))
end

return format
