-- Programs that hold the reader's code, and what becomes of them.
local files = dofile 'tools/labs/files.lua'
local programs = {}

-- Processor seconds and MiB that one may take.
programs.seconds = tonumber(os.getenv 'LAB_SECONDS' or '') or 60
local MEGABYTES = 2048

local function answer(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read 'a'
  return pipe:close() and text or nil, text
end
programs.answer = answer

-- As `answer`; a command that fails ends the program.
function programs.output(command)
  return assert(answer(command), command .. ' failed')
end

-- Runs a command within limits. Returns "code" and its exit code, or what
-- stopped it: "time", "memory", "output", "signal", or "others", and then also
-- how the command itself ended. What it said is in `log`.
function programs.run(log, seconds, ...)
  return programs.run_by({}, log, seconds, ...)
end

-- What measures on a GPU waits until nobody else does. Its limits do not.
function programs.run_alone(...)
  return programs.run_by({'tools/make/alone.sh'}, ...)
end

-- As `run`, started by another program, of the words before it.
function programs.run_by(before, log, seconds, ...)
  local words = {table.unpack(before)}
  for _, word in ipairs {'build/tools/limited', seconds, MEGABYTES, log, ...} do
    table.insert(words, word)
  end
  for i, word in ipairs(words) do words[i] = files.quoted(word) end
  local said = answer(table.concat(words, ' '))
  if not said then
    error({sentence = 'The grade was interrupted: nothing was written.',
      code = 3}, 0)
  end
  local how, number, ended = said:match '^(%l+) (%d+) ?(%d*)'
  return how, tonumber(number), tonumber(ended)
end

local COMPILE_SECONDS = 200 -- and 4 GiB

-- Runs make, as a reader's shell would have it; within limits
function programs.make(log, ...)
  return programs.run(log, COMPILE_SECONDS, 'sh', '-c', 'ulimit -v 4194304; ' ..
    'unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES; exec make -s LOCKED=1 "$@"',
    'make', 'MINE=' .. (os.getenv 'MINE' or 'mine'), ...)
end

local SIGNALS = {[4] = 'an instruction that this processor does not have',
  [6] = 'it ended itself', [8] = 'a division by zero', [9] = 'killed',
  [11] = 'an access to memory that is not its own'}

-- What a program's end has to do with the reader, in one sentence.
function programs.sentence(how, number)
  if how == 'time' then
    return string.format('It was stopped after %g seconds of the processor: ' ..
      'does a loop never end?', programs.seconds)
  elseif how == 'memory' then
    return string.format('It was stopped when it had %d MiB of memory in use.',
      MEGABYTES)
  elseif how == 'output' then
    return 'It was stopped when it had written a gigabyte.'
  elseif how == 'others' then
    return 'It started other programs, which a kernel has no use for.'
  elseif how == 'signal' then
    return string.format('Signal %d ended it: %s.', number, SIGNALS[number] or
      'something went wrong')
  end
  return string.format('It ended with exit code %d.', number)
end

-- What a program complained of: its last line, without its own name.
function programs.complaint(log, name)
  local last = 'It said nothing.'
  for line in (files.read(log) or ''):gmatch '[^\n]+' do last = line end
  return (last:gsub('^' .. name .. ': ', ''):sub(1, 300))
end

-- The first complaint of a compiler or linker about the reader's file.
function programs.build_error(log)
  local first
  for line in (files.read(log) or ''):gmatch '[^\n]+' do
    if line:find 'error[: ]' or line:find 'multiple definition' or
        line:find 'relocation truncated' or line:find 'undefined reference' then
      return line:sub(1, 300)
    end
    first = first or line
  end
  return first or 'the compiler said nothing'
end

return programs
