#!tests/lua.sh
-- The run beside the libraries, as far as a machine without a GPU can tell:
-- what Python hands to the kernels, its figures, its gate, what is recorded.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
local folder = test.scratch
local include = test.sh 'tools/setup/cuda-home.sh --headers 2>/dev/null'
  :gsub('\n', '')
test.environment.PYTHONDONTWRITEBYTECODE = '1'
test.environment.PYTHONPATH = 'tools/peers'

-- What a program in C says.
local function in_c(options, run)
  return test.must('${CC:-gcc} -std=c11 -I. -isystem "$1" -o "$2" ' ..
    options .. ' -lm && ' .. run, include, folder .. '/program')
end
-- One assertion: the program in Python ends so.
local function holds(name, program, ...)
  test.ends(name, 0, '', 'python3 -c "$@"', program, ...)
end

local layout = in_c('tests/tools/layout.c', '"$2"')
test.ok(layout ~= '', 'the structures in C')
local said = test.sh('python3 -c "$1"', [[
import ctypes
from stages import (RETURNS_LSE, TAKES_CAUSAL, TAKES_GROUPED, TAKES_KEY_LEN,
                    TAKES_STRIDES, AttentionArgs, StageObject, Support)
for structure in AttentionArgs, Support, StageObject:
    for name, _ in structure._fields_:
        print(name, getattr(structure, name).offset)
    print("size", ctypes.sizeof(structure))
print("takes", TAKES_CAUSAL, TAKES_GROUPED, TAKES_STRIDES, TAKES_KEY_LEN,
      RETURNS_LSE)]])
test.ok(said == layout, '  and in Python are the same, field by field', said)

local numbers = {}
math.randomseed(3)
for i = 1, 60 do
  numbers[i] = string.format('%.3f', 9 + math.random(0, 39) / 8)
end
local samples = table.concat(numbers, ' ')
said = test.sh('python3 -c "$@"', [[
import sys
from samples import noise, percentile
numbers = [float(n) for n in sys.argv[1].split()]
a, b = numbers[:30], numbers[30:]
print("%.3f %.3f %.3f" % (percentile(a, 0.5), percentile(a, 0.9),
                          noise(a, b)))]], samples)
test.ok(said == in_c('tests/tools/noise.c common/harness/time/samples.c',
  '"$2" ' .. samples), "median, percentile and noise are the harness's", said)

-- peers.py ends with this code and sentence, and shows no trace of Python's.
local function stops(code, text, ...)
  local words = table.concat({...}, ' '):gsub(folder .. '/', '')
  test.ends(string.format('peers.py %s: exit %d', words, code), code,
    {text, without = 'Trace'}, 'python3 tools/peers/peers.py "$@"', ...)
end
for _, case in ipairs {
  {"'large2' is no shape", 'large2'}, {'is no shape', '1,8,0,64'},
  {'is no shape', '1,8,2147483648,64'}, {'is no shape', 'mission,causal'},
  {'is no shape', '1,8:2:2,64,64'}, {'is no shape', '1,8,64,64,causal,'},
  {'1 to 2147483647', '1,8:0,64,64'},
  {'multiple of its 3 K/V heads', '1,8:3,64,64'},
  {'65535: that is', '65536,1,64,64'},
} do
  stops(2, case[1], 'run', 'folder', 'x', 'none.so', '--', case[2])
end
stops(2, 'peers.py run', 'walk')
holds('a shape with a mask and shared K/V heads', [[
from shapes import shape_of
plain, both = shape_of("mission"), shape_of("2,8:2,333,128,causal")
assert plain == (1, 8, 512, 64, 8, False) and not plain.grouped
assert plain.flop == 4 * 8 * 512 * 512 * 64
assert both == (2, 8, 333, 128, 2, True) and both.grouped
assert both.flop == 2 * 2 * 8 * 333 * 333 * 128
assert both.of_q == (2, 8, 333, 128) and both.of_kv == (2, 2, 333, 128)
assert both.numbers == [2, 8, 333, 128] ]])
-- A kernel.so as make links it, which takes the plain or all.
for _, takes in ipairs {0, 3} do
  test.write(folder .. '/program.c', [[
#include "common/device/interface/attention.h"
const char stage_toggles[] = "";
const attention_support stage_support = {{64, 128}, ]] .. takes .. [[, P_HALF};
cudaError_t stage_launch(const attention_args *args, cudaStream_t stream) {
  return args->heads == 8 && args->kv_heads == 2 && args->causal &&
    !args->strides && !stream ? cudaSuccess : cudaErrorInvalidValue;
}
]])
  in_c([[-shared -fPIC -DSTAGE='"s"' -DARM='"default"' -DKERNEL_HASH='"h"' \
    -DCOMPILER='"c"' -DFLAGS='"f"' "$2".c common/harness/object/object.c]],
    'mv "$2" "$2".so')
  holds('a kernel gets the call, and says what it takes: ' .. takes, [[
import sys
from shapes import shape_of
from stages import AttentionArgs, Library
library, takes = Library(sys.argv[1]), int(sys.argv[2])
assert library.support.takes == takes
missing = [library.missing(shape_of(text)) for text in (
    "mission", "1,8,512,96", "1,8,512,128,causal", "1,8:2,512,64")]
assert missing[:2] == [None, "takes D = 64 or 128"], missing
assert missing[2:] == ([None] * 2 if takes else [
    "takes no causal mask", "takes no shared K/V heads"]), missing
library.launch(AttentionArgs(heads=8, kv_heads=2, causal=True), None)
try:
    library.launch(AttentionArgs(heads=8, kv_heads=8, causal=True), None)
    sys.exit("the call did not arrive")
except RuntimeError:
    pass]], folder .. '/program.so', takes)
end
for text, wrong in pairs {['{"build_meta"'] = ' is not valid JSON: line 1',
    ['{"build_meta": {}, "peers": {}}'] = ': it has no build_meta/device.'} do
  test.write(folder .. '/peers.json', text)
  stops(1, 'peers.json' .. wrong, 'show', folder .. '/peers.json')
end

-- The floor is one that was measured on the same GPU.
for _, device in ipairs {'one', 'two'} do
  test.write(folder .. '/' .. device .. '.json',
    pandoc.json.encode {build_meta = {device = {name = 'GPU ' .. device}}})
end
test.environment.FLOORS = folder .. '/one.json ' .. folder .. '/two.json'
holds('the floor of another GPU is none', [[
from about import floors_of, recorded_floor
assert recorded_floor("GPU two").endswith("two.json")
assert recorded_floor("GPU three") is None
assert floors_of(None, ["long"]) == {"long": None}]])
test.write(folder .. '/two.json', '{')
test.ends('a floor that is no JSON: exit 1', 1,
  'two.json is not valid JSON: line 1', 'python3 -c "$@"',
  'from about import recorded_floor; recorded_floor("GPU two")')
test.environment.FLOORS = false

-- Exit codes of the script that make calls.
local show = 'tools/peers/peers.sh show '
test.must('rm ' .. folder .. '/peers.json')
test.ends('nothing recorded: exit 3', 3, 'needs a GPU, and no run',
  show .. folder)
local code
said, code = test.sh(show)
test.ok(code == 0 and test.has(said, 'No GPU was used') and
  said:find '\n  torch_math +[%d.]+ +[%d.]+ [^\n]*x\n',
  'the newest recorded run is shown', said)
local peers = test.json(said:match 'run, ([^\n]*json)%.\n').peers
local median = string.format('%.2f',
  peers.mission.contenders.torch_flash.graph.p50_us)
test.ok(said:match '\nmission.*\n2,8':match '\n  torch_flash +([%d.]+) ' ==
  median, '  with the recorded figures', said)

said, code = test.sh 'python3 tools/peers/peers.py have'
local real = code == 0 or test.has(said, 'finds no GPU')
if not real then
  test.environment.PYTHONPATH = 'tests/tools/standin:tools/peers'
end
holds('zeros, a NaN, rows swapped, 5 % too large, another layout: no part', [[
import math, torch
from types import SimpleNamespace
from contender import Contender
from judge import gate
torch.cuda.synchronize = lambda: None
size = 2, 3, 40, 64
right = torch.randn(size, generator=torch.Generator("cpu").manual_seed(1),
                    device="cpu").double()
def its(out):
    def launch(): pass
    c = Contender(SimpleNamespace(shape=SimpleNamespace(of_q=size),
                                  judged=lambda out: out))
    c.out, c.launch = out, launch
    return gate(c, right)
one_bad = right * 1.0; one_bad[0, 0] = right[0, 0] * math.nan
swapped = right * 1.0; swapped[0, 0] = right[0, 1]; swapped[0, 1] = right[0, 0]
assert its(right.half())["rel_rms"] < 1e-3
for wrong in right * 0.0, one_bad, swapped, right * 1.05, right * math.inf:
    assert its(wrong)["wrong"]
assert its(one_bad)["rel_rms"] is None
assert its(right.transpose(1, 2))["absent"].startswith(
    "cannot: its output is [2, 40, 3, 64], and not [2, 3, 40, 64]")]])
holds('the rows that are judged, of each head its own, are those of all', [[
import torch
from problem import Problem, drawn
from shapes import shape_of
def normal(shape):
    return Problem(shape, drawn(shape, device="cpu"), device="cpu")
for name in ("2,6:2,70,64", "1,4,70,128,causal", "1,2,5,64"):
    shape = shape_of(name)
    whole, some = (normal(shape) for _ in range(2))
    some.sample()
    whole, wanted = whole.reference(), some.reference()
    assert wanted.shape[2] == min(64, shape.seq_len), wanted.shape
    assert (some.judged(whole) - wanted).abs().max().item() < 1e-12, name
    assert (whole.abs().max().item() <= some.largest)
few = normal(shape_of("16,64,3,64"))
few.sample()
assert few.rows.shape == (16, 64, 2), few.rows.shape]])
if not real then
  test.skip("the reference, with masks and groups, is PyTorch's in double",
    'no PyTorch')
  test.finish()
end
holds("the reference, with masks and groups, is PyTorch's in double", [[
import torch
from problem import Problem, drawn
from shapes import shape_of
from torch.nn.functional import scaled_dot_product_attention
for name in ("2,6,33,64", "2,6,33,64,causal", "2,6:2,33,128,causal",
             "1,4:1,9,64"):
    shape = shape_of(name)
    problem = Problem(shape, drawn(shape, device="cpu"), device="cpu")
    q, k, v = (value.double() for value in problem.values)
    group = shape.heads // shape.kv_heads
    k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))
    theirs = scaled_dot_product_attention(q, k, v, is_causal=shape.causal)
    assert (problem.reference() - theirs).abs().max() < 1e-12, name]])
test.finish()
