#!/bin/sh
# libfp8attention as its users meet it: the header alone, what the library
# exports, make's sentences, and the example as far as it goes without a GPU.
# takes: 10 s
set -u
. tests/lib.sh
copy=$(mktemp -d)
log=$copy/log
trap 'rm -rf "$copy"' EXIT
header=libfp8attention/fp8attention.h
warnings="-pedantic -Wall -Wextra -Werror -I. -fsyntax-only"
export PYTHONDONTWRITEBYTECODE=1

# ---- the header ----

for compiler in gcc clang; do
  command -v $compiler >/dev/null || continue
  for standard in c99 c11; do
    # shellcheck disable=SC2086 # options
    $compiler -std=$standard $warnings -x c $header >"$log" 2>&1
    ok $? "the header alone, $compiler -std=$standard" "$log"
  done
done
for compiler in g++ clang++; do
  command -v $compiler >/dev/null || continue
  for standard in c++98 c++17; do
    # shellcheck disable=SC2086 # options
    $compiler -std=$standard $warnings tests/library/use.cpp >"$log" 2>&1
    ok $? "and in C++, $compiler -std=$standard" "$log"
  done
done
grep -o 'fp8attention_[a-z_]*(' $header | tr -d '(' | sort -u >"$copy/declared"
[ "$(wc -l <"$copy/declared")" -eq 3 ]
ok $? "it declares three functions"
g++ -I. -c -o "$copy/use.o" tests/library/use.cpp
nm -u "$copy/use.o" | sed -n 's/.* U \(fp8.*\)/\1/p' | sort |
  diff "$copy/declared" - >"$log"
ok $? "  which C++ calls by their names in C" "$log"

# ---- the example's Python ----

# torch as a machine has it: absent, without a GPU, or with another GPU
torch() {
  rm -rf "$copy/torch"
  mkdir -p "$copy/torch/nn"
  touch "$copy/torch/nn/__init__.py"
  echo "scaled_dot_product_attention = None" >"$copy/torch/nn/functional.py"
  printf '%s\n' "$@" >"$copy/torch/__init__.py"
}
example() {
  PYTHONPATH="$copy:libfp8attention" python3 libfp8attention/example.py "$@"
}
torch "raise ImportError"
ends "without PyTorch" 3 "needs PyTorch for CUDA" example none.so
torch "class cuda:" "  is_available = lambda: False"
ends "without a GPU" 3 "this PyTorch finds none" example none.so
torch "class cuda:" "  is_available = lambda: True" \
  "  get_device_capability = lambda: (8, 9)" "  get_device_name = lambda: 'L4'"
ends "on another GPU" 3 "compute capability 9.0; this is L4." example none.so
torch "class cuda:" "  is_available = lambda: True" \
  "  get_device_capability = lambda: (9, 0)"
ends "without the library" 3 "'make library' builds it" example none.so
ends "without an argument" 2 "example.py LIBRARY.so" example
ends "a file without a hash" 2 "example.py LIBRARY.so" example a.so b.json

"${CC:-gcc}" -std=c11 -I. -o "$copy/layout" tests/library/layout.c &&
  "$copy/layout" >"$copy/c"
ok $? "the structures in C"
torch "class cuda: pass"
PYTHONPATH="$copy:libfp8attention" python3 - >"$log" 2>&1 <<'END'
import ctypes
from example import Problem, Strides
for structure in Strides, Problem:
    for name, _ in structure._fields_:
        print(name, getattr(structure, name).offset)
    print("size", ctypes.sizeof(structure))
END
cmp -s "$copy/c" "$log"
ok $? "  and in Python are the same, field by field" "$log"

# (2, 70, 4, 64) with its middle axes exchanged, and k and v with two heads
PYTHONPATH="$copy:libfp8attention" python3 - >"$log" 2>&1 <<'END'
from example import problem_of
class View:
    def __init__(self, address, heads):
        self.address, self.shape = address, (2, heads, 70, 64)
        self.apart = (70 * heads * 64, 64, heads * 64, 1)
    stride = lambda self: self.apart
    data_ptr = lambda self: self.address
views = [View(16, 4), View(32, 2), View(48, 2)]
scales = [View(n, 1) for n in (4, 8, 12)]
p = problem_of(views, scales, View(64, 4), True, False)
assert (p.batch, p.heads, p.kv_heads, p.seq_len, p.head_dim) == (2, 4, 2, 70, 64)
assert (p.q, p.k, p.v, p.o) == (16, 32, 48, 64)
assert (p.q_scale, p.k_scale, p.v_scale) == (4, 8, 12)
for strides, heads in ((p.q_strides, 4), (p.k_strides, 2), (p.v_strides, 2),
                       (p.o_strides, 4)):
    assert (strides.batch, strides.head, strides.row) == (
        70 * heads * 64, 64, heads * 64)
assert p.softmax_scale == 0.125 and p.causal == 1 and p.promote == 0
print("good")
END
grep -qx good "$log"
ok $? "what the library is told of transposed views" "$log"

# ---- make ----

library=build/gpu/libfp8attention/libfp8attention.so
enter_copy "$copy/tree"
rm -f .deps
ends "make library without nvcc" 2 "needs nvcc 12.8 or newer" \
  env PATH=/usr/bin:/bin make library CUDA_HOME=/none
grep -q 'Error 3' "$log"
ok $? "  exit 3" "$log"
torch "raise ImportError"
ends "make example without all" 2 "needs PyTorch for CUDA" \
  env PATH=/usr/bin:/bin PYTHONPATH="$copy" make example CUDA_HOME=/none
grep -q 'Error 3' "$log"
ok $? "  exit 3" "$log"
cd "$OLDPWD" || exit 1
if ! tools/setup/cuda-home.sh >/dev/null 2>&1; then
  skip "the library itself" "there is no nvcc; make setup"
  finish
  exit
fi
ends "make library" 0 "The library is $library, its header $header." \
  make LOCKED=1 library
nm -D --defined-only $library | awk '{ print $3 }' | sort |
  diff "$copy/declared" - >"$log"
ok $? "it exports what the header declares, and nothing else" "$log"
torch "class cuda: pass"
driver=$(command -v nvidia-smi)
PYTHONPATH="$copy:libfp8attention" python3 - $library "$driver" >"$log" 2>&1 \
  <<'END'
import ctypes, sys
from example import Problem, Strides, load
library = load(sys.argv[1])
first = library.fp8attention_forward(None, None)
for code in range(first, first + 10):
    print("text:", library.fp8attention_error_text(code).decode())
memory = ctypes.create_string_buffer(1 << 16)
at = (ctypes.addressof(memory) + 15) // 16 * 16
contiguous = Strides(4096, 4096, 64)
problem = Problem(1, 1, 1, 64, 64, at, at + 4096, at + 8192, at + 16384,
                  *[contiguous] * 4, at + 32768, at + 32772, at + 32776, 0.125)
if not sys.argv[2]:  # with a driver, a kernel would read host memory
    print(library.fp8attention_forward(ctypes.byref(problem), None) > 1000)
END
sed -n 's/^text: //p' "$log" >"$copy/sentences"
[ "$(wc -l <"$copy/sentences")" -eq 10 ]
ok $? "it can be loaded and called" "$log"
while read -r sentence; do
  grep -qF "| $sentence |" chapters/14-use-it.md || echo "$sentence"
done <"$copy/sentences" >"$copy/unknown"
[ ! -s "$copy/unknown" ]
ok $? "  and the chapter quotes each of its sentences" "$copy/unknown"
if [ -n "$driver" ]; then
  skip "without a driver, CUDA's error comes back" "there is a driver here"
else
  grep -qx True "$log"
  ok $? "without a driver, CUDA's error comes back" "$log"
fi
finish
