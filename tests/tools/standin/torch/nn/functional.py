from torch import full
from torch.cuda import work

from . import attention


def scaled_dot_product_attention(q, k, v, is_causal=False, enable_gqa=False):
    assert enable_gqa or q.shape == k.shape == v.shape
    return work(attention.chosen, lambda: full(q.shape, 1.0))
