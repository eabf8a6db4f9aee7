-- A number that nobody could have known before; or one that is asked for, in
-- the text `asked`, of so many digits at most. `what` is drawn from it, and
-- begins the sentence that refuses another text.
return function(what, asked, digits)
  if asked ~= '' then
    local number = asked:find '^%d+$' and #asked <= digits and
      math.tointeger(tonumber(asked))
    return number or error({sentence = string.format(
      "%s is drawn from one number, not from '%s'.", what, asked)}, 0)
  end
  local file = assert(io.open('/dev/urandom', 'rb'))
  local seed = string.unpack('I4', file:read(4)) % math.tointeger(10 ^ digits)
  file:close()
  return seed
end
