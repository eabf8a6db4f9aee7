-- What an object of the reader's may hold. A kernel computes: what opens
-- files, starts programs, ends this one, or runs before `main` is refused.
-- labs/README.md says what that does not stop.
local programs = dofile 'tools/labs/programs.lua'
local files = dofile 'tools/labs/files.lua'
local admit = {}

-- Functions that a kernel and its launch may call, apart from the executor's:
-- those that common/simt/include declares for kernels.
local CALLS = [[cudaGetLastError cudaPeekAtLastError cudaFuncSetAttribute
  cudaGetDevice cudaDeviceGetAttribute cudaMemsetAsync
  cudaOccupancyMaxActiveBlocksPerMultiprocessor
  expf exp2f exp logf log2f log fmaf fma fmaxf fminf fmax fmin sqrtf sqrt fabsf
  powf floorf ceilf roundf rintf lrintf truncf ldexpf ldexp frexpf scalbnf sinf
  cosf memcpy memset memmove __stack_chk_fail _GLOBAL_OFFSET_TABLE_
  __sanitizer_cov_trace_pc __cxa_guard_acquire __cxa_guard_release]]
local OWN = {stage_launch = true, stage_support = true, stage_toggles = true,
  warmup_launch = true}

local allowed = {}
for word in CALLS:gmatch '%S+' do allowed[word] = true end
for _, header in ipairs {'simt_abi.h', 'simt_launch.h', 'simt_builtins.h'} do
  local text = files.read('common/simt/include/' .. header)
  for word in text:gmatch 'simt_[%l%d_]+' do allowed[word] = true end
end

-- The name as the reader wrote it.
local function readable(symbol)
  return (programs.answer('c++filt ' .. files.quoted(symbol)) or symbol)
    :gsub('%s+$', '')
end

-- Variables may have any name, and functions any that C++ has mangled.
local function symbol_fault(kind, symbol, of_book)
  if kind == 'i' then return 'chooses a function while it is loaded' end
  if kind == 'U' or kind == 'w' or kind == 'v' then
    if allowed[symbol] or of_book[symbol] or symbol:find '^__tsan_' then
      return
    end
    return string.format('calls %s, which no kernel needs', readable(symbol))
  end
  if OWN[symbol] or of_book[symbol] or not kind:find '[TW]' then return end
  if not symbol:find '^_Z' or symbol:find '^_Z[nd][wla]' then
    return string.format('defines %s, a name that is not a kernel\'s to give',
      readable(symbol))
  end
end

local function names_of(object)
  local names = {}
  for symbol in assert(programs.answer('nm -g ' .. object)):gmatch
      '%a ([^%s]+)\n' do
    names[symbol] = true
  end
  return names
end

local function symbols_fault(object, of_book)
  local text = assert(programs.answer('nm ' .. object))
  for line in text:gmatch '[^\n]+' do
    local kind, symbol = line:match '^%s*%x* (%a) (.+)$'
    if kind and (kind:find '%u' or kind:find '[iwv]') then
      local fault = symbol_fault(kind, symbol, of_book)
      if fault then return fault end
    end
  end
end

-- The instrumented build has one constructor, gcc's own.
local function sections_fault(object, constructors)
  local text = assert(programs.answer('objdump -h ' .. object))
  local bytes = 0
  for section, size in text:gmatch '\n%s*%d+%s+(%S+)%s+(%x+)' do
    if section:find '^%.p?r?e?init' or section:find '^%.fini' or
        section:find '^%.[cd]tors' then
      bytes = bytes + tonumber(size, 16)
    end
  end
  if bytes > 8 * constructors then
    return 'does something before it is launched or after the program\'s end'
  end
end

local function instructions_fault(object)
  local text = assert(programs.answer('objdump -d --no-show-raw-insn ' ..
    object .. " | grep -E -m 1 '\\b(syscall|sysenter|int +\\$0x80)' || true"))
  if text:find '%S' then return 'calls the system itself' end
end

-- Why an object is refused, or nil. What the object `book` defines and calls,
-- where there is one, this may define and call as well.
function admit.fault(object, constructors, book)
  return symbols_fault(object, book and names_of(book) or {}) or
    sections_fault(object, constructors) or instructions_fault(object)
end

return admit
