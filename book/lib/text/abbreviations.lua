-- Abbreviations: where one stands first in the book it is explained, in
-- brackets or behind a comma, unless it is a term, or all readers know it.
local files = require 'common.files'
local paragraphs = require 'text.paragraphs'
local report = require 'common.report'
local abbreviations = {}

local function known_in(path)
  local known = {}
  for number, line in ipairs(files.lines(files.text(path) or '')) do
    if line ~= '' then known[line] = { number = number } end
  end
  return known
end

-- "multiprocessor (SM)", "TFLOP/s (operations ...)", "PTX, NVIDIA's assembly
-- language" and "NVML, the driver's own library".
local function is_explained(text, from, to)
  local behind = text:sub(to + 1):gsub('\u{2019}', "'")
  return text:sub(from - 1, from - 1) == '(' or behind:find '^/?s? %(' or
    behind:find "^, %u%w+'s " or behind:find '^, the ' or behind:find '^, an? '
end

-- texts: of the chapters, in their order; terms: each {text}; path: the list of
-- those that need no explanation.
function abbreviations.check(texts, terms, path)
  local known, seen = known_in(path), {}
  for _, term in ipairs(terms) do
    for word in term.text:gmatch '%f[%w]%u%u+%f[%W]' do seen[word] = true end
  end
  for _, text in ipairs(texts) do
    for from, word, to in text.text:gmatch '()%f[%w_]([%u]%u+)()s?%f[^%w_]' do
      if known[word] then
        known[word].used = true
      elseif not seen[word] and not is_explained(text.text, from, to - 1) then
        report.line(text.file, paragraphs.line_at(text, from),
          '"%s" is not explained here, where it first stands', word)
      end
      seen[word] = true
    end
  end
  for word, line in pairs(known) do
    if not line.used then
      report.line(path, line.number, 'no text needs "%s"', word)
    end
  end
end

return abbreviations
