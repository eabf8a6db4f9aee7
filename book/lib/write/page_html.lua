-- The HTML of each page's text, which every format shares: references lead
-- somewhere, and formulas have a place that each format fills in its own way.
local files = require 'common.files'
local labels = require 'text.labels'
local report = require 'common.report'
local page_html = {}

-- Each reference, or what found(link, id, label) makes of it; what they don't
-- find is reported.
function page_html.links(blocks, page, found)
  return pandoc.Blocks(blocks):walk { Link = function(link)
    local id, where = link.target:match('^#(.+)$'), link.attributes
    local file, line = where.file, tonumber(where.line)
    where.file, where.line = nil, nil
    if not id then return link end
    local label = labels.by_id[id]
    if not label then
      return report.line(file or page, line,
        'there is nothing with the id "%s"', id)
    end
    return found(link, id, label)
  end }
end

-- Lets all references lead somewhere, or reports them.
-- list: {page, title, number, sections, blocks}.
function page_html.resolve(list)
  for _, page in ipairs(list) do
    page.blocks = page_html.links(page.blocks, page.page,
      function(link, id, label)
        if link.classes:includes('xref') then
          link.content = { pandoc.Str(labels.text(id)) }
        end
        link.target = (label.page == page.page and '' or label.page)
          .. '#' .. id
        return link
      end)
  end
end

function page_html.of(blocks)
  return pandoc.write(pandoc.Pandoc(blocks), 'html5',
    pandoc.WriterOptions(PANDOC_WRITER_OPTIONS))
end

-- Gives each page of the list its body.
function page_html.write(list)
  for _, page in ipairs(list) do
    page.body = page_html.of(page.blocks)
      :gsub(' role="doc%-endnotes"', ' aria-label="Footnotes"')
  end
end

-- The title of a page, with the number of a chapter.
function page_html.title(page)
  if not page.number or page.number == '0' then return page.title end
  return page.number .. ' ' .. page.title
end

-- The first SVG of a page's body.
function page_html.first_drawing(page)
  return page.body:match('<svg.-</svg>')
end

-- The HTML of each formula of a list ({tex, display, where}), by KaTeX.
function page_html.formulas(list)
  if #list == 0 then return list end
  local questions = pandoc.json.encode(pandoc.List(list):map(function(formula)
    return { formula.tex, formula.display }
  end))
  local html = pandoc.json.decode(files.answer('formulas\n' .. questions,
    function()
      return pandoc.pipe('node', { files.HERE .. 'katex.js' }, questions)
    end))
  for index, text in ipairs(html) do
    local wrong = text:match('^%-(.*)$')
    if wrong then
      report.at(list[index].where, 'formula: %s', (wrong:gsub('%s+', ' ')))
    end
    html[index] = text:sub(2)
  end
  return html
end

-- A body with show(HTML of the formula by KaTeX) where a formula stands.
function page_html.with_formulas(body, formulas, show)
  return (body:gsub('<!%-%-formula (%d+)%-%->', function(number)
    return show(formulas[tonumber(number)])
  end))
end

local ENTITIES = { lt = '<', gt = '>', amp = '&', quot = '"' }

-- HTML to what is read of it: blocks are set apart, formulas are left out.
function page_html.plain(html)
  return (html:gsub('<!%-%-.-%-%->', ' '):gsub('</?(%w+)[^>]*>', function(tag)
    return (tag:match('^h%d$') or tag:match('^t[dhr]$') or tag:match('^d[dtl]$')
      or tag:match('^[po]l?$') or tag == 'li' or tag == 'div'
      or tag == 'section' or tag == 'figcaption' or tag == 'br') and ' ' or ''
  end):gsub('&(%a+);', ENTITIES):gsub('&#39;', "'"):gsub('\u{a0}', ' ')
    :gsub('%s+', ' '):gsub('^ ', ''):gsub(' $', ''))
end

return page_html
