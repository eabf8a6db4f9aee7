"""steps_of_busiest, which chooses the block of a call, must count what a loop
over all turns counts, and must not take longer for more heads."""

import re

import pytest

LOOP = """
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
struct attention_args { int64_t batch, heads, seq_len; int causal, key_len; };
template <int M, int N> struct shape {
  static constexpr int TILE_M = M, TILE_N = N;
};
%s
%s
template <typename SHAPE>
static int64_t by_loop(const attention_args &a, int64_t blocks) {
  const int64_t heads = a.heads * a.batch, all = tiles_of<SHAPE>(a);
  int64_t sum[2] = {};
  for (int64_t turn = 0; turn * blocks < all; turn++)
    for (int which = 0; which < 2; which++) {
      const int64_t block = which == turn %% 2 ? 0 : blocks - 1;
      const int64_t i = turn * blocks + block;
      if (i >= all) continue;
      const int64_t tile = a.causal ? all / heads - 1 - i / heads : 0;
      int64_t keys = a.key_len;
      if (a.causal)
        keys = std::min(
            keys, (tile + 1) * SHAPE::TILE_M + a.key_len - a.seq_len);
      sum[which] +=
          std::max<int64_t>(1, (keys + SHAPE::TILE_N - 1) / SHAPE::TILE_N);
    }
  return std::max(sum[0], sum[1]);
}
static int64_t drawn(int64_t most) { return 1 + rand() %% most; }
template <typename SHAPE> static void compare() {
  for (int i = 0; i < 4000; i++) {
    attention_args a = {drawn(4), drawn(i %% 2 ? 3 : 300), drawn(3000),
                        i %% 3 > 0, 0};
    a.key_len = %s;
    const int64_t blocks = drawn(140);
    const int64_t got = steps_of_busiest<SHAPE>(a, blocks);
    if (got == by_loop<SHAPE>(a, blocks)) continue;
    printf("%%d heads, %%d rows, %%d keys, causal %%d, %%d blocks: "
           "%%d, not %%d\\n", (int)(a.batch * a.heads), (int)a.seq_len,
           a.key_len, a.causal, (int)blocks, (int)got,
           (int)by_loop<SHAPE>(a, blocks));
    exit(1);
  }
}
int main() {
  compare<shape<192, 128>>();
  compare<shape<128, 96>>();
  compare<shape<64, 64>>();
  const attention_args many = {1, 1 << 30, 64, 1, 64};
  printf("%%d\\n", (int)steps_of_busiest<shape<64, 64>>(many, 1));
}
"""


def function(text, name):
    return re.search(r"template <typename SHAPE>\nstatic int64_t " + name
                     + r"\(.*?\n}\n", text, re.DOTALL)[0]


@pytest.mark.parametrize("kernel, keys", [
    ("libfp8attention/kernel.cu", "i % 5 ? drawn(3000) : (int)a.seq_len")])
def test_a_count_in_few_steps_is_that_of_a_loop(root, tmp_path, kernel, keys):
    text = root.read(kernel)
    root.write(f"{tmp_path}/test.cpp", LOOP % (
        function(text, "tiles_of"), function(text, "steps_of_busiest"), keys))
    root.ends(f"g++ -std=c++17 -O1 -fsanitize=undefined -fno-sanitize-recover "
              f"-o {tmp_path}/test {tmp_path}/test.cpp")
    assert int(root.ends(f"timeout 10 {tmp_path}/test")) == 1 << 30
