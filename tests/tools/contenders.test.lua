#!tests/lua.sh
-- Who takes part beside the stages, with stand-ins for PyTorch, cuDNN and
-- FlashAttention-3: a package that is absent or broken costs a line, a wrong
-- one is not timed, and a new file in contenders/ is a new contender.
-- takes: 30 s
local test = dofile 'tests/lib.lua'
test.enter_copy 'sources'
local standins = 'tests/tools/standin:'
test.environment.PYTHONDONTWRITEBYTECODE = '1'

-- A run of one stage; what it says, and the record.
local function run(name, code, shape, path)
  test.environment.PYTHONPATH = standins .. (path or '')
  test.sh 'rm -rf out'
  local said = test.ends(name .. ': exit ' .. code, code, {without = 'Trace'},
    'python3 tests/tools/standin/run.py run out commit stage1=8 -- ' .. shape)
  return said, test.json 'out/peers.json'
end
-- The one line of a table that begins with a name.
local function line(said, name)
  local found = {}
  for _, text in ipairs(test.lines(said)) do
    if text:find('  ' .. name, 1, true) == 1 then table.insert(found, text) end
  end
  return #found == 1 and found[1] or table.concat(found, '\n')
end
-- All that stands in the table without any package.
local ALONE = 'stage1 torch_math torch_efficient torch_flash torch_cudnn'
local function rest_goes_on(record)
  local contenders = record and record.peers['1,2,8,64'].contenders or {}
  for name in ALONE:gmatch '%S+' do
    local its = contenders[name]
    if not its or not its.graph then return false end
  end
  return true
end

local said, record = run('no package', 0, '1,2,8,64')
test.ok(rest_goes_on(record), '  PyTorch and the stage are timed', said)
for name, lacking in pairs {cudnn_fp16 = 'nvidia-cudnn-frontend',
    cudnn_fp8 = 'nvidia-cudnn-frontend',
    flash_attention_3 = 'flash_attn_interface'} do
  test.ok(line(said, name):match 'cannot: no ([^ ]+)$' == lacking,
    '  one line says that ' .. name .. ' cannot run', said)
end
local order = {}
for name in said:gmatch '\n  ([%w_]+) +[%dc]' do order[#order + 1] = name end
test.ok(table.concat(order, ' '):find(ALONE ..
  ' cudnn_fp16 cudnn_fp8 flash_attention_3', 1, true), '  in this order', said)

said, record = run('all packages', 0, '2,4:2,9,64,causal 1,2,8,64',
  'tests/tools/standin/packages')
for shape, its in pairs(record.peers) do
  for name, limit in pairs {flash_attention_3 = 1e-6, cudnn_fp16 = 1e-6,
      cudnn_fp8 = 0.03} do
    local entry = its.contenders[name]
    test.ok(entry.rel_rms and entry.rel_rms < limit and entry.graph,
      '  at ' .. shape .. ' ' .. name .. ' is right, and timed', said)
  end
end
test.ok(record.peers['1,2,8,64'].contenders.flash_attention_3.graph.p50_us == 5,
  '  and takes what its own clock says')
test.ok(record.build_meta.contenders.cudnn_fp8.version == 'standin' and
  record.build_meta.contenders.cudnn_fp8.precision == 'E4M3',
  '  the record has its version and precision')

-- ---- broken packages ----

local function package(name, text)
  test.must('mkdir -p bad')
  test.write('bad/' .. name .. '.py', text)
  return 'bad:tests/tools/standin/packages'
end
local fa3 = 'flash_attn_interface'
for _, case in ipairs {
  {'it raises at import', 'raise OSError("libcudart.so.12: cannot open it")',
    'cannot: flash_attn_interface does not load: OSError: libcudart.so.12: ' ..
    'cannot open it'},
  {'it lacks a part of its own', 'import flash_attn_3._C',
    'cannot: flash_attn_interface does not load: ModuleNotFoundError: No ' ..
    "module named 'flash_attn_3'"},
  {'it ends the program', 'raise SystemExit(7)',
    'cannot: flash_attn_interface does not load: SystemExit: 7'},
  {'it was made for another PyTorch', 'import torch; torch.ops.flash_attn_3',
    'cannot: flash_attn_interface does not load: AttributeError: '},
  {'it has another function', 'def flash_attn_varlen_func(): pass',
    'cannot: flash_attn_interface has no flash_attn_func'},
  {'its function takes other arguments',
    'def flash_attn_func(q, k, v, descale_q=None): pass',
    'cannot: flash_attn_func() got an unexpected keyword argument'},
  {'the call raises', [[
def flash_attn_func(*its, **named):
    raise RuntimeError("This build has no FP8.\nmore")]],
    'cannot: This build has no FP8.'},
  {'the call raises nothing that has a text', [[
def flash_attn_func(*its, **named): raise ValueError]], 'cannot: ValueError'},
  {'it gives no tensor', 'def flash_attn_func(*its, **named): return 1',
    "cannot: 'int' object"},
  {'it raises while a graph is recorded', [[
import sys, torch
sys.path.append("tests/tools/standin/packages")
import importlib.util as u
spec = u.spec_from_file_location("good",
  "tests/tools/standin/packages/flash_attn_interface.py")
good = u.module_from_spec(spec); spec.loader.exec_module(good)
def flash_attn_func(*its, **named):
    if torch.cuda.captured is not None:
        raise RuntimeError("operation not permitted when stream is capturing")
    return good.flash_attn_func(*its, **named)]],
    'cannot: in a graph: operation not permitted when stream is capturing'},
} do
  local name, text, sentence = table.unpack(case)
  said, record = run(name, 0, '1,2,8,64', package(fa3, text))
  local contenders = record.peers['1,2,8,64'].contenders
  test.ok(line(said, 'flash_attention_3'):find(sentence, 1, true) and
    rest_goes_on(record) and contenders.cudnn_fp8.graph,
    '  one line says so, and the rest goes on', said)
end
for name, text in pairs {
  ['no scales'] = 'its[0] * 1.0, None', zeros = 'its[0] * 0.0',
  ['not a number'] = 'its[0] * float("nan")',
} do
  said, record = run('wrong: ' .. name, 1, '1,2,8,64', package(fa3,
    'def flash_attn_func(*its, **named): return ' .. text))
  test.ok(line(said, 'flash_attention_3'):find 'wrong: relative RMS error' and
    not record.peers['1,2,8,64'].contenders.flash_attention_3.graph and
    test.has(said, 'so not timed: flash_attention_3 at 1,2,8,64.') and
    rest_goes_on(record), '  it is not timed, and the run says so', said)
end
test.must 'rm -r bad'
said, record = run('a cuDNN frontend that does not load', 0, '1,2,8,64',
  package('cudnn', 'raise ImportError("libcudnn.so.9: no such file")'))
test.ok(line(said, 'cudnn_fp8'):find(
  'cudnn does not load: ImportError: libcudnn.so.9', 1, true) and
  rest_goes_on(record), '  one line says so, and the rest goes on', said)

-- ---- a file more ----

local mine = 'tools/peers/contenders/mine.py'
test.write(mine, [[
import torch
from contender import Contender as Base
from torch.nn.functional import attend


class Contender(Base):
    place = 4.5
    largest_rel_rms = 0.3
    factor = 1.2

    def launch(self):
        self.out = torch.cuda.work(1.0, lambda: attend(
            *self.problem.halves, self.problem.shape.causal, 0.125)
            * self.factor)
]])
said, record = run('a file more is a contender more', 0, '1,2,8,64')
test.ok(said:find '\n  torch_cudnn [^\n]*\n  mine +1%.00 [^\n]*\n  cudnn_fp16',
  '  in its place, with its own time and limit of errors', said)
test.edit(mine, 'largest_rel_rms = 0.3', '')
said = run('  which is that of all where it gives none', 1, '1,2,8,64')
test.ok(test.has(said, 'not timed: mine at 1,2,8,64.'), '  as said', said)
for text, sentence in pairs {
  ['class Contender(:'] = ' does not load: SyntaxError: ',
  ['import nothing_like_it'] = ' does not load: ModuleNotFoundError: No ' ..
    "module named 'nothing_like_it'.",
  ['class Contender: pass'] = ' has no class Contender with unavailable(): ',
  ['x = 1'] = ' has no class Contender with ',
} do
  test.write(mine, text .. '\n')
  said = run('a file with ' .. text, 2, '1,2,8,64')
  test.ok(test.has(said, mine .. sentence) and #test.lines(said) == 1,
    '  one sentence says which and why', said)
end
test.finish()
