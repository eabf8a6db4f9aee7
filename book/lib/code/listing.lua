-- Code that the book shows: regions of sources, differences between stages, and
-- recorded terminal output. Each function returns the HTML and, for code of a
-- file, where it is from: {text, path, numbers}, these being the lines that are
-- shown; an error ends the attempt.
local code_html = require 'code.code_html'
local files = require 'common.files'
local format = require 'common.format'
local kernels = require 'data.kernels'
local sources = require 'code.sources'
local report = require 'common.report'
local listing = {}

local LONGEST = 6  -- repeated lines in a row that are all shown
local AROUND = 2   -- how many of more are shown on each side

-- A blank line is new where those around it are.
local function are_new(lines, repeated)
  local list = {}
  for index, line in ipairs(lines) do
    list[index] = not repeated[line.number] and not sources.is_blank(line)
  end
  for index, line in ipairs(lines) do
    if sources.is_blank(line) then
      list[index] = list[index - 1] and list[index + 1] or false
    end
  end
  return list
end

-- Which lines are new against the stage before, whose lines `repeated` has; and
-- at which line how many are left out, unless the whole is to be shown.
local function folded(lines, repeated, whole)
  local new, hidden, first = are_new(lines, repeated), {}, 1
  while first <= #lines do
    local last = first
    while last < #lines and new[last + 1] == new[first] do last = last + 1 end
    local count = last - first + 1
    if not (whole or new[first] or count <= LONGEST) then
      hidden[first + AROUND] = count - 2 * AROUND
    end
    first = last + 1
  end
  return new, hidden
end

-- The source that has a region.
local function find_region(path, name, where)
  local source = sources.of(path)
  if not source then
    report.stop(where, 'there is no file %s', path)
  elseif name and not source.regions[name] then
    report.stop(where, 'there is no region "%s" in %s', name, path)
  end
  return source
end

local function range_of(path, lines)
  if #lines == 0 then return path end
  local first, last = lines[1].number, lines[#lines].number
  if first == last then return string.format('%s, line %d', path, first) end
  return string.format('%s, lines %d\u{2013}%d', path, first, last)
end

-- A region of a source, without what stands in the stage before. Nothing is
-- left out of the region "toggles", or of what is no kernel or has no stage
-- before it.
function listing.source(attributes, where, language)
  local path, name = attributes.file, attributes.region
  local source = find_region(path, name, where)
  local lines = sources.shown(source, name, sources.default(source))
  if #lines == 0 then
    report.stop(where, 'region "%s" of %s has no line that is compiled by '
      .. 'default: is it for .arm?', name or '*', path)
  end
  local repeated, before = sources.repeats(source), kernels.before(path)
  local new, hidden = folded(lines, repeated and repeated.read or {},
    not repeated or name == 'toggles' or attributes.whole)
  local colours = code_html.coloured(language, lines)
  local behind = sources.behind_others(source, sources.default(source))
  local html, shown, index = {}, {}, 1
  while index <= #lines do
    local number = lines[index].number
    if hidden[index] then
      html[#html + 1] = code_html.gap(string.format('%d lines as in stage %s',
        hidden[index], before:match('%d+')))
    else
      shown[#shown + 1] = number
      html[#html + 1] = code_html.line(number, nil, colours[index],
        (repeated and new[index] and ' new' or '')
        .. (index > 1 and behind[number] and ' behind' or ''))
    end
    index = index + (hidden[index] or 1)
  end
  return code_html.block(next(hidden) and 'numbered folded' or 'numbered',
    html), { path = path, text = range_of(path, lines), numbers = shown }
end

-- What a hand-written sketch shows: no file, no line numbers.
function listing.sketch(text, language)
  local html = code_html.coloured(language, files.lines(text))
  for index, line in ipairs(html) do html[index] = code_html.plain(line) end
  return code_html.block('plain', html)
end

function listing.difference(attributes, where)
  local file = attributes.file or 'kernel.cu'
  local old_path = kernels.folder(attributes.against) .. '/' .. file
  local new_path = kernels.folder(attributes.stage) .. '/' .. file
  local name = attributes.region
  local old_source = find_region(old_path, name, where)
  local new_source = find_region(new_path, name, where)
  local old = sources.shown(old_source, name, sources.default(old_source))
  local new = sources.shown(new_source, name, sources.default(new_source))
  local both = code_html.compared(old, new,
    file:match('%.cuh?$') and 'cuda' or 'c')
  if not both then
    report.stop(where, '%s and %s do not differ in region "%s"', old_path,
      new_path, name or '*')
  end
  return both.html, { path = new_path, numbers = both.numbers,
    text = range_of(new_path, new) .. ' against ' .. attributes.against }
end

-- What an arm of a kernel has in place of the default arm's lines, or of those
-- of another arm. All lines are unindented alike.
function listing.arm(attributes, where)
  local path, name = kernels.path(attributes.stage), attributes.region
  local source = find_region(path, name, where)
  local all, lists = {}, { {}, {} }
  local both = { attributes.against or '', attributes.set }
  for index, text in ipairs(both) do
    both[index] = sources.in_arm(source, text) or report.stop(where,
      '%s has no arm %s; why stands above', attributes.stage, text)
    for number in pairs(both[index]) do all[number] = true end
  end
  for _, line in ipairs(sources.shown(source, name, all)) do
    for index, arm in ipairs(both) do
      if arm[line.number] then table.insert(lists[index], line) end
    end
  end
  local made = code_html.compared(lists[1], lists[2], 'cuda')
  if not made then
    report.stop(where, '%s does not differ from %s in region "%s" of %s',
      attributes.set, attributes.against or 'the default arm', name or '*',
      path)
  end
  return made.html, { path = path, numbers = made.numbers,
    text = path .. ', ' .. attributes.set
      .. (attributes.against and ' against ' .. attributes.against or '') }
end

-- What a command printed: of chapters/output.txt, where two empty lines stand
-- between one "$ command" and the next.
function listing.output(attributes, where)
  local path, command = 'chapters/output.txt', attributes.command
  local text = '\n\n\n' .. (files.text(path) or '')
  local _, from = text:find('\n\n\n$ ' .. command .. '\n', 1, true)
  if not from then report.stop(where, '%s has no "$ %s"', path, command) end
  local lines = files.lines('\n'
    .. text:sub(from + 1, (text:find('\n\n\n$ ', from, true))))
  local first, last = 2, #lines
  if attributes.lines then
    first, last = attributes.lines:match('^(%d+)%-(%d+)$')
    first, last = tonumber(first), tonumber(last)
    if not first or first < 2 or first > last or last > #lines then
      report.stop(where, 'lines="%s" is no range within 2-%d of "%s"',
        attributes.lines, #lines, command)
    end
  end
  local html = { string.format('<span class="line prompt"><b>%s</b></span>',
    format.escape(command)) }
  if first > 2 then html[2] = code_html.gap() end
  for number = first, last do
    html[#html + 1] = code_html.plain(format.escape(lines[number]))
  end
  if last < #lines then html[#html + 1] = code_html.gap() end
  return code_html.block('output', html)
end

return listing
