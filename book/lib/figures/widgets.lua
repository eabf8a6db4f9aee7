-- Widgets: figures that react where there is JavaScript. Here is their still
-- picture, which every format has; theirs is also the one in the page, until
-- book/widgets/upgrade.js finds it.
local cache = require 'common.cache'
local report = require 'common.report'
local widgets = { script = nil }

-- The SVG of a widget of a kind with these settings, or nil.
function widgets.picture(settings, kind, context)
  local question = kind .. '\n' .. settings
  local output = cache.answer('widget\n' .. question, function()
    return pandoc.pipe('node', { widgets.script }, question)
  end)
  local svg = output:match('^%+(.*)$')
  if svg then return svg end
  local line, message = output:match('^%-(%d+) (.*)$')
  report.line(context.file, context.line + tonumber(line), '%s',
    (message:gsub('%s+', ' ')))
end

return widgets
