-- Code that the book shows: regions of sources, differences between stages, and
-- recorded terminal output. Each function returns the HTML and, for code of a
-- file, where it is from: {text, path, numbers}, these being the lines that are
-- shown; or nil once it has reported an error.
local arms = require 'code.arms'
local code_html = require 'code.code_html'
local difference = require 'code.difference'
local files = require 'common.files'
local format = require 'common.format'
local kernels = require 'data.kernels'
local regions = require 'code.regions'
local report = require 'common.report'
local listing = { cited = {}, in_arms = {}, outputs = {} }

local LONGEST = 6  -- repeated lines in a row that are all shown
local AROUND = 2   -- how many of more are shown on each side

-- A blank line is new where those around it are.
local function are_new(lines, repeated)
  local list = {}
  for index, line in ipairs(lines) do
    list[index] = not repeated[line.number] and not regions.is_blank(line)
  end
  for index, line in ipairs(lines) do
    if regions.is_blank(line) then
      list[index] = list[index - 1] and list[index + 1] or false
    end
  end
  return list
end

-- A list of rows for some lines: each the `line` at an `index`, which may be
-- `new`, or `folded`, a number of lines. repeated: the numbers of the lines
-- that the stage before has. Also says whether any line is new.
local function folded_rows(lines, repeated, whole)
  local new, rows, any, first = are_new(lines, repeated), {}, false, 1
  local function row(index)
    rows[#rows + 1] = { line = lines[index], index = index, new = new[index] }
  end
  while first <= #lines do
    local last = first
    while last < #lines and new[last + 1] == new[first] do last = last + 1 end
    local folded = last - first + 1 - 2 * AROUND
    any = any or new[first]
    if whole or new[first] or last - first + 1 <= LONGEST then
      for index = first, last do row(index) end
    else
      for index = first, first + AROUND - 1 do row(index) end
      rows[#rows + 1] = { folded = folded }
      for index = last - AROUND + 1, last do row(index) end
    end
    first = last + 1
  end
  return rows, any
end

-- cited[path][region][chapter file] = true, "*" being the whole file; and
-- in_arms[path][number][chapter file] = true: an .arm shows this line.
local function note(list, path, key, where)
  list[path] = list[path] or {}
  list[path][key] = list[path][key] or {}
  list[path][key][files.chapter(where.file)] = true
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

local function range_of(path, lines)
  if #lines == 0 then return path end
  local first, last = lines[1].number, lines[#lines].number
  if first == last then return string.format('%s, line %d', path, first) end
  return string.format('%s, lines %d\u{2013}%d', path, first, last)
end

-- The lines of a region in the default arm, or nil once it has reported that
-- there are none.
local function default_lines(source, name, where)
  local lines = regions.shown(source, name, arms.default(source))
  if #lines > 0 then return lines end
  local is_empty = #regions.shown(source, name) == 0
  report.at(where, is_empty and 'region "%s" of %s is empty'
    or 'region "%s" of %s is not compiled by default: show it by .arm',
    name or '*', source.path)
end

-- The rows of a listing. Nothing is folded of the region "toggles", or of what
-- is no kernel or has no stage before it.
local function rows_of(source, name, lines, attributes, where)
  local repeated = arms.repeats(source)
  local rows, any = folded_rows(lines, repeated and repeated.read or {},
    not repeated or name == 'toggles' or attributes.whole)
  for _, row in ipairs(any and {} or rows) do
    if row.folded then
      return report.at(where, 'all of region "%s" of %s stands in the stage '
        .. 'before: write whole="yes", or leave it out', name or '*',
        source.path)
    end
  end
  return rows, repeated ~= nil
end

local function row_html(row, html, behind, before)
  if row.folded then
    return code_html.gap(string.format('%d lines as in %s', row.folded, before))
  end
  return code_html.line(row.line.number, nil, html[row.index], nil,
    (row.new and ' new' or '') .. (behind[row.line.number] and ' behind' or ''))
end

function listing.source(attributes, where, language)
  local path, name = attributes.file, attributes.region
  local source = find_region(path, name, where)
  if not source then return nil end
  note(listing.cited, path, name or '*', where)
  local lines = default_lines(source, name, where)
  if not lines then return nil end
  regions.check_width(source, name)
  local rows, is_marked = rows_of(source, name, lines, attributes, where)
  if not rows then return nil end
  local colours = code_html.coloured(language, lines)
  local behind = arms.behind_others(source, arms.default(source))
  local before = kernels.before(path)
  before = before and 'stage ' .. before:match('%d+')
  local html, shown, class = {}, {}, 'numbered'
  for index, row in ipairs(rows) do
    if not is_marked then row.new = false end
    html[index] = row_html(row, colours, index > 1 and behind or {}, before)
    shown[#shown + 1] = row.line and row.line.number
    if row.folded then class = 'numbered folded' end
  end
  return code_html.block(class, html), { path = path,
    text = range_of(path, lines), numbers = shown }
end

-- What a hand-written sketch shows: no file, no line numbers.
function listing.sketch(text, language)
  local html = code_html.coloured(language, files.lines(text))
  for index, line in ipairs(html) do html[index] = code_html.plain(line) end
  return code_html.block('plain', html)
end

local function language_of(file)
  return file:match('%.cuh?$') and 'cuda' or 'c'
end

function listing.difference(attributes, where)
  local file = attributes.file or 'kernel.cu'
  local old_path = kernels.folder(attributes.against) .. '/' .. file
  local new_path = kernels.folder(attributes.stage) .. '/' .. file
  local name, layout = attributes.region, attributes.layout or 'one'
  local old_source = find_region(old_path, name, where)
  local new_source = find_region(new_path, name, where)
  if not (old_source and new_source) then return nil end
  note(listing.cited, new_path, name or '*', where)
  local old = regions.shown(old_source, name, arms.default(old_source))
  local new = regions.shown(new_source, name, arms.default(new_source))
  regions.check_width(new_source, name)
  local both = difference.shown(old, new, layout,
    { attributes.against, attributes.stage }, language_of(file))
  if not both then
    return report.at(where, '%s and %s do not differ in region "%s"',
      old_path, new_path, name or '*')
  elseif layout == 'beside' and not (both.signs['-'] and both.signs['+']) then
    return report.at(where, '%s only %s lines: nothing can stand beside them',
      name and 'region "' .. name .. '"' or new_path,
      both.signs['+'] and 'gains' or 'loses')
  end
  return both.html, { path = new_path, numbers = both.numbers,
    text = range_of(new_path, new) .. ' against ' .. attributes.against }
end


-- The lines of a region in two arms. All are unindented alike.
local function lines_of_two(source, name, one, other)
  local numbers, lists = {}, { {}, {} }
  for _, arm in ipairs { one, other } do
    for number in pairs(arm) do numbers[number] = true end
  end
  for _, line in ipairs(regions.shown(source, name, numbers)) do
    for index, arm in ipairs { one, other } do
      if arm[line.number] then table.insert(lists[index], line) end
    end
  end
  return table.unpack(lists)
end

-- What an arm of a kernel has in place of the default arm's lines, or of those
-- of another arm.
function listing.arm(attributes, where)
  local path, name = kernels.path(attributes.stage), attributes.region
  local source = find_region(path, name, where)
  if not source then return nil end
  local base = arms.settings(attributes.stage, attributes.against or '', where)
  local set = arms.settings(attributes.stage, attributes.set, where)
  if not (base and set) then return nil end
  local old, new = lines_of_two(source, name, arms.of(source, base),
    arms.of(source, set))
  local both = difference.shown(old, new, 'one', nil, 'cuda')
  if not both then
    return report.at(where, '%s does not differ from %s in region "%s" of %s',
      attributes.set, attributes.against or 'the default arm', name or '*',
      path)
  end
  regions.check_width(source, name)
  for _, number in ipairs(both.numbers) do
    note(listing.in_arms, path, number, where)
  end
  return both.html, { path = path, numbers = both.numbers,
    text = path .. ', ' .. attributes.set
      .. (attributes.against and ' against ' .. attributes.against or '') }
end

-- Terminal output: a file whose first line is "$ command".
function listing.output(attributes, where)
  local path = 'chapters/output/' .. attributes.file
  local text = files.text(path)
  if not text then
    return report.at(where, 'there is no file %s', path)
  end
  listing.outputs[path] = true
  local lines = files.lines(text)
  local command = lines[1] and lines[1]:match('^%$ (.+)$')
  if not command then
    return report.line(path, 1, 'the first line must be "$ " and the command')
  end
  local from, to = 2, #lines
  if attributes.lines then
    local first, last = attributes.lines:match('^(%d+)%-(%d+)$')
    from, to = tonumber(first), tonumber(last)
    if not from or from < 2 or from > to or to > #lines then
      return report.at(where, 'lines="%s" is no range within 2-%d of %s',
        attributes.lines, #lines, path)
    end
  end
  local html = { string.format('<span class="line prompt"><b>%s</b></span>',
    format.escape(command)) }
  if from > 2 then html[2] = code_html.gap() end
  for number = from, to do
    html[#html + 1] = code_html.plain(format.escape(lines[number]))
  end
  if to < #lines then html[#html + 1] = code_html.gap() end
  return code_html.block('output', html)
end

return listing
