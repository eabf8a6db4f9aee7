#!tests/lua.sh
-- Everybody on recorded tensors: the file is read as C reads it, each head is
-- judged by its own numbers, with the model's softmax scale, and a file that is
-- cut off or damaged is a sentence.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
test.enter_copy 'sources'
test.environment.PYTHONDONTWRITEBYTECODE = '1'
local FILE = 'common/tensors/minilm.qkv'
local recorded = test.read(FILE)

-- Ends with 0 and says nothing: the program in Python.
local function holds(name, program)
  test.environment.PYTHONPATH = 'tests/tools/standin:tools/peers'
  test.ends(name, 0, '', 'python3 -c "$1"', program)
end

holds('the file: its sizes, and a number of each end', [[
import struct
from tensors import FILE, read_tensors
its = read_tensors()
assert its[:4] == (2, 12, 512, 32), its[:4]
data = open(FILE, "rb").read()
assert its.head(0, 0, 0)[0][0] == struct.unpack("<e", data[96:98])[0]
assert its.head(1, 2, 11)[511][31] == struct.unpack("<e", data[-2:])[0]
# K of the second head of the first layer lies behind Q and a head of K.
at = 96 + 2 * 512 * 32 * (12 + 1)
assert its.head(0, 1, 1)[3] == list(struct.unpack("<32e",
                                                  data[at + 192:at + 256]))]])

-- Two layers, two heads, six rows of three numbers that E4M3 has, the largest
-- of each tensor 448 powers of two; the second layer's first head is small.
local function write_few()
  test.must([[python3 -c "$1"]], [[
import random, struct, sys
sys.path[:0] = ["tools/peers"]
from tensors import FILE, checksum
drawn, numbers = random.Random(1), []
for layer in range(2):
    for part in range(3):
        for head in range(2):
            some = [drawn.choice((-1, 1)) * drawn.randint(8, 14) / 8
                    for _ in range(18)]
            if layer == 1 and head == 0:
                some = [x / 4 for x in some]
            else:
                some[0] = 1.75
            numbers += some
data = struct.pack(f"<{len(numbers)}e", *numbers)
line = "recorded tensors 1: layers 2 heads 2 rows 6 width 3 checksum %016x"
with open(FILE, "wb") as file:
    file.write((line % checksum(data)).ljust(95).encode() + b"\n" + data)]])
end
write_few()
holds('a problem of them: exact codes, scores over the root of the width', [[
import math
import real
from tensors import read_tensors
its = read_tensors()
problem = real.problem_of(its, 1, 2)
assert problem.shape == (1, 2, 12, 64, 2, False), problem.shape
reference = problem.reference()
def attention(q, keys, values):
    scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(3) for k in keys]
    top = max(scores)
    p = [math.exp(s - top) for s in scores]
    return [sum(x * v[d] for x, v in zip(p, values)) / sum(p)
            for d in range(3)]
for head in range(2):
    q, k, v = (its.head(1, part, head) for part in range(3))
    for row in range(12):
        wanted = attention(q[row % 6], k, v)
        for d in range(64):
            found = reference[0, head].flat[row * 64 + d]
            assert abs(found - (wanted[d] if d < 3 else 0)) < 1e-6, (
                head, row, d, found, wanted)]])

test.environment.PYTHONPATH = 'tests/tools/standin'
local function run(name, code, text, ...)
  text = type(text) == 'table' and text or {text}
  text.without = 'Trace'
  return test.ends(name .. ': exit ' .. code, code, text,
    'python3 tests/tools/standin/run.py run out commit "$@" -- real', ...)
end
local said = run('a run', 0, 'wrote out/real.json', 'stage1=1', 'stage2=1,head')
local all = test.json 'out/real.json'.real
local count = 0
for name, part in pairs(all) do
  count = count + 1
  local right, odd = part.contenders.stage1, part.contenders.stage2
  test.ok(#right.heads == 2 and right.heads[1] < 1e-6 and odd.heads[1] < 1e-6
    and math.abs(odd.heads[2] - 0.02) < 1e-6 and odd.rel_rms < 0.02 and
    odd.rel_rms > 0.005, name .. ': each head is judged by itself', name)
end
test.ok(count == 4 and all.layer1x16.shape[3] == 96 and
  all.layer0x1.shape[3] == 6, 'both layers, once and sixteen times')
test.ok(test.has(said, {'recorded layer 1, its rows 16 times: B, H, S, D = ' ..
  '1, 2, 96, 64',
  'flash_attention_3              cannot: no flash_attn_interface'}) and
  said:find '\n  stage2 +[%d.e-]+ +2.0e%-02 +1\n', 'the table says which', said)
said = run('a stage that is wrong', 1, {'   0  wrong\n',
  'Wrong: stage1 at layer0x1, stage1 at layer1x1.'}, 'stage1=1,wrong')
all = test.json 'out/real.json'.real
test.ok(math.abs(all.layer0x1.contenders.stage1.heads[1] - 0.5) < 1e-6 and
  math.abs(all.layer0x16.contenders.stage1.heads[1] - 0.5) < 1e-6,
  '  by how much, the record says; of long sums it says no more', said)
test.ends('a recorded run is shown by make', 0, {'No GPU was used',
  'recorded layer 0, its rows 1 times'},
  'make -s peers SHAPES=real TARGET=cpu JSON=out')

-- ---- bad input ----

local few = test.read(FILE)
for name, case in pairs {
  ['cut off'] = {few:sub(1, -8), ' is cut off: it lacks 7 of 432 bytes.'},
  damaged = {few:sub(1, -2) .. string.char(few:byte(-1) ~ 1),
    ' is damaged: its checksum is not that of its numbers.'},
  ['too long'] = {few .. 'x', ' is damaged: '},
  empty = {'', ' does not begin as recorded tensors do.'},
  ['something else'] = {recorded:sub(97, 400),
    ' does not begin as recorded tensors do.'},
} do
  test.write(FILE, case[1])
  said = run('a file that is ' .. name, 1, FILE .. case[2], 'stage1=1')
  test.ok(#test.lines(said) == 1, '  in one line', said)
end
test.must('rm ' .. FILE)
run('no file', 1, 'Cannot read the recorded tensors, ' .. FILE ..
  ': No such file or directory.', 'stage1=1')
run('a shape beside it', 2, "'real' is a run of its own: ", 'stage1=1', '--',
  'mission')
test.write(FILE, few)
test.write('taken', '')
test.ends('a folder that cannot be written: exit 3', 3,
  'Cannot write taken/real.json: ',
  'PYTHONPATH=none python3 tools/peers/peers.py run taken commit none.so ' ..
  '-- real')
test.finish()
