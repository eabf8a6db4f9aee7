-- Code that the book shows: regions of sources, differences between stages, and
-- recorded terminal output. Each function returns the HTML and, for code of a
-- file, where it is from: {text, path, numbers}, these being the lines that are
-- shown; or nil once it has reported an error.
local side_by_side = require 'code.side_by_side'
local difference = require 'code.difference'
local files = require 'common.files'
local format = require 'common.format'
local highlight = require 'code.highlight'
local regions = require 'code.regions'
local report = require 'common.report'
local listing = { cited = {}, outputs = {} }

local CONTEXT = 3  -- unchanged lines shown around a change
local GAP = '<span class="line gap" data-n="">\u{22ef}</span>'
local NARROW = 50  -- columns of code, of which two fit beside each other on A4

-- cited[path][region][chapter file] = true; "*" is the whole file.
local function cite(path, region, where)
  listing.cited[path] = listing.cited[path] or {}
  local by = listing.cited[path][region] or {}
  listing.cited[path][region] = by
  by[where.file] = true
end

local function find_region(path, name, where)
  local source = regions.of(path)
  if not source then
    report.at(where, 'there is no file %s', path)
  elseif name and not source.regions[name] then
    report.at(where, 'there is no region "%s" in %s', name, path)
  else
    return source
  end
end

local function texts_of(lines)
  local texts = {}
  for index, line in ipairs(lines) do texts[index] = line.text end
  return texts
end

local SIGNS = { [' '] = { '', ' ' }, ['-'] = { ' removed', '\u{2212}' },
                ['+'] = { ' added', '+' } }

local function line_html(number, sign, html, style)
  local class, shown = table.unpack(SIGNS[sign] or { '' })
  return string.format('<span class="line%s" data-n="%s"%s%s>%s</span>', class,
    number, shown and ' data-sign="' .. shown .. '"' or '', style or '', html)
end

local function plain_line(html)
  return '<span class="line">' .. html .. '</span>'
end

local function code_html(class, lines)
  return string.format('<pre class="code %s" tabindex="0"><code>%s</code>'
    .. '</pre>', class, table.concat(lines, '\n'))
end

local function numbers_of(lines)
  local numbers = {}
  for index, line in ipairs(lines) do numbers[index] = line.number end
  return numbers
end

local function range_of(path, lines)
  if #lines == 0 then return path end
  local first, last = lines[1].number, lines[#lines].number
  if first == last then return string.format('%s, line %d', path, first) end
  return string.format('%s, lines %d\u{2013}%d', path, first, last)
end

function listing.source(attributes, language, where)
  local path, name = attributes.file, attributes.region
  local source = find_region(path, name, where)
  if not source then return nil end
  cite(path, name or '*', where)
  local lines = regions.shown(source, name)
  if #lines == 0 then
    report.at(where, 'region "%s" of %s is empty', name or '*', path)
    return nil
  end
  regions.check_width(source, name)
  local html = highlight.lines(language, texts_of(lines))
  for index, line in ipairs(lines) do
    html[index] = line_html(line.number, nil, html[index])
  end
  return code_html('numbered', html), { path = path,
    text = range_of(path, lines), numbers = numbers_of(lines) }
end

-- What a hand-written sketch shows: no file, no line numbers.
function listing.sketch(text, language)
  local html = highlight.lines(language, files.lines(text))
  for index, line in ipairs(html) do html[index] = plain_line(line) end
  return code_html('plain', html)
end

-- What listing.difference may show of two lists of lines, with their steps,
-- which of these are shown, and the names of both: each gives the HTML.
local layouts = {}

-- One text, removed lines above those that replace them.
function layouts.one(old, new, language, steps, shown)
  local old_html = highlight.lines(language, texts_of(old))
  local new_html = highlight.lines(language, texts_of(new))
  local html = {}
  for index, step in ipairs(steps) do
    local sign, before, after = step[1], step[2], step[3]
    if not shown[index] then
      if index == 1 or shown[index - 1] then html[#html + 1] = GAP end
    elseif sign == '-' then
      html[#html + 1] = line_html('', sign, old_html[before])
    else
      html[#html + 1] = line_html(new[after].number, sign, new_html[after])
    end
  end
  return code_html('numbered signed', html)
end

-- Two texts. The style decides whether one is beside the other, and only then
-- leaves room for --skip lines that the other has.
function layouts.beside(old, new, language, steps, shown, names)
  local rows, columns, narrow = side_by_side.rows(steps, shown), {}, true
  for which, lines in ipairs { old, new } do
    local colours = highlight.lines(language, texts_of(lines))
    local html = side_by_side.column(rows, which, function(line, skipped)
      local style = skipped > 0
        and string.format(' style="--skip: %d"', skipped) or ''
      if line == side_by_side.GAP then
        return (GAP:gsub('>', style .. '>', 1))
      end
      local index, sign = table.unpack(line)
      narrow = narrow and utf8.len(lines[index].text) <= NARROW
      return line_html(lines[index].number, sign, colours[index], style)
    end)
    columns[which] = string.format('<div><p class="side"><code>%s</code></p>'
      .. '%s</div>', names[which], code_html('numbered signed', html))
  end
  return string.format('<div class="beside%s">\n%s\n</div>',
    narrow and ' narrow' or '', table.concat(columns, '\n'))
end

-- The numbers of the new lines that are shown, and which signs are.
local function numbers_shown(steps, shown, new)
  local numbers, signs = {}, {}
  for index, step in ipairs(steps) do
    if shown[index] then
      signs[step[1]] = true
      if step[3] then numbers[#numbers + 1] = new[step[3]].number end
    end
  end
  return numbers, signs
end

function listing.difference(attributes, where)
  local file = attributes.file or 'kernel.cu'
  local old_path = attributes.against .. '/' .. file
  local new_path = attributes.stage .. '/' .. file
  local name, layout = attributes.region, attributes.layout or 'one'
  local old_source = find_region(old_path, name, where)
  local new_source = find_region(new_path, name, where)
  if not (old_source and new_source) then return nil end
  cite(new_path, name or '*', where)
  local old = regions.shown(old_source, name)
  local new = regions.shown(new_source, name)
  regions.check_width(new_source, name)
  local language = file:match('%.cuh?$') and 'cuda' or 'c'
  local steps = difference.of(texts_of(old), texts_of(new))
  local shown, changed = difference.near(steps, CONTEXT)
  local numbers, signs = numbers_shown(steps, shown, new)
  if not changed then
    report.at(where, '%s and %s do not differ in region "%s"',
      old_path, new_path, name or '*')
    return nil
  elseif layout == 'beside' and not (signs['-'] and signs['+']) then
    report.at(where, '%s only %s lines: nothing can stand beside them',
      name and 'region "' .. name .. '"' or new_path,
      signs['+'] and 'gains' or 'loses')
    return nil
  end
  local html = layouts[layout](old, new, language, steps, shown,
    { attributes.against, attributes.stage })
  return html, { path = new_path, numbers = numbers,
    text = range_of(new_path, new) .. ' against ' .. attributes.against }
end

-- Terminal output: a file whose first line is "$ command".
function listing.output(attributes, where)
  local path = 'chapters/output/' .. attributes.file
  local text = files.text(path)
  if not text then
    report.at(where, 'there is no file %s', path)
    return nil
  end
  listing.outputs[path] = true
  local lines = files.lines(text)
  local command = lines[1] and lines[1]:match('^%$ (.+)$')
  if not command then
    report.line(path, 1, 'the first line must be "$ " and the command')
    return nil
  end
  local from, to = 2, #lines
  if attributes.lines then
    local first, last = attributes.lines:match('^(%d+)%-(%d+)$')
    from, to = tonumber(first), tonumber(last)
    if not from or from < 2 or from > to or to > #lines then
      report.at(where, 'lines="%s" is no range within 2-%d of %s',
        attributes.lines, #lines, path)
      return nil
    end
  end
  local html = { string.format('<span class="line prompt"><b>%s</b></span>',
    format.escape(command)) }
  if from > 2 then html[2] = GAP end
  for number = from, to do
    html[#html + 1] = plain_line(format.escape(lines[number]))
  end
  if to < #lines then html[#html + 1] = GAP end
  return code_html('output', html), nil
end

return listing
