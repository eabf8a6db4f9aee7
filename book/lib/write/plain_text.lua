-- HTML to what is read of it: blocks are set apart, formulas are left out.
local ENTITIES = { lt = '<', gt = '>', amp = '&', quot = '"' }

return function(html)
  return (html:gsub('<!%-%-.-%-%->', ' '):gsub('</?(%w+)[^>]*>', function(tag)
    return (tag:match('^h%d$') or tag:match('^t[dhr]$') or tag:match('^d[dtl]$')
      or tag:match('^[po]l?$') or tag == 'li' or tag == 'div'
      or tag == 'section' or tag == 'figcaption' or tag == 'br') and ' ' or ''
  end):gsub('&(%a+);', ENTITIES):gsub('&#39;', "'"):gsub('\u{a0}', ' ')
    :gsub('%s+', ' '):gsub('^ ', ''):gsub(' $', ''))
end
