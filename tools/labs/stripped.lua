-- A source without comments and white space, as the compiler would have it.
return function(text)
  return (text:gsub('/%*.-%*/', ''):gsub('//[^\n]*', ''):gsub('%s', ''))
end
