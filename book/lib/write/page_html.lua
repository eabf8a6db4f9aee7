-- The HTML of each page's text, which every format shares: references lead
-- somewhere, and formulas have a place that each format fills in its own way.
local labels = require 'text.labels'
local report = require 'common.report'
local page_html = {}

local function address(id, page)
  local target = labels.by_id[id].page
  return (target == page and '' or target) .. '#' .. id
end

-- References to text and addresses; what they don't find is reported.
local function resolve_links(blocks, page)
  return pandoc.Blocks(blocks):walk { Link = function(link)
    local id = link.target:match('^#(.+)$')
    local where = link.attributes
    local file, line = where.file, tonumber(where.line)
    link.attributes.file, link.attributes.line = nil, nil
    if not id then return link end
    if not labels.by_id[id] then
      report.line(file or page, line, 'there is nothing with the id "%s"', id)
      return link
    end
    if link.classes:includes('xref') then
      link.content = { pandoc.Str(labels.text(id)) }
    end
    link.target = address(id, page)
    return link
  end }
end

-- Lets all references lead somewhere, or reports them.
-- list: {page, title, number, sections, blocks}.
function page_html.resolve(list)
  for _, page in ipairs(list) do
    page.blocks = resolve_links(page.blocks, page.page)
  end
end

-- Gives each page of the list its body.
function page_html.write(list)
  local options = pandoc.WriterOptions(PANDOC_WRITER_OPTIONS)
  for _, page in ipairs(list) do
    page.body = pandoc.write(pandoc.Pandoc(page.blocks), 'html5', options)
      :gsub(' role="doc%-endnotes"', ' aria-label="Footnotes"')
  end
end

-- The title of a page, with the number of a chapter.
function page_html.title(page)
  if not page.number or page.number == '0' then return page.title end
  return page.number .. ' ' .. page.title
end

-- The first SVG of a page's body, or nil.
function page_html.first_drawing(page)
  return page.body:match('<svg.-</svg>')
end

-- A body with show(HTML of the formula by KaTeX) where a formula stands.
function page_html.with_formulas(body, formulas, show)
  return (body:gsub('<!%-%-formula (%d+)%-%->', function(number)
    return show(formulas[tonumber(number)])
  end))
end

return page_html
