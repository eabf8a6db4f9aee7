#!/bin/sh
# The beside-the-libraries run, as far as a machine without a GPU can tell: what
# Python hands to the kernels, its figures, its gate, what is recorded.
set -u
. tests/lib.sh
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT
include=$(tools/setup/cuda-home.sh --headers 2>/dev/null)
python() {
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tools/peers python3 "$@" >"$log" 2>&1
}
# compile NAME SOURCE...
compile() {
  out=$folder/$1
  shift
  "${CC:-gcc}" -std=c11 -I. -isystem "$include" -o "$out" "$@" -lm
}

compile layout tests/tools/layout.c && "$folder/layout" >"$folder/c"
ok $? "the structures in C"
python - <<'END'
import ctypes
from stages import (TAKES_CAUSAL, TAKES_GROUPED, TAKES_STRIDES, AttentionArgs,
                    StageObject, Support)
for structure in AttentionArgs, Support, StageObject:
    for name, _ in structure._fields_:
        print(name, getattr(structure, name).offset)
    print("size", ctypes.sizeof(structure))
print("takes", TAKES_CAUSAL, TAKES_GROUPED, TAKES_STRIDES)
END
cmp -s "$folder/c" "$log"
ok $? "  and in Python are the same, field by field" "$log"

one=$(awk 'BEGIN { srand(3); while (n++ < 30) printf "%.3f ", 9 + int(40 * rand()) / 8 }')
two=$(awk 'BEGIN { srand(4); while (n++ < 30) printf "%.3f ", 9 + int(40 * rand()) / 8 }')
compile noise tests/tools/noise.c common/harness/time/samples.c
# shellcheck disable=SC2086 # numbers are words
"$folder/noise" $one $two >"$folder/c"
# shellcheck disable=SC2086
python -c '
import sys
from samples import noise, percentile
numbers = [float(n) for n in sys.argv[1:]]
a, b = numbers[:30], numbers[30:]
print("%.3f %.3f %.3f" % (percentile(a, 0.5), percentile(a, 0.9),
                          noise(a, b)))' $one $two
cmp -s "$folder/c" "$log"
ok $? "median, percentile and noise are the harness's" "$log"

# stops CODE TEXT ARGUMENTS...
stops() {
  code=$1 text=$2
  shift 2
  python tools/peers/peers.py "$@"
  [ $? -eq "$code" ] && grep -q -- "$text" "$log" && ! grep -q Trace "$log"
  ok $? "peers.py $*: exit $code" "$log"
}
stops 2 "'large2' is no shape" run "$folder" x none.so -- large2
stops 2 "is no shape" run "$folder" x none.so -- 1,8,0,64
stops 2 "is no shape" run "$folder" x none.so -- 1,8,2147483648,64
stops 2 "is no shape" run "$folder" x none.so -- mission,causal
stops 2 "is no shape" run "$folder" x none.so -- 1,8:2:2,64,64
stops 2 "is no shape" run "$folder" x none.so -- 1,8,64,64,causal,
stops 2 "1 to 2147483647" run "$folder" x none.so -- 1,8:0,64,64
stops 2 "multiple of its 3 K/V heads" run "$folder" x none.so -- 1,8:3,64,64
stops 2 "65535: that is" run "$folder" x none.so -- 65536,1,64,64
stops 2 "peers.py run" walk
python - <<'END'
from shapes import shape_of
plain, both = shape_of("mission"), shape_of("2,8:2,333,128,causal")
assert plain == (1, 8, 512, 64, 8, False) and not plain.grouped
assert plain.flop == 4 * 8 * 512 * 512 * 64
assert both == (2, 8, 333, 128, 2, True) and both.grouped
assert both.flop == 2 * 2 * 8 * 333 * 333 * 128
assert both.of_q == (2, 8, 333, 128) and both.of_kv == (2, 2, 333, 128)
assert both.numbers == [2, 8, 333, 128]
END
ok $? "a shape with a mask and shared K/V heads" "$log"
# A kernel.so as make links it, which takes the plain or all.
for takes in 0 3; do
  cat >"$folder/kernel.c" <<END
#include "common/device/interface/attention.h"
const char stage_toggles[] = "";
const attention_support stage_support = {{64, 128}, $takes, P_HALF};
cudaError_t stage_launch(const attention_args *args, cudaStream_t stream) {
  return args->heads == 8 && args->kv_heads == 2 && args->causal &&
    !args->strides && !stream ? cudaSuccess : cudaErrorInvalidValue;
}
END
  compile kernel.so -shared -fPIC -DSTAGE='"s"' -DARM='"default"' \
    -DKERNEL_HASH='"h"' -DCOMPILER='"c"' -DFLAGS='"f"' "$folder/kernel.c" \
    common/harness/object/object.c
  python - "$folder/kernel.so" "$takes" <<'END'
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
    pass
END
  ok $? "a kernel gets the call, and says what it takes: $takes" "$log"
done
echo '{"build_meta"' >"$folder/peers.json"
stops 1 "is no result of peers" show "$folder/peers.json"
echo '{"build_meta": {}, "peers": {}}' >"$folder/peers.json"
stops 1 "is no result of peers" show "$folder/peers.json"

# The floor is one that was measured on the same GPU.
for device in one two; do
  echo "{\"build_meta\": {\"device\": {\"name\": \"GPU $device\"}}}" \
    >"$folder/$device.json"
done
FLOORS="$folder/one.json $folder/two.json" python - <<'END'
from peers import floors_of, recorded_floor
assert recorded_floor("GPU two").endswith("two.json")
assert recorded_floor("GPU three") is None
assert floors_of(None, ["long"]) == {"long": None}
END
ok $? "the floor of another GPU is none" "$log"
echo '{' >"$folder/two.json"
FLOORS="$folder/two.json" python -c 'from peers import recorded_floor
recorded_floor("GPU two")'
[ $? -eq 1 ] && grep -q 'two.json is no result of floor' "$log"
ok $? "a floor that is no JSON: exit 1" "$log"

# Exit codes of the script that make calls.
rm "$folder/peers.json"
tools/peers/peers.sh show "$folder" >"$log" 2>&1
[ $? -eq 3 ] && grep -q 'needs a GPU, and no run' "$log"
ok $? "nothing recorded: exit 3" "$log"
tools/peers/peers.sh show >"$log" 2>&1 && grep -q 'No GPU was used' "$log" &&
  grep -Eq '^  torch_math +[0-9.]+ +[0-9.]+ .*x$' "$log"
ok $? "the newest recorded run is shown" "$log"
# The same figures as in the JSON, at mission.
wanted=$(FILE=$(sed -n 's/.*run, \(.*json\)\.$/\1/p' "$log") \
  tools/setup/pandoc.sh lua -e '
  package.path = "book/lib/?.lua;" .. package.path
  local file = io.open(os.getenv "FILE")
  local data = require "data.json".decode(file:read "a")
  print(string.format("%.2f", data.peers.mission.contenders.torch_flash.graph
    .p50_us))' 2>/dev/null)
if tools/setup/pandoc.sh 2>/dev/null; then
  sed -n '/^mission/,/^2,8/p' "$log" |
    grep -Eq "^  torch_flash +$wanted "
  ok $? "  with the recorded figures" "$log"
else
  skip "  with the recorded figures" "pandoc is not installed; make setup"
fi
if python tools/peers/peers.py have || grep -q 'finds no GPU' "$log"; then
  python - <<'END'
import contextlib, math, torch
from peers import gate
torch.cuda.synchronize = lambda: None
right = torch.randn(2, 3, 40, 64, dtype=torch.float64)
class Fixed:
    name, context = "fixed", contextlib.nullcontext
    context = staticmethod(context)
    def __init__(self, out): self.out = out
    def missing(self): return None
    def launch(self): pass
    def output(self): return self.out
one_bad = right.clone(); one_bad[0, 0, 0, 0] = math.nan
assert "absent" not in gate(Fixed(right.half()), right)
for wrong in torch.zeros_like(right), one_bad, right.flip(2), right * 1.05:
    assert gate(Fixed(wrong), right)["wrong"]
END
  ok $? "zeros, a NaN, rows swapped, 5 % too large: wrong" "$log"
  python - <<'END'
import torch
from contenders import Problem
from shapes import shape_of
from torch.nn.functional import scaled_dot_product_attention
for name in "2,6,33,64", "2,6,33,64,causal", "2,6:2,33,128,causal", "1,4:1,9,64":
    shape = shape_of(name)
    problem = Problem(shape, device="cpu")
    q, k, v = (value.double() for value in problem.values)
    group = shape.heads // shape.kv_heads
    k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))
    theirs = scaled_dot_product_attention(q, k, v, is_causal=shape.causal)
    assert (problem.reference() - theirs).abs().max() < 1e-12, name
END
  ok $? "the reference, with masks and groups, is PyTorch's in double" "$log"
else
  skip "the reference, with masks and groups, is PyTorch's in double" \
    "no PyTorch"
  skip "zeros, a NaN, rows swapped, 5 % too large: wrong" "no PyTorch"
fi
finish
