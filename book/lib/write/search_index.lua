-- What the search looks through, as JavaScript: for each page its sections,
-- with their text, the terms that they define and the identifiers of their
-- code.
local page_html = require 'write.page_html'

local plain = page_html.plain
local SHORTEST = 3  -- characters of an identifier that is worth finding

-- The identifiers of some code, each once, in their order.
local function identifiers(html)
  local seen, list = {}, {}
  for word in plain(html):gmatch('[%a_][%w_]*') do
    if #word >= SHORTEST and not seen[word] then
      seen[word] = true
      list[#list + 1] = word
    end
  end
  return table.concat(list, ' ')
end

-- Takes listings out of a section, but for their captions, and figures out of
-- tables; of recorded output it leaves the command. Sketches stay: they are
-- short.
local function without_listings(html, code)
  html = html:gsub('<svg.-</svg>', ' '):gsub('<td[^>]*>[^%a]-</td>', ' ')
  html = html:gsub('<figure class="listing" id="([^"]*)">(.-)</figure>',
    function(id, inner)
      local caption, lines = inner:match('<figcaption>(.-)</figcaption>(.*)')
      local words = identifiers((lines:gsub('<span class="line gap".-</span>',
        '')))
      if words ~= '' then
        local name = plain(caption:match('<strong>(.-)</strong>'))
        code:insert { id, name, words }
      end
      return '<p>' .. caption:gsub('<span class="source".-</span>', '')
        .. '</p>'
    end)
  return (html:gsub('<pre class="code output.-<b>(.-)</b>.-</pre>',
    '<p>%1</p>'))
end

local function section_of(page, id, title, html)
  local code, terms = pandoc.List {}, pandoc.List {}
  local words = plain(without_listings(html, code))
  for term, text in html:gmatch('<dfn id="([^"]*)">(.-)</dfn>') do
    terms:insert { term, plain(text) }
  end
  return { page.page .. '#', id, title, words, terms, code }
end

-- What begins a section: its id, and its title where it has none of its own.
local STARTS = {
  { '()<h[123] id="([^"]*)"[^>]*>(.-)</h[123]>()' },
  { '()<section class="answer" id="([^"]*)">%s*<p>(.-)</p>()' },
  { '()<section class="footnotes.-<li id="([^"]*)">()()', 'Notes' },
}

local function find_sections(page)
  local body, starts = page.body, pandoc.List {}
  for _, start in ipairs(STARTS) do
    for from, id, title, to in body:gmatch(start[1]) do
      starts:insert { from = from, id = id, to = to,
        title = start[2] or plain(title) }
    end
  end
  starts:sort(function(a, b) return a.from < b.from end)
  return starts:map(function(start, index)
    local following = starts[index + 1]
    return section_of(page, start.id, start.title,
      body:sub(start.to, following and following.from - 1))
  end)
end

-- A script that gives bookSearch its pages: [title, [section, ...]], a line
-- each.
return function(pages)
  local lines = pandoc.List(pages):map(function(page)
    return pandoc.json.encode { page_html.title(page), find_sections(page) }
  end)
  return 'bookSearch.pages = [\n' .. table.concat(lines, ',\n') .. '];\n'
end
