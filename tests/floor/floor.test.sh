#!/bin/sh
# make floor, as far as a machine without a GPU can tell: the kernels on the
# executor, what their loops are made of, the model's command line.
# takes: 60 s
set -u
. tests/lib.sh
here=$PWD
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT

build/instrumented/floor/program check >"$log" 2>&1 &&
  [ "$(grep -c 'as in plain C$' "$log")" -eq 25 ] &&
  grep -qx '0 findings' "$log"
ok $? "all kernels compute what plain C does, without a race" "$log"
ends "the executor times nothing" 3 "predicts no GPU's time" \
  build/cpu/floor/program measure --json "$folder"
[ ! -e "$folder/floor.json" ]
ok $? "  and writes nothing"
ends "a verb that is none" 2 "Give one verb" build/cpu/floor/program run
ends "no verb" 2 "Give a verb" build/cpu/floor/program
ends "no folder" 2 "needs --json" build/cpu/floor/program measure

# What stage 7 computes, and what is measured of it, is the same text.
body() { cat "$@" | sed -n "/^__device__.* $function(/,/^}/p" | sed 's/ inline//'; }
for function in exp2_polynomial narrow_four; do
  [ -n "$(body stage7_hopper/kernel.cu)" ] &&
    [ "$(body stage7_hopper/kernel.cu)" = "$(body floor/*.cu floor/*.cuh)" ]
  ok $? "$function is stage 7's"
done

# ---- the loops

cuda=$(tools/setup/cuda-home.sh 2>/dev/null) || cuda=
if [ -z "$cuda" ] || ! tools/setup/disassembler.sh >/dev/null; then
  skip "what the loops are made of" "no nvcc or no nvdisasm; make setup"
else
  compile() {
    "$cuda/bin/nvcc" -std=c++17 -O3 -I. --objdir-as-tempdir -cubin \
      -gencode "arch=compute_$1,code=sm_$1" -Xptxas -v \
      -o "$folder/$2.$1.cubin" "floor/$2.cu" >"$folder/$2.$1.log" 2>&1
  }
  for kernel in $(sed -n 's/^\([a-z_]*\) .*/\1/p' tests/floor/loops.list |
    uniq); do
    compile 90a "$kernel"
    ok $? "$kernel.cu compiles" "$folder/$kernel.90a.log"
    ! grep -E '[1-9][0-9]* bytes (stack|spill)|C75[0-9][0-9]' \
      "$folder/$kernel.90a.log" >"$log"
    ok $? "  without stack, spills, or products one by one" "$log"
  done
  grep -v '^#' tests/floor/loops.list | grep . >"$folder/list"
  while read -r kernel opcode other wanted; do
    [ "$other" != '*' ] || other=
    found=$(build/tools/instructions loop "$folder/$kernel.90a.cubin" "$opcode" \
      ${other:+"$other"} 2>&1)
    echo "counted: $found" >"$log"
    [ "$found" = "$wanted" ]
    ok $? "$kernel: $wanted ${other:-instructions} in the loop of $opcode" "$log"
  done <"$folder/list"
  # All that older GPUs run compiles for them, too.
  grep -L '^// architectures' floor/*.cu | sed 's,.*/,,; s,\.cu,,' \
    >"$folder/older"
  while read -r kernel; do
    compile 80 "$kernel"
    ok $? "$kernel.cu compiles for compute capability 8.0" \
      "$folder/$kernel.80.log"
  done <"$folder/older"
fi

# ---- the model's command line

made_up=tests/floor/made-up-floor.json
[ "$(build/tools/floor-model "$made_up" mission 10,1,10000,128)" = \
  "mission 1.839 launch
10,1,10000,128 513 products" ]
ok $? "a line a shape"
build/tools/floor-model --json --tile 128,64,2 "$made_up" mission >"$folder/one" &&
  grep -q '"rows": 128' "$folder/one" && grep -q '"busy": 32' "$folder/one" &&
  grep -q '"groups": 2' "$folder/one" && grep -q '"binding": "launch"' "$folder/one"
ok $? "--json has parts, whole tiles and the chain" "$folder/one"

model() {
  name=$1 code=$2 text=$3
  shift 3
  ends "$name" "$code" "$text" build/tools/floor-model "$@"
  [ "$(wc -l <"$log")" -eq 1 ]
  ok $? "  in one sentence" "$log"
}
wrong() {
  name=$1 text=$2
  shift 2
  ends "$name" 2 "$text" build/tools/floor-model "$@"
  grep -q 'floor-model --help' "$log"
  ok $? "  which says where help is" "$log"
}
echo '{"build_meta"' >"$folder/cut.json"
echo '{"build_meta": {"schema_version": 1}}' >"$folder/empty.json"
echo '{"build_meta": {"schema_version": 2}}' >"$folder/later.json"
echo '[1]' >"$folder/list.json"
wrong "no shape" "Usage:" "$made_up"
wrong "nothing" "Usage:"
wrong "an unknown option" "unrecognized option" --all "$made_up" mission
wrong "a tile without its text" "requires an argument" --tile
model "an unknown shape" 2 "'huge' is no shape" "$made_up" huge
model "S = 0" 2 "must be at least 1" "$made_up" 1,8,0,64
model "S = 2^31" 2 "at most 2147483647" "$made_up" 1,8,2147483648,64
model "a good shape, then a bad one" 2 "is no shape" "$made_up" mission 1,8
model "a bad tile" 2 "is no tile" --tile 60,64 "$made_up" mission
model "no file" 1 "Cannot read" "$folder/none.json" mission
model "a file cut off" 1 "not valid JSON" "$folder/cut.json" mission
model "a result without figures" 1 "has no figure launch/" "$folder/empty.json" mission
model "another schema" 1 "schema version 2" "$folder/later.json" mission
model "a list" 1 "is not a result" "$folder/list.json" mission

# ---- what is shown

cat >"$folder/peers.json" <<'END'
{"build_meta": {"schema_version": 1}, "peers": {"mission": {"contenders": {
  "stage7_hopper": {"graph": {"p50_us": 18.39}}, "torch": {"absent": "cannot"}}}}}
END
cp "$made_up" "$folder/floor.json"
floor/floor.sh show "$folder" 10,1,10000,128 >"$log" 2>&1 &&
  grep -q 'No GPU was used' "$log" && grep -q '^Made-up GPU, 2026-01-02$' "$log" &&
  grep -Eq '^ex2, exponentials +4\.000 ' "$log" &&
  grep -Eq '^mission: floor 1\.839 us, by launch; ' "$log" &&
  grep -Eq '^  stage7_hopper +18\.39 us, the floor is +10\.0 % of it$' "$log" &&
  grep -Eq '^10,1,10000,128: floor 513 us, by products; sustained 1025 us' "$log" &&
  ! grep -q torch "$log"
ok $? "a recorded run, with the stages' shares" "$log"
cp "$folder/cut.json" "$folder/peers.json"
ends "beside a peers.json that is cut off" 1 "not valid JSON" \
  floor/floor.sh show "$folder"
rm "$folder/floor.json"
ends "nothing recorded" 3 "needs a GPU, and no run of it" \
  floor/floor.sh show "$folder"

# ---- mistakes that the checks must see

enter_copy "$folder/copy"
# sees NAME FILE SED TEXT: with that edit, `check` fails and says the text
sees() {
  sed -i "$3" "$2"
  ! cmp -s "$2" "$here/$2" &&
    make LOCKED=1 build/instrumented/floor/program >"$log" 2>&1 &&
    ! build/instrumented/floor/program check >"$log" 2>&1 &&
    grep -qF -- "$4" "$log"
  ok $? "seen: $1" "$log"
  cp "$here/$2" "$2"
}
sees "a read that leaves words out" floor/memory.cu \
  's/sum += word\[u\].x + /sum += /' 'read is wrong'
sees "no fence before the products" floor/beside.cu \
  '/fence_async_proxy();/d' 'no proxy fence'
sees "a product less" floor/tiles.cuh \
  's/k < PRODUCT_DEPTH \/ 32; k++/k < 3; k++/' 'wgmma_shared_96_random       FAILED'
sees "codes of half of the scores" floor/scores.cuh \
  's/r = j; r < j + 4; r += 2/r = j; r < j + 2; r += 2/' \
  'softmax                      FAILED'
sees "a round too few of exponentials" floor/exponentials.cu \
  's/round = 0; round < rounds/round = 1; round < rounds/' \
  'ex2                          FAILED'
finish
