"""Draws the shapes of 'make peers SHAPES=sweep'; sweep2 has the next seed:
shapes held out, at which nobody has looked while tuning; sweep3 and so on are
more of them.

B x H x S goes up from 2^11 to 2^20 in equal factors. For each of these S is
drawn, all its octaves alike, from what 128 to 32,768 and the heads leave; then
H, alike between 8 and 64 in eights, and B is the rest. Every other S is rounded
to whole tiles of 128. Each of the twelve mixes of D, mask and query heads a K/V
head comes as often as the others, in an order that is drawn, too."""

import itertools
import math
import random

SEED, COUNT = 20261122, 60
LEAST, MOST = 11, 20  # B x H x S, as powers of two
S_FROM, S_TO, H_FROM, H_TO, B_TO, TILE = 128, 32768, 8, 64, 16, 128
HEAD_DIMS, MASKS, GROUPS = (64, 128), ("", ",causal"), (1, 4, 8)


def between(drawn, low, high):
    """All octaves alike. random() alone gives the same in every Python."""
    return low * (high / low) ** drawn.random()


def shuffled(drawn, things):
    things = list(things)
    for i in range(len(things) - 1, 0, -1):
        j = int(drawn.random() * (i + 1))
        things[i], things[j] = things[j], things[i]
    return things


def cut(drawn, index):
    """B, H and S of a place in the list."""
    most = 2 ** (LEAST + (MOST - LEAST) * index / (COUNT - 1))
    seq_len = round(between(drawn, max(S_FROM, most / (B_TO * H_TO)),
                            min(S_TO, most / H_FROM)))
    if index % 2:
        seq_len = max(seq_len // TILE * TILE, S_FROM)
    heads_in_all = most / seq_len
    heads = between(drawn, max(H_FROM, heads_in_all / B_TO),
                    min(H_TO + H_FROM, heads_in_all))
    heads = min(int(heads) // H_FROM * H_FROM, H_TO)
    batch = min(max(1, math.floor(heads_in_all / heads)), B_TO)
    return batch, heads, seq_len


def shapes(draw=1):
    drawn = random.Random(SEED + draw - 1)
    mixes = list(itertools.product(HEAD_DIMS, MASKS, GROUPS))
    mixes = shuffled(drawn, mixes * (COUNT // len(mixes)))
    for index, (head_dim, mask, group) in enumerate(mixes):
        batch, heads, seq_len = cut(drawn, index)
        kv_heads = "" if group == 1 else f":{heads // group}"
        yield f"{batch},{heads}{kv_heads},{seq_len},{head_dim}{mask}"
