"""steps_of_busiest, which chooses the block of a call, must count what a loop
over all turns counts, and must not take longer for more heads."""

import ctypes
import random
import re
import time

SOURCE = """
#include <algorithm>
#include <cstdint>
struct attention_args { int64_t batch, heads, seq_len; int causal, key_len; };
template <int M, int N> struct shape {
  static constexpr int TILE_M = M, TILE_N = N;
};
FUNCTIONS
extern "C" int64_t steps(int64_t m, int64_t heads, int64_t rows, int64_t causal,
                         int64_t keys, int64_t blocks) {
  const attention_args args = {1, heads, rows, int(causal), int(keys)};
  if (m == 192) return steps_of_busiest<shape<192, 128>>(args, blocks);
  if (m == 128) return steps_of_busiest<shape<128, 96>>(args, blocks);
  return steps_of_busiest<shape<64, 64>>(args, blocks);
}
"""


def by_loop(m, n, heads, rows, causal, keys, blocks):
    tiles, sums = heads * -(-rows // m), [0, 0]
    for turn in range(-(-tiles // blocks)):
        for which in 0, 1:  # whose first block has the turn's first tile
            i = turn * blocks + (0 if which == turn % 2 else blocks - 1)
            if i < tiles:
                end = (tiles // heads - i // heads) * m + keys - rows
                seen = min(keys, end) if causal else keys
                sums[which] += max(1, -(-seen // n))
    return max(sums)


def test_a_count_in_few_steps_is_that_of_a_loop(root, tmp_path):
    text = root.read("libfp8attention/kernel.cu")
    functions = "".join(re.search(
        rf"template <typename SHAPE>\nstatic int64_t {name}\(.*?\n}}\n", text,
        re.DOTALL)[0] for name in ("tiles_of", "steps_of_busiest"))
    root.write(f"{tmp_path}/it.cpp", SOURCE.replace("FUNCTIONS", functions))
    root.ends(f"g++ -std=c++17 -O1 -shared -fPIC -fsanitize=undefined "
              f"-fsanitize-undefined-trap-on-error -o {tmp_path}/it.so "
              f"{tmp_path}/it.cpp")
    its, draw = ctypes.CDLL(f"{tmp_path}/it.so"), random.Random(1).randint
    its.steps.restype = ctypes.c_int64
    for number in range(3000):
        m, n = ((192, 128), (128, 96), (64, 64))[number % 3]
        rows = draw(1, 3000)
        given = (draw(1, 12 if number % 2 else 1200), rows, draw(0, 2) > 0,
                 draw(1, 3000) if draw(0, 4) else rows, draw(1, 140))
        assert its.steps(*map(ctypes.c_int64, (m, *given))) == by_loop(
            m, n, *given), (m, n, given)
    begin = time.monotonic()
    assert its.steps(*map(ctypes.c_int64, (64, 1 << 31, 64, 1, 64, 1))) == (
        1 << 31)
    assert time.monotonic() - begin < 1
