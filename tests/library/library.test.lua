#!tests/lua.sh
-- libfp8attention as its users meet it: the header alone, what the library
-- exports, make's sentences, and the example as far as it goes without a GPU.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
local tree, folder = test.folder, test.scratch
local header = 'libfp8attention/fp8attention.h'
test.environment.PYTHONDONTWRITEBYTECODE = '1'
test.environment.PYTHONPATH = folder .. ':libfp8attention'

-- ---- the header ----

for _, case in ipairs {
  {'the header alone', 'gcc clang', 'c99 c11', '-x c ' .. header},
  {'and in C++', 'g++ clang++', 'c++98 c++17', 'tests/library/use.cpp'},
} do
  local name, compilers, standards, source = table.unpack(case)
  for compiler in compilers:gmatch '%S+' do
    local _, absent = test.sh('command -v ' .. compiler)
    for standard in (absent == 0 and standards or ''):gmatch '%S+' do
      local with = compiler .. ' -std=' .. standard
      test.ends(name .. ', ' .. with, 0, '', with ..
        ' -pedantic -Wall -Wextra -Werror -I. -fsyntax-only ' .. source)
    end
  end
end
local declared = test.sh('grep -o "fp8attention_[a-z_]*(" ' .. header ..
  [[ | tr -d '(' | sort -u]])
test.ok(#test.lines(declared) == 5, 'it declares five functions', declared)
local called = test.sh([[g++ -I. -c -o "$1" tests/library/use.cpp
  nm -u "$1" | sed -n 's/.* U \(fp8.*\)/\1/p' | sort]], folder .. '/use.o')
test.ok(called == declared, '  which C++ calls by their names in C', called)

-- ---- the example's Python ----

-- torch as a machine has it: absent, without a GPU, or with another GPU
local function torch(text)
  test.must('mkdir -p ' .. folder .. '/torch/nn')
  test.write(folder .. '/torch/nn/__init__.py', '')
  test.write(folder .. '/torch/nn/functional.py',
    'scaled_dot_product_attention = None\n')
  test.write(folder .. '/torch/__init__.py', text)
end
local cuda = 'class cuda:\n  is_available = lambda: True\n' ..
  '  get_device_capability = lambda: '
for _, case in ipairs {
  {'without PyTorch', 3, 'needs PyTorch for CUDA', 'raise ImportError'},
  {'without a GPU', 3, 'this PyTorch finds none',
    'class cuda:\n  is_available = lambda: False'},
  {'on another GPU', 3, 'compute capability 9.0; this is L4.',
    cuda .. "(8, 9)\n  get_device_name = lambda: 'L4'"},
  {'without the library', 3, "'make library' builds it", cuda .. '(9, 0)'},
  {'without an argument', 2, 'example.py LIBRARY.so', cuda .. '(9, 0)', ''},
  {'a file without a hash', 2, 'example.py LIBRARY.so', cuda .. '(9, 0)',
    'a.so b.json'},
} do
  torch(case[4])
  test.ends(case[1], case[2], case[3], 'python3 libfp8attention/example.py ' ..
    (case[5] or 'none.so'))
end

local layout = test.ends('the structures in C', 0, '', [[
  ${CC:-gcc} -std=c11 -I. -o "$1" tests/library/layout.c && "$1"]],
  folder .. '/layout')
torch 'float16, bfloat16 = "half", "bfloat"\nclass cuda: pass'
local said = test.sh('python3 -c "$1"', [[
import ctypes
from example import Problem, Strides
from path import Tensor
for structure in Strides, Problem, Tensor:
    for name, _ in structure._fields_:
        print(name, getattr(structure, name).offset)
    print("size", ctypes.sizeof(structure))]])
test.ok(said == layout, '  and in Python are the same, field by field', said)

-- (2, 70, 4, 64) with its middle axes exchanged, and k and v with two heads
test.ends('what the library is told of transposed views', 0, 'good',
  'python3 -c "$1"', [[
from example import problem_of
class View:
    def __init__(self, address, heads, rows=70):
        self.address, self.shape = address, (2, heads, rows, 64)
        self.apart = (rows * heads * 64, 64, heads * 64, 1)
    stride = lambda self: self.apart
    data_ptr = lambda self: self.address
views = [View(16, 4), View(32, 2), View(48, 2)]
scales = [View(n, 1) for n in (4, 8, 12)]
p = problem_of(views, scales, View(64, 4), True, True)
assert (p.batch, p.heads, p.kv_heads) == (2, 4, 2)
assert (p.seq_len, p.head_dim) == (70, 64)
assert (p.q, p.k, p.v, p.o) == (16, 32, 48, 64)
assert (p.q_scale, p.k_scale, p.v_scale) == (4, 8, 12)
for strides, heads in ((p.q_strides, 4), (p.k_strides, 2), (p.v_strides, 2),
                       (p.o_strides, 4)):
    assert (strides.batch, strides.head, strides.row) == (
        70 * heads * 64, 64, heads * 64)
assert p.softmax_scale == 0.125 and p.causal == 1 and p.drift == 1
assert p.key_len == 70 and p.lse is None
views[1:] = View(32, 2, 33), View(48, 2, 33)
p = problem_of(views, scales, View(64, 4), False, lse=View(80, 4))
assert (p.seq_len, p.key_len, p.lse, p.drift) == (70, 33, 80, 0)
assert p.k_strides.batch == p.v_strides.batch == 33 * 2 * 64
print("good")]])
test.ends('  and of those to be quantised', 0, 'good', 'python3 -c "$1"', [[
import torch
from path import tensor_of
class View:
    dtype, shape = torch.bfloat16, (2, 4, 70, 64)
    def __init__(self, address, *apart):
        self.data_ptr, self.stride = lambda: address, lambda: apart
t = tensor_of(View(16, 17920, 64, 256, 1), View(32, 17920, 4480, 64, 1),
              View(48, 4, 1))
assert (t.batch, t.heads, t.seq_len, t.head_dim, t.format) == (2, 4, 70, 64, 2)
assert (t.values, t.codes, t.scale) == (16, 32, 48)
a, b = t.values_strides, t.codes_strides
assert (a.batch, a.head, a.row) == (17920, 64, 256)
assert (b.batch, b.head, b.row) == (17920, 4480, 64)
print("good")]])

-- ---- make ----

test.enter_copy()
test.must 'rm -f .deps'
test.environment.PYTHONPATH = folder
torch 'raise ImportError'
for _, case in ipairs {
  {'make library without nvcc', 'needs nvcc 12.8 or newer', 'library'},
  {'make example without all', 'needs PyTorch for CUDA', 'example'},
  {'make path without all', 'needs PyTorch for CUDA', 'path'},
} do
  said = test.ends(case[1], 2, case[2],
    'PATH=/usr/bin:/bin make CUDA_HOME=/none ' .. case[3])
  test.ok(test.has(said, 'Error 3'), '  exit 3', said)
end
test.folder = tree
if test.sh 'tools/setup/cuda-home.sh 2>/dev/null' == '' then
  test.skip('the library itself', 'there is no nvcc; make setup')
  test.finish()
end
local library = 'build/gpu/libfp8attention/libfp8attention.so'
test.ends('make library', 0,
  'The library is ' .. library .. ', its header ' .. header .. '.',
  'make LOCKED=1 library')
local exported = test.sh('nm -D --defined-only ' .. library ..
  [[ | sed 's/.* //' | sort]])
test.ok(exported == declared,
  'it exports what the header declares, and nothing else', exported)
torch 'class cuda: pass'
test.environment.PYTHONPATH = folder .. ':libfp8attention'
local driver = test.sh 'command -v nvidia-smi'
said = test.sh('python3 -c "$@"', [[
import ctypes, sys
from example import Problem, Strides, load
library = load(sys.argv[1])
first = library.fp8attention_forward(None, None)
for code in [*range(first, first + 11), *range(21, 27)]:
    print("text:", library.fp8attention_error_text(code).decode())
memory = ctypes.create_string_buffer(1 << 16)
at = (ctypes.addressof(memory) + 15) // 16 * 16
contiguous = Strides(4096, 4096, 64)
problem = Problem(1, 1, 1, 64, 64, at, at + 4096, at + 8192, at + 16384,
                  *[contiguous] * 4, at + 32768, at + 32772, at + 32776, 0.125)
if not sys.argv[2]:  # with a driver, a kernel would read host memory
    print(library.fp8attention_forward(ctypes.byref(problem), None) > 1000)]],
  library, driver)
local sentences, unknown = 0, ''
-- Markdown's ^ is escaped: two of them would raise what lies between.
local chapter = (test.read 'chapters/22-use-it.md' ..
  test.read 'chapters/23-scales.md'):gsub('\\%^', '^')
for sentence in said:gmatch 'text: ([^\n]*)' do
  sentences = sentences + 1
  if not test.has(chapter, '| ' .. sentence .. ' |') then
    unknown = unknown .. sentence .. '\n'
  end
end
test.ok(sentences == 17, 'it can be loaded and called', said)
test.ok(unknown == '', '  and the chapter quotes each of its sentences',
  unknown)
if driver ~= '' then
  test.skip("without a driver, CUDA's error comes back",
    'there is a driver here')
else
  test.ok(said:find '\nTrue\n', "without a driver, CUDA's error comes back",
    said)
end
test.finish()
